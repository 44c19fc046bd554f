"""Further articles: text of other subjects that follows the content of a page.

Some stand below a heading that says so, such as "similar jobs" or "you may also like". Others have
none: sites let whole articles, the beginnings of others or the rest of a blog follow the one that
was asked for. Line by line they are text like any other; what gives them away is that they stand in
another part of the page, behind lines that are no content, share hardly a word with what stands
before them and say nothing of the headline.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from quarkcrawl.content.lines.scoring import smoothed_scores
from quarkcrawl.content.lines.text import COUNTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from quarkcrawl.content.lines.cut import LineCut
    from quarkcrawl.content.lines.matrix import LineFeatures
    from quarkcrawl.page import PageTree

    BoolArray = NDArray[np.bool_]


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


_LIMITS: Final = _Limits()
_MAX_PLACES: Final = 12
"""So many places of a page are looked at, lest a page of a thousand parts cost too much."""

_CHARS: Final = COUNTS.index("chars")
_HEADING: Final = re.compile(
    r"(?:相似|相关|相關|类似|類似|其他|其它|更多|热门|熱門|最新|推荐|推薦|精彩)的?"
    r"(?:职位|職位|商品|产品|產品|宝贝|寶貝|课程|課程|文章|新闻|新聞|阅读|閱讀|推荐|推薦|内容|內容"
    r"|视频|影片|公司|企业|企業|主题|主題|帖子|话题|話題)"
    r"|猜[你您](?:喜欢|喜歡)|看了又[看买買]|大家都在看|[为為][您你]推[荐薦]|[您你]可能[也还還]?(?:喜欢|喜歡|感兴趣|感興趣)"
    r"|延伸(?:阅读|閱讀)|推[荐薦](?:阅读|閱讀)"
    r"|(?:related|similar|recommended|more|other) (?:products?|items?|jobs?|articles?|posts?"
    r"|stories|reading|content|topics?|news|videos?|courses?)"
    r"|you (?:may|might) also (?:like|enjoy|be interested in)|recommended for you|read next|up next"
    r"|(?:customers|people) also (?:bought|viewed)"
)
_HEADING_ENDS: Final = " \t\r\n:：>»"
_MAX_HEADING_CHARS: Final = 40
_MAX_HEADING_STEPS: Final = 3
"""What stands below a heading is in an element so few steps above it, of which it is the first."""

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


def without_headed(tree: PageTree, features: LineFeatures, is_content: BoolArray) -> BoolArray:
    """The choice without what stands below a heading of similar or recommended things.

    Args:
        tree: the page.
        features: its lines.
        is_content: which of them seem to be content.
    """
    cut = features.cut
    numbers = is_content.nonzero()[0]
    if len(numbers) < 2 or int(numbers[-1] - numbers[0]) < len(numbers):
        return is_content
    is_short = features.text.counts[numbers[0] : numbers[-1], _CHARS] <= _MAX_HEADING_CHARS
    is_kept = is_content
    for line in (
        (is_short & ~is_content[numbers[0] : numbers[-1]]).nonzero()[0] + numbers[0]
    ).tolist():
        text = tree.runs[cut.first_run[line]].strip(_HEADING_ENDS).lower()
        if not _HEADING.fullmatch(text):
            continue
        start, end = _headed(tree, cut, line, is_kept)
        below = float(features.weight[start:end] @ is_kept[start:end])
        if 0 < below <= MAX_HEADED_SHARE * float(features.weight @ is_kept):
            is_kept = is_kept.copy()
            is_kept[start:end] = False
    return is_kept


def _headed(tree: PageTree, cut: LineCut, line: int, is_content: BoolArray) -> tuple[int, int]:
    """The lines below a heading: what the smallest element holds that has chosen ones behind it."""
    node = int(cut.node[line])
    for _ in range(_MAX_HEADING_STEPS):
        node = int(tree.parent[node])
        if node <= 0:
            break
        edges = cut.first_run.searchsorted([tree.run_start[node], tree.run_end[node]])
        first, end = edges.tolist()
        if is_content[first:line].any():
            break  # the heading is one of a longer text
        if is_content[line:end].any():
            return line, end
    return line, line


def _are_apart(head: Counter[str], tail: Counter[str], title: Counter[str]) -> bool:
    """Whether what follows is of another subject than what stands before and the headline."""
    if len(tail) < _LIMITS.n_terms:
        return False
    shared = head.keys() & tail.keys()
    if len(shared) > _LIMITS.share_before * len(tail):
        return False
    if len(title.keys() & tail.keys()) > _LIMITS.title * max(len(title), 1):
        return False
    squares = [sum(n * n for n in terms.values()) for terms in (head, tail)]
    dot = sum(head[term] * tail[term] for term in shared)
    return dot <= _LIMITS.similarity * math.sqrt(squares[0] * squares[1])


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


def _places(
    tree: PageTree, cut: LineCut, lines: NDArray[np.intp], weight: NDArray[np.float64]
) -> list[int]:
    """Numbers of the chosen lines where another part of the page begins, from the first on."""
    before = np.cumsum(weight[lines])
    total = float(before[-1])
    n_heads = np.flatnonzero(np.diff(lines) > _LIMITS.gap_lines) + 1
    is_enough = (before[n_heads - 1] >= _LIMITS.weight) & (
        total - before[n_heads - 1] >= _LIMITS.tail_weight
    )
    node = cut.node
    return [
        n
        for n in n_heads[is_enough][:_MAX_PLACES].tolist()
        if _steps_up(tree, int(node[lines[n - 1]]), int(node[lines[n]])) >= _LIMITS.steps
    ]


def n_of_subject(
    tree: PageTree,
    features: LineFeatures,
    scores: NDArray[np.float64],
    lines: NDArray[np.intp],
    texts: Sequence[str],
    title: str,
) -> int:
    """How many of the chosen lines, from the first on, are of the page's subject.

    Args:
        tree: the page.
        features: what is measured on its lines.
        scores: what the trained trees say of each line.
        lines: numbers of the chosen lines, ascending.
        texts: their texts.
        title: the headline, empty where it is not known.
    """
    if len(lines) < 2 or int(lines[-1] - lines[0]) < len(lines) + _LIMITS.gap_lines - 1:
        return len(lines)
    weight = features.weight
    places = _places(tree, features.cut, lines, weight)
    if not places:
        return len(lines)
    probability = 1 / (1 + np.exp(-smoothed_scores(scores, features.look[0], weight)))
    weights = weight[lines]
    sure = np.cumsum(probability[lines] * weights) / np.maximum(np.cumsum(weights), 1e-9)
    places = [n for n in places if sure[n - 1] >= _LIMITS.probability]
    if not places:
        return len(lines)
    title_terms = text_terms([title])
    head, tail = Counter[str](), text_terms(texts)
    for start, n in itertools.pairwise([0, *places]):
        moved = text_terms(texts[start:n])
        head += moved
        tail -= moved
        if _are_apart(head, tail, title_terms):
            return n
    return len(lines)
