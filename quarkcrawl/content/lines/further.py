"""Further articles: text of other subjects that follows the content of a page, or stands above it.

Some stand below a heading that says so, such as "similar jobs" or "you may also like". Others have
none: sites let whole articles, the beginnings of others or the rest of a blog follow the one that
was asked for. Line by line they are text like any other; what gives them away is that they stand in
another part of the page, behind lines that are no content, share hardly a word with what stands
before them and say nothing of the headline; or that the trees doubt all of them; or that their
lines stand one by one, or in short runs, among others, as teasers do; or that the box around them
is named so; or that they stand behind what is declared as the body of the article. What stands
above the headline of a page is none of its text either: news, offers and notices of the site.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from quarkcrawl.content.kind import is_one_of
from quarkcrawl.content.lines.scoring import smoothed_scores
from quarkcrawl.content.lines.text import COUNTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from quarkcrawl.content.headline import Headline
    from quarkcrawl.content.lines.cut import LineCut
    from quarkcrawl.content.lines.matrix import LineFeatures
    from quarkcrawl.page import PageTree

    BoolArray = NDArray[np.bool_]


MAX_ABOVE_SHARE: Final = 0.6
"""More of the text than that stands above a heading that only seems to be the headline."""

_SURE_ORIGINS: Final = ("h1", "line")
"""A lower heading that repeats the title may stand in the text."""


class _Limits(NamedTuple):
    """When text that follows is of another subject.

    Chosen on sites that the model did not know, see ``docs/extraction.md``.

    Args:
        gap_lines: least number of lines between that are no content.
        steps: so far up from the last line before begins the element that holds both.
        probability: least mean probability of what stands before, by weight.
        weight: least weight of what stands before.
        tail_weight: the same of what follows.
        n_terms: least number of different terms that follow; a table of numbers has none.
        title: most of the headline's terms that may stand in what follows.
        similarity: most that the cosine of both may be.
        share_before: most of the terms that follow that may stand before, too.
        surer: by so much the mean probability of what follows may be above that of what stands
            before.
    """

    gap_lines: int = 5
    steps: int = 2
    probability: float = 0.6
    weight: float = 80
    tail_weight: float = 10
    n_terms: int = 8
    title: float = 0.3
    similarity: float = 0.2
    share_before: float = 0.08
    surer: float = 1.0


_NEAR: Final = _Limits()
_FAR: Final = _Limits(gap_lines=15, probability=0.4, share_before=0.12, surer=0.2)
"""Behind so many lines less is enough, on pages of `_ONE_THING`."""

_BELOW_HEADING: Final = _Limits(probability=0.4, title=0.6, share_before=0.1, surer=0.05)
"""Where a heading of other articles stands between, however few lines do. A box of them may stand
below the first paragraph, too; the rest of the article, behind it, is clearer text than that."""

_FAR_BELOW_HEADING: Final = _BELOW_HEADING._replace(share_before=0.12, surer=1.0)

_ONE_THING: Final = ("article", "documentation", "product", "service")
_LISTS: Final = ("listing", "collection", "forum", "qa")
"""Kinds of pages that are about one thing, and that list many: what stands far down on a list is
one of them, and all are doubtful."""

DOUBTFUL_GAP_LINES: Final = 20
MAX_DOUBTFUL_PROBABILITY: Final = 0.5
MIN_DOUBT: Final = 0.1
MAX_DOUBTFUL_TIMES: Final = 10
"""Behind so many lines on a page about one thing, text with no more than that mean probability, and
by so much below that of what stands before, is left out whatever it says, but for what is so many
times as much. Behind an article `_NEAR.gap_lines` are enough."""

MIN_SPARSE_LINES: Final = 3
MAX_SPARSE_SHARE: Final = 0.45
MAX_SPARSE_RUN: Final = 3
MAX_SPARSE_TIMES: Final = 1.5
MIN_CLEAR_PROBABILITY: Final = 0.7
"""Behind an article so clear, text that is less clear by `MIN_DOUBT` is a list of teasers where it
has so many lines, no more of which than that share and than that run stand beside one another, and
is at most so many times as much."""

_ARTICLE_BODY: Final = "articleBody"
MIN_BODY_SHARE: Final = 0.1
"""More of what is chosen than that must stand in what is declared as the body of an article."""

_MAX_PLACES: Final = 12
"""So many places of a page are looked at, lest a page of a thousand parts cost too much."""

_CHARS: Final = COUNTS.index("chars")
_HEADING: Final = re.compile(
    r"(?:相似|相关|相關|类似|類似|其他|其它|更多|热门|熱門|最新|推荐|推薦|精彩)的?"
    r"(?:职位|職位|商品|产品|產品|宝贝|寶貝|课程|課程|文章|新闻|新聞|阅读|閱讀|推荐|推薦|内容|內容"
    r"|视频|影片|公司|企业|企業|主题|主題|帖子|话题|話題|报道|報道|報導|链接|鏈接|連結)"
    r"|猜[你您](?:喜欢|喜歡)|看了又[看买買]|(?:大家|其他人|别人|別人|网友|網友)[都也还還]{0,2}在看|[为為][您你]推[荐薦]|[您你]可能[也还還]?(?:喜欢|喜歡|感兴趣|感興趣)"
    r"|延伸(?:阅读|閱讀)|推[荐薦](?:阅读|閱讀)"
    r"|(?:related|similar|recommended|more|other) (?:products?|items?|jobs?|articles?|posts?"
    r"|stories|reading|content|topics?|news|videos?|courses?)"
    r"|you (?:may|might) also (?:like|enjoy|be interested in)|recommended for you|read next|up next"
    r"|(?:customers|people) also (?:bought|viewed)|(?:recent|popular|latest|trending) "
    r"(?:posts|articles|stories|news)|most (?:read|popular|viewed)|(?:from|around) the web"
    r"|(?:другие|последние|главные|похожие|свежие) (?:новости|публикации|материалы|статьи)"
    r"(?: раздела| по теме| на сайте)?|читайте также|(?:новости|материалы|статьи) по теме"
    r"|(?:zobacz|czytaj|przeczytaj) (?:także|też|również)|podobne artykuły|polecamy"
    r"|najnowsze artykuły|διαβάστε (?:ακόμα|ακόμη|επίσης)|σχετικά (?:άρθρα|θέματα)"
    r"|baca juga|(?:berita|artikel) terkait|関連記事|おすすめ記事|人気記事|관련 ?기사"
)
_FURNITURE: Final = re.compile(
    r"reklama|advertisements?|anzeige|werbung|publicidad|publicité|pubblicità|реклама|广告|廣告"
    r"|(?:table of )?contents|on this page|目录|目錄|spis treści|inhalt(?:sverzeichnis)?"
    r"|share(?: this(?: page| article| post)?)?|follow us|分享|分享到"
)
"""What stands in the place of a heading above advertisements, contents and buttons."""

_HEADING_ENDS: Final = " :：>»▪•·*-—|【】[]"
_MAX_HEADING_CHARS: Final = 40
_MAX_HEADING_STEPS: Final = 3
"""What stands below a heading is in an element so few steps above it, of which it is the first."""

_BOXES: Final = frozenset(("aside", "div", "dl", "ol", "section", "table", "ul"))

_MIN_TEASERS: Final = 3
_NAMED_OTHERS: Final = re.compile(
    r"(?<!\S)(?!(?:has|have|with|no|not|is|js|hide|show|u)[-_])(?:[a-z0-9]{1,12}[-_]{1,2}){0,3}"
    r"(?:recommend|related(?![-_]to)|similar(?!ly)|tuijian|xiangguan)"
)
"""Class names and ids of boxes of other articles; ``has-related`` says only that there is one."""

_MIN_LINKED: Final = 0.1
_MIN_OUTSIDE: Final = 15
"""Least share of links in the text of a box, and least weight of what is chosen elsewhere."""

_MAX_NAME_CHARS: Final = 200
_NAMING: Final = frozenset(("class", "id"))

MAX_HEADED_SHARE: Final = 0.5
"""More of the choice than that is not left out for a heading."""

_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
)
"""Scripts whose words stand without spaces, or that inflect by syllables."""
_PIECE: Final = re.compile(rf"([{_UNSPACED}]+)|([^\W\d_{_UNSPACED}]+)")
_MIN_WORD_CHARS: Final = 4
_STEM_CHARS: Final = 8


def text_terms(texts: Iterable[str]) -> Counter[str]:
    """Terms of texts: pairs of characters where words have no spaces, else beginnings of words.

    Args:
        texts: lines of a page.

    >>> dict(text_terms(["人民网 Parliaments of it"]))
    {'人民': 1, '民网': 1, 'parliame': 1}
    """
    terms = Counter[str]()
    for text in texts:
        for unspaced, word in _PIECE.findall(text.lower()):
            if unspaced:
                terms.update(map("".join, itertools.pairwise(unspaced)))
            elif len(word) >= _MIN_WORD_CHARS:
                terms[word[:_STEM_CHARS]] += 1
    return terms


def heads_others(tree: PageTree, features: LineFeatures, lines: NDArray[np.intp]) -> BoolArray:
    """Which of some lines head other articles or things, advertisements, contents, buttons.

    Args:
        tree: the page.
        features: its lines.
        lines: numbers of the lines.
    """
    return _are_named(tree, features, lines, _HEADING, _FURNITURE)


def _are_named(
    tree: PageTree, features: LineFeatures, lines: NDArray[np.intp], *patterns: re.Pattern[str]
) -> BoolArray:
    """Which of some lines are, but for signs around them, what one of some patterns takes whole."""
    runs, are_named = tree.runs, np.zeros(len(lines), np.bool_)
    is_short = features.text.counts[lines, _CHARS] <= _MAX_HEADING_CHARS
    for place in is_short.nonzero()[0].tolist():
        text = runs[features.cut.first_run[lines[place]]]
        name = " ".join(text.split()).strip(_HEADING_ENDS).lower()
        are_named[place] = any(pattern.fullmatch(name) for pattern in patterns)
    return are_named


def _heading_lines(tree: PageTree, features: LineFeatures, is_sought: BoolArray) -> list[int]:
    """Numbers of the lines that head other articles.

    Args:
        tree: the page.
        features: its lines.
        is_sought: which of them are looked at.
    """
    lines = is_sought.nonzero()[0]
    return lines[_are_named(tree, features, lines, _HEADING)].tolist()  # type: ignore[no-any-return]


def _is_between(is_content: BoolArray) -> BoolArray:
    """Which lines stand behind the first and before the last of the choice."""
    before = np.logical_or.accumulate(is_content)
    behind = np.logical_or.accumulate(is_content[::-1])[::-1]
    return before & behind


def without_headed(tree: PageTree, features: LineFeatures, is_content: BoolArray) -> BoolArray:
    """The choice without what stands below a heading of similar or recommended things.

    Args:
        tree: the page.
        features: its lines.
        is_content: which of them seem to be content.
    """
    is_kept = is_content
    for line in _heading_lines(tree, features, _is_between(is_content) & ~is_content):
        start, end = _headed(tree, features.cut, line, is_kept)
        below = float(features.weight[start:end] @ is_kept[start:end])
        if 0 < below <= MAX_HEADED_SHARE * float(features.weight @ is_kept):
            is_kept = is_kept.copy()
            is_kept[start:end] = False
    last = is_kept.nonzero()[0][-1:]
    if is_kept.sum() > 1 and _are_named(tree, features, last, _HEADING).any():
        is_kept = is_kept.copy()
        is_kept[last] = False
    return is_kept


def without_behind_body(tree: PageTree, features: LineFeatures, is_content: BoolArray) -> BoolArray:
    """The choice without what stands behind the only element declared as the body of an article.

    Args:
        tree: the page.
        features: its lines.
        is_content: which of them seem to be content.
    """
    bodies = [
        node
        for node in features.declaring.tolist()
        if _ARTICLE_BODY in (tree.attr(node, "itemprop") or "").split()
    ]
    if len(bodies) != 1:
        return is_content
    edges = features.cut.first_run.searchsorted(
        [tree.run_start[bodies[0]], tree.run_end[bodies[0]]]
    )
    start, end = edges.tolist()
    weight = features.weight * is_content
    if weight[start:end].sum() <= MIN_BODY_SHARE * weight.sum():
        return is_content
    is_kept = is_content.copy()
    is_kept[end:] = False
    return is_kept


def _headed(tree: PageTree, cut: LineCut, line: int, is_content: BoolArray) -> tuple[int, int]:
    """The lines below a heading: what the smallest element holds that has chosen ones behind it.

    A heading alone in its element heads what the next one holds, if that is a list at the end.
    """
    node = int(cut.node[line])
    for _ in range(_MAX_HEADING_STEPS):
        inner, node = node, int(tree.parent[node])
        if node <= 0:
            break
        edges = cut.first_run.searchsorted([tree.run_start[node], tree.run_end[node]])
        first, end = edges.tolist()
        if is_content[first:line].any():  # the heading is one of a longer text
            beside = int(tree.end[inner])
            if beside < tree.end[node] and tree.tags[beside] in _BOXES:
                return _teasers(tree, cut, beside, is_content)
            break
        if is_content[line:end].any():
            return line, end
    return line, line


def _teasers(tree: PageTree, cut: LineCut, node: int, is_content: BoolArray) -> tuple[int, int]:
    """The lines of an element that lists links and has no chosen ones behind it, else none."""
    edges = cut.first_run.searchsorted([tree.run_start[node], tree.run_end[node]])
    start, end = edges.tolist()
    links = tree.places("a")
    n_links = int(np.diff(links.searchsorted([node, tree.end[node]]))[0])
    is_list = n_links >= _MIN_TEASERS and 2 * n_links >= int(is_content[start:end].sum())
    return (start, end) if is_list and not is_content[end:].any() else (start, start)


def in_named_boxes(tree: PageTree, features: LineFeatures, lines: NDArray[np.intp]) -> BoolArray:
    """Which of the chosen lines stand in boxes that are named as related or recommended articles.

    Such a box has a link for every two of its chosen lines, and three at least. There are none if
    hardly a line is chosen elsewhere.

    Args:
        tree: the page.
        features: what is measured on its lines.
        lines: numbers of the chosen lines, ascending.
    """
    cut = features.cut
    are_inside, links = np.zeros(len(lines), np.bool_), tree.places("a")
    parent_of, nodes = tree.parent.item, cut.node[lines].tolist()
    seen, place = set[int](), 0
    while place < len(lines):
        node, box = parent_of(nodes[place]), -1
        while node > 0 and node not in seen:
            seen.add(node)
            box = node if _is_named_box(tree, node) else box
            node = parent_of(node)
        behind = place + 1
        if box > 0:
            edges = cut.first_run.searchsorted([tree.run_start[box], tree.run_end[box]])
            start, behind = lines.searchsorted(edges).tolist()
            n_links = int(np.diff(links.searchsorted([box, tree.end[box]]))[0])
            is_linked = tree.anchor_chars[box] >= _MIN_LINKED * tree.text_chars[box]
            if is_linked and n_links >= _MIN_TEASERS and 2 * n_links >= behind - start:
                are_inside[start:behind] = True
        place = behind
    if features.weight[lines[~are_inside]].sum() < _MIN_OUTSIDE:
        are_inside[:] = False
    return are_inside


def _is_named_box(tree: PageTree, node: int) -> bool:
    """Whether an element is a box named as related or recommended articles."""
    return tree.tags[node] in _BOXES and any(
        value and name in _NAMING and _NAMED_OTHERS.search(value[:_MAX_NAME_CHARS].lower())
        for name, value in tree.all_attrs[node]
    )


def _are_apart(
    head: Counter[str], tail: Counter[str], title: Counter[str], limits: _Limits
) -> bool:
    """Whether what follows is of another subject than what stands before and the headline."""
    if len(tail) < limits.n_terms:
        return False
    shared = head.keys() & tail.keys()
    if len(shared) > limits.share_before * len(tail):
        return False
    if len(title.keys() & tail.keys()) > limits.title * max(len(title), 1):
        return False
    squares = [sum(n * n for n in terms.values()) for terms in (head, tail)]
    dot = sum(head[term] * tail[term] for term in shared)
    return dot <= limits.similarity * math.sqrt(squares[0] * squares[1])


def _steps_up(tree: PageTree, before: int, behind: int) -> int:
    """How far above one node the element begins that holds another node, too."""
    parent, depth = tree.parent, tree.depth
    start = int(depth[before])
    while before != behind:
        if depth[before] >= depth[behind]:
            before = int(parent[before])
        else:
            behind = int(parent[behind])
        if before < 0 or behind < 0:
            return start + 1
    return start - int(depth[before])


def _are_sparse(lines: NDArray[np.intp]) -> bool:
    """Whether chosen lines stand in short runs among others, as teasers do.

    >>> _are_sparse(np.array([4, 8, 12])), _are_sparse(np.array([4, 5, 6, 50]))
    (True, False)
    """
    n_lines = len(lines)
    if n_lines < MIN_SPARSE_LINES or n_lines > MAX_SPARSE_SHARE * (lines[-1] - lines[0] + 1):
        return False
    if np.median(np.diff(lines)) == 1:  # a line far below makes no teasers of those above
        return False
    is_far = lines[MAX_SPARSE_RUN:] - lines[:-MAX_SPARSE_RUN] > MAX_SPARSE_RUN
    return bool(is_far.all())


def _places(
    tree: PageTree,
    features: LineFeatures,
    lines: NDArray[np.intp],
    kinds_of: Callable[[], NDArray[np.float64]],
) -> list[tuple[int, _Limits]]:
    """Numbers of the chosen lines where another part of the page begins, with its limits."""
    if len(lines) < 2:
        return []
    before = np.cumsum(features.weight[lines])
    gaps = np.diff(lines)
    is_place = (before[:-1] >= _NEAR.weight) & (before[-1] - before[:-1] >= _NEAR.tail_weight)
    # Hardly an article begins with preformatted text, but numbers beside code look like a gap.
    is_place &= ~features.cut.lines.preformatted[features.cut.first_run[lines[1:]]]
    if not is_place.any():
        return []
    is_content = np.zeros(len(features.cut), np.bool_)
    is_content[lines] = True
    headings = np.array(_heading_lines(tree, features, _is_between(is_content)), np.intp)
    is_headed = np.diff(headings.searchsorted(lines, side="right")) > 0
    node = features.cut.node
    places = list[tuple[int, _Limits]]()
    for n in (np.flatnonzero(is_place & (is_headed | (gaps > _NEAR.gap_lines))) + 1).tolist():
        if _steps_up(tree, int(node[lines[n - 1]]), int(node[lines[n]])) < _NEAR.steps:
            continue
        limits = _NEAR
        is_far = gaps[n - 1] > _FAR.gap_lines
        if is_headed[n - 1]:
            limits = _FAR_BELOW_HEADING if is_far else _BELOW_HEADING
        elif is_far and is_one_of(kinds_of(), *_ONE_THING):
            limits = _FAR
        places.append((n, limits))
        if len(places) == _MAX_PLACES:
            break
    return places


def n_above_headline(
    tree: PageTree, features: LineFeatures, lines: NDArray[np.intp], headline: Headline
) -> int:
    """How many of the chosen lines stand above the headline.

    0 if they are most of the text, or if one of them is another ``h1``: where several stand in a
    text, they head its parts.

    Args:
        tree: the page.
        features: what is measured on the lines of the page.
        lines: numbers of the chosen lines, ascending.
        headline: that of the page.
    """
    if headline.origin not in _SURE_ORIGINS:
        return 0
    weights, first_run = features.weight[lines], features.cut.first_run[lines]
    n_above = int(first_run.searchsorted(headline.run))
    headings = tree.places("h1")
    starts = first_run[:n_above].searchsorted(tree.run_start[headings])
    ends = first_run[:n_above].searchsorted(tree.run_end[headings])
    if (starts < ends).any():
        return 0
    return n_above if weights[:n_above].sum() < MAX_ABOVE_SHARE * weights.sum() else 0


def n_of_subject(
    tree: PageTree,
    features: LineFeatures,
    scores: NDArray[np.float64],
    lines: NDArray[np.intp],
    texts: Sequence[str],
    title: str,
    kinds_of: Callable[[], NDArray[np.float64]],
) -> int:
    """How many of the chosen lines, from the first on, are of the page's subject.

    Args:
        tree: the page.
        features: what is measured on its lines.
        scores: what the trained trees say of each line.
        lines: numbers of the chosen lines, ascending.
        texts: their texts.
        title: the headline, empty where it is not known.
        kinds_of: tells how likely the page is of each of `quarkcrawl.content.kind.KINDS`; called
            where something may be cut off.
    """
    places = _places(tree, features, lines, kinds_of)
    if not places:
        return len(lines)
    probability = 1 / (1 + np.exp(-smoothed_scores(scores, features.look[0], features.weight)))
    weights = features.weight[lines]
    so_far, weight_so_far = np.cumsum(probability[lines] * weights), np.cumsum(weights)
    title_terms = text_terms([title])
    head, tail, n_moved = Counter[str](), text_terms(texts), 0
    for n, limits in places:
        weight = weight_so_far[n - 1]
        weight_behind = weight_so_far[-1] - weight
        sure, sure_behind = so_far[n - 1] / weight, (so_far[-1] - so_far[n - 1]) / weight_behind
        gap_lines = lines[n] - lines[n - 1]
        if gap_lines > _NEAR.gap_lines and sure_behind <= sure - MIN_DOUBT:
            is_doubtful = (
                sure_behind <= MAX_DOUBTFUL_PROBABILITY
                and weight_behind <= MAX_DOUBTFUL_TIMES * weight
            )
            are_teasers = (
                sure >= MIN_CLEAR_PROBABILITY
                and weight_behind <= MAX_SPARSE_TIMES * weight
                and _are_sparse(lines[n:])
            )
            if (is_doubtful or are_teasers) and is_one_of(kinds_of(), "article"):
                return n
            is_far = gap_lines > DOUBTFUL_GAP_LINES
            if is_far and is_doubtful and is_one_of(kinds_of(), *_ONE_THING):
                return n
        if sure < limits.probability or sure_behind > sure + limits.surer:
            continue
        moved = text_terms(texts[n_moved:n])
        head, tail, n_moved = head + moved, tail - moved, n
        if _are_apart(head, tail, title_terms, limits):
            return len(lines) if is_one_of(kinds_of(), *_LISTS) else n
    return len(lines)
