"""Stored pages as documents for a frame: written anew, labeled, harmless.

A document shows a copy of the page (`quarkcrawl.workbench.report.pagecopy.copy`) without scripts,
handlers, forms or anything that loads. Every text run carries the number of its block and the name
of its color. One script of ours, let in by a nonce, tells the view outside which block is under
the mouse; the frame has an origin of its own, so nothing in it could read or ask anything.

Writing a copy takes time that grows with the page: pages with more than `MOST_NODES` elements and
runs are shown as their text, block by block, in parts.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from quarkcrawl.content.metadata import metadata_runs
from quarkcrawl.page import Page
from quarkcrawl.segment import INK, escape
from quarkcrawl.workbench.report import (
    FONTS,
    KIND_FILLS,
    MAP_COLORS,
    ROLE_FILLS,
    TEMPLATE_FILLS,
    ElementAttributes,
    Fill,
    fill_sheet,
    map_colors,
    shown_kinds,
    wrapped_copy,
)
from quarkcrawl.workbench.theme import policy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from quarkcrawl.content import Content
    from quarkcrawl.segment import Segmentation


MOST_NODES: Final = 8_000
"""Elements and runs of a page that is copied as it looks."""

PART_RUNS: Final = 1_500
"""Text runs in one part of a larger page."""

ORIGINAL_CHARS: Final = 120_000
"""Source characters of a larger page that are shown as they look."""

_MOST_HEAD_CHARS: Final = 2 << 20

_MAP_FILLS: Final = {
    str(number): Fill(str(number), color, "none") for number, color in enumerate(MAP_COLORS)
}
_SHEET: Final = (
    fill_sheet({**_MAP_FILLS, **KIND_FILLS, **ROLE_FILLS, **TEMPLATE_FILLS})
    + "qk-run{cursor:pointer}"
    + f"qk-run.qk-over{{outline:2px dashed {INK}!important}}"
    + f"qk-run.qk-chosen{{outline:3px solid {INK}!important}}"
    + f"::highlight(qk-hits){{background:#fff;color:{INK};text-decoration:underline 2px}}"
    + f"::highlight(qk-hit){{background:{INK};color:#fff}}"
)
_MARKING_SHEET: Final = (
    "a{-webkit-user-drag:none}"
    + "".join(
        f"::highlight(qk-{kind}){{background-color:{fill.color};color:{INK}}}"
        for kind, fill in {**KIND_FILLS, **ROLE_FILLS}.items()
    )
    + f"::highlight(qk-picked){{background-color:{INK};color:#fff}}"
)
_PLAIN: Final = (
    f"body{{font:15px/1.6 {FONTS};margin:0;padding:8px 16px;color:#111;background:#fff}}"
    "p{margin:0 0 6px;white-space:pre-wrap;overflow-wrap:anywhere}"
)


class Frame(NamedTuple):
    """A document for a frame.

    Args:
        html: the document.
        part: which part of the page it shows.
        n_parts: how many there are.
        has_script: whether our script is in it.
    """

    html: str
    part: int = 0
    n_parts: int = 1
    has_script: bool = True


def is_large(page: Page) -> bool:
    """Whether a page is shown in parts."""
    return len(page.tree) + len(page.tree.runs) > MOST_NODES


def part_count(page: Page) -> int:
    """How many parts a page is shown in."""
    return _runs_of_part(page, 0)[1]


def run_parts(page: Page) -> NDArray[np.intp]:
    """In which part of a page each text run is shown, if it is visible."""
    is_shown = (page.tree.run_chars > 0) & ~page.tree.run_raw
    if not is_large(page):
        return np.zeros(len(is_shown), np.intp)
    n_before: NDArray[np.intp] = np.cumsum(is_shown) - is_shown
    return n_before // PART_RUNS


def original_frame(page: Page) -> Frame:
    """The page as it looks; of a large one, the beginning."""
    n_parts = 1
    if is_large(page):
        head_chars = max(0, page.html.find("<body", 0, _MOST_HEAD_CHARS))  # with style sheets
        n_parts = -(-(len(page.html) - head_chars) // ORIGINAL_CHARS)
        page = Page.from_html(page.html[: head_chars + ORIGINAL_CHARS], page.url)
        if is_large(page):
            return Frame(_plain(page, 0, {}, ""), 0, n_parts, False)
    text = wrapped_copy(
        page, ElementAttributes(), title=page.title, legend=None, sheet="", offline=True,
        head=policy(offline=True),
    )  # fmt: skip
    return Frame(text, 0, n_parts, False)


def content_frame(content: Content, part: int, nonce: str) -> Frame:
    """The page in the colors of its kinds; headline, date and byline have their own."""
    return _block_frame(content.segmentation, shown_kinds(content), part, nonce)


def neutral_frame(segmentation: Segmentation, part: int, nonce: str) -> Frame:
    """The page with its blocks as nobody has judged them, for people who mark."""
    fills = ["none"] * len(segmentation.run_block)
    return _block_frame(segmentation, fills, part, nonce, is_marked=True)


def map_frame(segmentation: Segmentation, part: int, nonce: str) -> Frame:
    """The page with a color for each block, and for headline, date and byline."""
    page = segmentation.page
    large = is_large(page)
    colors = np.arange(len(segmentation)) % len(MAP_COLORS) if large else map_colors(segmentation)
    names = [*map(str, colors), "none"]
    fills = [names[block] for block in segmentation.run_block.tolist()]
    for run, role in ({} if large else metadata_runs(page)).items():
        fills[run] = role
    return _block_frame(segmentation, fills, part, nonce)


def _block_frame(
    segmentation: Segmentation,
    fills: Sequence[str],
    part: int,
    nonce: str,
    *,
    is_marked: bool = False,
) -> Frame:
    """The page with the number of its block and a fill at each run."""
    runs, n_parts = _runs_of_part(segmentation.page, part)
    of_run = {}
    for run in runs.tolist():
        block = int(segmentation.run_block[run])
        if block >= 0:
            of_run[run] = f' data-qk-block="{block}" data-qk-fill="{fills[run]}"'
    return run_frame(segmentation.page, of_run, nonce, (part, n_parts), is_marked=is_marked)


def run_frame(
    page: Page,
    of_run: Mapping[int, str],
    nonce: str,
    which: tuple[int, int] = (0, 0),
    *,
    is_marked: bool = False,
) -> Frame:
    """The page with attributes at its text runs, each with a space in front.

    ``which`` is the part that is shown and the number of parts, 0 if it is to be counted. Runs have
    their numbers; where the page is marked, a script tells what is selected.
    """
    part, n_parts = which
    n_parts = n_parts or _runs_of_part(page, part)[1]
    if is_large(page):
        return Frame(_plain(page, part, of_run, nonce, is_marked=is_marked), part, n_parts)
    of_run = {run: added + _numbered(run) for run, added in of_run.items()}
    sheet = _SHEET + (_MARKING_SHEET if is_marked else "")
    text = wrapped_copy(
        page, ElementAttributes(of_run), title=page.title, legend=None, sheet=sheet, offline=True,
        head=_head(nonce, is_marked=is_marked),
    )  # fmt: skip
    return Frame(text)


def _numbered(run: int, n_cut: int = 0) -> str:
    """The number of a run, and how many of its first characters are not shown."""
    return f' data-qk-run="{run}"' + (f' data-qk-cut="{n_cut}"' if n_cut else "")


def _runs_of_part(page: Page, part: int) -> tuple[NDArray[np.intp], int]:
    """Visible runs of a part, and the number of parts."""
    runs = np.flatnonzero((page.tree.run_chars > 0) & ~page.tree.run_raw)
    if not is_large(page):
        return runs, 1
    return runs[part * PART_RUNS : (part + 1) * PART_RUNS], max(1, -(-len(runs) // PART_RUNS))


def _plain(
    page: Page, part: int, of_run: Mapping[int, str], nonce: str, *, is_marked: bool = False
) -> str:
    """Text runs one after the other, a paragraph where the block or the line changes."""
    pieces: list[str] = []
    last = ""
    for run in _runs_of_part(page, part)[0].tolist():
        label = of_run.get(run, "")
        if pieces and (label != last or len(page.tree.runs[run]) > 40):
            pieces.append("</p><p>")
        text = page.tree.runs[run]
        number = _numbered(run, len(text) - len(text.lstrip())) if label else ""
        pieces.append(f"<qk-run{label}{number}>{escape(text.strip())}</qk-run> ")
        last = label
    head, sheet = _head(nonce, is_marked=is_marked), _SHEET + (_MARKING_SHEET if is_marked else "")
    return (
        f'<!DOCTYPE html><html lang="zh"><head>{head}<title>page</title>'
        f"<style>{_PLAIN}{sheet}</style></head><body><p>{''.join(pieces)}</p></body></html>"
    )


def _head(nonce: str, *, is_marked: bool = False) -> str:
    """What the head begins with; the server sends the policy as a header."""
    head = '<meta charset="utf-8"><meta name="referrer" content="no-referrer">'
    head += '<meta name="viewport" content="width=device-width,initial-scale=1">'
    names = ["inside.js", "frame.js"] if is_marked else ["frame.js"]  # the first hears keys first
    scripts = "".join(f'<script nonce="{nonce}">{_script(name)}</script>' for name in names)
    return head + (scripts if nonce else "")


@cache
def _script(name: str) -> str:
    return files("quarkcrawl.workbench.web").joinpath("static", name).read_text("utf-8")
