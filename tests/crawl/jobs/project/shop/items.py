from dataclasses import dataclass

import scrapy


class Product(scrapy.Item):
    sku = scrapy.Field()
    name = scrapy.Field()
    price = scrapy.Field()
    stock = scrapy.Field()
    note = scrapy.Field()
    depth = scrapy.Field()


@dataclass
class Offer:
    sku: str
    name: str = ""
    price: float = 0.0
    stock: int | None = None


def rows(response):
    """What a page of a product says of each variant."""
    for row in response.css("li[data-sku]"):
        yield {
            "sku": row.attrib["data-sku"],
            "name": row.css("::text").get(),
            "price": float(row.attrib["data-price"]),
        }
