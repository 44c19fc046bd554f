"""A spider and values of every kind that a stored request may hold."""

import dataclasses
import enum

import attrs
import scrapy
from scrapy.spiders import CrawlSpider, Rule


class Book(scrapy.Item):
    title = scrapy.Field()
    price = scrapy.Field()


@dataclasses.dataclass(frozen=True, slots=True)
class Author:
    name: str
    born: int | None = None


@dataclasses.dataclass
class Draft:
    name: str
    words: list = dataclasses.field(default_factory=list)
    length: int = dataclasses.field(init=False, default=0)


@attrs.define
class Shelf:
    _place: str
    books: list = attrs.Factory(list)


class Color(enum.Enum):
    RED = "red"
    PAIR = (1, 2)


class SlowRequest(scrapy.Request):
    attributes = (*scrapy.Request.attributes, "wait_s")

    def __init__(self, *args, wait_s=0.0, **kwargs):
        super().__init__(*args, **kwargs)
        self.wait_s = wait_s


class Books(CrawlSpider):
    name = "books"
    rules = (Rule(callback="parse_book"),)

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.hung = self.parse_later

    def parse_book(self, response):
        yield {"url": response.url}

    def parse_later(self, response, shelf=None):
        yield {"url": response.url}

    async def parse_async(self, response):
        yield {"url": response.url}

    @staticmethod
    def parse_static(response):
        return None

    @classmethod
    def parse_class(cls, response):
        return None

    def __parse_hidden(self, response):
        return None

    def hidden(self):
        return self.__parse_hidden

    def failed(self, failure):
        return None

    def closed(self, reason):
        return None


class Bolder(Books):
    name = "bolder"

    def parse_book(self, response):
        return None

    def of_base(self):
        return super().parse_book
