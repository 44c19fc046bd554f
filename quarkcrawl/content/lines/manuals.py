"""Lines that manuals and wikis show beside their text, for working with it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_CHARS: Final = 60

_CONTROL: Final = re.compile(
    r"\W{0,3}(?:expand description|(?:expand|collapse|show|hide) (?:all|declaration|attributes)"
    r"|show (?:hidden|undocumented) (?:items|fields))\W{0,3}",
    re.IGNORECASE,
)
"""What a reader presses to see more of a manual."""

_LINK: Final = re.compile(
    r"\W{0,3}(?:source(?: code)?|src|(?:view|show|page|go to) source(?: on \w+| code)?"
    r"|prev(?:ious)?|next|up|home|(?:edit|improve|suggest (?:changes|edits) to) (?:this )?page"
    r"(?: on \w+)?|edit on \w+|suggest edits|view as markdown|copy page"
    r"|report (?:a bug|an issue|a problem)(?: with this page)?"
    r"|(?:previous|next) (?:page|topic|chapter|section)|back to top|table of contents"
    r"|quellcode|zurück|weiter|nach oben|bearbeiten|précédent|suivant|anterior|siguiente|próximo"
    r"|上一[页頁章节節]|下一[页頁章节節]|源码|查看源码"
    r"|(?:在 ?\w+ ?上)?编辑[此本]页面?|运行实例|尝试一下|前へ|次へ)\W{0,3}",
    re.IGNORECASE,
)
"""Where a link of a manual leads that is no text of it."""


def controls(texts: Iterable[str], are_links: Iterable[bool]) -> list[bool]:
    """Which lines are there to work with a manual rather than to be read.

    Args:
        texts: chosen lines of a manual.
        are_links: which of them are links as wholes.

    >>> controls(["Expand description", "Reads frames.", "Source"], [False, False, True])
    [True, False, True]
    """
    return [
        len(text) <= MAX_CHARS
        and (
            _CONTROL.fullmatch(text) is not None or (is_link and _LINK.fullmatch(text) is not None)
        )
        for text, is_link in zip(texts, are_links, strict=True)
    ]
