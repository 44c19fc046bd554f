"""What scrapy-poet injects: the page of a response, its content, its metadata.

Only this module knows scrapy-poet and web-poet; it is loaded where a project uses them. All three
are built before the callback runs, of the response that it is given, and the page is the one that
`page_of` gives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.http import Response  # noqa: TC002 - scrapy-poet reads the annotations
from scrapy_poet.page_input_providers import PageObjectInputProvider
from web_poet.annotated import AnnotatedInstance

from quarkcrawl.content import Content, Metadata, extract
from quarkcrawl.crawl.components.page_middleware import page_of
from quarkcrawl.crawl.options import config_of
from quarkcrawl.page import Page

if TYPE_CHECKING:
    from scrapy_poet.injection import Injector


class PageInputProvider(PageObjectInputProvider):
    """Provides `Page`, `Content` and `Metadata`; the content is extracted once for all that ask.

    The method is the setting ``QUARKCRAWL_CONTENT_METHOD``. Since a response is asked for, it is
    downloaded also for a callback whose response is a `DummyResponse`.
    """

    def __init__(self, injector: Injector) -> None:
        super().__init__(injector)
        self.provided_classes = {Page, Content, Metadata}
        self._method = config_of(injector.crawler.settings).content_method

    def __call__(self, to_provide: set[Any], response: Response) -> list[Any]:
        """Build what is asked for."""
        page = page_of(response)
        inputs: list[Any] = []
        if Page in to_provide:
            inputs.append(page if type(page) is Page else _OfKind(page, ()))
        if to_provide & {Content, Metadata}:
            content = extract(page, method=self._method)
            inputs += [content] if Content in to_provide else []
            inputs += [content.metadata] if Metadata in to_provide else []
        return inputs


class _OfKind(AnnotatedInstance):
    """A page of a kind (a PDF file), which callbacks ask for as a `Page`.

    scrapy-poet files what is provided under its very class, and takes this one's word for it.
    """

    def get_annotated_cls(self) -> Any:
        """`Page`."""
        return Page
