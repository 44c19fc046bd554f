"""Questions with their answers: all of them are content, or what the trees say of each line.

Lists of questions stand below the text of shops, services and articles, often folded. Line by line
they look like what else stands there, and the trees choose some questions and some answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.lines.compose import line_texts
from quarkcrawl.content.lines.scoring import smoothed_scores
from quarkcrawl.content.lines.text import COUNTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from quarkcrawl.content.lines.matrix import LineFeatures
    from quarkcrawl.page import PageTree

    BoolArray = NDArray[np.bool_]
    Lines = NDArray[np.intp]


MIN_QUESTIONS: Final = 2
MIN_QUESTION_SHARE: Final = 0.6
"""So many of the lines that look the same must end with a question mark."""

MIN_PROBABILITY: Final = 0.3
"""So likely must questions and answers be on the average, by weight."""

MAX_SHARE: Final = 0.5
"""A list with more text than that part of what is chosen is the page, and judged line by line."""

MIN_UNFOLDED_SHARE: Final = 0.8
"""So much of what a ``summary`` unfolds must be content, by weight."""

_MAX_CHARS: Final = 200
_MIN_LINES_EACH, _MAX_LINES_EACH = 1.6, 10
"""Questions without answers are a menu, and those of whole chapters are their headings."""

_MARKS: Final = "?？"
_CHARS: Final = COUNTS.index("chars")


def with_answers(
    tree: PageTree, features: LineFeatures, scores: NDArray[np.float64], is_content: BoolArray
) -> BoolArray:
    """The choice with lists of questions and answers behind some of its lines taken whole.

    Args:
        tree: the page.
        features: its lines.
        scores: what the trained trees say of each line.
        is_content: which of them seem to be content.
    """
    questions = _questions(tree, features)
    if len(questions) < MIN_QUESTIONS or not is_content.any():
        return is_content
    weight, filled = features.weight, is_content
    most = MAX_SHARE * float(weight @ is_content)
    first_chosen = int(is_content.argmax())
    smoothed = smoothed_scores(scores, features.look[0], weight)
    expected = weight / (1 + np.exp(-smoothed))
    for start, end in _lists(tree, features, questions):
        n_text = float(weight[start:end].sum())
        if first_chosen >= start or n_text > most or is_content[start:end].all():
            continue
        if float(expected[start:end].sum()) >= MIN_PROBABILITY * n_text:
            filled = filled.copy() if filled is is_content else filled
            filled[start:end] = True
    return filled


def with_summaries(tree: PageTree, features: LineFeatures, is_content: BoolArray) -> BoolArray:
    """The choice with what stands folded or unfolded above some of its lines: their ``summary``.

    Args:
        tree: the page.
        features: its lines.
        is_content: which of them seem to be content.
    """
    summaries, tags = tree.places("summary"), tree.tags
    parents = tree.parent[summaries]
    is_head = [bool(parent >= 0) and tags[parent] == "details" for parent in parents.tolist()]
    summaries, parents = (
        summaries[np.array(is_head, np.bool_)],
        parents[np.array(is_head, np.bool_)],
    )
    if not len(summaries):
        return is_content
    first_run = features.cut.first_run
    starts = first_run.searchsorted(tree.run_start[summaries]).tolist()
    middles = first_run.searchsorted(tree.run_end[summaries]).tolist()
    ends = first_run.searchsorted(tree.run_end[parents]).tolist()
    weights = np.append(0, np.cumsum(features.weight)).tolist()
    so_far = np.append(0, np.cumsum(features.weight * is_content)).tolist()
    filled = is_content.copy()
    for start, middle, end in zip(starts, middles, ends, strict=True):
        n_chosen = so_far[end] - so_far[middle]
        if n_chosen > 0 and n_chosen >= MIN_UNFOLDED_SHARE * (weights[end] - weights[middle]):
            filled[start:middle] = True
    return filled


def _questions(tree: PageTree, features: LineFeatures) -> Lines:
    """Lines that end with a question mark and are no paragraphs; none if they cannot be enough."""
    text, cut = features.text, features.cut
    first, second = map(ord, _MARKS)
    places = ((text.codes == first) | (text.codes == second)).nonzero()[0]
    lines = np.unique(cut.run_line[text.bounds.searchsorted(places, "right") - 1])
    asking: Lines = lines[(lines >= 0) & (text.counts[lines, _CHARS] <= _MAX_CHARS)].astype(np.intp)
    if len(asking) < MIN_QUESTIONS:
        return asking[:0]
    ends = [said.endswith(tuple(_MARKS)) for said in line_texts(tree, cut, asking)]
    return asking[np.array(ends, np.bool_)]


def _lists(tree: PageTree, features: LineFeatures, questions: Lines) -> Iterator[tuple[int, int]]:
    """First line of each list of questions that have answers, and one past its last line."""
    look, cut = features.look[0], features.cut
    looks, counts = np.unique(look[questions], return_counts=True)
    for one, n_asking in zip(looks.tolist(), counts.tolist(), strict=True):
        lines = (look == one).nonzero()[0]
        if n_asking < max(MIN_QUESTIONS, MIN_QUESTION_SHARE * len(lines)):
            continue
        first, last = int(lines[0]), int(lines[-1])
        around = item = int(cut.node[last])
        while around > 0 and not around <= cut.node[first] < tree.end[around]:
            item, around = around, int(tree.parent[around])
        end = int(cut.first_run.searchsorted(tree.run_end[item]))
        if end <= last + 1:  # questions and answers side by side
            n_each = int(np.median(np.diff(lines)))
            end = min(last + n_each, int(cut.first_run.searchsorted(tree.run_end[around])))
        if _MIN_LINES_EACH * len(lines) <= end - first <= _MAX_LINES_EACH * len(lines):
            yield first, end
