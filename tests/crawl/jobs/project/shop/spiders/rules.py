from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

from shop.items import Product, rows


class RulesSpider(CrawlSpider):
    name = "rules"
    rules = (
        Rule(LinkExtractor(allow=r"/cat/\d+\?page=\d+")),
        Rule(
            LinkExtractor(allow=r"/(go|product)/\d+"),
            callback="parse_product",
            cb_kwargs={"note": "by a rule"},
            follow=True,
        ),
    )

    def __init__(self, *args, site, **kwargs):
        super().__init__(*args, **kwargs)
        self.start_urls = [f"{site}/"]

    def parse_product(self, response, note):
        for row in rows(response):
            yield Product(row, note=note)
