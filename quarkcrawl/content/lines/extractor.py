"""The default extractor: every line of a page is judged by a small trained model.

A page is cut into lines (`quarkcrawl.content.lines.cut`), each line is described by some hundred
numbers (`quarkcrawl.content.lines.matrix`), boosted trees give the probability that it is content,
and the likely lines make the text. The headline stands apart and is not repeated in the text.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quarkcrawl.content.declared import Declared
from quarkcrawl.content.extraction import Extraction
from quarkcrawl.content.headline import find_headline, headline_among
from quarkcrawl.content.kind import KINDS, is_one_of, kind_probabilities
from quarkcrawl.content.lines.compose import (
    choose_lines,
    compose_text,
    kept_texts,
    line_texts,
    n_named_posts,
    with_contacts,
    with_gaps,
    with_headings,
    with_labeled,
    with_list_items,
)
from quarkcrawl.content.lines.further import (
    in_named_boxes,
    n_above_headline,
    n_of_subject,
    without_behind_body,
    without_headed,
)
from quarkcrawl.content.lines.manuals import controls
from quarkcrawl.content.lines.matrix import both_readings, line_features
from quarkcrawl.content.lines.model import load_model
from quarkcrawl.content.lines.notices import bylines, notices
from quarkcrawl.content.lines.questions import with_answers, with_summaries
from quarkcrawl.content.lines.subject import with_subject
from quarkcrawl.content.lines.text import COUNTS
from quarkcrawl.content.lines.unseen import without_unseen
from quarkcrawl.content.lines.whole import keep_whole, rows_and_columns
from quarkcrawl.content.posts import likely_posts, settled_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from quarkcrawl.content.kind import KindModel
    from quarkcrawl.content.lines.matrix import LineFeatures
    from quarkcrawl.content.lines.model import BlockModel
    from quarkcrawl.content.lines.whole import WholeChoice
    from quarkcrawl.content.posts import FoundPosts
    from quarkcrawl.page import Page, PageTree


_CHARS: Final = COUNTS.index("chars")
_MOSTLY_LINK: Final = 0.85
"""A line of a list of links may have a bullet before it."""

_THREADS: Final = [KINDS.index("forum"), KINDS.index("qa")]
_REPEATING: Final = ("article", "documentation", "listing", "other")
"""Pages of these kinds say what they say again on purpose: a summary, the same remark on each
parameter. Shops and overviews show the same thing once for each size of a screen."""

_WRITTEN: Final = ("article", "documentation", "service")
"""Pages of these kinds begin with a byline; of others, a date may be what they are about."""

_OF_MANY: Final = ("listing", "collection", "forum", "qa")
"""On pages of these kinds, what is recommended may be what they are for."""

MAX_NOTICE_SHARE: Final = 0.5
"""Where notices are more than that part of what seems to be content, it is chosen again."""


class _Choice(NamedTuple):
    """Which lines of a page are content.

    Args:
        lines: their numbers.
        texts: their texts.
        posts: posts or comments, where the page is made of them.
        whole: what is kept whole.
        headings: which lines of the page are headings that the trees alone would have left out.
    """

    lines: NDArray[np.intp]
    texts: list[str]
    posts: FoundPosts | None
    whole: WholeChoice
    headings: NDArray[np.bool_]


def _choice(
    tree: PageTree,
    features: LineFeatures,
    scores: NDArray[np.float64],
    kinds_of: Callable[[], NDArray[np.float64]],
    *,
    is_second: bool = False,
) -> _Choice:
    """The lines that seem to be content, without notices.

    Where notices are most of them, the lines are chosen a second time as if these were none: they
    look like clear text, beside which rows of a price list do not.
    """
    cut, headings = features.cut, np.zeros(len(features.cut), np.bool_)
    seen = without_unseen(tree, features, choose_lines(scores, features, kinds_of))
    posts = likely_posts(
        tree, n_named_posts(features), cut.lines, lambda: float(kinds_of()[_THREADS].sum())
    )
    if posts:
        n_chars = features.text.counts[:, _CHARS]
        is_link = features.text.link_chars > _MOSTLY_LINK * n_chars
        n_plain = np.where(is_link, 0, n_chars)
        seen = settled_lines(seen, cut.run_line, n_chars, n_plain, posts)
    else:
        seen = with_list_items(tree, scores, features, seen)
        seen = with_answers(tree, features, scores, seen)
        seen = with_summaries(tree, features, seen)
        seen = with_labeled(tree, features, seen)
        seen = with_contacts(tree, features, scores, seen)
        headless = seen
        seen = with_headings(tree, features, scores, headless)
        headings = seen & ~headless
        seen = with_gaps(tree, features, scores, kinds_of, seen)
    whole = keep_whole(tree, features, seen)
    is_thread = posts is not None and posts.kind == "post"
    settled = whole.is_content if posts else without_headed(tree, features, whole.is_content)
    if not is_thread:
        settled = without_behind_body(tree, features, settled)
    content_lines = settled.nonzero()[0]
    texts = line_texts(tree, cut, content_lines)
    n_chars = features.text.counts[content_lines, _CHARS]
    are_links = features.text.link_chars[content_lines] > _MOSTLY_LINK * n_chars
    is_notice = _notices(texts, tree.title, are_links.tolist(), kinds_of, is_thread=is_thread)
    if not is_thread:
        are_others = in_named_boxes(tree, features, content_lines)
        if are_others.any() and not is_one_of(kinds_of(), *_OF_MANY):
            is_notice |= are_others
    if not is_notice.any():
        return _Choice(content_lines, texts, posts, whole, headings)
    weight = features.weight[content_lines]
    if not is_second and weight @ is_notice > MAX_NOTICE_SHARE * weight.sum():
        lowered = scores.copy()
        lowered[content_lines[is_notice]] = scores.min()
        return _choice(tree, features, lowered, kinds_of, is_second=True)
    if not is_notice.all():
        own_texts = itertools.compress(texts, (~is_notice).tolist())
        return _Choice(content_lines[~is_notice], list(own_texts), posts, whole, headings)
    others = np.delete(np.arange(len(cut)), content_lines)
    if not len(others):
        return _Choice(content_lines, texts, posts, whole, headings)
    best = others[[int(scores[others].argmax())]]
    return _Choice(best, line_texts(tree, cut, best), posts, whole, headings)


def _notices(
    texts: list[str],
    title: str,
    are_links: list[bool],
    kinds_of: Callable[[], NDArray[np.float64]],
    *,
    is_thread: bool,
) -> NDArray[np.bool_]:
    """Which lines are notices on any page, or are none of the text on pages of their kind.

    Args:
        texts: chosen lines.
        title: title of the page.
        are_links: which of the lines are links as wholes.
        kinds_of: tells how likely the page is of each kind; called where it may decide.
        is_thread: whether the lines are posts, in which all is text.
    """
    is_notice = np.array(notices(texts, title, is_thread=is_thread), np.bool_)
    if is_thread:
        return is_notice
    for matches, kinds in (
        (bylines(texts), _WRITTEN),
        (controls(texts, are_links), ("documentation",)),
    ):
        if any(matches) and is_one_of(kinds_of(), *kinds):
            is_notice |= np.array(matches, np.bool_)
    return is_notice


def judged_lines(tree: PageTree, model: BlockModel) -> tuple[LineFeatures, NDArray[np.float64]]:
    """Describe and judge the lines of a page.

    Args:
        tree: the page.
        model: what was learned.

    Returns:
        The lines, and the logarithm of the odds that each is content.
    """
    if not model.nameless:
        features = line_features(tree, model.scorer)
        return features, model.scores(features.matrix)
    features, nameless = both_readings(tree, model.scorer, model.nameless.scorer)
    return features, model.scores(features.matrix, nameless, features.told_share)


def default_extraction(
    page: Page, model: BlockModel | None = None, kind_model: KindModel | None = None
) -> Extraction:
    """Extract the content of a page.

    Args:
        page: any page; where it has no text, the content is empty.
        model: None for the trained model that comes with the package.
        kind_model: the same of the kinds of pages.
    """
    model = model or load_model()
    tree = page.tree
    kinds = list[NDArray[np.float64]]()

    def kinds_of() -> NDArray[np.float64]:
        if not kinds:
            kinds.append(kind_probabilities(page, kind_model))
        return kinds[0]

    features, scores = judged_lines(tree, model)
    cut = features.cut
    content_lines, texts, posts, whole, headings = _choice(tree, features, scores, kinds_of)
    declared = Declared(tree)
    headline = headline_among(tree, texts, declared)
    if posts:
        headline = with_subject(tree, posts, headline or find_headline(tree, declared))
    if len(content_lines) and (not posts or posts.kind == "comment"):
        first_run = cut.first_run[content_lines[0]]
        if headline is None and (tree.run_start[tree.places("h1")] > first_run).any():
            headline = find_headline(tree, declared)
        n_above = n_above_headline(tree, features, content_lines, headline) if headline else 0
        content_lines, texts = content_lines[n_above:], texts[n_above:]
    repeating = whole.may_repeat(content_lines)
    is_kept = kept_texts(
        texts,
        headline.text if headline else "",
        repeating,
        repeats_stay=None
        if posts and posts.kind == "post"
        else lambda: is_one_of(kinds_of(), *_REPEATING),
    )
    lines = content_lines[np.array(is_kept, np.bool_)]
    texts = list(itertools.compress(texts, is_kept))
    if not posts:
        title = headline.text if headline else tree.title
        judged = (~headings[lines]).nonzero()[0]
        own_texts = [texts[n] for n in judged.tolist()]
        n_own = n_of_subject(tree, features, scores, lines[judged], own_texts, title, kinds_of)
        if n_own < len(judged):
            n_lines = int(judged[n_own - 1]) + 1
            lines, texts = lines[:n_lines], texts[:n_lines]
    in_content = np.zeros(len(cut) + 1, np.bool_)  # the last one is for runs outside all lines
    in_content[lines] = True
    return Extraction(
        page,
        "default",
        headline=headline,
        declared=declared,
        posts=posts,
        kinds=kinds[0] if kinds else None,
        text=compose_text(texts, *rows_and_columns(cut, lines, whole.cells)),
        runs=in_content[cut.run_line],
    )
