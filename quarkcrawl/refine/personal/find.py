"""Where personal data stands in a text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from quarkcrawl.errors import ConfigError
from quarkcrawl.refine.personal.kinds import KINDS, PATTERNS

if TYPE_CHECKING:
    from collections.abc import Collection


_NARROW: Final = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {
    0x3000: 0x20, 0x2010: 0x2D, 0x2011: 0x2D, 0x2012: 0x2D, 0x2013: 0x2D, 0x2014: 0x2D,
    0x2015: 0x2D, 0x2212: 0x2D, 0x00A0: 0x20, 0x2009: 0x20, 0x3002: 0x3002,
}  # fmt: skip
"""Full-width forms, dashes and blanks as ASCII has them; each stays one character."""

_CHEAP: Final = re.compile(r"[@0-9０-９＠]|[（(\[【{#]at[】)\]）}#]", re.IGNORECASE)


class PersonalSpan(NamedTuple):
    """A piece of personal data.

    Args:
        start: its first character.
        end: one past its last.
        kind: one of `KINDS`.
    """

    start: int
    end: int
    kind: str


def find_personal(text: str, kinds: Collection[str] = tuple(KINDS)) -> tuple[PersonalSpan, ...]:
    """Find personal data, in order and without overlaps.

    Args:
        text: any text.
        kinds: kinds that are looked for.

    Raises:
        ConfigError: there is no such kind.

    >>> find_personal("请致电 138-0013-8000 或写信给 a.b@pku.edu.cn。")
    (PersonalSpan(start=4, end=17, kind='mobile'), PersonalSpan(start=23, end=37, kind='email'))
    """
    for kind in kinds:
        if kind not in KINDS:
            message = f"no kind {kind!r} of personal data; there are {', '.join(KINDS)}"
            raise ConfigError(message, where="personal")
    if not _CHEAP.search(text):
        return ()
    narrow = text.translate(_NARROW)
    taken = bytearray(len(text))
    spans = []
    for pattern in PATTERNS:
        if pattern.kind not in kinds or (pattern.hint and not pattern.hint.search(narrow)):
            continue
        for match in pattern.regex.finditer(narrow):
            start, end = match.span("x")
            if any(taken[start:end]) or (pattern.is_right and not pattern.is_right(match)):
                continue
            taken[start:end] = b"\1" * (end - start)
            spans.append(PersonalSpan(start, end, pattern.kind))
    return tuple(sorted(spans))
