"""The first view of the thesis (section 3.3): every block in a colour, like countries on a map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarkcrawl.segment import escape, shortened
from quarkcrawl.workbench.report.blocklabels import block_labels, block_list, counted
from quarkcrawl.workbench.report.pagecopy import wrapped_copy
from quarkcrawl.workbench.report.plots import MAP_COLOURS, map_colours

if TYPE_CHECKING:
    from quarkcrawl.page import Page
    from quarkcrawl.segment import Segmentation


_TITLE_CHARS: Final = 80
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
    swatches = [MAP_COLOURS[colour] for colour in colours]
    name = shortened(page.title or page.url, _TITLE_CHARS)
    n_blocks = counted(len(segmentation), "block")
    n_chars = counted(int(segmentation.n_chars.sum()), "character")
    legend = (
        f"<h1>Block map</h1><details><summary>{n_blocks}</summary>"
        f'<div class="panel" tabindex="0">{block_list(segmentation, swatches)}</div></details>'
        f'<div class="scroll" tabindex="0"><span>{n_chars}; a colour and a number for each block;'
        f" neighbours differ</span><span>{escape(name)}</span></div>"
    )
    title = f"Block map: {name}"
    return wrapped_copy(page, labels, title=title, legend=legend, sheet=_SHEET, offline=offline)
