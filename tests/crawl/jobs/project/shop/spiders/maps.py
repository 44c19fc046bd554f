from scrapy.spiders import SitemapSpider

from shop.items import rows


class MapsSpider(SitemapSpider):
    name = "maps"
    sitemap_rules = [("/product/", "parse_product")]

    def __init__(self, *args, site, **kwargs):
        super().__init__(*args, **kwargs)
        self.sitemap_urls = [f"{site}/sitemap.xml"]

    def parse_product(self, response):
        yield from rows(response)
