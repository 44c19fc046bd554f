"""The first view of the thesis (section 3.3): every block in a color, like countries on a map."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from quarkcrawl.content.metadata import metadata_runs
from quarkcrawl.workbench.report.blocklabels import BLOCK_HEADS, block_labels, block_rows
from quarkcrawl.workbench.report.legend import (
    Fill,
    Legend,
    char_samples,
    counted,
    fill_sheet,
    labeled_copy,
)
from quarkcrawl.workbench.report.plots import MAP_COLORS, map_colors
from quarkcrawl.workbench.report.roles import ROLE_FILLS

if TYPE_CHECKING:
    from quarkcrawl.page import Page
    from quarkcrawl.segment import Segmentation


_FILLS: Final = "".join(
    f'[data-qk-fill="{number}"]{{background:{color}!important}}'
    for number, color in enumerate(MAP_COLORS)
)
_SHEET: Final = (
    "body:not([data-qk-fill]),body :not([data-qk-fill]){background-color:transparent!important;"
    f"background-image:none!important}}{_FILLS}"
    "[data-qk-fill]:not(qk-run){outline:1px solid #444!important}" + fill_sheet(ROLE_FILLS)
)


def block_map(page: Page, segmentation: Segmentation, *, offline: bool = True) -> str:
    """Show a page with each of its blocks in a color that its neighbors do not have.

    Headline, date and byline have colors that no block has.

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
    colors, roles = map_colors(segmentation), metadata_runs(page)
    labels = block_labels(
        segmentation,
        [str(color) for color in colors],
        [str(number) for number in range(len(segmentation))],
        roles,
        fill_roots=True,
    )
    n_chars = counted(int(segmentation.n_chars.sum()), "character")
    legend = Legend(
        "Block map",
        [f"{n_chars}; a color and a number for each block; neighbors differ"],
        samples=_samples(page, roles),
        summary=counted(len(segmentation), "block"),
        heads=BLOCK_HEADS,
        rows=block_rows(segmentation, [MAP_COLORS[color] for color in colors]),
    )
    return labeled_copy(page, labels, legend, _SHEET, offline=offline)


def _samples(page: Page, roles: dict[int, str]) -> list[tuple[Fill, str]]:
    """Headline, date and byline, those that the page shows, with their characters."""
    n_chars = Counter[str]()
    for run, role in roles.items():
        n_chars[role] += int(page.tree.run_chars[run])
    return char_samples({role: ROLE_FILLS[role] for role in ROLE_FILLS if n_chars[role]}, n_chars)
