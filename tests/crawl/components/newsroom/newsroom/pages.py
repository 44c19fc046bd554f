"""Page objects: what is read from the pages of a site."""

import attrs
from web_poet import (
    HttpResponse,
    Injectable,
    ItemPage,
    PageParams,
    Stats,
    WebPage,
    field,
    handle_urls,
)  # fmt: skip

import quarkcrawl as qc
from quarkcrawl.content import Metadata


@attrs.define
class Byline(Injectable):
    """A part of several page objects."""

    page: qc.Page

    @property
    def text(self):
        return self.page.xpath("//p[@class='byline']/text()").get()


@attrs.define
class Story:
    title: str
    text: str
    published: str
    encoding: str


@handle_urls("newsroom.example")
@attrs.define
class StoryPage(ItemPage[Story]):
    page: qc.Page
    content: qc.Content
    metadata: Metadata

    @field
    def title(self):
        return self.page.css("title::text").get()

    @field
    def text(self):
        return self.content.text

    @field
    def published(self):
        return self.metadata.published

    @field
    def encoding(self):
        return self.page.encoding


@attrs.define
class FrontPage(WebPage):
    """With inputs of web-poet beside those of quarkcrawl."""

    page: qc.Page
    content: qc.Content
    byline: Byline
    params: PageParams
    stats: Stats
    http: HttpResponse

    def to_item(self):
        self.stats.inc("front_pages")
        return {
            "byline": self.byline.text,
            "as_declared": self.css("title::text").get(),
            "title": self.page.css("title::text").get(),
            "section": self.params.get("section"),
            "same_page": self.byline.page is self.page is self.content.page,
            "same_body": bytes(self.http.body) == self.page.body,
        }
