"""An ordinary Scrapy project and its site, for workers that share a crawl.

The site is a tree of pages. The spider knows nothing of quarkcrawl: it gives items, follows links,
posts a form for each page with ``cb_kwargs``, asks one page again unfiltered, and takes a redirect
and a page that answers 503 at first.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self

from tests import forked
from tests.crawl.harness import environment, in_thread

SPIDERS = '''
import scrapy


class Shop(scrapy.Spider):
    name = "shop"

    async def start(self):
        for host in self.settings.getlist("SHOP_HOSTS"):
            yield scrapy.Request(f"http://{host}/page/0", dont_filter=True)
        yield {"id": "from start"}

    def parse(self, response):
        name = response.url.partition("://")[2]
        self.state["pages"] = self.state.get("pages", 0) + 1
        for number in range(3):
            yield {"id": f"item {number} of {name}", "cached": False}
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link, meta={"from": (name,)})
        yield scrapy.FormRequest(
            response.urljoin("/form"),
            formdata={"page": name},
            callback=self.parse_form,
            cb_kwargs={"page": name, "raw": b"\\xff"},
            priority=5,
        )
        if name.endswith("/page/7"):
            again = response.request.replace(callback=self.parse_again, dont_filter=True)
            yield again
            yield again

    def parse_form(self, response, page, raw):
        assert raw == b"\\xff"
        yield {"id": f"form {response.text} for {page}"}

    def parse_again(self, response):
        yield {"id": f"again {response.url.partition('://')[2]}"}


class Lambda(scrapy.Spider):
    """Its second requests cannot be stored."""

    name = "lambda"

    def start_requests_urls(self):
        return [f"http://{host}/page/0" for host in self.settings.getlist("SHOP_HOSTS")]

    async def start(self):
        for url in self.start_requests_urls():
            yield scrapy.Request(url)

    def parse(self, response):
        name = response.url.partition("://")[2]
        yield {"id": f"page {name}"}
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link)
        yield scrapy.Request(
            response.urljoin("/form?of=" + name.partition("/")[2]),
            callback=lambda inner: iter([{"id": f"inner {name}"}]),
        )


class Listed(scrapy.Spider):
    name = "listed"

    def parse(self, response, tag=None):
        yield {"id": response.url, "tag": tag, "from": response.meta.get("from")}


class Ordered(scrapy.Spider):
    name = "ordered"

    async def start(self):
        host = self.settings.getlist("SHOP_HOSTS")[0]
        for number in (5, 3, 9, 1, 7, 2, 8, 4, 6):
            yield scrapy.Request(f"http://{host}/leaf/{number}", priority=number)

    def parse(self, response):
        yield {"id": response.url.rpartition("/")[2]}
'''
SETTINGS = """
BOT_NAME = "shop"
SPIDER_MODULES = ["shop.spiders"]
ADDONS = {"quarkcrawl.crawl.SharedAddon": 400}
FEEDS = {"items-%(worker)s.jl": {"format": "jsonlines"}}
DOWNLOAD_DELAY = 0
CONCURRENT_REQUESTS_PER_DOMAIN = 8
DOWNLOAD_TIMEOUT = 20
QUARKCRAWL_LEASE_S = 30
RETRY_TIMES = 5
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
"""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length).decode()
        site = self.server
        with site.lock:
            site.hits.append(
                (time.monotonic(), self.headers["Host"], self.command, self.path, body)
            )
            times = sum(1 for hit in site.hits if hit[1:] == site.hits[-1][1:])
            site.active += 1
            site.most_active = max(site.most_active, site.active)
        if site.slow_s:
            time.sleep(site.slow_s)
        kind, _, number = self.path[1:].partition("/")
        status, text, more = 200, "", {}
        if kind == "page":
            at = int(number)
            below = [n for n in (2 * at + 1, 2 * at + 2) if n < site.n_pages]
            text = "".join(f'<a href="/page/{n}">{n}</a>' for n in below)
            if at and at % 10 == 3:
                status, more = 302, {"Location": f"/moved/{at}"}
            elif site.is_flaky and at % 10 == 5 and times == 1:
                status = 503
        elif kind == "moved":
            at = int(number)
            below = [n for n in (2 * at + 1, 2 * at + 2) if n < site.n_pages]
            text = "".join(f'<a href="/page/{n}">{n}</a>' for n in below)
        elif kind == "form":
            text = body
        elif self.path == "/robots.txt":
            status, text = site.robots
        data = text.encode()
        with site.lock:
            site.active -= 1
        self.send_response(status)
        for name, value in more.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_POST = do_GET

    def log_message(self, *_):
        pass


class Site(ThreadingHTTPServer):
    """The site under as many names as there are hosts: addresses of this machine.

    Attributes:
        hits: time, host, method, path and body of every request.
        is_flaky: whether every tenth page answers 503 when it is asked first.
        most_active: most requests at once.
        robots: status and text of robots.txt.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, n_pages: int):
        super().__init__(("0.0.0.0", 0), Handler)
        self.n_pages = n_pages
        self.slow_s = 0.0
        self.is_flaky = True
        self.active = self.most_active = 0
        self.robots = (404, "")
        self.hits: list[tuple] = []
        self.lock = threading.Lock()

    def host(self, number: int) -> str:
        return f"127.0.0.{number + 1}:{self.server_port}"

    def names(self, host: str) -> list[str]:
        """Every page as the spider sees it: a redirect has led to some."""
        return [
            f"{host}/{'moved' if at and at % 10 == 3 else 'page'}/{at}"
            for at in range(self.n_pages)
        ]

    def expected(self, hosts: list[str]) -> Counter:
        """Items of the spider ``shop``."""
        items = Counter({"from start": 1})
        for host in hosts:
            for name in self.names(host):
                items.update(f"item {number} of {name}" for number in range(3))
                items[f"form page={name.replace('/', '%2F').replace(':', '%3A')} for {name}"] += 1
            if self.n_pages > 7:
                items[f"again {host}/page/7"] += 2
        return items


@contextmanager
def serving(n_pages: int):
    site = Site(n_pages)
    with in_thread(site):
        yield site


class Crew:
    """Workers of one crawl in a project; all that are still running are killed at the end."""

    def __init__(self, folder: Path, redis_url: str, hosts: list[str], **settings: object):
        self.folder = folder / "project"
        package = self.folder / "shop"
        package.mkdir(parents=True)
        (self.folder / "scrapy.cfg").write_text("[settings]\ndefault = shop.settings\n")
        (package / "__init__.py").touch()
        (package / "settings.py").write_text(SETTINGS, encoding="utf-8")
        (package / "spiders.py").write_text(SPIDERS, encoding="utf-8")
        self.settings = {
            "QUARKCRAWL_REDIS": redis_url, "SHOP_HOSTS": ",".join(hosts), **settings,
        }  # fmt: skip
        self.workers: list[forked.Command] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.workers:
            worker.close()

    def start(self, spider: str = "shop", **settings: object) -> forked.Command:
        words = [sys.executable, "-m", "scrapy", "crawl", spider, "-s", "LOG_LEVEL=INFO"]
        for name, value in {**self.settings, **settings}.items():
            words += ["-s", f"{name}={value}"]
        self.workers.append(forked.Command(words, self.folder, environment()))
        return self.workers[-1]

    def logs(self) -> str:
        return "\n".join(
            f"--- {number}\n{worker.read('stderr')[-6000:]}"
            for number, worker in enumerate(self.workers)
        )

    def said(self, text: str) -> int:
        """How often all workers have logged something."""
        return sum(worker.read("stderr").count(text) for worker in self.workers)

    def kill(self, worker: forked.Command) -> None:
        os.kill(worker.pid, signal.SIGKILL)
        worker.communicate(60)

    def wait(self, timeout_s: float = 240.0) -> None:
        """Until all workers have ended."""
        deadline = time.monotonic() + timeout_s
        for worker in self.workers:
            try:
                worker.communicate(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                raise AssertionError(f"a worker does not end\n{self.logs()}") from None

    def items(self) -> list[dict]:
        return [
            json.loads(line)
            for path in sorted(self.folder.glob("items-*.jl"))
            for line in path.read_text("utf-8").splitlines()
        ]

    def check(self, expected: Counter) -> None:
        """Each item is in the feeds of all workers as often as it should be."""
        found = self.ids()
        if found != expected:
            words = (" ERROR: ", " WARNING: ", "Gave up", "job/", "Worker ", "Spider closed")
            said = [
                f"{number}: {line}"
                for number, worker in enumerate(self.workers)
                for line in worker.read("stderr").splitlines()
                if any(word in line for word in words)
            ]
            missing, extra = dict(expected - found), dict(found - expected)
            raise AssertionError(f"missing {missing}\nextra {extra}\n" + "\n".join(said))

    def ids(self) -> Counter:
        return Counter(item["id"] for item in self.items())


def wait_until(condition, timeout_s: float = 120.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.02)
