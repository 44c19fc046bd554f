"""Percent-encoding in its one canonical spelling, for paths and for queries.

Characters are encoded where the URL Standard's path and special-query sets say so; encoded
unreserved characters are decoded; hex digits are upper case. A ``%`` that starts no escape stays
(servers that understand ``%u4E2D`` exist), and nothing directly behind it is touched, so that no
new escape comes into being and a second pass changes nothing.
"""

from __future__ import annotations

import codecs
import re
from typing import Final

from quarkcrawl.page.text import python_codecs

_ESCAPE: Final = re.compile(r"(?<!%)(?<!%[0-9A-Fa-f])%([0-9A-Fa-f]{2})")
_PATH_UNSAFE: Final = re.compile(r"""[\x00-\x20"#<>?^`{}\x7f-\U0010ffff]+""")
_QUERY_UNSAFE: Final = re.compile(r"""[\x00-\x20"#<>'\x7f-\U0010ffff]+""")
_UNRESERVED: Final = frozenset(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
)
_CANONICAL: Final = {
    f"{byte:02X}": chr(byte) if byte in _UNRESERVED else f"%{byte:02X}" for byte in range(256)
}


def encode_path(path: str) -> str:
    """Canonical percent-encoding of a path without surrogates; non-ASCII characters as UTF-8."""
    if _PATH_UNSAFE.search(path):
        path = _PATH_UNSAFE.sub(lambda match: _percent(match[0].encode()), path)
    return _normalized(path)


def query_codec(encoding: str) -> str:
    """Python codec in which browsers send the queries of a page in this encoding."""
    codec = python_codecs(encoding)[-1]
    try:
        codecs.lookup(codec)
    except LookupError:
        return "utf-8"
    return "utf-8" if codec.startswith(("utf-16", "hz")) else codec


def encode_query(query: str, codec: str) -> str:
    """Canonical percent-encoding of a query; non-ASCII characters in the page's encoding.

    Characters that the encoding lacks become numeric references, as browsers send them.
    """
    if _QUERY_UNSAFE.search(query):
        query = _QUERY_UNSAFE.sub(lambda match: _percent(_encoded(match[0], codec)), query)
    return _normalized(query)


def _normalized(text: str) -> str:
    return _ESCAPE.sub(lambda match: _CANONICAL[match[1].upper()], text) if "%" in text else text


def _encoded(text: str, codec: str) -> bytes:
    try:
        return text.encode(codec)
    except UnicodeError:
        return b"".join(_encoded_char(char, codec) for char in text)


def _encoded_char(char: str, codec: str) -> bytes:
    try:
        return char.encode(codec)
    except UnicodeError:
        return b"&#%d;" % ord(char)


def _percent(data: bytes) -> str:
    return "".join(f"%{byte:02X}" for byte in data)
