import scrapy

from shop.items import rows


class PagesSpider(scrapy.Spider):
    """An ordinary one: start_urls, links followed, pages asked for again by links between products."""

    name = "pages"

    def __init__(self, *args, site, **kwargs):
        super().__init__(*args, **kwargs)
        self.start_urls = [f"{site}/"]

    def parse(self, response):
        yield from response.follow_all(css="a.go", callback=self.parse_list)

    def parse_list(self, response):
        yield from response.follow_all(css="a.go", callback=self.parse_product)
        yield from response.follow_all(css="a[rel=next]", callback=self.parse_list)

    def parse_product(self, response):
        yield from rows(response)
        yield from response.follow_all(css="a[rel=related]", callback=self.parse_product)
