"""`topic_items`: a page as an ordered list of paragraphs, data tables and pictures."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.content.declared import Declared
from quarkcrawl.content.extraction import Extraction
from quarkcrawl.content.headline import without_headline
from quarkcrawl.content.items.build import items_of, text_of
from quarkcrawl.content.items.ibdom import IbDom
from quarkcrawl.content.items.rules import TopicRules
from quarkcrawl.errors import InputError
from quarkcrawl.segment import as_page

if TYPE_CHECKING:
    from collections.abc import Callable

    from quarkcrawl.content.items.ibdom import IbDomOptions
    from quarkcrawl.content.items.model import Item
    from quarkcrawl.content.items.options import ItemOptions
    from quarkcrawl.content.items.region import TopicRegion
    from quarkcrawl.page import Page
    from quarkcrawl.segment import PageLike


def _ibdom(page: Page, *options: Any) -> TopicRegion:
    return IbDom(*options).region(page)


def _rules(page: Page, *options: Any) -> TopicRegion:
    return TopicRules(*options).region(page)


ITEM_METHODS: Final[dict[str, Callable[..., TopicRegion]]] = {
    "default": _rules,
    "rules": _rules,
    "ibdom": _ibdom,
}
"""Methods by name: what finds the topic region of a page."""


def topic_region(page_or_html: PageLike, url: str = "", method: str = "default") -> TopicRegion:
    """Find the topic region of a page.

    Args:
        page_or_html: the page, its source, or the bytes as received.
        url: address of the page.
        method: name of a method, see `ITEM_METHODS`.

    Raises:
        InputError: if there is no such method.
    """
    run = ITEM_METHODS.get(method)
    if run is None:
        near = difflib.get_close_matches(method, ITEM_METHODS, 1)
        hint = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(ITEM_METHODS)}"
        raise InputError(f"no item method {method!r}{hint}")
    return run(as_page(page_or_html, url))


def topic_items(page_or_html: PageLike, url: str = "", method: str = "default") -> list[Item]:
    """The topic of a page: paragraphs, data tables and pictures in reading order.

    No input bytes make it raise.

    Args:
        page_or_html: the page, its source, or the bytes as received.
        url: address of the page; addresses of pictures are resolved against it.
        method: ``"ibdom"`` for the rules of the paper, ``"rules"`` (the default) for
            our improved ones.

    Raises:
        InputError: if there is no such method.

    >>> page = "<p>" + "天网收集网页，一九九七年上线。" * 5 + "<img src=a.jpg width=400 height=300>"
    >>> [item.kind for item in topic_items(page, "http://a.cn/")]
    ['paragraph', 'picture']
    """
    return items_of(topic_region(page_or_html, url, method))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RegionExtraction(Extraction):
    """What a method found that looks for the region of the topic.

    Args:
        region: where the topic stands, and what belongs to it.
    """

    region: TopicRegion


def region_extraction(
    page: Page,
    method: str,
    options: IbDomOptions | ItemOptions | None = None,
    name: str = "",
) -> RegionExtraction:
    """The topic region as an extraction method: its paragraphs and tables as text.

    Args:
        page: any page; its headline is left out of the text.
        method: name of a method, see `ITEM_METHODS`.
        options: its constants; None for the defaults.
        name: what it is called with these options; "" for its own name.
    """
    region = ITEM_METHODS[method](page, *([options] if options else []))
    declared = Declared(page.tree)
    text, headline = without_headline(text_of(items_of(region)), page.tree, declared)
    return RegionExtraction(
        page,
        name or method,
        text=text,
        runs=region.runs,
        headline=headline,
        declared=declared,
        region=region,
    )
