"""What the teams of SEWM 2008 looked at to tell topic pages from others (thesis, section 4.3.1).

URL: digits, depth, suffix. Links: number, share of link tags, share of link text, length of the
other text. Other: punctuation, length of the body, special tags, key words.
"""

from __future__ import annotations

import re
import unicodedata
from math import log1p
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import numpy as np

from quarkcrawl.content.headline import squeezed
from quarkcrawl.content.topic.words import word_counts
from quarkcrawl.page.text import n_inked
from quarkcrawl.page.tree import prefix_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page import PageTree
    from quarkcrawl.segment import Segmentation

    Places = NDArray[np.intp]
    Sums = NDArray[np.int64]


URL_FEATURES: Final = (
    "url_digits",
    "url_depth",
    "url_page_suffix",
    "url_index_name",
    "url_list_word",
)
"""Names of the features of an address."""

PAGE_FEATURES: Final = (
    "links",
    "link_tag_share",
    "anchor_share",
    "anchor_ratio",
    "plain_chars",
    "stops",
    "stop_density",
    "body_chars",
    "body_share",
    "longest_block_share",
    "longest_block_anchor_share",
    "headings",
    "first_headings",
    "heading_links",
    "paragraphs",
    "list_items",
    "articles",
    "times",
    "list_words_in_title",
    "more_words",
    "neighbour_words",
    "dates",
    "title_chars",
    "heading_in_title_chars",
    "says_article",
    "says_website",
)
"""Names of the features of a page; counts and lengths are logarithms."""

_PAGE_SUFFIX: Final = re.compile(r"\.(?:s?html?|php|aspx?|jsp)$", re.IGNORECASE)
_INDEX_NAME: Final = re.compile(r"/(?:(?:index|default|home|main)\.[a-z]+)?$", re.IGNORECASE)
_LIST_WORD: Final = re.compile(
    r"(?:^|[/_.-])(?:archives?|tags?|categor(?:y|ies)|lists?|pages?|column|channel|topics?|search)"
    r"(?=$|[/_.\d-])",
    re.IGNORECASE,
)
_LIST_TITLE: Final = re.compile(
    r"(?=[归歸存标標分列首目搜频栏第atchil])(?:归档|歸檔|存档|标签|標籤|分类|分類|列表|首页|首頁|目录|搜索|频道|栏目|第\s*\d+\s*页"
    r"|\b(?:archives?|tags?|categor(?:y|ies)|home|index|list)\b)",
    re.IGNORECASE,
)
_HEADINGS: Final = ("h1", "h2", "h3", "h4")
_MAX_HEADINGS: Final = 40
_MAX_READ_CHARS: Final = 100_000


def url_features(url: str) -> list[float]:
    """Features of an address, one for each of `URL_FEATURES`.

    Args:
        url: the address.
    """
    try:
        path = urlsplit(url).path or "/"
    except ValueError:  # no address, such as "//["
        path = "/"
    return [
        log1p(sum(map(str.isdigit, path))),
        len([step for step in path.split("/") if step]),
        _PAGE_SUFFIX.search(path) is not None,
        _INDEX_NAME.search(path) is not None,
        _LIST_WORD.search(path) is not None,
    ]


def page_features(blocks: Segmentation, text: str) -> list[float]:
    """Features of a page, one for each of `PAGE_FEATURES`.

    Args:
        blocks: what the page was cut into.
        text: its content.
    """
    tree = blocks.tree
    headings = tree.places(*_HEADINGS)
    linked = prefix_sums(tree.run_chars * tree.run_anchor)
    return [
        *_link_features(tree, linked),
        *_text_features(blocks, text),
        *_tag_features(tree, headings, linked),
        *_word_features(tree),
        *_declarations(tree, headings),
    ]


def _link_features(tree: PageTree, linked: Sums) -> list[float]:
    chars = int(tree.text_chars[0])
    anchor = int(linked[tree.run_end[0]] - linked[tree.run_start[0]])
    n_links = len(tree.places("a"))
    plain = chars - anchor
    return [
        log1p(n_links),
        n_links / len(tree),
        anchor / max(chars, 1),
        min(log1p(anchor / max(plain, 1)), 3.0),
        log1p(plain),
    ]


def _text_features(cut: Segmentation, text: str) -> list[float]:
    tree = cut.tree
    chars, stops = int(tree.text_chars[0]), int(tree.run_class.stops.sum())
    body = n_inked(text)
    longest = int(np.argmax(cut.n_chars)) if len(cut) else 0
    size = int(cut.n_chars[longest]) if len(cut) else 0
    linked = int(cut.n_anchor_chars[longest]) if len(cut) else 0
    return [
        log1p(stops),
        stops / max(chars, 1),
        log1p(body),
        min(body / max(chars, 1), 1.0),
        size / max(chars, 1),
        linked / max(size, 1),
    ]


def _tag_features(tree: PageTree, headings: Places, linked: Sums) -> list[float]:
    anchor = linked[tree.run_end[headings]] - linked[tree.run_start[headings]]
    n_linked = np.count_nonzero(anchor * 2 > tree.text_chars[headings])
    return [
        log1p(len(headings)),
        min(len(tree.places("h1")), 3),
        log1p(n_linked),
        log1p(len(tree.places("p"))),
        log1p(len(tree.places("li"))),
        min(log1p(len(tree.places("article"))), 3.0),
        min(log1p(len(tree.places("time"))), 3.0),
    ]


def _word_features(tree: PageTree) -> list[float]:
    chars = tree.run_class
    more, beside, dates = map(
        log1p, word_counts(chars.text[:_MAX_READ_CHARS], chars.codes[:_MAX_READ_CHARS])
    )
    is_list = _LIST_TITLE.search(tree.title) is not None
    return [is_list, min(more, 3.0), min(beside, 3.0), min(dates, 4.0)]


def _squeezed_headings(tree: PageTree, headings: Places) -> list[str]:
    """`squeezed` texts of the first headings, unified all at once."""
    texts = tree.texts(headings[:_MAX_HEADINGS])
    unified = unicodedata.normalize("NFKC", "\n".join("".join(text.split()) for text in texts))
    return ["".join(text.split()) for text in unified.lower().split("\n")]


def _declarations(tree: PageTree, places: Places) -> list[float]:
    """What title and meta elements say; the title speaks of what a heading repeats."""
    title = squeezed(tree.title)
    headings = _squeezed_headings(tree, places)
    repeated = max((len(heading) for heading in headings if heading in title), default=0)
    kinds = [
        (tree.attr(node, "content") or "").lower()
        for node in tree.nodes("meta")
        if (tree.attr(node, "property") or "").lower() == "og:type"
    ]
    return [
        log1p(len(title)),
        log1p(repeated),
        any(kind in ("article", "news") for kind in kinds),
        any(kind in ("website", "blog", "profile") for kind in kinds),
    ]
