"""What pages and servers call their encoding, and which Python codec reads it.

Labels follow the Encoding Standard, which gives ``gb2312`` and ``gbk`` the decoder of their
superset gb18030, and ``iso-8859-1`` that of windows-1252.
"""

from __future__ import annotations

import codecs
import re
from typing import Final

_LABELS: Final = {
    "gb18030": "gb2312 gbk x-gbk gb_2312-80 gb_2312 chinese csgb2312 csiso58gb231280 gb18030 "
    "euc-cn cp936 ms936 windows-936 936 gb gb-2312 gbk2312",
    "hz": "hz-gb-2312 hz",
    "big5": "big5 big-5 big5-hkscs big5hkscs cn-big5 x-x-big5 cp950 csbig5 windows-950 950",
    "utf-8": "utf-8 utf8 utf_8 unicode-1-1-utf-8 x-unicode20utf8 utf-8-sig unicode",
    "windows-1252": "iso-8859-1 iso8859-1 iso_8859-1 latin1 latin-1 l1 ascii us-ascii cp1252",
    "windows-1254": "iso-8859-9 latin5 cp1254",
    "shift_jis": "shift_jis shift-jis sjis x-sjis cp932 windows-31j ms_kanji csshiftjis ms932",
    "euc-jp": "euc-jp x-euc-jp eucjp",
    "euc-kr": "euc-kr ks_c_5601-1987 ksc5601 ks_c_5601 cp949 uhc windows-949 korean",
    "windows-874": "windows-874 tis-620 iso-8859-11 cp874",
}
_NAMES: Final = {label: name for name, labels in _LABELS.items() for label in labels.split()}

_CODECS: Final[dict[str, tuple[str, ...]]] = {
    # Of the 18,594 pairs that browsers know, big5hkscs reads 18,387 alike and cp950 13,502, but
    # eleven common signs (～ ‧ ￥ …) only cp950: it reads texts without kana and the like, which it
    # has elsewhere.
    "big5": ("cp950", "big5hkscs"),
    "shift_jis": ("cp932",),
    "euc-kr": ("cp949",),
    "windows-874": ("cp874",),
}
_PROBE: Final = b'<a b="\\x41\\u0041-+AGE-">'
"""Means the same in each encoding that extends ASCII, and in no codec that reads escapes."""

_HIGH: Final = bytes(range(0x80, 0x100))

_OWN_NAME: Final = re.compile(r"(?:windows|iso|koi8|euc)-[\w-]+")


def canonical_name(label: str) -> str | None:
    """Canonical encoding name of a declared label.

    Args:
        label: as written in a header or page.

    Returns:
        Lower-case name; None if no codec answers to the label. A page that can name its
        encoding in ASCII bytes is not UTF-16: such declarations mean UTF-8, as in browsers.
    """
    label = label.strip().lower()
    standard_name = _NAMES.get(label)
    if standard_name is not None:
        return standard_name
    try:
        codec = codecs.lookup(label).name
        if codec.startswith(("utf-16", "utf-32", "utf-7")):
            return "utf-8"
        if _PROBE.decode(codec) != _PROBE.decode("ascii"):
            return None
        _HIGH.decode(codec, "replace")  # which no codec of names does ("idna")
    except (LookupError, ValueError):
        return None
    return label if _OWN_NAME.fullmatch(label) else _NAMES.get(codec, codec)


def python_codecs(name: str) -> tuple[str, ...]:
    """Python codecs for a canonical name, in the order in which they are to be tried."""
    return _CODECS.get(name, (name,))
