"""Headline, date and byline of a page: kinds of text runs, not of blocks, and their colors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.workbench.report.legend import Fill

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quarkcrawl.content import Content


ROLE_FILLS: Final = {
    "headline": Fill("headline", "#ffe042", "3px solid"),
    "date": Fill("date", "#5fe3da", "1px dashed"),
    "byline": Fill("byline", "#f7a3e4", "3px dotted"),
}
"""Fills of runs that stand apart from the text; no kind of block and no map has these colors."""


def shown_kinds(content: Content) -> list[str]:
    """What each run of a page is shown as: its role, else the kind of its block, ``none`` without.

    Args:
        content: what a method found.
    """
    blocks = content.segmentation
    names = np.array([*(kind or "none" for kind in blocks.kinds), "none"], object)
    kinds: list[str] = names[blocks.run_block].tolist()
    for run, role in content.metadata_runs.items():
        kinds[run] = role
    return kinds


def chars_by_kind(content: Content) -> dict[str, int]:
    """Visible characters of a page by what they are shown as, see `shown_kinds`.

    Args:
        content: what a method found.
    """
    chars = content.page.tree.run_chars * (content.segmentation.run_block >= 0)
    return _summed(zip(shown_kinds(content), chars.tolist(), strict=True))


def _summed(pairs: Iterable[tuple[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for name, n in pairs:
        total[name] = total.get(name, 0) + n
    return total
