"""What the user can choose about visual blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from quarkcrawl.errors import ConfigError

VipsRules = Literal["paper", "quarkcrawl"]
"""``"paper"``: as in the report of 2003. ``"quarkcrawl"``: with the changes that the pages of today
need, see `quarkcrawl.segment.vips.segmenter`."""


@dataclass(frozen=True, slots=True)
class VipsOptions:
    """Options of `quarkcrawl.segment.VipsSegmenter`.

    Args:
        pdoc: permitted degree of coherence, 1 to 10: a block that is less coherent is divided.
        rules: whose rules to follow.
        text_share: a node with text of its own is not divided if its area is a smaller share than
            this of the area that is being divided (rule 9). The report prints no value.
        child_share: nor is a node without a child of at least this share (rule 10). The report
            prints no value.
        max_rounds: most rounds of dividing, the first one counted.

    Raises:
        ConfigError: a value is out of range.
    """

    pdoc: int = 6
    rules: VipsRules = "quarkcrawl"
    text_share: float = 0.02
    child_share: float = 0.005
    max_rounds: int = 8

    def __post_init__(self) -> None:
        if not 1 <= self.pdoc <= 10:
            raise ConfigError(f"pdoc is 1 to 10, not {self.pdoc}", where="VipsOptions")
        if self.rules not in {"paper", "quarkcrawl"}:
            raise ConfigError(f"no rules are called {self.rules!r}", where="VipsOptions")
        if not (0 <= self.text_share <= 1 and 0 <= self.child_share <= 1):
            raise ConfigError("shares are 0 to 1", where="VipsOptions")
        if self.max_rounds < 1:
            raise ConfigError(f"a page takes a round, not {self.max_rounds}", where="VipsOptions")
