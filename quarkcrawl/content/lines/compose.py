"""From the probability of each line to the text of a page."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from quarkcrawl.content.headline import is_squeezed, squeezed
from quarkcrawl.content.kind import KINDS, is_one_of
from quarkcrawl.content.lines.further import heads_others
from quarkcrawl.content.lines.matrix import COLUMNS
from quarkcrawl.content.lines.scoring import best_f1, smoothed_scores
from quarkcrawl.content.listing import content_items, filled_items

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from quarkcrawl.content.lines.cut import LineCut
    from quarkcrawl.content.lines.matrix import LineFeatures
    from quarkcrawl.page import PageTree

    BoolArray = NDArray[np.bool_]
    FloatArray = NDArray[np.float64]


_PAGE_POSTS: Final = COLUMNS.index("page_posts")
_PAGE_COMMENTS: Final = COLUMNS.index("page_comments")
_PAGE_HAN: Final = COLUMNS.index("page_han")
_LINK_SHARE: Final = COLUMNS.index("link_share")
_IS_HIDDEN: Final = COLUMNS.index("is_hidden")

MIN_HAN_SHARE: Final = 0.2
"""A page with more Chinese characters than that among all is Chinese."""


class _Clear(NamedTuple):
    """When a page shows clear text, and which lines belong to it then.

    Args:
        probability: from which on a line is clearly content.
        weight: least weight of their text outside links.
        share: least share of it in the content to be expected.
        threshold: least probability of a line; in units of the expected F1 if ``is_relative``.
    """

    probability: float
    weight: float
    share: float
    threshold: float
    is_relative: bool


_CHINESE: Final = _Clear(0.8, 50, 0.15, 0.5, is_relative=False)
_OTHER: Final = _Clear(0.9, 100, 0.3, 0.7, is_relative=True)
_UNCLEAR_THRESHOLD: Final = 0.4
"""Least probability on pages without clear text, in units of the expected F1. All of these were
chosen on sites that the model did not know, see ``docs/decisions.md``."""

_MAX_SURE_F1: Final = 0.9
"""Where more is expected, the kind of the page would hardly change the choice."""


class _KindRule(NamedTuple):
    """Which lines belong to the content of pages of some kinds, however clear the text is.

    Args:
        kinds: numbers of the kinds.
        probability: so likely must the page be of one of them.
        threshold: least probability of a line, in units of the expected F1.
        max_linked: most that may stand in links of the text that would be chosen else; a list of
            threads is no thread.
    """

    kinds: tuple[int, ...]
    probability: float
    threshold: float
    max_linked: float


def _kind_rule(
    names: str, probability: float, threshold: float, max_linked: float = 1.0
) -> _KindRule:
    kinds = tuple(map(KINDS.index, names.split()))
    return _KindRule(kinds, probability, threshold, max_linked)


_KIND_RULES: Final = (
    # Cards, rows and steps beside a clear introduction are unlikely one by one.
    _kind_rule("documentation service listing", 0.5, 0.2),
    _kind_rule("forum qa", 0.7, 0.6, max_linked=0.5),
)

_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
MIN_HEADING_SCORE: Final = -2.0
"""A heading between lines of content that is less likely than that is none of theirs."""

MIN_HEADED_SHARE: Final = 0.8
"""So much of what follows a heading in its element must be content, by weight."""

MIN_HEADING_SHARE: Final = 0.75
"""Where so many of the headings of a level stand right before content, all are headings of it."""

MAX_HEAD_LINES: Final = 3
"""An element of no more lines, among them a time and at last a heading, heads what follows."""

MIN_REPEAT_CHARS: Final = 20
"""Shorter lines may repeat: refrains, signatures, names."""

_CONTACT: Final = re.compile(
    r"\W{0,3}(?:如有.{0,16}[联聯][系絡繫]|.{0,10}[联聯][系絡繫](?:方式|我们|我們|人|电话|電話|地址|邮箱|信箱)"
    r"|.{0,6}(?:电话|電話|手机|手機|传真|傳真|邮箱|郵箱|信箱|微信|热线|熱線|QQ|e-?mail|telephone|phone"
    r"|fax|contact)\s?[:：]).{0,80}$",
    re.IGNORECASE,
)
"""A line that says whom to write to, or how."""

_LABELED: Final = re.compile(
    r"[^\s\d:：。，！？!?,]{1,8}(?: [^\s\d:：。，！？!?,]{1,10}){0,2}\s?[:：]\s?\S.{0,60}$"
)
"""A label and a value, such as the place of an event."""

_MIN_LABELED, _MAX_LABELED = 3, 20
"""So many such lines that look the same are settled together."""

MIN_CONTACT_SCORE: Final = -0.85
"""The first of them must be likely by three in ten: the lines of a footer are not."""

MAX_CONTACT_LINES: Final = 12

MIN_GAP_PROBABILITY: Final = 0.2
"""So likely must the lines in a gap of a manual or an announcement be, by weight."""

_BLOCK_STYLE: Final = re.compile(r"(?:^|[;\s])display\s*:\s*(?:block|flex|grid)", re.IGNORECASE)
"""Of elements that are a line each in a listing."""

MIN_COPY_LINES: Final = 3
MIN_COPY_SHARE: Final = 0.05
"""So many lines in the order of before, and that part of the text, are a copy."""

MAX_COPY_PLACES: Final = 20
"""So many earlier places of a line are compared."""


def choose_lines(
    score: FloatArray, features: LineFeatures, kinds_of: Callable[[], FloatArray] | None = None
) -> BoolArray:
    """Decide which lines are content.

    The set of lines with the best expected F1 takes all above half of that F1: on a list, where
    nothing is certain, unlikely lines are worth taking that would spoil an article. Where a good
    part of the text is clear, lines must be more likely than that; else they may be less.

    Args:
        score: what the trained trees say of each line, positive where they take it for content.
        features: what `line_features` measures on the same lines.
        kinds_of: tells how likely the page is of each of `quarkcrawl.content.kind.KINDS`; called
            where the choice may depend on it.

    Returns:
        The likely lines; on a page without any, the likeliest one.
    """
    if not len(score):
        return np.zeros(0, np.bool_)
    matrix, weight = features.matrix, features.weight
    probability = 1 / (1 + np.exp(-smoothed_scores(score, features.look[0], weight)))
    rules = _CHINESE if matrix[0, _PAGE_HAN] > MIN_HAN_SHARE else _OTHER
    f1, expected = best_expected_f1(probability, weight)
    is_clear = probability >= rules.probability
    clear = 0.0
    if is_clear.any():
        clear = float((weight[is_clear] * (1 - matrix[:, _LINK_SHARE][is_clear])).sum())
    threshold = _UNCLEAR_THRESHOLD * f1
    if clear >= max(rules.weight, rules.share * expected):
        threshold = rules.threshold * (f1 if rules.is_relative else 1)
    if kinds_of is not None and f1 < _MAX_SURE_F1:
        kinds, likely = kinds_of(), weight * (probability >= threshold)
        linked = float(likely @ matrix[:, _LINK_SHARE]) / max(float(likely.sum()), 1e-9)
        for rule in _KIND_RULES:
            is_one = float(kinds[list(rule.kinds)].sum()) >= rule.probability
            if is_one and linked <= rule.max_linked:
                threshold = rule.threshold * f1
    is_content: BoolArray = probability >= min(threshold, float(probability.max()))
    return is_content


def with_list_items(
    tree: PageTree, score: FloatArray, features: LineFeatures, is_content: BoolArray
) -> BoolArray:
    """The choice on a page that is a list: what is alike in the items is taken together.

    Args:
        tree: the page.
        score: what the trained trees say of each line.
        features: what `line_features` measures on the same lines.
        is_content: which lines seem to be content.
    """
    cut, weight = features.cut, features.weight
    items = content_items(tree, is_content, cut.first_run, weight, features.node_look)
    if items is None:
        return is_content
    looks = features.look[0]
    scores = smoothed_scores(score, looks, weight)
    return filled_items(tree, items, is_content, cut.first_run, weight, scores, looks)


def best_expected_f1(probability: FloatArray, weight: FloatArray) -> tuple[float, float]:
    """The best expected F1 of any set of lines, and how much content is expected.

    The expectation is that of the numerator over that of the denominator.

    Args:
        probability: how likely each line is content, 0–1.
        weight: how much text each line is.

    >>> best_expected_f1(np.array([0.2, 1.0, 0.2]), np.array([10.0, 10.0, 10.0]))
    (0.8333333333333334, 14.0)
    """
    f1_and_expected = np.empty(2)
    best_f1(probability, weight, (-probability).argsort(kind="stable"), f1_and_expected)
    f1, expected = f1_and_expected.tolist()
    return f1, expected


def n_named_posts(features: LineFeatures) -> float:
    """How many elements of a page are named as posts or comments.

    Args:
        features: what `line_features` measures on its lines.
    """
    if not len(features.matrix):
        return 0
    page = features.matrix[0]
    return float(page[_PAGE_POSTS] + page[_PAGE_COMMENTS])


def with_headings(
    tree: PageTree, features: LineFeatures, scores: FloatArray, is_content: BoolArray
) -> BoolArray:
    """The choice with headings of its lines that are left out.

    Such a heading stands alone between two chosen lines, in one element with them; or, behind some
    chosen line, before one, where nearly all that follows it in their element is chosen. Of the
    other headings of the same level right in that element, if there are any, at least half must be
    content, or most must stand right before some.

    Args:
        tree: the page.
        features: its lines.
        scores: what the trained trees say of each line.
        is_content: which of them seem to be content.
    """
    first_run, nodes = features.cut.first_run, tree.places(*_HEADINGS)
    lines = first_run.searchsorted(tree.run_start[nodes])
    has_line = first_run.searchsorted(tree.run_end[nodes]) == lines + 1
    nodes, lines = nodes[has_line], lines[has_line]
    may_be = ~is_content[lines] & (scores[lines] >= MIN_HEADING_SCORE)
    if not may_be.any():
        return is_content
    before, behind = np.maximum(lines - 1, 0), np.minimum(lines + 1, len(is_content) - 1)
    hidden = features.matrix[:, _IS_HIDDEN]
    parents = _around_lines(tree, first_run, nodes)
    ends = first_run.searchsorted(tree.run_end[parents])
    is_between = (
        is_content[before]
        & (first_run[before] >= tree.run_start[parents])
        & (hidden[lines] <= hidden[before])
    )
    weights = np.append(0, np.cumsum(features.weight))
    so_far = np.append(0, np.cumsum(features.weight * is_content))
    opens = (
        (np.cumsum(is_content)[lines] > 0)
        & (hidden[lines] <= hidden[behind])
        & (so_far[ends] - so_far[behind] >= MIN_HEADED_SHARE * (weights[ends] - weights[behind]))
    )
    is_left_out = may_be & is_content[behind] & (behind < ends) & (is_between | opens)
    is_left_out[is_left_out] = ~heads_others(tree, features, lines[is_left_out])
    if not is_left_out.any():
        return is_content
    levels = np.stack([parents, tree.tag[nodes]])
    group = np.unique(levels, axis=1, return_inverse=True)[1].reshape(-1)
    n_chosen, n_all = np.bincount(group, is_content[lines]), np.bincount(group)
    n_heading = np.bincount(group, is_content[behind] & (lines < behind) & (behind < ends))
    are_content = (2 * n_chosen >= n_all - 1) | (n_heading >= MIN_HEADING_SHARE * n_all)
    with_lines = is_content.copy()
    with_lines[lines[is_left_out & are_content[group]]] = True
    return with_lines


def _around_lines(
    tree: PageTree, first_run: NDArray[np.int32], nodes: NDArray[np.intp]
) -> NDArray[np.int32]:
    """The smallest element around each of some nodes, a line each, that holds another line.

    One that has a time and ends with the node is the head of what follows it, and no more.
    """
    parents: NDArray[np.int32] = tree.parent[nodes]
    lasts, times = first_run.searchsorted(tree.run_end[nodes]), tree.places("time")
    while True:
        n_lines = lasts - first_run.searchsorted(tree.run_start[parents])
        has_time = times.searchsorted(tree.end[parents]) > times.searchsorted(parents)
        is_head = (n_lines == 1) | (has_time & (n_lines <= MAX_HEAD_LINES))
        is_last = first_run.searchsorted(tree.run_end[parents]) == lasts
        is_wrapper = is_last & is_head & (parents > 0)
        if not is_wrapper.any():
            return parents
        parents = np.where(is_wrapper, tree.parent[parents], parents)


def with_gaps(
    tree: PageTree,
    features: LineFeatures,
    scores: FloatArray,
    kinds_of: Callable[[], FloatArray],
    is_content: BoolArray,
) -> BoolArray:
    """The choice with what stands between its lines in one element, where that may be content.

    Manuals and announcements have short remarks, tables and parameters between their paragraphs.

    Args:
        tree: the page.
        features: its lines.
        scores: what the trained trees say of each line.
        kinds_of: tells how likely the page is of each of `quarkcrawl.content.kind.KINDS`; called
            where there is such a gap.
        is_content: which of the lines seem to be content.
    """
    cut, lines = features.cut, is_content.nonzero()[0]
    before = np.flatnonzero(np.diff(lines) > 1)
    starts, ends = lines[before] + 1, lines[before + 1]
    parents = np.maximum(tree.parent[cut.node[starts - 1]], 0)
    is_beside = cut.first_run[ends] < tree.run_end[parents]
    starts, ends = starts[is_beside], ends[is_beside]
    if not len(starts):
        return is_content
    weights = np.concatenate([[0], np.cumsum(features.weight)])
    expected = np.concatenate([[0], np.cumsum(features.weight / (1 + np.exp(-scores)))])
    may_be = (expected[ends] - expected[starts]) >= MIN_GAP_PROBABILITY * (
        weights[ends] - weights[starts]
    )
    if not may_be.any() or not is_one_of(kinds_of(), "documentation", "other"):
        return is_content
    filled = is_content.copy()
    for start, end in zip(starts[may_be].tolist(), ends[may_be].tolist(), strict=True):
        filled[start:end] = True
    return filled


def with_labeled(tree: PageTree, features: LineFeatures, is_content: BoolArray) -> BoolArray:
    """The choice with all of some labeled lines that look the same, where half of them are chosen.

    Args:
        tree: the page.
        features: its lines.
        is_content: which of them seem to be content.
    """
    looks = features.look[0]
    is_other = looks[1:] != looks[:-1]
    if not ((is_content[1:] != is_content[:-1]) & ~is_other).any():
        return is_content
    starts = np.append(True, is_other).nonzero()[0]
    n_alike = np.diff(starts, append=len(looks))
    n_chosen = np.add.reduceat(is_content, starts, dtype=np.intp)
    is_broken = (n_chosen < n_alike) & (2 * n_chosen >= n_alike)
    is_broken &= (n_alike >= _MIN_LABELED) & (n_alike <= _MAX_LABELED)
    if not is_broken.any():
        return is_content
    with_lines = is_content.copy()
    for start, n in zip(starts[is_broken].tolist(), n_alike[is_broken].tolist(), strict=True):
        texts = line_texts(tree, features.cut, np.arange(start, start + n))
        with_lines[start : start + n] |= all(map(_LABELED.match, texts))
    return with_lines


def with_contacts(
    tree: PageTree, features: LineFeatures, scores: FloatArray, is_content: BoolArray
) -> BoolArray:
    """The choice with the lines right behind it that say whom to write to, all or none of them.

    Args:
        tree: the page.
        features: its lines.
        scores: what the trained trees say of each line.
        is_content: which of them seem to be content.
    """
    numbers = is_content.nonzero()[0]
    first = int(numbers[-1]) + 1 if len(numbers) else len(is_content)
    if first >= len(is_content) or scores[first] < MIN_CONTACT_SCORE:
        return is_content
    behind = np.arange(first, min(first + MAX_CONTACT_LINES, len(is_content)))
    texts = line_texts(tree, features.cut, behind)
    n_contacts = sum(1 for _ in itertools.takewhile(_CONTACT.match, texts))
    if not n_contacts:
        return is_content
    with_lines = is_content.copy()
    with_lines[first : first + n_contacts] = True
    return with_lines


def kept_texts(
    texts: list[str],
    headline: str,
    may_repeat: Sequence[bool] | None = None,
    *,
    repeats_stay: Callable[[], bool] | None = None,
) -> list[bool]:
    """Which texts to keep: neither the headline nor a long line for the second time.

    Pages repeat their text for readers without scripts, for printers and in teasers.

    Args:
        texts: chosen lines.
        headline: the headline of the page.
        may_repeat: which lines are kept however often they stand there: those of code.
        repeats_stay: whether what stands there again among new lines is kept, too, so that only
            copies of a part of the text are left out; asked only where a long line is repeated.
    """
    is_free = may_repeat or [False] * len(texts)
    is_again = _repeated(texts, is_free)
    if repeats_stay and any(is_again) and repeats_stay():
        is_again = [
            copied and not free for copied, free in zip(_copied(texts), is_free, strict=True)
        ]
    title = squeezed(headline)
    n_most = 3 * len(headline) + 10
    is_kept = [
        not again and not (len(text) <= n_most and is_squeezed(text, title))
        for text, again in zip(texts, is_again, strict=True)
    ]
    return is_kept if any(is_kept) else [True] * len(texts)


def _repeated(texts: list[str], is_free: Sequence[bool]) -> list[bool]:
    """Which texts are long and stand there for the second time."""
    seen, is_again = set[str](), []
    for text, free in zip(texts, is_free, strict=True):
        is_again.append(not free and len(text) >= MIN_REPEAT_CHARS and text in seen)
        seen.add(text)
    return is_again


def _n_same(texts: list[str], first: int, second: int) -> int:
    """How many texts from one place on, up to another, are those from the other place on."""
    n = 0
    while first + n < second and second + n < len(texts) and texts[first + n] == texts[second + n]:
        n += 1
    return n


def _copied(texts: list[str]) -> list[bool]:
    """Which texts stand in a copy: so many in the order of before that they are part of the page.

    >>> _copied(["a", "b", "c", "b", "a", "b", "c"])
    [False, False, False, False, True, True, True]
    """
    places, is_copy = dict[str, list[int]](), [False] * len(texts)
    least_chars = MIN_COPY_SHARE * sum(map(len, texts))
    n = 0
    while n < len(texts):
        starts = places.get(texts[n], [])[:MAX_COPY_PLACES]
        n_same = max((_n_same(texts, start, n) for start in starts), default=0)
        if n_same >= MIN_COPY_LINES and sum(map(len, texts[n : n + n_same])) >= least_chars:
            is_copy[n : n + n_same] = [True] * n_same
        for beside in range(n, n + max(n_same, 1)):
            places.setdefault(texts[beside], []).append(beside)
        n += max(n_same, 1)
    return is_copy


def line_texts(tree: PageTree, cut: LineCut, lines: NDArray[np.intp]) -> list[str]:
    """Text of some lines, white space folded outside preformatted text.

    Args:
        tree: the page.
        cut: its lines.
        lines: numbers of the wanted lines, ascending.
    """
    runs, run_line, texts = tree.spaced_runs, cut.run_line.tolist(), []
    first_run, breaks = cut.first_run[lines], cut.lines.piece.tolist()
    is_pre = cut.lines.preformatted[first_run].tolist()
    starts = _line_starts(tree) if any(is_pre) else []
    for line, first, keeps_space in zip(lines.tolist(), first_run.tolist(), is_pre, strict=True):
        end = first + 1
        while end < len(runs) and run_line[end] <= line:
            end += 1
        own_runs = [
            run
            for run in range(first, end)
            # White space alone, as between two elements, is of no line.
            if run_line[run] == line or (breaks[run] == breaks[first] and runs[run].isspace())
        ]
        if keeps_space and starts:
            own_lines = itertools.groupby(own_runs, lambda run: bisect_right(starts, run))
            text = "\n".join("".join([runs[run] for run in part]) for _, part in own_lines)
        else:
            text = "".join([runs[run] for run in own_runs])
        texts.append(text.strip("\r\n").rstrip() if keeps_space else " ".join(text.split()))
    return texts


def _line_starts(tree: PageTree) -> list[int]:
    """First runs of what starts a line in a listing, though no line end stands before it.

    These are several ``code`` side by side in a ``pre``, and elements that a style shows as blocks.
    """
    listings, codes = tree.places("pre"), tree.places("code")
    codes = codes[np.isin(tree.parent[codes], listings)]
    is_beside = (tree.end[codes[:-1]] == codes[1:]) & (
        tree.run_end[codes[:-1]] == tree.run_start[codes[1:]]
    )
    starts = tree.run_start[codes[1:]][is_beside].tolist()
    for node in (*listings.tolist(), *codes.tolist()):
        child = node + 1
        while child < tree.end[node] and _BLOCK_STYLE.search(tree.attr(child, "style") or ""):
            starts += [int(tree.run_start[child]), int(tree.run_end[child])]
            child = int(tree.end[child])
    return sorted(run for run in starts if run and not tree.runs[run - 1].endswith("\n"))


def compose_text(
    texts: list[str],
    rows: NDArray[np.int32],
    columns: NDArray[np.int32] | None = None,
    blanks: NDArray[np.intp] | None = None,
) -> str:
    """Join lines; cells of a table row are parted by tabs, lines of a cell by spaces.

    Args:
        texts: the lines.
        rows: row of each line; equal for the cells of a table row.
        columns: number of each line's cell in its row where that is known, else -1; an empty cell
            before another one leaves its tab.
        blanks: how many blank lines stand before each line of a listing, None if there are none.
    """
    if not texts:
        return ""
    same_row = (rows[1:] == rows[:-1]).tolist()
    if columns is None:
        steps, indents = [1] * len(same_row), [0] * len(texts)
    else:
        steps = np.where(columns[1:] >= 0, np.maximum(np.diff(columns), 0), 1).tolist()
        indents = np.maximum(columns, 0).tolist()
    ends = [1] * len(same_row) if blanks is None else (1 + blanks[1:]).tolist()
    parts = ["\t" * indents[0], texts[0]]
    for text, is_cell, step, end, indent in zip(
        texts[1:], same_row, steps, ends, indents[1:], strict=True
    ):
        parts += ("\t" * step or " " if is_cell else "\n" * end + "\t" * indent, text)
    return "".join(parts)
