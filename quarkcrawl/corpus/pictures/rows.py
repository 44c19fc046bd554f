"""Pictures of a page with the words around them: the row of each in the picture table.

What a picture shows stands in words around it (the thesis, 5.2: block-based picture search): its
caption and alternative text, the paragraphs before and after it, the block that it stands in, the
headline. Pictures are those of the topic, as `quarkcrawl.content.topic_items` finds them; logos,
icons and advertisements are none.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.content import Paragraph, Picture, extract, topic_items
from quarkcrawl.content.quark import words
from quarkcrawl.errors import StoreError
from quarkcrawl.segment import segmentation_of
from quarkcrawl.template import read_stored

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quarkcrawl.content import Item
    from quarkcrawl.page import Page
    from quarkcrawl.segment import Segmentation
    from quarkcrawl.template import PagePlace


FIELD_WEIGHTS: Final[Mapping[str, float]] = {
    "caption": 1.0,
    "alt": 1.0,
    "before": 1.0,
    "after": 1.0,
    "block_text": 1.0,
    "title": 1.0,
}
"""How often a word of each field counts."""

_MAX_NEAR_CHARS: Final = 400
_MAX_BLOCK_CHARS: Final = 1000


def picture_rows(page: Page) -> list[dict[str, Any]]:
    """The pictures of a page, in reading order."""
    items = topic_items(page)
    if not any(isinstance(item, Picture) for item in items):
        return []
    cut = segmentation_of(page)
    title = extract(page, method="quark").title
    return [
        {
            "src": item.src,
            "link": item.link or None,
            "width_px": item.width_px,
            "height_px": item.height_px,
            "caption": item.caption,
            "alt": item.alt,
            **near,
            "block_text": _block_text(cut, item.node),
            "title": title,
        }
        for item, near in _with_neighbors(items)
    ]


def _with_neighbors(items: list[Item]) -> list[tuple[Picture, dict[str, str]]]:
    """Each picture with the paragraphs nearest to it on either side."""
    before, after = _texts_before(items), _texts_before(items[::-1])[::-1]
    return [
        (item, {"before": ahead, "after": behind})
        for item, ahead, behind in zip(items, before, after, strict=True)
        if isinstance(item, Picture)
    ]


def _texts_before(items: list[Item]) -> list[str]:
    """For each item the text of the last paragraph before it, "" if there is none."""
    texts, last = [], ""
    for item in items:
        texts.append(last)
        if isinstance(item, Paragraph):
            last = item.text[:_MAX_NEAR_CHARS]
    return texts


def _block_text(cut: Segmentation, node: int) -> str:
    """Beginning of the text of the block that a node stands in."""
    number = int(cut.node_block[node]) if 0 <= node < len(cut.node_block) else -1
    return cut[number].text[:_MAX_BLOCK_CHARS] if number >= 0 else ""


def weighted_terms(
    row: Mapping[str, Any], weights: Mapping[str, float] = FIELD_WEIGHTS
) -> dict[str, float]:
    """Words of a picture, and how often each occurs, a field counting by its weight.

    Words of several fields are summed up before they are scored (Robertson, Zaragoza and Taylor,
    Simple BM25 extension to multiple weighted fields, CIKM 2004).
    Fields that ``weights`` leaves out do not count.
    """
    term_weights: defaultdict[str, float] = defaultdict(float)
    for name, weight in weights.items():
        for word in words(row[name] or ""):
            term_weights[word] += weight
    return dict(term_weights)


def stored_picture_rows(place: PagePlace, root: str) -> dict[str, Any]:
    """Pictures of a stored page and their words; runs in the processes of a pool.

    Args:
        place: where the page is.
        root: the corpus.

    Returns:
        ``rows``, each with its ``terms``; or the ``reason`` why there are none.
    """
    try:
        page = read_stored(place, root)
    except StoreError as error:
        return {"reason": error.reason}
    rows = picture_rows(page)
    for row in rows:
        row["terms"] = weighted_terms(row)
    return {"rows": rows}
