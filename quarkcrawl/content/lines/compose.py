"""From the probability of each line to the text of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.headline import is_squeezed, squeezed
from quarkcrawl.content.lines.matrix import COLUMNS
from quarkcrawl.content.lines.scoring import smoothed_scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from quarkcrawl.content.lines.cut import LineCut
    from quarkcrawl.content.lines.matrix import LineFeatures
    from quarkcrawl.page import PageTree

    BoolArray = NDArray[np.bool_]
    FloatArray = NDArray[np.float64]


_PAGE_POSTS: Final = COLUMNS.index("page_posts")
_PAGE_HAN: Final = COLUMNS.index("page_han")
THRESHOLD: Final = 0.0
"""A line is content from this score on: where both are equally likely."""

CHINESE_THRESHOLD: Final = 0.6
"""On Chinese pages, more of which carry teasers and whole other articles, from this one on."""

MIN_HAN_SHARE: Final = 0.2
"""A page with more Chinese characters than that among all is Chinese."""

THREAD_THRESHOLD: Final = -0.85
"""On pages of threads from this one on (probability .3): their content is many short lines in
which a missing one costs more than a wrong one."""

MIN_POSTS: Final = 12
"""A page with more elements than that named as posts, answers, messages … shows a thread."""

MIN_REPEAT_CHARS: Final = 20
"""Shorter lines may repeat: refrains, signatures, names."""


def choose_lines(score: FloatArray, features: LineFeatures) -> BoolArray:
    """Decide which lines are content.

    Args:
        score: what the trained trees say of each line, positive where they take it for content.
        features: what `line_features` measures on the same lines.

    Returns:
        The likely lines; on a page without any, the likeliest one.
    """
    if not len(score):
        return np.zeros(0, np.bool_)
    page = features.matrix[0]
    threshold = CHINESE_THRESHOLD if page[_PAGE_HAN] > MIN_HAN_SHARE else THRESHOLD
    if page[_PAGE_POSTS] > MIN_POSTS:
        threshold = THREAD_THRESHOLD
    smooth = smoothed_scores(score, features.look[0], features.weight)
    is_content: BoolArray = smooth >= min(threshold, max(smooth.tolist()))
    return is_content


def kept_texts(
    texts: list[str], headline: str, may_repeat: Sequence[bool] | None = None
) -> list[bool]:
    """Which texts to keep: neither the headline nor a long line for the second time.

    Pages repeat their text for readers without scripts, for printers and in teasers.

    Args:
        texts: chosen lines.
        headline: the headline of the page.
        may_repeat: which lines are kept however often they stand there: those of code.
    """
    repeating = may_repeat or [False] * len(texts)
    title, seen, kept = squeezed(headline), set[str](), []
    n_most = 3 * len(headline) + 10
    for text, is_free in zip(texts, repeating, strict=True):
        is_new = is_free or len(text) < MIN_REPEAT_CHARS or text not in seen
        seen.add(text)
        kept.append(is_new and not (len(text) <= n_most and is_squeezed(text, title)))
    return kept if any(kept) else [True] * len(texts)


def line_texts(tree: PageTree, cut: LineCut, lines: NDArray[np.intp]) -> list[str]:
    """Text of some lines, white space folded outside preformatted text.

    Args:
        tree: the page.
        cut: its lines.
        lines: numbers of the wanted lines, ascending.
    """
    runs, run_line, texts = tree.runs, cut.run_line.tolist(), []
    first_run = cut.first_run[lines]
    is_pre = cut.lines.preformatted[first_run].tolist()
    for line, first, keeps_space in zip(lines.tolist(), first_run.tolist(), is_pre, strict=True):
        end = first + 1
        while end < len(runs) and run_line[end] <= line:
            end += 1
        pieces = [runs[run] for run in range(first, end) if run_line[run] == line]
        text = "".join(pieces)
        texts.append(text.strip("\r\n").rstrip() if keeps_space else " ".join(text.split()))
    return texts


def compose_text(
    texts: list[str], rows: NDArray[np.int32], columns: NDArray[np.int32] | None = None
) -> str:
    """Join lines; cells of a table row are parted by tabs, lines of a cell by spaces.

    Args:
        texts: the lines.
        rows: row of each line; equal for the cells of a table row.
        columns: number of each line's cell in its row where that is known, else -1; an empty cell
            between two others leaves its tab.
    """
    if not texts:
        return ""
    parts = [texts[0]]
    same_row = (rows[1:] == rows[:-1]).tolist()
    if columns is None:
        steps = [1] * len(same_row)
    else:
        steps = np.where(columns[1:] >= 0, np.maximum(np.diff(columns), 0), 1).tolist()
    for text, is_cell, step in zip(texts[1:], same_row, steps, strict=True):
        parts += ("\t" * step or " " if is_cell else "\n", text)
    return "".join(parts)
