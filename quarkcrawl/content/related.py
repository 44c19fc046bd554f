"""Related links: blocks that lead on from the content to other articles of the site.

The thesis names the class (section 4.1.2: links to pages that belong to this one, such as the
related news below an article) and prints no rule. Ours: a block is rel_link if most of its text
is that of links, if most of its links lead to articles of the same site, and if it stands next to
the content. What stands next to content is often the site's list of hot or new articles, so the
words above the links decide where there are any: 相关阅读 takes a block in, 热门排行 keeps it out.
"""

from __future__ import annotations

import itertools
import re
import string
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, urlsplit

import numpy as np

from quarkcrawl.content.loops import fill_distances
from quarkcrawl.page.tree import prefix_sums
from quarkcrawl.segment import CONTENT_KINDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page import Link, PageTree
    from quarkcrawl.segment import Segmentation

    BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class RelatedOptions:
    """What counts as a block of related links.

    Args:
        anchor_share: least share of the block's text that is that of links.
        article_share: least share of its links that lead to articles of the site.
        near_blocks: greatest distance in blocks from a content block, if the words above the
            links say that they are related.
        next_blocks: the same if they do not say what they are.
    """

    anchor_share: float = 0.6
    article_share: float = 0.6
    near_blocks: int = 12
    next_blocks: int = 1


_DEFAULT: Final = RelatedOptions()
_CONTENT_KINDS: Final = sorted(filter(None, CONTENT_KINDS))
_PAGE_SUFFIX: Final = re.compile(r"\.(?:s?html?|php|aspx?|jsp)$", re.IGNORECASE)
_INDEX: Final = re.compile(
    r"/(?:(?:index|default|list|home|main|tags?|categor(?:y|ies))(?:[_-]?\d+)?\.[a-z]+$"
    r"|(?:tags?|categor(?:y|ies)|archives?|page|list|column|channel)/)"
)
_NUMBER: Final = re.compile("[0-9]+")
_NO_DIGITS: Final = str.maketrans("", "", string.digits)
_ID: Final = re.compile(r"\d{3}")
_RELATED: Final = re.compile(
    r"相关|相關|延伸|推荐阅读|推薦閱讀|扩展阅读|更多.{0,6}(?:新闻|报道|文章|內容|内容)|猜你喜欢|您可能"
    r"|related|see also|you may|more (?:on|from|like)"
)
_OTHER: Final = re.compile(
    r"热门|熱門|热点|排行|最新|最近|点击|點擊|人气|人氣|本周|本月|今日|头条|要闻|精彩|编辑推荐|分类|归档|标签"
)
_LATIN: Final = re.compile("[a-z]+")
_OTHER_LATIN: Final = frozenset(
    [
        *("popular", "hot", "latest", "recent", "most", "top", "archive", "archives"),
        *("category", "categories", "tags"),
    ]
)
"""Words above links, in lower case: patterns that ignore case take three to five times as long."""

_HEADING_CHARS: Final = 24
_BULLET_CHARS: Final = 2


def is_article_url(url: str, page_url: str) -> bool:
    """Whether a link of a page looks like one to another article of the same site.

    Args:
        url: target of the link.
        page_url: address of the page.
    """
    try:
        target, page = urlsplit(url), urlsplit(page_url)
    except ValueError:  # no address, such as "//["
        return False
    return target.netloc == page.netloc and _is_article(target.path, target.query, _Address(page))


class _Address:
    """What links of a page are compared with.

    Args:
        url: address of the page.
    """

    __slots__ = ("path", "query", "shape", "unnumbered")

    def __init__(self, url: SplitResult) -> None:
        self.path, self.query = url.path, url.query
        self.shape = _shape(url.path) if _NUMBER.search(url.path) else None
        self.unnumbered = url.path.translate(_NO_DIGITS)

    def is_like(self, path: str) -> bool:
        """Whether another path differs from that of the page in its numbers only."""
        # Most paths fail the first test, which is the quicker one.
        return path.translate(_NO_DIGITS) == self.unnumbered and _shape(path) == self.shape


def _is_article(path: str, query: str, page: _Address) -> bool:
    """`is_article_url` of a link within the site."""
    if (path, query) == (page.path, page.query):
        return False
    if not query and page.shape is not None and page.is_like(path):
        return True
    if _INDEX.search(path):
        return False
    name = path.rpartition("/")[2]
    if _PAGE_SUFFIX.search(name):
        return _ID.search(f"{path}?{query}") is not None
    return _ID.search(name) is not None


def _shape(path: str) -> str:
    return _NUMBER.sub("0", path)


def link_blocks(segmentation: Segmentation) -> NDArray[np.int32]:
    """Number of the block that each link of the page stands in, -1 for none.

    Args:
        segmentation: the blocks.
    """
    return segmentation.link_block


def related_blocks(
    segmentation: Segmentation, content: BoolArray, options: RelatedOptions = _DEFAULT
) -> BoolArray:
    """Which blocks are related links.

    Args:
        segmentation: the blocks of a page.
        content: which of them are content.
        options: the limits.
    """
    chars = np.maximum(segmentation.n_chars, 1)
    candidate = ~content & (segmentation.n_anchor_chars >= options.anchor_share * chars)
    distance = _distance(content)
    candidate &= distance <= max(options.near_blocks, options.next_blocks)
    numbers = candidate.nonzero()[0]
    if len(numbers):
        candidate[numbers] = distance[numbers] <= _reach(segmentation, numbers, options)
    if candidate.any():
        candidate &= _leads_to_articles(segmentation, candidate, options.article_share)
    return candidate


def _leads_to_articles(
    segmentation: Segmentation, is_candidate: BoolArray, share: float
) -> BoolArray:
    """Which of the wanted blocks have enough links to articles."""
    block = segmentation.link_block
    n_links = np.bincount(block + 1, minlength=len(is_candidate) + 1)[1:]
    of_slot = np.zeros(len(is_candidate) + 1, np.bool_)  # the last one: links in no block, -1
    of_slot[:-1] = is_candidate
    numbers = of_slot[block].nonzero()[0]
    links = segmentation.page.links
    urls = [links.url[number] for number in numbers.tolist()]
    is_article = _are_articles(urls, segmentation.page.url)
    n_articles = np.bincount(block[numbers], is_article, len(is_candidate))
    enough: BoolArray = (n_links > 0) & (n_articles >= share * n_links)
    return enough


def _are_articles(urls: list[str], page_url: str) -> list[bool]:
    """`is_article_url` of links as a page has them: absolute, without fragment."""
    try:
        page = urlsplit(page_url)
    except ValueError:
        return [False] * len(urls)
    address = _Address(page)
    parts = (url.split("/", 3) for url in urls)
    inside = [part[3].partition("?") if part[2] == page.netloc else None for part in parts]
    return [part is not None and _is_article(f"/{part[0]}", part[2], address) for part in inside]


def _reach(
    segmentation: Segmentation, numbers: NDArray[np.intp], options: RelatedOptions
) -> list[int]:
    """How far from the content some blocks may stand, by the words above their links."""
    return [_reach_of(heading.lower(), options) for heading in _headings(segmentation, numbers)]


def _reach_of(heading: str, options: RelatedOptions) -> int:
    if _RELATED.search(heading):
        return options.near_blocks
    if _OTHER.search(heading) or not _OTHER_LATIN.isdisjoint(_LATIN.findall(heading)):
        return -1
    return options.next_blocks


def _headings(segmentation: Segmentation, numbers: NDArray[np.intp]) -> list[str]:
    """First words of blocks and the line before each, if that is as short as a heading."""
    tree = segmentation.tree
    lines, firsts = segmentation.first_lines(numbers, _HEADING_CHARS)
    before = tree.inked_before(firsts)
    is_short = (before >= 0) & (tree.run_chars[before] <= _HEADING_CHARS)
    pairs = zip(lines, before.tolist(), is_short.tolist(), strict=True)
    return [
        f"{tree.runs[run]} {line[:_HEADING_CHARS]}" if is_heading else line[:_HEADING_CHARS]
        for line, run, is_heading in pairs
    ]


def _distance(content: BoolArray) -> NDArray[np.intp]:
    """How many blocks each block is away from the nearest content block."""
    distances = np.empty(len(content), np.intp)
    fill_distances(content, distances)
    return distances


def related_links(segmentation: Segmentation) -> tuple[Link, ...]:
    """Links of the related-link blocks, and those that a content block leads up to.

    Where a page does not part its related links from the text, they stand in a content block,
    below words such as 相关阅读.

    Args:
        segmentation: the labeled blocks of a page.
    """
    page, tree = segmentation.page, segmentation.tree
    kinds = np.array([*segmentation.kinds, None], object)[segmentation.run_block]
    is_related = kinds == "rel_link"
    is_related[
        _led_up_to(tree, ((tree.run_chars > 0) & np.isin(kinds, _CONTENT_KINDS)).nonzero()[0])
    ] = True
    nodes = np.array(page.links.node, np.intp)
    total = prefix_sums(is_related)
    is_related_link = total[tree.run_end[nodes]] > total[tree.run_start[nodes]]
    return tuple(itertools.compress(page.links, is_related_link.tolist()))


def _led_up_to(tree: PageTree, places: NDArray[np.intp]) -> list[int]:
    """Runs of links that follow a heading of related links without other text between."""
    leading_runs: list[int] = []
    is_open = False
    runs = zip(places.tolist(), tree.run_anchor[places], tree.run_chars[places], strict=True)
    for run, is_anchor, n_chars in runs:
        if is_anchor and is_open:
            leading_runs.append(run)
        elif not is_anchor and n_chars > _BULLET_CHARS:
            text = tree.runs[run].lower()
            is_open = n_chars <= _HEADING_CHARS and _RELATED.search(text) is not None
    return leading_runs
