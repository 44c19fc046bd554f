"""Runs of elements that repeat, and what speaks for their being posts or comments."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.posts.names import ANSWER, COMMENT, LISTED, POST, name_bits
from quarkcrawl.content.posts.view import (
    ACTED,
    AUTHORED,
    DATED,
    HEADED,
    N_TAGS,
    NUMBERED,
    PICTURED,
    PLAIN,
)
from quarkcrawl.page.tree import MAX_TAG_ID, TAG_IDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.content.posts.view import PageView


_NAMED: Final = POST | COMMENT
_ITEM_TAGS: Final = "div li article section table tr td dl dd dt p blockquote ul ol tbody span form"
_MAX_NODES: Final = 30_000
_MAX_AROUND: Final = 3
_LEVELS_ABOVE: Final = 3
_MAX_SAMPLE: Final = 4
_MAX_NODES_READ: Final = 80
_MAX_RUNS_READ: Final = 40
_MAX_LAST_NODES: Final = 30
_MAX_LAST_RUNS: Final = 20
_MIN_ITEMS: Final = 2
_MIN_PLAIN: Final = 3
"""So many elements without names in one parent may be posts."""

_MAX_JUDGED: Final = 8
_MIN_SHARE_AROUND: Final = 0.2
"""Dates and authors of elements with that share of the page's text may stand between them."""

_MIN_DATES: Final = 2
_MIN_DATED: Final = 0.4
_MAX_SCATTER: Final = 0.5
MIN_SHARE_OF_PAGE: Final = 0.01
_MIN_SHARE_NAMELESS: Final = 0.3
_MIN_NAMELESS: Final = 4
_MANY_NAMELESS: Final = 8
_LEAST_SCORES: Final = 5.5, 4.9, 3.9
"""The least score of a pair, of three elements or a small part of the page, and of others."""

_LEAST_OF_COMMENTS: Final = 5.0
"""The least score of two comments in an element that is named as comments, too."""

_MIN_SHARE: Final = 0.3
_MAX_WRAPPED_SHARE: Final = 0.85
_MAX_LESS: Final = 1.5
_ALL: Final = DATED | AUTHORED | ACTED | NUMBERED | HEADED | PICTURED
_MIN_ALIKE: Final = 0.8


def _item_flags() -> NDArray[np.bool_]:
    table = np.zeros(MAX_TAG_ID + 1, np.bool_)
    table[[TAG_IDS[name] for name in _ITEM_TAGS.split()]] = True
    return table


_IS_ITEM: Final = _item_flags()


@dataclass(slots=True, eq=False)
class PostRun:
    """Elements of one look.

    Args:
        items: the elements, in document order; one may lie in another.
        bits: what the name that they share speaks for.
        share: share of the page's text that stands in them.
        wrapped: share of them that are nearly all of the element around them.
        score: how much speaks for posts or comments.
    """

    items: list[int]
    bits: int
    share: float = 0.0
    wrapped: float = 0.0
    score: float = 0.0

    @property
    def least(self) -> float:
        """The least score with which it counts."""
        pair, few, many = _LEAST_SCORES
        n = len(self.items)
        least_n = 4 if self.bits & _NAMED else _MANY_NAMELESS
        is_few = n < least_n or self.share < _MIN_SHARE
        return pair if n < 3 else few if is_few else many


def best_run(view: PageView, runs: list[PostRun]) -> PostRun | None:
    """The run that is likeliest one of posts or comments, None if none is.

    Args:
        view: the page.
        runs: elements of one look.
    """
    runs = _sized(view, runs)
    runs = sorted(runs, key=lambda run: -_prior(view, run))[:_MAX_JUDGED]
    for run in runs:
        run.score = _score(view, run)
    likely = [run for run in runs if run.score >= _least_of(view, run)]
    if not likely:
        return None
    best = max(likely, key=lambda run: run.score + 3.0 * run.share - 1.5 * run.wrapped)
    return widest(view, best, runs)


def _least_of(view: PageView, run: PostRun) -> float:
    """The least score with which a run counts; two answers are no rare thing below a question."""
    is_answer = run.bits & ANSWER and not run.bits & LISTED
    return min(run.least, _LEAST_SCORES[1]) if is_answer and view.may_be_thread else run.least


def two_comments(view: PageView, runs: list[PostRun]) -> PostRun | None:
    """Two comments below an article, in an element that is named so, too, if no others are there.

    Args:
        view: the page.
        runs: elements of one look, those that `best_run` judged with their scores.
    """
    for run in runs:
        is_pair = len(run.items) == _MIN_ITEMS and run.score >= _LEAST_OF_COMMENTS
        if is_pair and run.bits & view.bits_above(run.items[0], _LEVELS_ABOVE) & COMMENT:
            return run
    return None


def widest(view: PageView, best: PostRun, runs: list[PostRun]) -> PostRun:
    """The best run, or one that scores nearly as much and holds its elements and more."""
    for run in runs:
        is_near = run.score >= best.score - _MAX_LESS and len(run.items) > len(best.items)
        if is_near and set(best.items) < set(run.items) and _widens(view, best, run):
            best = run
    return best


def runs_around(view: PageView, inner: PostRun, runs: list[PostRun]) -> list[PostRun]:
    """The nearest runs that have an element around each of one named as comments, from the inside.

    The name may be that of the header of a comment, whose text stands beside it.

    Args:
        view: the page.
        inner: elements that have the name.
        runs: elements of one look.
    """
    if not inner.bits & COMMENT:
        return []
    around = [
        run
        for run in runs
        if len(run.items) == len(inner.items)
        and all(
            outer < item < view.end[outer]
            for outer, item in zip(run.items, inner.items, strict=True)
        )
    ]
    # Each look at a run reads all text in it; elements may be nested a thousand deep.
    return sorted(around, key=lambda run: -run.items[0])[:_MAX_AROUND]


def groups_of(view: PageView) -> list[PostRun]:
    """Groups of elements that share a class name, a numbered id or, nameless, a parent."""
    tree, names, n_dated, attrs = view.tree, view.names, view.n_dated, view.attrs
    is_dated = (n_dated > 0) | (n_dated[tree.parent] > 1)
    if n_dated[0] < _MIN_DATES:  # dates of another kind, or none
        is_dated[:] = True
    may_be = _IS_ITEM.take(tree.tag) | (tree.tag >= N_TAGS)
    nodes = (is_dated & may_be & (tree.text_chars > 0)).nonzero()[0][:_MAX_NODES]
    tags, parents = tree.tag[nodes].tolist(), tree.parent[nodes].tolist()
    groups: dict[tuple[int, object], list[int]] = {}
    for node, tag, parent in zip(nodes.tolist(), tags, parents, strict=True):
        for key in ((attrs[node] or tag >= N_TAGS) and names(node).keys) or (parent,):
            group = groups.get((tag, key))
            if group is None:
                groups[tag, key] = [node]
            else:
                group.append(node)
    by_items: dict[tuple[int, ...], PostRun] = {}
    for (_, key), items in groups.items():
        if len(items) >= _MIN_ITEMS and (isinstance(key, str) or len(items) >= _MIN_PLAIN):
            bits = name_bits(key.removeprefix("#")) if isinstance(key, str) else 0
            run = by_items.setdefault(tuple(items), PostRun(items, 0))
            first = names(items[0])
            run.bits |= bits | (first.bits & LISTED)
            if first.plain and first.plain == names(items[1]).plain:  # against the rules of HTML
                run.bits |= name_bits(first.plain)
    return list(by_items.values())


def lone_comment(view: PageView) -> PostRun | None:
    """The only comment of a page: an element with a numbered id of that name in one named so, too.

    Nothing repeats there, so that names, a date, and an author must all speak for it.

    Args:
        view: the page.
    """
    tree, end, comment = view.tree, 0, -1
    is_item = (view.n_dated > 0) & _IS_ITEM.take(tree.tag) & (tree.text_chars > 0)
    for node in is_item.nonzero()[0][:_MAX_NODES].tolist():
        if node < end or not name_bits(view.names(node).number) & COMMENT:
            continue
        if comment >= 0:
            return None
        comment, end = node, view.end[node]
    if comment < 0 or not view.bits_above(comment, _LEVELS_ABOVE) & COMMENT:
        return None
    run = PostRun([comment], COMMENT | view.names(comment).bits & LISTED)
    measure(view, run)
    facts = facts_in(view, comment, end)
    is_one = facts & DATED and facts & AUTHORED and facts & PLAIN and not run.bits & LISTED
    return run if is_one else None


def measure(view: PageView, run: PostRun) -> None:
    """Set the shares of a run."""
    chars, ends = view.chars, view.end
    covered = end = n_wrapped = outer = 0
    for item in run.items:
        if item >= end:
            covered += chars[item]
            end, outer = ends[item], item
        elif chars[item] > _MAX_WRAPPED_SHARE * chars[outer]:
            n_wrapped += 1
    run.share, run.wrapped = covered / max(chars[0], 1), n_wrapped / len(run.items)


def _sized(view: PageView, runs: list[PostRun]) -> list[PostRun]:
    """The runs that names or their size make worth a look, with their shares."""
    sized = list[PostRun]()
    dates_in = view.n_dated.tolist()
    least_dated = _MIN_DATED if dates_in[0] >= _MIN_DATES else 0.0
    for run in runs:
        measure(view, run)
        is_large = run.share >= _MIN_SHARE_NAMELESS and len(run.items) >= _MIN_NAMELESS
        n_dated = len(run.items) - [dates_in[item] for item in run.items].count(0)
        is_large_named = run.share > _MIN_SHARE_AROUND and run.bits & _NAMED
        max_scatter = _MAX_SCATTER if run.bits & _NAMED else 0.0
        is_dated = n_dated >= least_dated * len(run.items) or is_large_named
        if not is_dated or run.share < MIN_SHARE_OF_PAGE:
            continue
        if not run.bits & _NAMED and len(run.items) < _MIN_NAMELESS:
            continue
        if scatter_of(view, run) > max_scatter:
            continue
        if is_large or (run.bits | view.bits_above(run.items[0], 3)) & _NAMED:
            sized.append(run)
    return sized


def _prior(view: PageView, run: PostRun) -> float:
    is_numbered = any(view.names(item).number for item in run.items[:2])
    is_named = bool(run.bits & _NAMED)
    return 2.0 * is_named + 2.0 * run.share + is_numbered - 1.5 * run.wrapped


def _score(view: PageView, run: PostRun) -> float:
    """How much speaks for a run being one of posts or comments.

    In an element named as comments, too, a link before a date leads to who wrote a comment.
    """
    items = run.items
    step = max(1, len(items) // _MAX_SAMPLE)
    places = range(0, len(items), step)[:_MAX_SAMPLE]
    is_named = bool(run.bits & _NAMED)
    looks_around = run.share > _MIN_SHARE_AROUND and is_named
    is_comment = run.bits & view.bits_above(items[0], _LEVELS_ABOVE) & COMMENT
    counts = Counter[int]()
    for place in places:
        facts = facts_in(view, items[place], view.end[items[place]])
        if is_comment and not facts & AUTHORED:
            runs = _runs_in(view, items[place], view.end[items[place]])
            facts |= AUTHORED * view.shows_name(runs, is_linked=True)
        if looks_around and not (facts & DATED and facts & AUTHORED):
            facts |= _facts_of_gap(view, items, place)
        counts.update(1 << bit for bit in range(7) if facts >> bit & 1)
        if place == places[-1] or (place == places[1] and not counts[DATED] + counts[AUTHORED]):
            break
    n = len(places)
    above = 0 if is_named else view.bits_above(items[0], 3) & _NAMED
    score = 2.0 * is_named + bool(above)
    score += (1.5 * counts[DATED] + 1.5 * counts[AUTHORED] + counts[ACTED]) / n
    score += (counts[NUMBERED] + 0.5 * counts[PICTURED] - 3.0 * counts[HEADED]) / n
    score -= 2.0 * (not counts[AUTHORED]) + 2.0 * bool(run.bits & LISTED)
    score -= 3.0 * (counts[PLAIN] < 0.7 * n)
    return score - 2.0 * scatter_of(view, run)


def scatter_of(view: PageView, run: PostRun) -> float:
    """Share of the elements of a run that lie at another depth than most, as in a layout."""
    if run.bits & COMMENT:  # answers to comments lie deeper than those
        return 0.0
    depths = Counter(map(view.depth.__getitem__, run.items))
    return 1 - max(depths.values()) / len(run.items)


def facts_in(view: PageView, first: int, end: int) -> int:
    """What stands in a slice of nodes."""
    facts = view.node_facts(first) & NUMBERED | run_facts_in(view, first, end)
    middle = min(end, first + _MAX_NODES_READ)
    for node in (*range(first + 1, middle), *range(max(end - _MAX_LAST_NODES, middle), end)):
        if facts & _ALL == _ALL:
            break
        facts |= view.node_facts(node)
    if not facts & AUTHORED and view.shows_name(_runs_in(view, first, end)) and view.is_thread:
        facts |= AUTHORED
    return facts


def run_facts_in(view: PageView, first: int, end: int) -> int:
    """What the words of a slice of nodes tell; what their places tell takes longer."""
    facts = 0
    for run in _runs_in(view, first, end):
        facts |= view.run_facts(run)
    return facts


def _runs_in(view: PageView, first: int, end: int) -> list[int]:
    start, stop = view.run_start[first], view.run_end[first]
    if end > view.end[first]:
        stop = view.run_end[end - 1]
    return view.edge_runs(start, stop, _MAX_RUNS_READ, _MAX_LAST_RUNS)


def _facts_of_gap(view: PageView, items: list[int], place: int) -> int:
    """Facts that stand between an element and the one before, or where there is none the next."""
    before, behind = (items[place - 1], items[place]) if place else items[:2]
    start = view.end[before]
    if start >= behind:
        return 0
    return facts_in(view, start, behind) & (DATED | AUTHORED | ACTED | NUMBERED)


def _widens(view: PageView, few: PostRun, many: PostRun) -> bool:
    """Whether a run has more posts than one within it, rather than bodies or columns of them."""
    n_inside = list[int]()
    end = 0
    for item in many.items:
        if item >= end:
            n_inside.append(0)
            end = view.end[item]
        else:
            n_inside[-1] += 1
    if n_inside.count(1) >= _MIN_ALIKE * len(n_inside):
        return False  # nearly each holds just one other: its body
    others = set(many.items) - set(few.items)
    parents = {view.parent[item] for item in few.items}
    n_columns = sum(view.parent[item] in parents for item in others)
    return len(parents) < _MIN_ALIKE * len(few.items) or n_columns < _MIN_ALIKE * len(others)
