import scrapy


class OrderedSpider(scrapy.Spider):
    """One request at a time; those that wait have a priority each, some of them a new one."""

    name = "ordered"
    custom_settings = {"CONCURRENT_REQUESTS": 1}

    def __init__(self, *args, site, **kwargs):
        super().__init__(*args, **kwargs)
        self.site = site
        self.start_urls = [f"{site}/"]

    def parse(self, response):
        for number in range(40):
            yield scrapy.Request(f"{self.site}/stock/{number}", self.parse_stock, priority=-number)

    def parse_stock(self, response):
        number = int(response.url.rsplit("/", 1)[1])
        later = f"{self.site}/slow/{number}"
        yield scrapy.Request(later, self.parse_last, priority=-1000 - number)

    def parse_last(self, response):
        yield {"sku": response.url.rsplit("/", 1)[1]}
