"""CPU a response of selectors: Scrapy's own, with the add-on, and those of the page. Prints JSON.

    python benchmarks/selector.py [--data ../shared/data] [--pages 300] [--rounds 5]

Each round takes every page through each way in turn, on fresh responses; the best round of a way
counts. A way that is given to scrapy-poet is built by its injector, as in a crawl. "queries" are
three of CSS and one of XPath.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import gzip
import json
import time
from pathlib import Path

from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy_poet.injection import get_injector_for_testing

from quarkcrawl.content import Content
from quarkcrawl.crawl import ExtractionMiddleware, page_of
from quarkcrawl.crawl.components.poet import PageInputProvider
from quarkcrawl.page import Page

SETS = ("daniel_zh", "daniel_en", "magic_forum_zh")


def bodies(data: Path, n_pages: int) -> list[tuple[str, bytes]]:
    pages = []
    for name in SETS:
        with gzip.open(data / "extraction" / f"{name}.jsonl.gz", "rt") as lines:
            for _, line in zip(range(n_pages // len(SETS)), lines, strict=False):
                row = json.loads(line)
                pages.append((row["url"] or "http://a.example/", base64.b64decode(row["body_b64"])))
    return pages


def queries(source) -> None:
    for query in ("title::text", "a::attr(href)", "p::text"):
        source.css(query).getall()
    source.xpath("//meta[@name='description']/@content").get()


def with_page(self, response, page: Page):
    """A callback that is given a page."""


def with_content(self, response, page: Page, content: Content):
    """A callback that is given a page and its content."""


MIDDLEWARE = ExtractionMiddleware()
INJECTOR = get_injector_for_testing({PageInputProvider: 1})


def added(response: HtmlResponse) -> HtmlResponse:
    MIDDLEWARE.process_spider_input(response)
    return response


def injected(callback):
    def way(response: HtmlResponse) -> None:
        request = Request(response.url, callback=callback.__get__(INJECTOR.spider))
        inputs = asyncio.run(INJECTOR.build_callback_dependencies(request, response))
        queries(inputs["page"])

    return way


def both(response: HtmlResponse) -> None:
    queries(added(response))
    queries(page_of(response))


WAYS = {
    "scrapy: nothing": lambda response: None,
    "scrapy: text": lambda response: response.text,
    "scrapy: response.selector, queries": queries,
    "add-on: nothing": added,
    "add-on: response.encoding": lambda response: added(response).encoding,
    "add-on: response.selector, queries": lambda response: queries(added(response)),
    "add-on: page.selector, queries": lambda response: queries(page_of(added(response))),
    "add-on: both selectors, queries": both,
    "add-on: page.tree": lambda response: page_of(added(response)).tree,
    "poet: page.selector, queries": injected(with_page),
    "poet: the same and content": injected(with_content),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    pages = bodies(options.data, options.pages)
    best = dict.fromkeys(WAYS, float("inf"))
    for _ in range(options.rounds):
        for name, way in WAYS.items():
            responses = [
                HtmlResponse(url, body=body, headers={"Content-Type": "text/html"})
                for url, body in pages
            ]
            start = time.process_time()
            for response in responses:
                way(response)
            best[name] = min(best[name], time.process_time() - start)
    base = best["scrapy: response.selector, queries"]
    ways = {
        name: {
            "ms a page": round(1000 * seconds / len(pages), 4),
            "ratio to response.selector": round(seconds / base, 3),
        }
        for name, seconds in best.items()
    }
    n_bytes = sum(len(body) for _, body in pages)
    said = {"pages": len(pages), "bytes a page": n_bytes // len(pages), "ways": ways}
    print(json.dumps(said, indent=1))


if __name__ == "__main__":
    main()
