import scrapy
from scrapy_poet import DummyResponse, callback_for
from web_poet import PageParams

import quarkcrawl as qc
from newsroom.pages import FrontPage, Story
from quarkcrawl.content import Metadata
from quarkcrawl.crawl import page_of


class OfUrls(scrapy.Spider):
    """Asks for ``-a urls=``, separated by blanks."""

    async def start(self):
        for number, url in enumerate(self.urls.split()):
            yield scrapy.Request(url, meta={"page_params": {"section": number}})


class Callbacks(OfUrls):
    name = "callbacks"

    def parse(self, response, page: qc.Page, content: qc.Content, metadata: Metadata):
        yield {
            "url": response.url,
            "same": page is page_of(response) is content.page and metadata is content.metadata,
            "kind": type(page).__name__,
            "encodings": [page.encoding, response.encoding],
            "titles": [page.css("title::text").get(), response.css("title::text").get()],
            "text": content.text,
            "method": content.method,
            "published": metadata.published,
        }


class OnePage(OfUrls):
    name = "onepage"

    def parse(self, response, page: qc.Page):
        kind = type(page).__name__
        same = page is page_of(response)
        yield {"kind": kind, "same": same, "title": page.title, "nodes": len(page.css("*"))}


class Objects(OfUrls):
    name = "objects"

    def parse(self, response: DummyResponse, front: FrontPage, page: qc.Page):
        yield {**front.to_item(), "url": response.url, "same_as_callback": front.page is page}


class Items(OfUrls):
    name = "items"

    def parse(self, response: DummyResponse, story: Story):
        yield story


class Stories(OfUrls):
    name = "stories"
    parse = callback_for(Story)


class Undownloaded(OfUrls):
    name = "undownloaded"

    def parse(self, response: DummyResponse, params: PageParams):
        yield {"kind": type(response).__name__, "section": params["section"]}


class Classic(OfUrls):
    """Asks scrapy-poet for nothing."""

    name = "classic"

    def parse(self, response):
        yield {"title": page_of(response).css("title::text").get()}
