"""CPU and bytes of a stored request: JSON beside the pickle of Scrapy's disk queues, as JSON.

    python benchmarks/stored_requests.py --requests 50000

Three kinds: a link that a page gave (callback, depth), a link with cb_kwargs, headers and cookies,
and a form sent by POST. By turns, the best of five runs each.
"""

from __future__ import annotations

import argparse
import json
import pickle
import time
from typing import TYPE_CHECKING

import scrapy
from scrapy.http import FormRequest
from scrapy.utils.request import request_from_dict

from quarkcrawl.crawl.jobs.requests import RequestCodec

if TYPE_CHECKING:
    from collections.abc import Callable


class Plain(scrapy.Spider):
    name = "plain"

    def parse_item(self, response):
        return None


def link(number: int, spider: Plain) -> scrapy.Request:
    url = f"http://www.site{number % 97}.example/news/2026/{number:07d}.html"
    return scrapy.Request(url, callback=spider.parse_item, meta={"depth": 3, "link_text": "more"})


def detail(number: int, spider: Plain) -> scrapy.Request:
    return link(number, spider).replace(
        headers={"Referer": "http://www.site.example/", "Accept-Language": "zh"},
        cookies={"session": f"{number:x}"},
        cb_kwargs={"item": {"title": "搜索引擎", "price": 1.5, "tags": ["a", "b"]}, "page": number},
        priority=2,
    )


def form(number: int, spider: Plain) -> scrapy.Request:
    url = "http://www.site.example/search"
    return FormRequest(
        url, formdata={"q": "北京大学", "page": str(number)}, callback=spider.parse_item
    )


def cpu_us(work: Callable[[], object], count: int) -> float:
    started = time.process_time()
    work()
    return (time.process_time() - started) / count * 1e6


def measured(make: Callable[[int, Plain], scrapy.Request], count: int) -> dict[str, object]:
    spider = Plain()
    codec = RequestCodec(spider, trusted=True)
    requests = [make(number, spider) for number in range(count)]
    rows = [codec.encode(request) for request in requests]
    pickles = [pickle.dumps(request.to_dict(spider=spider), protocol=4) for request in requests]
    ways = {
        "json_encode": lambda: [codec.encode(request) for request in requests],
        "pickle_encode": lambda: [
            pickle.dumps(request.to_dict(spider=spider), protocol=4) for request in requests
        ],
        "json_decode": lambda: [codec.decode(row) for row in rows],
        "pickle_decode": lambda: [
            request_from_dict(pickle.loads(row), spider=spider) for row in pickles
        ],
    }
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(5):
        for name, work in ways.items():
            best[name] = min(best[name], cpu_us(work, count))
    return {
        "cpu_us": {name: round(value, 2) for name, value in best.items()},
        "json_bytes": round(sum(map(len, rows)) / count, 1),
        "pickle_bytes": round(sum(map(len, pickles)) / count, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=20000)
    count = parser.parse_args().requests
    print(json.dumps({make.__name__: measured(make, count) for make in (link, detail, form)}))


if __name__ == "__main__":
    main()
