"""Ordinary habits of spiders under the add-on, in real processes that are killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KILLED = -9

SPIDER = """
import asyncio, os
from pathlib import Path
import scrapy

def die():
    if not Path("killed").exists():
        Path("killed").touch()
        os.kill(os.getpid(), 9)

class TestedSpider(scrapy.Spider):
    name = "tested"
    custom_settings = {"ADDONS": {"quarkcrawl.crawl.DurableAddon": 400}, "LOG_LEVEL": "INFO"}

    def url(self, path):
        return os.environ["SITE"] + path
"""


class Page(BaseHTTPRequestHandler):
    """Any page of a small site."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = b"<html><title>page</title></html>"
        self.send_response(404 if self.path.startswith("/absent") else 200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_values: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


class Crawl:
    """A spider in a folder, run by the same command again and again."""

    def __init__(self, folder: Path, site: str, methods: str) -> None:
        self.folder, self.site = folder, site
        (folder / "tested.py").write_text(SPIDER + methods)
        self.log = ""

    def run(self) -> int:
        command = [sys.executable, "-m", "scrapy", "runspider", "tested.py", "-O", "out.jsonl"]
        environment = os.environ | {"SITE": self.site}
        run = subprocess.run(
            command,
            cwd=self.folder,
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
        self.log = run.stderr
        return run.returncode

    @property
    def items(self) -> list[dict[str, object]]:
        lines = (self.folder / "out.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]


@pytest.mark.full
def test_the_request_of_a_response_may_be_kept_in_meta(tmp_path: Path, site: str) -> None:
    crawl = Crawl(
        tmp_path,
        site,
        """
    async def start(self):
        yield scrapy.Request(self.url("/1"), errback=self.failed)
        yield scrapy.Request(self.url("/absent"), errback=self.failed)

    def parse(self, response):
        yield scrapy.Request(self.url("/check"), self.checked, meta={"asked": response.request})

    def failed(self, failure):
        yield scrapy.Request(self.url("/check2"), self.checked, meta={"asked": failure.request})

    def checked(self, response):
        die()
        yield {"errback": response.meta["asked"].errback == self.failed}
""",
    )
    assert crawl.run() == KILLED
    assert "kept in memory" not in crawl.log
    assert crawl.run() == 0
    assert crawl.items == [{"errback": True}] * 2


@pytest.mark.full
def test_a_callback_may_give_the_very_request_that_it_was_called_for(
    tmp_path: Path, site: str
) -> None:
    crawl = Crawl(
        tmp_path,
        site,
        """
    n_calls = 0

    async def start(self):
        yield scrapy.Request(self.url("/1"), dont_filter=True)

    async def parse(self, response):
        self.n_calls += 1
        if Path("killed").exists():
            yield {"call": "after"}
        elif self.n_calls == 1:
            yield response.request
            while self.n_calls < 2:
                await asyncio.sleep(0.01)
        else:
            await asyncio.sleep(2)  # commits come by: the first call is done, this one is not
            die()
""",
    )
    assert crawl.run() == KILLED
    assert crawl.run() == 0
    assert crawl.items == [{"call": "after"}]


@pytest.mark.full
def test_what_only_memory_had_is_given_by_start_again(tmp_path: Path, site: str) -> None:
    crawl = Crawl(
        tmp_path,
        site,
        """
    async def start(self):
        for number in range(5):
            yield scrapy.Request(self.url(f"/{number}"), lambda response: {"url": response.url})
        yield scrapy.Request(self.url("/last"), self.last, priority=1)

    async def last(self, response):
        while not Path("killed").exists():
            await asyncio.sleep(0.6)  # a commit comes by
            if self.crawler.stats.get_value("item_scraped_count"):
                die()
        yield {"url": response.url}
""",
    )
    crawl_settings = '\nTestedSpider.custom_settings["DOWNLOAD_DELAY"] = 1\n'
    (tmp_path / "tested.py").write_text((tmp_path / "tested.py").read_text() + crawl_settings)
    assert crawl.run() == KILLED
    assert crawl.run() == 0
    paths = sorted(str(item["url"]).rpartition("/")[2] for item in crawl.items)
    assert paths == ["0", "1", "2", "3", "4", "last"]


@pytest.mark.full
def test_a_callback_that_goes_on_for_long_holds_10_000_items_of_its_children(
    tmp_path: Path, site: str
) -> None:
    crawl = Crawl(
        tmp_path,
        site,
        """
    async def start(self):
        yield scrapy.Request(self.url("/"))

    async def parse(self, response):
        for number in range(4):
            yield scrapy.Request(self.url(f"/{number}"), self.leaf, cb_kwargs={"page": number})
        for _ in range(4000):
            await asyncio.sleep(0.01)
            if Path("killed").exists() or (Path("out.jsonl").exists() and Path("out.jsonl").stat().st_size):
                break
        else:
            raise RuntimeError("nothing was written")
        await asyncio.sleep(1)
        die()

    def leaf(self, response, page):
        for number in range(4000):
            yield {"page": page, "number": number}
""",
    )
    assert crawl.run() == KILLED
    assert crawl.run() == 0
    items = sorted((item["page"], item["number"]) for item in crawl.items)
    assert items == [(page, number) for page in range(4) for number in range(4000)]
