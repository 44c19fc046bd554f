import asyncio

import scrapy


class SlowSpider(scrapy.Spider):
    """Pages that take their time, and callbacks that do: most requests are in flight."""

    name = "slow"
    custom_settings = {"CONCURRENT_REQUESTS": 6}

    def __init__(self, *args, site, **kwargs):
        super().__init__(*args, **kwargs)
        self.site = site
        self.start_urls = [f"{site}/"]

    def parse(self, response):
        for number in range(24):
            yield scrapy.Request(f"{self.site}/slow/{number}", self.parse_slow)

    async def parse_slow(self, response):
        number = response.css("p::text").get()
        yield {"sku": f"{number}-first"}
        await asyncio.sleep(0.3)
        yield {"sku": f"{number}-second"}
