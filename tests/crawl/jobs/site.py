"""A shop on the web whose pages and items are known: a server process that counts what it is asked.

    python -m tests.crawl.jobs.site CATEGORIES LISTS

Of 16 categories with 25 list pages each there are 5,000 pages and 20,000 items. Numbers of
products say what is odd about them: some are reached by a redirect, some answer 503 once, some
are missing in the interface, some have a second page that completes an item.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import subprocess
import sys
import urllib.request
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Self
from urllib.parse import parse_qs, urlsplit

ROOT = Path(__file__).resolve().parents[3]
PRODUCTS_A_LIST = 10
VARIANTS = 5
PRODUCTS_A_MAP = 500
HTML, JSON, XML = "text/html; charset=utf-8", "application/json", "application/xml"


@dataclass(frozen=True)
class Reply:
    body: bytes
    kind: str = HTML
    status: int = 200
    location: str = ""


@dataclass(frozen=True)
class Shop:
    """What is on the site; the truth that tests compare with."""

    n_categories: int = 16
    n_lists: int = 25

    # -- truth ---------------------------------------------------------------------------------

    @property
    def products(self) -> range:
        return range(self.n_categories * self.n_lists * PRODUCTS_A_LIST)

    @property
    def lists(self) -> Iterable[tuple[int, int]]:
        return [(c, n) for c in range(self.n_categories) for n in range(1, self.n_lists + 1)]

    def on_list(self, category: int, number: int) -> range:
        first = (category * self.n_lists + number - 1) * PRODUCTS_A_LIST
        return range(first, first + PRODUCTS_A_LIST)

    @staticmethod
    def is_redirected(product: int) -> bool:
        return product % 20 == 3

    @staticmethod
    def is_busy_once(product: int) -> bool:
        return product % 50 == 7

    @staticmethod
    def is_missing(product: int) -> bool:
        """Only in the interface, not among the pages."""
        return product % 97 == 5

    @staticmethod
    def has_stock(product: int) -> bool:
        return product % 8 == 0

    def rows(self, spider: str) -> dict[str, dict[str, object]]:
        """Every item that a spider shall give, by its sku, without what is not said of it."""
        rows = {}
        for category, number in self.lists:
            for product in self.on_list(category, number):
                if spider == "api" and self.is_missing(product):
                    rows[f"{product}-missing"] = {"sku": f"{product}-missing"}
                    continue
                variants = self.variants(product)
                if spider == "api":
                    more = {"note": f"k{category} ({category}, {number})"}
                elif spider == "stock":  # by the list, the ticket, the product
                    more = {"note": f"{category} t-17", "depth": number + 2}
                else:
                    more = {"note": "by a rule"} if spider == "rules" else {}
                if self.has_stock(product):
                    completed = {"stock": variants[-1:], "patient": variants}.get(spider, [])
                    for row in completed:
                        row["stock"] = product % 13
                rows |= {str(row["sku"]): {**row, **more} for row in variants}
        if spider == "patient":
            rows["head"] = {"sku": "head", "name": "of the catalogue", "price": 0.0}
        return rows

    def asked(self, spider: str) -> Counter[str]:
        """How often a spider asks for what if nothing disturbs it."""
        if spider == "api":
            asked = [f"POST /search category={c}" for c in range(self.n_categories)]
            asked += [
                f'POST /api/search {{"category": {c}, "page": {n}}}'
                for c, n in self.lists
            ]  # fmt: skip
            return Counter([*asked, *(f"GET /api/product/{p}" for p in self.products)])
        busy = {f"GET /product/{p}": 1 for p in self.products if self.is_busy_once(p)}
        pages = Counter(f"GET /product/{p}" for p in self.products) + Counter(busy)
        if spider == "maps":
            maps = range(len(self.products) // PRODUCTS_A_MAP + 1)
            return pages + Counter(
                ["GET /sitemap.xml", *(f"GET /sitemap-{n}.xml.gz" for n in maps)]
            )
        pages += Counter(f"GET /cat/{c}?page={n}" for c, n in self.lists)
        pages += Counter(f"GET /go/{p}" for p in self.products if self.is_redirected(p))
        if spider in ("stock", "patient"):
            pages += Counter(f"GET /stock/{p}" for p in self.products if self.has_stock(p))
        if spider == "stock":
            pages["GET /ticket"] = len(list(self.lists))
        if spider != "patient":  # which begins with the categories
            pages["GET /"] = 1
        return pages

    # -- replies -------------------------------------------------------------------------------

    def reply(self, method: str, target: str, body: bytes) -> Reply:
        path, query = urlsplit(target).path, parse_qs(urlsplit(target).query)
        words = path.strip("/").split("/")
        match method, *words:
            case "GET", "":
                return self._page("shop", [f"/cat/{c}?page=1" for c in range(self.n_categories)])
            case "GET", "cat", category:
                return self._list(int(category), int(query["page"][0]))
            case "GET", "go", product:
                return Reply(b"", status=302, location=f"/product/{product}")
            case "GET", "product", product:
                return self._product(int(product))
            case "GET", "slow", number:
                return Reply(f"<p>{number}</p>".encode())
            case "GET", "stock", product:
                return Reply(json.dumps({"stock": int(product) % 13}).encode(), JSON)
            case "GET", "ticket":
                return Reply(b'{"ticket": "t-17"}', JSON)
            case "GET", "sitemap.xml":
                return self._map_index()
            case "GET", name if name.startswith("sitemap-"):
                return self._map(int(name.removeprefix("sitemap-").removesuffix(".xml.gz")))
            case "POST", "search":
                category = parse_qs(body.decode())["category"][0]
                return Reply(f"<p class='token'>k{category}</p>".encode())
            case "POST", "api", "search":
                return self._search(json.loads(body))
            case "GET", "api", "product", product:
                return self._api_product(int(product))
        return Reply(b"not here", status=404)

    @staticmethod
    def _page(title: str, hrefs: list[str], more: str = "") -> Reply:
        anchors = "".join(f"<a class='go' href='{href}'>{href}</a>\n" for href in hrefs)
        return Reply(f"<!doctype html><title>{title}</title><body>{more}{anchors}".encode())

    def _list(self, category: int, number: int) -> Reply:
        if number > self.n_lists:
            return Reply(b"no more", status=404)
        hrefs = [
            f"/go/{p}" if self.is_redirected(p) else f"/product/{p}"
            for p in self.on_list(category, number)
        ]
        next_page = f"<a rel='next' href='/cat/{category}?page={number + 1}'>next</a>"
        return self._page(f"{category}", hrefs, next_page if number < self.n_lists else "")

    def variants(self, product: int) -> list[dict[str, object]]:
        return [
            {
                "sku": f"{product}-{v}",
                "name": f'天网 "{product}", {v}',
                "price": product % 90 + v / 4,
            }
            for v in range(VARIANTS)
        ]

    def _product(self, product: int) -> Reply:
        rows = "".join(
            f"<li data-sku='{row['sku']}' data-price='{row['price']}'>{row['name']}</li>"
            for row in self.variants(product)
        )
        stock = f"<a rel='stock' href='/stock/{product}'>" if self.has_stock(product) else ""
        related = f"<a rel='related' href='/product/{max(product - 1, 0)}'>like it</a>"
        return self._page(f"product {product}", [], f"<ul>{rows}</ul>{stock}{related}")

    def _map_index(self) -> Reply:
        maps = range(len(self.products) // PRODUCTS_A_MAP + 1)
        rows = "".join(f"<sitemap><loc>HOST/sitemap-{n}.xml.gz</loc></sitemap>" for n in maps)
        return Reply(f"<sitemapindex xmlns='{_SITEMAP}'>{rows}</sitemapindex>".encode(), XML)

    def _map(self, number: int) -> Reply:
        products = self.products[number * PRODUCTS_A_MAP : (number + 1) * PRODUCTS_A_MAP]
        rows = "".join(f"<url><loc>HOST/product/{p}</loc></url>" for p in products)
        return Reply(f"<urlset xmlns='{_SITEMAP}'>{rows}</urlset>".encode(), "application/gzip")

    def _search(self, asked: dict[str, int]) -> Reply:
        category, number = asked["category"], asked["page"]
        products = list(self.on_list(category, number))
        more = number + 1 if number < self.n_lists else None
        return Reply(json.dumps({"products": products, "next": more}).encode(), JSON)

    def _api_product(self, product: int) -> Reply:
        if self.is_missing(product):
            return Reply(b"{}", JSON, status=404)
        return Reply(json.dumps(self.variants(product)).encode(), JSON)


_SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"


# -- server ------------------------------------------------------------------------------------


class Desk:
    """Answers and counts."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.host = ""
        self.counts: Counter[str] = Counter()
        self.order: list[str] = []

    def answer(self, method: str, target: str, body: bytes) -> Reply:
        if target.startswith("/_"):
            return self._control(target)
        key = f"{method} {target}" + (f" {body.decode()}" if body else "")
        self.counts[key] += 1
        self.order.append(key)
        words = target.split("/")
        if (
            words[1] == "product"
            and self.counts[key] == 1
            and self.shop.is_busy_once(int(words[2]))
        ):
            return Reply(b"come again", status=503)
        reply = self.shop.reply(method, target, body)
        if b"HOST" not in reply.body:
            return reply
        filled = reply.body.replace(b"HOST", self.host.encode())
        return Reply(
            gzip.compress(filled) if reply.kind == "application/gzip" else filled, reply.kind
        )

    def _control(self, target: str) -> Reply:
        if target == "/_total":
            return Reply(str(self.counts.total()).encode())
        if target == "/_counts":
            return Reply(json.dumps(self.counts).encode(), JSON)
        if target == "/_order":
            return Reply(json.dumps(self.order).encode(), JSON)
        self.counts.clear()
        self.order.clear()
        return Reply(b"")


class Connection(asyncio.Protocol):
    """One kept-alive connection; replies come a few milliseconds later, so that some are awaited."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.waiting = bytearray()

    def connection_made(self, transport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.waiting += data
        while (end := self.waiting.find(b"\r\n\r\n")) >= 0:
            head = self.waiting[:end].decode("latin-1").split("\r\n")
            fields = {
                n.lower(): v.strip() for n, _, v in (line.partition(":") for line in head[1:])
            }
            length = int(fields.get("content-length", 0))
            if len(self.waiting) < end + 4 + length:
                return
            body = bytes(self.waiting[end + 4 : end + 4 + length])
            del self.waiting[: end + 4 + length]
            method, target, _ = head[0].split(" ")
            reply = self.desk.answer(method, target, body)
            delay_s = 0 if target.startswith("/_") else int.from_bytes(target.encode()) % 7 / 1000
            delay_s += 0.4 * target.startswith("/slow/")
            asyncio.get_running_loop().call_later(delay_s, self._send, reply)

    def _send(self, reply: Reply) -> None:
        location = f"Location: {reply.location}\r\n" if reply.location else ""
        head = (
            f"HTTP/1.1 {reply.status} {HTTPStatus(reply.status).phrase}\r\n{location}"
            f"Content-Type: {reply.kind}\r\nContent-Length: {len(reply.body)}\r\n\r\n"
        )
        if not self.transport.is_closing():
            self.transport.write(head.encode() + reply.body)


async def serve(shop: Shop) -> None:
    desk = Desk(shop)
    server = await asyncio.get_running_loop().create_server(
        lambda: Connection(desk), "127.0.0.1", 0
    )
    desk.host = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    print(desk.host, flush=True)
    await server.serve_forever()


class ShopServer:
    """The server process of a shop."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        words = [sys.executable, "-m", "tests.crawl.jobs.site"]
        self._process = subprocess.Popen(
            [*words, str(shop.n_categories), str(shop.n_lists)],
            cwd=ROOT, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.url = self._process.stdout.readline().strip()
        assert self.url, "the server did not start"

    def _ask(self, target: str) -> bytes:
        with urllib.request.urlopen(self.url + target, timeout=60) as response:
            return response.read()

    def total(self) -> int:
        """Requests since the last reset."""
        return int(self._ask("/_total"))

    def counts(self) -> Counter[str]:
        return Counter(json.loads(self._ask("/_counts")))

    def order(self) -> list[str]:
        return json.loads(self._ask("/_order"))

    def reset(self) -> None:
        self._ask("/_reset")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._process.terminate()
        self._process.communicate(timeout=60)


if __name__ == "__main__":
    asyncio.run(serve(Shop(*map(int, sys.argv[1:]))))
