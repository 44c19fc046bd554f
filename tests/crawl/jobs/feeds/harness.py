"""A small scheduler for `JobFeeds`: numbered items, a job file in SQLite, deaths of the process."""

from __future__ import annotations

import asyncio
import bz2
import contextlib
import csv
import gzip
import io
import json
import lzma
import os
import random
import signal
import sqlite3
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from lxml import etree
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.extensions.feedexport import BlockingFeedStorage
from scrapy.utils.reactor import is_reactor_installed

from quarkcrawl.crawl.jobs.feeds import JobFeeds

PARQUET = {"parquet": "quarkcrawl.crawl.jobs.feeds.ParquetItemExporter"}


def item(number: int) -> dict:
    return {"id": number, "day": "2026-11-26", "text": f"第{number}页,\n" + "x" * (number % 50)}


class Even:
    def __init__(self, feed_options):
        pass

    def accepts(self, item):
        return item["id"] % 2 == 0


class CopyStorage(BlockingFeedStorage):
    """A storage of a project's own: files are copied to the path, as an upload would."""

    def __init__(self, uri, *, feed_options=None):
        self.path = Path(uri.removeprefix("copy://"))

    def _store_in_thread(self, file):
        file.seek(0)
        self.path.parent.mkdir(exist_ok=True)
        self.path.write_bytes(file.read())
        file.close()


class ItemSpider(Spider):
    name = "items"


def new_crawler(feeds: dict, **settings) -> Crawler:
    has_reactor = is_reactor_installed()
    settings = {
        "FEEDS": feeds,
        "FEED_EXPORTERS": PARQUET,
        "FEED_STORAGES": {"copy": f"{__name__}.CopyStorage"},
        "TWISTED_REACTOR_ENABLED": has_reactor,
        "TWISTED_REACTOR": None,
        "EXTENSIONS": {"scrapy.extensions.feedexport.FeedExporter": None},
        "TELNETCONSOLE_ENABLED": False,
        **settings,
    }
    crawler = Crawler(ItemSpider, settings)
    crawler.spider = ItemSpider()
    crawler.spider.crawler = crawler
    crawler._apply_settings()
    return crawler


class Job:
    """What a scheduler does: after a death it goes on with the item behind the last commit."""

    def __init__(self, folder: Path, feeds: dict, **settings) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._file = sqlite3.connect(folder / "job.sqlite", isolation_level=None)
        self._file.execute("PRAGMA journal_mode = TRUNCATE")
        self._file.execute("PRAGMA synchronous = FULL")
        self._file.execute("CREATE TABLE IF NOT EXISTS state (name PRIMARY KEY, value)")
        try:
            self.crawler = new_crawler(feeds, **settings)
            self.feeds = JobFeeds.from_crawler(self.crawler)
            rows = dict(self._file.execute("SELECT name, value FROM state"))
            self.next = int(rows.pop("next", 0))
            self.states = {name[5:]: value for name, value in rows.items()}
            self.feeds.restore(self.states, self.commit, folder=folder)
        except BaseException:
            self._file.close()
            raise

    def commit(self, states, **more) -> None:
        self._file.execute("BEGIN")
        for name, value in {**{f"feed:{k}": v for k, v in states.items()}, **more}.items():
            self._file.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (name, value))
        self._file.execute("COMMIT")

    def write(self, items) -> None:
        """Items of finished requests, and the commit."""
        self.feeds.write(items)
        states = self.feeds.sync()
        self.commit(states, next=self.next + len(items))
        self.next += len(items)

    async def run(self, n_items: int, step: int = 20, *, finished: bool = True) -> None:
        while self.next < n_items:
            self.write([item(n) for n in range(self.next, min(self.next + step, n_items))])
            await asyncio.sleep(0)
        await self.close(finished=finished)

    async def close(self, *, finished: bool) -> None:
        await self.feeds.close(finished=finished)
        self.shut()

    def shut(self) -> None:
        self._file.close()


def run_job(folder: Path, feeds: dict, n_items: int, *, finished: bool = True, **settings) -> None:
    async def main():
        await Job(folder, feeds, **settings).run(n_items, finished=finished)

    asyncio.run(main())


def read_rows(path: Path) -> list[dict]:
    """Rows of a feed, read as its format says; an invalid file raises."""
    data = path.read_bytes()
    suffixes = path.name.split(".")[1:]
    for suffix, unpack in (
        ("gz", gzip.decompress),
        ("bz2", bz2.decompress),
        ("xz", lzma.decompress),
    ):
        if suffix in suffixes:
            data = unpack(data)
    if "parquet" in suffixes:
        return pq.read_table(pa.BufferReader(data)).to_pylist()
    if "json" in suffixes:
        return json.loads(data)
    if "csv" in suffixes:
        return list(csv.DictReader(io.StringIO(data.decode(), newline="")))
    if "xml" in suffixes:
        return [{f.tag: f.text for f in one} for one in etree.fromstring(data)]
    assert data.endswith(b"\n") or not data
    return [json.loads(line) for line in data.splitlines()]


def ids(*paths: Path) -> list[int]:
    return [int(row["id"]) for path in paths for row in read_rows(path)]


def by_number(folder: Path, pattern: str) -> list[Path]:
    return sorted(
        folder.glob(pattern), key=lambda path: int(path.name.split(".")[0].split("-")[-1])
    )


def die_at_call(number: int, rng: random.Random) -> None:
    """SIGKILL this process within its nth call on files; a write may have got half way."""
    left = number

    def dying(name):
        real = getattr(os, name)

        def call(*args, **kwargs):
            nonlocal left
            left -= 1
            if left <= 0:
                if name == "write":
                    real(args[0], args[1][: rng.randrange(len(args[1]) + 1)])
                elif rng.random() < 0.5:
                    real(*args, **kwargs)
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **kwargs)

        return call

    for name in ("write", "fdatasync", "fsync", "ftruncate"):
        setattr(os, name, dying(name))


def lose_unsynced(rng: random.Random, folder: Path) -> None:
    """A power cut: of what was not synced any suffix, or any 512-byte block, may be lost."""
    with contextlib.closing(sqlite3.connect(folder / "job.sqlite")) as job:
        rows = job.execute("SELECT value FROM state WHERE name LIKE 'feed:%'").fetchall()
    for (text,) in rows:
        state = json.loads(text)
        for one, size in [(state["batch"], state["batch"]["size"])] + [
            (stray, stray["begin"]) for stray in state["strays"]
        ]:
            path = folder / "feeds" / one["path"] if one["spooled"] else Path(one["path"])
            if size is not None and path.is_file():
                damage(rng, path, size)


def damage(rng: random.Random, path: Path, durable: int) -> None:
    data = bytearray(path.read_bytes())
    if len(data) <= durable:
        return
    how = rng.choice(["nothing", "cut", "blocks", "both"])
    if how in {"blocks", "both"}:
        for start in range(durable, len(data), 512):
            if rng.random() < 0.5:
                data[start : start + 512] = bytes(len(data[start : start + 512]))
    if how in {"cut", "both"}:
        del data[rng.randrange(durable, len(data)) :]
    path.write_bytes(data)
