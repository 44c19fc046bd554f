"""ExtractionMiddleware: one `Page` per response, built once, for spider and pipelines.

A spider middleware that works in any Scrapy project; switch it on with one line:

    ADDONS = {"quarkcrawl.crawl.ExtractionAddon": 500}

In a callback, ``page_of(response)`` is the page: its right charset (``response.encoding`` and
``response.text`` follow it), the PageTree, the links. Nothing is parsed before it is asked for.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from scrapy.http import TextResponse

from quarkcrawl.crawl.http import content_type
from quarkcrawl.page import Page

if TYPE_CHECKING:
    from scrapy.http import Response


_classes: dict[type[TextResponse], type[TextResponse]] = {}
_pages: weakref.WeakKeyDictionary[Response, Page] = weakref.WeakKeyDictionary()


def page_of(response: Response) -> Page:
    """The page of a response; the same object whenever it is asked for.

    Args:
        response: a response, of this crawl or any other.
    """
    page = _pages.get(response)
    if page is None:
        page = Page.from_bytes(response.body, response.url, content_type(response) or None)
        _pages[response] = page
    return page


def _decoded(kind: type[TextResponse]) -> type[TextResponse]:
    """A class of responses whose encoding is that of their page."""
    decoded = _classes.get(kind)
    if decoded is None:
        own = {"__slots__": (), "_declared_encoding": lambda response: page_of(response).encoding}
        decoded = _classes[kind] = type(kind.__name__, (kind,), own)
    return decoded


class ExtractionMiddleware:
    """Gives text responses their page and their right encoding."""

    def process_spider_input(self, response: Response) -> None:
        """Give the response its encoding, decided when it is asked for.

        Args:
            response: what was downloaded; it is left alone if it is no text or has no body.
        """
        if isinstance(response, TextResponse) and response.body:
            # Scrapy has no public way to correct the encoding of a response in place; a copy
            # would part the response from its page.
            response.__class__ = _decoded(type(response))
            # Other middlewares may have read the text in the encoding that Scrapy had guessed.
            response._cached_ubody = response._cached_selector = None  # noqa: SLF001
