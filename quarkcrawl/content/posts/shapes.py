"""Runs of posts or comments told by what they carry, where names do not tell.

Class names and ids made by programs, or none at all, leave the date, the author, the buttons and
the picture that each post carries, the heading above comments and the form below them.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.posts.names import LISTED
from quarkcrawl.content.posts.runs import (
    MIN_SHARE_OF_PAGE,
    facts_in,
    measure,
    run_facts_in,
    scatter_of,
    widest,
)
from quarkcrawl.content.posts.view import (
    ACTED,
    AUTHORED,
    DATED,
    HEADED,
    NUMBERED,
    PICTURED,
    PLAIN,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from quarkcrawl.content.posts.runs import PostRun
    from quarkcrawl.content.posts.view import PageView


_MIN_DATED: Final = 0.6
_MIN_PLAIN_CHARS: Final = 40
_MIN_CHARS_BETWEEN: Final = 10
_MAX_SCATTER: Final = 0.5
_MAX_SAMPLE: Final = 4
_LEAST_SCORE: Final = 9.2
_LEAST_IN_THREAD: Final = 8.4
"""The least score on a page that is likely a thread, of elements that hold enough text."""

_MIN_SHARE_IN_THREAD, _MIN_CHARS_IN_THREAD = 0.1, 60
"""So much of the page's text, and so many characters outside links in an element, are enough."""

_MIN_UNLINKED, _MIN_UNLINKED_CHARS = 0.95, 20
"""Fewer are enough where so much of the text is outside links."""

_MIN_UNLIKE, _MIN_LIKENESS = 4, 0.5
"""Fewer elements than that are columns of a layout if they are built in different ways."""

_MAX_LEVELS, _MAX_NODES = 4, 60
"""How they are built is seen on so many levels of their first elements."""

_MAX_WRAPPED: Final = 0.5
"""Nearly all of so many elements is another one of the run: it is taken twice."""

_WEIGHTS: Final = {
    DATED: 2.25,
    AUTHORED: 0.9,
    ACTED: 1.6,
    NUMBERED: 0.6,
    HEADED: -2.25,
    PICTURED: 0.85,
    PLAIN: 1.6,
}
_OF_COUNT, _OF_SHARE, _OF_SCATTER, _OF_PLAIN, _OF_LIKENESS = 0.3, 1.9, -2.0, 1.15, 1.5
_OF_HEADING, _OF_FORM, _OF_TYPE = 0.75, 0.45, 1.85
"""Rounded weights of a logistic regression over the elements that repeat on labeled pages, all
names made up, told apart by whether the true names show them to be posts; those of parts of the
sites are alike. The logarithm of their number counts, all else from 0 to 1."""

_WEIGHT_OF: Final = [
    sum(weight for bit, weight in _WEIGHTS.items() if facts & bit)
    for facts in range(2 * max(_WEIGHTS))
]
_MOST_FACTS: Final = max(_WEIGHT_OF)
_MOST_OF_NODES: Final = _WEIGHTS[AUTHORED] + _WEIGHTS[NUMBERED] + _WEIGHTS[PICTURED]
_HEADING: Final = re.compile(
    r"评论|評論|留言|跟帖|回复|回覆|回應|网友|comment|kommentar|coment[aá]ri|komentar|коммент|отзыв"
    r"|обсужд|сообщени|σχόλι|review|repl(?:y|ies)|respon|discussion|answers?|コメント|opini[ae]"
    r"|wypowied",
    re.IGNORECASE,
)
_MAX_HEADING_CHARS: Final = 40
_MAX_HEADING_RUNS: Final = 9
"""So many lines before the first comment may hold the heading of all."""

_MAX_FORM_NODES: Final = 400
_HIDING: Final = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_TYPED: Final = re.compile("comment|answer|discussionforum|review|post", re.IGNORECASE)
_TYPES: Final = frozenset(("itemtype", "itemprop", "role", "typeof"))
_TYPED_NODES: Final = 3


def shaped_run(view: PageView, runs: list[PostRun]) -> PostRun | None:
    """The run that is likeliest one of posts or comments by what its elements carry.

    Args:
        view: the page.
        runs: elements of one look.
    """
    forms = view.tree.places("textarea").tolist()
    dates_in = view.n_dated.tolist()
    likely: list[PostRun] = []
    for run in runs:
        n_dated = len(run.items) - [dates_in[item] for item in run.items].count(0)
        if n_dated < _MIN_DATED * len(run.items) or run.bits & LISTED:
            continue
        measure(view, run)
        if run.share < MIN_SHARE_OF_PAGE or run.wrapped > _MAX_WRAPPED:
            continue
        run.score = _score(view, run, forms)
        if run.score >= _LEAST_SCORE or (run.score and view.is_thread):
            likely.append(run)
    if not likely:
        return None
    best = widest(view, max(likely, key=lambda run: run.score - 1.5 * run.wrapped), likely)
    while not dates_in[best.items[-1]]:  # what stands below the posts, a footer
        best.items.pop()
    return best


def has_text_between_dates(view: PageView) -> bool:
    """Whether text stands between two dates in elements of one tag, as in posts.

    Args:
        view: the page.
    """
    tree = view.tree
    dated = view.dated.nonzero()[0]
    tags = tree.tag[tree.run_node[dated]]
    order = tags.argsort(kind="stable")
    chars = np.where(view.lines.linked | view.dated, 0, tree.run_chars).cumsum()[dated[order]]
    is_same = np.diff(tags[order]) == 0
    return bool((np.diff(chars)[is_same] >= _MIN_CHARS_BETWEEN).any())


def _score(view: PageView, run: PostRun, forms: list[int]) -> float:
    """How much speaks for posts or comments; 0 where it cannot be enough."""
    items = run.items
    n_plain = sum(map(view.plain.__getitem__, items))
    if n_plain < _MIN_PLAIN_CHARS:
        return 0.0
    scatter = scatter_of(view, run)
    if scatter > _MAX_SCATTER and not _are_nested(view, items):
        return 0.0
    least = _LEAST_SCORE
    n_chars = sum(map(view.chars.__getitem__, items))
    is_unlinked = n_plain >= _MIN_UNLINKED * n_chars
    min_chars = _MIN_UNLINKED_CHARS if is_unlinked else _MIN_CHARS_IN_THREAD
    if run.share >= _MIN_SHARE_IN_THREAD and n_plain >= min_chars * len(items):
        least = _LEAST_IN_THREAD
    step = max(1, len(items) // _MAX_SAMPLE)
    sample = items[::step][:_MAX_SAMPLE]
    score = _OF_COUNT * math.log(len(items)) + _OF_SHARE * run.share + _OF_SCATTER * scatter
    score += _OF_PLAIN * n_plain / n_chars
    score += _OF_TYPE * _is_typed(view, sample[-1]) + _OF_FORM * _has_form(view, items, forms)
    rest = _OF_LIKENESS + _OF_HEADING
    if score + rest + _facts_score(view, sample, run_facts_in, _MOST_OF_NODES) < least:
        return 0.0
    likeness = _likeness(view, sample)
    if len(items) < _MIN_UNLIKE and likeness < _MIN_LIKENESS:
        return 0.0
    score += _OF_LIKENESS * likeness + _OF_HEADING * _is_headed(view, items[0])
    if score + _facts_score(view, sample, run_facts_in, _MOST_OF_NODES) < least:
        return 0.0  # nodes take longer to read than their text
    score += _facts_score(view, sample, facts_in)
    return 0.0 if score < least or _are_panels(view, items) else score


def _are_nested(view: PageView, items: list[int]) -> bool:
    """Whether elements of several depths are answers to each other: one level deeper, no more.

    The first of a deeper level stands in the same part of the page as the one before it.
    """
    levels = sorted({view.depth[item] for item in items})
    if len(levels) < 2 or view.depth[items[0]] > levels[0]:
        return False
    step = levels[1] - levels[0]
    rises = [(view.depth[other] - view.depth[item], item, other) for item, other in pairwise(items)]
    return all(
        rise % step == 0 and (rise <= 0 or (rise == step and _is_near(view, item, other, step)))
        for rise, item, other in rises
    )


def _is_near(view: PageView, item: int, other: int, n_levels: int) -> bool:
    """Whether a later element lies in an ancestor of another one, so many levels above at most."""
    for _ in range(n_levels):
        item = view.parent[item]
    return other < view.end[item]


def _are_panels(view: PageView, items: list[int]) -> bool:
    """Whether elements are shown one at a time, as the panels of tabs; posts are shown together."""
    n_hidden = 0
    for item in items:
        attrs = dict(view.attrs[item])
        if attrs.get("role") == "tabpanel":
            return True
        n_hidden += "hidden" in attrs or bool(_HIDING.search(attrs.get("style") or ""))
    return n_hidden == len(items) - 1


def _facts_score(
    view: PageView,
    sample: list[int],
    facts_of: Callable[[PageView, int, int], int],
    more: float = 0.0,
) -> float:
    """Mean weight of what elements carry, with so much more at most for what was not asked."""
    weights = [_WEIGHT_OF[facts_of(view, item, view.end[item])] for item in sample]
    return sum(min(weight + more, _MOST_FACTS) for weight in weights) / len(sample)


def _likeness(view: PageView, sample: list[int]) -> float:
    """Mean share of tags and their depths that elements have in common with the next one."""
    built = [_built(view, item) for item in sample]
    shares = [len(one & other) / max(len(one | other), 1) for one, other in pairwise(built)]
    return sum(shares) / len(shares)


def _built(view: PageView, item: int) -> set[tuple[int, int]]:
    depth = view.depth[item]
    return {
        (view.depth[node] - depth, view.tag[node])
        for node in range(item + 1, min(view.end[item], item + _MAX_NODES))
        if view.depth[node] <= depth + _MAX_LEVELS
    }


def _is_headed(view: PageView, first: int) -> bool:
    """Whether a line before an element says that comments or answers follow."""
    start = view.run_start[first]
    for run in view.edge_runs(0, start, 0, _MAX_HEADING_RUNS):
        text = " ".join(view.tree.runs[run].split())
        if len(text) < _MAX_HEADING_CHARS and _HEADING.search(text):
            return True
    return False


def _has_form(view: PageView, items: list[int], forms: list[int]) -> bool:
    """Whether a field for text stands among elements or near them."""
    place = bisect_left(forms, items[0] - _MAX_FORM_NODES)
    return place < len(forms) and forms[place] < view.end[items[-1]] + _MAX_FORM_NODES


def _is_typed(view: PageView, item: int) -> bool:
    """Whether microdata or a role call an element a post."""
    return any(
        key in _TYPES and value and _TYPED.search(value)
        for node in range(item, min(item + _TYPED_NODES, view.end[item]))
        for key, value in view.attrs[node]
    )
