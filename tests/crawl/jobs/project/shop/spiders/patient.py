import asyncio

import scrapy
from scrapy import Request

from shop.items import Offer, rows


class PatientSpider(scrapy.Spider):
    """An async start() that gives an item and requests, and async callbacks that await a page."""

    name = "patient"

    def __init__(self, *args, site, categories, **kwargs):
        super().__init__(*args, **kwargs)
        self.site, self.n_categories = site, int(categories)

    async def start(self):
        yield Offer("head", "of the catalogue")
        for number in range(self.n_categories):
            await asyncio.sleep(0.001)
            yield Request(f"{self.site}/cat/{number}?page=1", callback=self.parse_list)

    async def parse_list(self, response):
        for request in response.follow_all(css="a.go", callback=self.parse_product):
            yield request
        await asyncio.sleep(0)
        for request in response.follow_all(css="a[rel=next]", callback=self.parse_list):
            yield request

    async def parse_product(self, response):
        stock = None
        if href := response.css("a[rel=stock]::attr(href)").get():
            asked = await self.crawler.engine.download_async(response.follow(href))
            stock = asked.json()["stock"]
        for row in rows(response):
            yield Offer(**row, stock=stock)
            await asyncio.sleep(0)
