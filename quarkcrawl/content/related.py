"""Related links: blocks that lead on from the content to other articles of the site.

The thesis names the class (section 4.1.2: links to pages that belong to this one, such as the
related news below an article) and prints no rule. Ours: a block is rel_link if most of its text
is that of links, if most of its links lead to articles of the same site, and if it stands next to
the content, with no more than `NEAR_BLOCKS` blocks between them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page import Page
    from quarkcrawl.page.links import Link
    from quarkcrawl.segment import Kind, Segmentation

    BoolArray = NDArray[np.bool_]

__all__ = ["RelatedOptions", "is_article_url", "link_blocks", "links_of_kind", "related_blocks"]


@dataclass(frozen=True, slots=True)
class RelatedOptions:
    """What counts as a block of related links.

    Args:
        anchor_share: least share of the block's text that is that of links.
        article_share: least share of its links that lead to articles of the site.
        near_blocks: greatest distance from a content block, in blocks.
        min_links: least number of links.
    """

    anchor_share: float = 0.6
    article_share: float = 0.6
    near_blocks: int = 12
    min_links: int = 1


_DEFAULT: Final = RelatedOptions()
_PAGE_SUFFIX: Final = re.compile(r"\.(?:s?html?|php|aspx?|jsp)$", re.IGNORECASE)
_INDEX: Final = re.compile(
    r"^(?:index|default|list|home|main|tags?|categor(?:y|ies))(?:[_-]?\d+)?\."
)
_NUMBER: Final = re.compile(r"\d+")
_ID: Final = re.compile(r"\d{3}")


def is_article_url(url: str, page_url: str) -> bool:
    """Whether a link of a page looks like one to another article of the same site.

    Args:
        url: target of the link.
        page_url: address of the page.
    """
    target, page = urlsplit(url), urlsplit(page_url)
    if target.netloc != page.netloc or (target.path, target.query) == (page.path, page.query):
        return False
    if _shape(target.path) == _shape(page.path) and not target.query and _NUMBER.search(page.path):
        return True
    name = target.path.rpartition("/")[2]
    if _INDEX.match(name):
        return False
    return bool(_PAGE_SUFFIX.search(name) and _ID.search(url)) or bool(_ID.search(name))


def _shape(path: str) -> str:
    return _NUMBER.sub("0", path)


def link_blocks(segmentation: Segmentation) -> NDArray[np.int32]:
    """Number of the block that each link of the page stands in, -1 for none.

    Args:
        segmentation: the blocks.
    """
    page = segmentation.page
    nodes = np.array([link.node for link in page.links], np.intp)
    tree = page.tree
    first = tree.run_start[nodes]
    has_text = first < tree.run_end[nodes]
    block = np.append(segmentation.run_block, -1)[np.minimum(first, len(tree.runs))]
    return np.where(has_text, block, -1).astype(np.int32)


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
    candidate &= _distance(content) <= options.near_blocks
    if not candidate.any():
        return candidate
    block = link_blocks(segmentation)
    n_links = np.bincount(block + 1, minlength=len(content) + 1)[1:]
    n_articles = np.zeros(len(content), np.intp)
    page = segmentation.page
    for number in np.flatnonzero(np.append(candidate, False)[block]).tolist():
        n_articles[block[number]] += is_article_url(page.links[number].url, page.url)
    enough = (n_links >= options.min_links) & (n_articles >= options.article_share * n_links)
    related: BoolArray = candidate & enough
    return related


def _distance(content: BoolArray) -> NDArray[np.intp]:
    """How many blocks each block is away from the nearest content block."""
    numbers = np.arange(len(content))
    places = np.flatnonzero(content)
    if not len(places):
        return np.full(len(content), len(content) + 1)
    after = np.searchsorted(places, numbers).clip(0, len(places) - 1)
    before = (after - 1).clip(0)
    distance: NDArray[np.intp] = np.minimum(
        abs(places[after] - numbers), abs(places[before] - numbers)
    )
    return distance


def links_of_kind(page: Page, segmentation: Segmentation, kind: Kind) -> tuple[Link, ...]:
    """Links that stand in blocks of one kind.

    Args:
        page: the page.
        segmentation: its labelled blocks.
        kind: the kind.
    """
    wanted = np.array([*(found == kind for found in segmentation.kinds), False], np.bool_)
    chosen = wanted[link_blocks(segmentation)]
    return tuple(link for link, is_chosen in zip(page.links, chosen, strict=True) if is_chosen)
