import scrapy
from scrapy import FormRequest
from scrapy.http import JsonRequest


class ApiSpider(scrapy.Spider):
    """Forms and JSON bodies by POST, cb_kwargs handed on, and an errback that makes items."""

    name = "api"

    def __init__(self, *args, site, categories, **kwargs):
        super().__init__(*args, **kwargs)
        self.site, self.n_categories = site, int(categories)

    async def start(self):
        for number in range(self.n_categories):
            yield FormRequest(
                f"{self.site}/search",
                formdata={"category": str(number)},
                callback=self.parse_form,
                cb_kwargs={"category": number},
            )

    def parse_form(self, response, category):
        token = response.css("p.token::text").get()
        yield self.page_of(category, 1, token)

    def page_of(self, category, page, token):
        return JsonRequest(
            f"{self.site}/api/search",
            data={"category": category, "page": page},
            callback=self.parse_search,
            cb_kwargs={"category": category, "page": page, "token": token},
        )

    def parse_search(self, response, category, page, token):
        answer = response.json()
        for product in answer["products"]:
            yield scrapy.Request(
                f"{self.site}/api/product/{product}",
                headers={"X-Token": token},
                callback=self.parse_product,
                errback=self.missing,
                cb_kwargs={"place": (category, page), "product": product, "token": token},
            )
        if answer["next"] is not None:
            yield self.page_of(category, answer["next"], token)

    def parse_product(self, response, place, product, token):
        for row in response.json():
            yield {**row, "note": f"{token} {place!r}"}

    def missing(self, failure):
        yield {"sku": f"{failure.request.cb_kwargs['product']}-missing"}
