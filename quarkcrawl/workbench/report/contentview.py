"""The second view of the thesis (section 3.3): content red, related links green, noise purple.

Posts of a thread, which the thesis does not know, are orange, comments of readers blue. Headline,
date and byline stand apart from the text, so no method takes them; they are no noise, either.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from quarkcrawl.segment import KIND_COLORS, KIND_NAMES
from quarkcrawl.workbench.report.blocklabels import BLOCK_HEADS, block_labels, block_rows
from quarkcrawl.workbench.report.legend import (
    Fill,
    Legend,
    char_samples,
    counted,
    fill_sheet,
    labeled_copy,
)
from quarkcrawl.workbench.report.roles import ROLE_FILLS, chars_by_kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.content import Content


_LINES: Final = {
    "content": "2px solid",
    "post": "4px double",
    "comment": "1px solid",
    "rel_link": "2px dashed",
    "noise": "2px dotted",
}
_ALWAYS: Final = frozenset(("content", "rel_link", "noise"))
KIND_FILLS: Final = {
    kind or "none": Fill(KIND_NAMES[kind], color, _LINES.get(kind or "", "none"))
    for kind, color in KIND_COLORS.items()
}
"""Fills of the kinds of blocks; "none" is that of blocks nobody labeled."""


_SHEET: Final = fill_sheet({**KIND_FILLS, **ROLE_FILLS})


def content_view(content: Content, *, origin: str = "page model", offline: bool = True) -> str:
    """Show a page with its content red, related links green and noise purple.

    Posts are orange, comments blue; headline, date and byline yellow, teal and pink.

    The kinds also differ in the line under the text, and the name of the kind stands where another
    block begins.

    Args:
        content: what a method found.
        origin: what the kinds were decided from, told in the legend: the page alone (the page
            model of the thesis) or, by callers that have it, other pages of its site.
        offline: load nothing, not even pictures; else pictures, fonts and style sheets come from
            where the page says.

    Returns:
        A self-contained HTML document.
    """
    segmentation = content.segmentation
    kinds = [kind or "none" for kind in segmentation.kinds]
    labels = block_labels(
        segmentation,
        kinds,
        [f"{KIND_FILLS[kind].name} {number}" for number, kind in enumerate(kinds)],
        content.metadata_runs,
        fill_roots=False,
    )
    failure = [f"Failed: {content.failure}"] if content.failure else []
    legend = Legend(
        "Content",
        [*failure, f"Method {content.method}, {origin}"],
        samples=_samples(content, kinds),
        summary=counted(len(segmentation), "block"),
        heads=BLOCK_HEADS,
        rows=block_rows(segmentation, [KIND_FILLS[kind].color for kind in kinds]),
        name=content.title,
    )
    return labeled_copy(content.page, labels, legend, _SHEET, offline=offline)


def _samples(content: Content, kinds: Sequence[str]) -> list[tuple[Fill, str]]:
    """The kinds with their numbers of blocks and characters; some only if they occur."""
    n_blocks, n_chars = Counter(kinds), chars_by_kind(content)
    blocks = [
        (fill, f"{counted(n_blocks[kind], 'block')}, {counted(n_chars.get(kind, 0), 'character')}")
        for kind, fill in KIND_FILLS.items()
        if kind in _ALWAYS or n_blocks[kind]
    ]
    return [*blocks, *char_samples({k: f for k, f in ROLE_FILLS.items() if k in n_chars}, n_chars)]
