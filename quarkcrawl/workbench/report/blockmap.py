"""The first view of the thesis (section 3.3): every block in a colour, like countries on a map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarkcrawl.workbench.report.blocklabels import BLOCK_HEADS, block_labels, block_rows
from quarkcrawl.workbench.report.legend import Legend, counted, labelled_copy
from quarkcrawl.workbench.report.plots import MAP_COLOURS, map_colours

if TYPE_CHECKING:
    from quarkcrawl.page import Page
    from quarkcrawl.segment import Segmentation


_FILLS: Final = "".join(
    f'[data-qk-fill="{number}"]{{background:{colour}!important}}'
    for number, colour in enumerate(MAP_COLOURS)
)
_SHEET: Final = (
    "body:not([data-qk-fill]),body :not([data-qk-fill]){background-color:transparent!important;"
    f"background-image:none!important}}{_FILLS}"
    "[data-qk-fill]:not(qk-run){outline:1px solid #444!important}"
)


def block_map(page: Page, segmentation: Segmentation, *, offline: bool = True) -> str:
    """Show a page with each of its blocks in a colour that its neighbours do not have.

    Each block is numbered where it begins; its path and counts show under the mouse and the
    keyboard focus, and in a list. Nothing of the page can act.

    Args:
        page: the page that was cut.
        segmentation: its blocks.
        offline: load nothing, not even pictures; else pictures, fonts and style sheets come from
            where the page says.

    Returns:
        A self-contained HTML document.
    """
    colours = map_colours(segmentation)
    labels = block_labels(
        segmentation,
        [str(colour) for colour in colours],
        [str(number) for number in range(len(segmentation))],
        fill_roots=True,
    )
    n_chars = counted(int(segmentation.n_chars.sum()), "character")
    legend = Legend(
        "Block map",
        [f"{n_chars}; a colour and a number for each block; neighbours differ"],
        summary=counted(len(segmentation), "block"),
        heads=BLOCK_HEADS,
        rows=block_rows(segmentation, [MAP_COLOURS[colour] for colour in colours]),
    )
    return labelled_copy(page, labels, legend, _SHEET, offline=offline)
