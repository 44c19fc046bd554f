"""The media type of a reply, from all its Content-Type lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_NAME: Final = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_VALID: Final = re.compile(rf"[ \t\r\n]*+({_NAME}/{_NAME})[ \t\r\n]*+(?:;.*)?", re.DOTALL)
_CHARSET: Final = re.compile(r";\s*+charset\s*+=", re.IGNORECASE)
_PARTS: Final = re.compile(r'(?>(?:"(?>(?:[^"\\]|\\.)*)"?|[^",])+)', re.DOTALL)


def content_type_of(values: Iterable[str]) -> str:
    """One Content-Type of several, as browsers choose it: the last that names a media type.

    A charset holds on for later values of the same media type that name none. ``*/*`` is no media
    type.

    Args:
        values: values of the header lines, in order.

    Returns:
        The value; the first one as it is where none names a media type.

    >>> content_type_of(["text/plain; charset=gbk", "text/html", "nonsense"])
    'text/html'
    """
    values = list(values)
    if len(values) < 2 and not (values and "," in values[0]):  # nearly all replies
        return values[0] if values else ""
    last = essence = with_charset = ""
    for part in _PARTS.findall(",".join(values)):
        match = _VALID.fullmatch(part)
        if match is None or match[1] == "*/*":
            continue
        last = part.strip()
        has_charset = _CHARSET.search(part) is not None
        if match[1].lower() != essence:
            essence, with_charset = match[1].lower(), ""
        with_charset = last if has_charset else with_charset
    return with_charset or last or values[0]


def essence_of(content_type: str) -> str:
    """The media type alone, lower case, without parameters."""
    return content_type.partition(";")[0].strip().lower()
