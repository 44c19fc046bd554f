"""What the user can choose about the cutting of a page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from quarkcrawl.errors import ConfigError

CUSTOM_TAGS: Final = ("h1", "h2", "title")
"""Customized tags that the thesis gives as its example."""


@dataclass(frozen=True, slots=True)
class SegmentOptions:
    """Options of `quarkcrawl.segment.QuarkRecognizer`.

    Args:
        custom_tags: element names that are always blocks (class C). The text of ``title`` is no
            visible text of the page, so a block of it never shows.
        custom_patterns: regular expressions. An S, B or L element is a block of its own where
            one of them is found in its visible text (white space folded; write ``^…$`` for "the
            whole text").
        ripe_chars: a B element is a block if it holds more visible characters than this, white
            space and lower blocks not counted. The thesis prints no value; the default is
            calibrated on the final F1 of `quarkcrawl.content.quark.analyzer`, which says how.
        ripe_layout_share: … or if L elements are a greater share than this of the B and L
            elements in it, itself included, lower blocks not counted. The thesis prints no value.

    Raises:
        ConfigError: a threshold is out of range, or a pattern is no regular expression.
    """

    custom_tags: tuple[str, ...] = CUSTOM_TAGS
    custom_patterns: tuple[str, ...] = ()
    ripe_chars: int = 50
    ripe_layout_share: float = 0.8

    def __post_init__(self) -> None:
        if self.ripe_chars < 0 or not 0 <= self.ripe_layout_share <= 1:
            where = f"ripe_chars={self.ripe_chars}, ripe_layout_share={self.ripe_layout_share}"
            raise ConfigError("threshold out of range", where=where)
        for pattern in self.custom_patterns:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ConfigError(f"no regular expression: {error}", where=pattern) from None
