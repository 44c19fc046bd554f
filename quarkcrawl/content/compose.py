"""From the probability of each line to the text of a page."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.content.linecut import LineCut
    from quarkcrawl.page import PageTree

    BoolArray = NDArray[np.bool_]
    FloatArray = NDArray[np.float64]

__all__ = ["choose_lines", "compose_text", "line_texts", "squeeze"]

_PREFORMATTED: Final = ("pre", "listing", "plaintext", "textarea", "xmp")
THRESHOLD: Final = 0.5
"""A line is content from this probability on."""


def squeeze(text: str) -> str:
    """A text without white space, in compatibility form."""
    return "".join(unicodedata.normalize("NFKC", text).split())


def choose_lines(probability: FloatArray) -> BoolArray:
    """Decide which lines are content.

    Args:
        probability: of each line.

    Returns:
        The likely lines; on a page without any, the likeliest one.
    """
    if not len(probability):
        return np.zeros(0, np.bool_)
    return probability >= min(THRESHOLD, float(probability.max()))


def line_texts(tree: PageTree, cut: LineCut, lines: NDArray[np.intp]) -> list[str]:
    """Text of some lines, white space folded outside preformatted text.

    Args:
        tree: the page.
        cut: its lines.
        lines: numbers of the wanted lines, ascending.
    """
    wanted = np.zeros(len(cut) + 1, np.bool_)
    wanted[lines] = True
    chosen = np.flatnonzero(wanted[cut.run_line])
    runs, texts = tree.runs, [""] * len(lines)
    if not len(chosen):
        return texts
    is_pre = _is_preformatted(tree, cut)[cut.first_run[lines]].tolist()
    starts = np.searchsorted(cut.run_line[chosen], lines).tolist()
    pieces = [runs[run] for run in chosen.tolist()]
    for place, (start, end) in enumerate(zip(starts, [*starts[1:], len(pieces)], strict=True)):
        text = "".join(pieces[start:end])
        texts[place] = text.strip("\r\n").rstrip() if is_pre[place] else " ".join(text.split())
    return texts


def _is_preformatted(tree: PageTree, cut: LineCut) -> BoolArray:
    flags = np.zeros(len(tree.runs), np.bool_)
    for node in tree.nodes(*_PREFORMATTED):
        flags[cut.structure.run_start[node] : cut.structure.run_end[node]] = True
    return flags


def compose_text(texts: list[str], rows: NDArray[np.int32]) -> str:
    """Join lines; cells of a table row are parted by tabs.

    Args:
        texts: the lines.
        rows: row of each line; equal for the cells of a table row.
    """
    if not texts:
        return ""
    parts = [texts[0]]
    same_row = (rows[1:] == rows[:-1]).tolist()
    for text, is_cell in zip(texts[1:], same_row, strict=True):
        parts += ("\t" if is_cell else "\n", text)
    return "".join(parts)
