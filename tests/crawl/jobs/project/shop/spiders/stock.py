import scrapy

from shop.items import Product, rows


class StockSpider(scrapy.Spider):
    """Priorities, meta, dont_filter, spider.state, and an item that is made of two pages."""

    name = "stock"

    def __init__(self, *args, site, **kwargs):
        super().__init__(*args, **kwargs)
        self.site = site
        self.start_urls = [f"{site}/"]

    def parse(self, response):
        for number, href in enumerate(response.css("a.go::attr(href)").getall()):
            yield response.follow(
                href, self.parse_list, priority=-number, meta={"category": number}
            )

    def parse_list(self, response):
        category = response.meta["category"]
        self.state.setdefault("lists", {}).setdefault(str(category), []).append(response.url)
        hrefs = response.css("a.go::attr(href)").getall()
        yield scrapy.Request(
            f"{self.site}/ticket",
            self.parse_ticket,
            dont_filter=True,
            priority=10,
            cb_kwargs={"hrefs": hrefs},
            meta={"category": category},
        )
        for href in response.css("a[rel=next]::attr(href)").getall():
            yield response.follow(href, self.parse_list, meta={"category": category})

    def parse_ticket(self, response, hrefs):
        handed_on = {"category": response.meta["category"], "ticket": response.json()["ticket"]}
        for href in hrefs:
            yield scrapy.Request(
                self.site + href, self.parse_product, meta={"handed on": handed_on}
            )

    def parse_product(self, response):
        self.state["products"] = self.state.get("products", 0) + 1
        note = "{category} {ticket}".format(**response.meta["handed on"])
        items = [Product(row, note=note, depth=response.meta["depth"]) for row in rows(response)]
        if href := response.css("a[rel=stock]::attr(href)").get():
            yield response.follow(href, self.parse_stock, priority=5, meta={"item": items.pop()})
        yield from items

    def parse_stock(self, response):
        item = response.meta["item"]
        item["stock"] = response.json()["stock"]
        yield item
