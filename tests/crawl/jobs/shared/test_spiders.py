"""The six ordinary spiders of the durable job, shared by four workers: the whole shop, with kills."""

from __future__ import annotations

import csv
import json
import random
import shutil
import subprocess
import sys
import time
from collections import Counter

import pyarrow.parquet as pq
import pytest

from tests.crawl.harness import environment
from tests.crawl.jobs.runs import PROJECT
from tests.crawl.jobs.site import Shop, ShopServer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

SPIDERS = ["pages", "patient", "rules", "maps", "api", "stock"]
FEEDS = {
    "feeds/%(worker)s.jsonl": {"format": "jsonlines"},
    "feeds/%(worker)s.csv": {"format": "csv", "fields": ["sku", "name"]},
    "feeds/%(worker)s.parquet": {"format": "parquet"},
    "feeds/%(worker)s-%(batch_id)05d.jl": {"format": "jsonlines", "batch_item_count": 500},
}


@pytest.fixture(scope="module")
def site():
    """5,000 pages and 20,000 items."""
    with ShopServer(Shop()) as process:
        yield process


class Workers:
    """Four workers in a copy of the project; one that is killed is started again."""

    def __init__(self, folder, site, server, spider):
        self.folder = folder / "project"
        shutil.copytree(PROJECT, self.folder, ignore=shutil.ignore_patterns("__pycache__"))
        addons = {"quarkcrawl.crawl.SharedAddon": 400}
        settings = {
            "ADDONS": json.dumps(addons),
            "QUARKCRAWL_REDIS": f"{server.url}#{spider}",
            "FEEDS": json.dumps(FEEDS),
            "ITEM_LOG": "../items.log",
            "LOG_LEVEL": "INFO",
        }
        self.words = [sys.executable, "-m", "scrapy", "crawl", spider, "-a", f"site={site.url}"]
        if spider in ("api", "patient"):
            self.words += ["-a", f"categories={site.shop.n_categories}"]
        for name, value in settings.items():
            self.words += ["-s", f"{name}={value}"]
        self.log = (folder / "workers.log").open("wb")
        self.processes = []

    def __enter__(self):
        self.processes = [self.start() for _ in range(4)]
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait(60)
        self.log.close()

    def start(self):
        return subprocess.Popen(
            self.words, cwd=self.folder, env=environment(), stdout=self.log, stderr=self.log
        )

    def are_at_work(self):
        return any(process.poll() is None for process in self.processes)

    def kill(self, dice):
        """Kill one of those at work, and start another in its place; whether one was."""
        at_work = [n for n, process in enumerate(self.processes) if process.poll() is None]
        if not at_work:
            return False
        number = dice.choice(at_work)
        self.processes[number].kill()
        self.processes[number].wait(60)
        self.processes[number] = self.start()
        return True

    def wait(self):
        for process in self.processes:
            process.wait(timeout=900)

    def logged(self):
        lines = (self.folder.parent / "items.log").read_bytes().splitlines()
        return Counter(row["sku"] for row in map(json.loads, lines) if "sku" in row)

    def feeds(self):
        """How often each item is in the feeds of all workers, by format."""
        feeds = self.folder / "feeds"
        counts = {"jsonl": Counter(), "csv": Counter(), "parquet": Counter(), "jl": Counter()}
        for path in feeds.iterdir():
            name = path.suffix[1:]
            if name in ("jsonl", "jl"):
                rows = map(json.loads, path.read_text("utf-8").splitlines())
            elif name == "csv":
                rows = csv.DictReader(path.read_text("utf-8").splitlines())
            else:
                rows = pq.read_table(str(path)).to_pylist()  # no column, of a worker without items
            counts[name].update(row["sku"] for row in rows)
        return counts


@pytest.mark.parametrize("spider", SPIDERS)
def test_nine_workers_and_the_server_thrice_are_killed(tmp_path, site, server, spider):
    site.reset()
    dice = random.Random(f"shared {spider}")
    expected, asked = site.shop.rows(spider), site.shop.asked(spider)
    share = asked.total() // 13
    kills = 0
    with Workers(tmp_path, site, server, spider) as workers:
        for number in range(12):
            end = site.total() + dice.randint(share // 2, share)
            while site.total() < end and workers.are_at_work():
                time.sleep(0.01)
            time.sleep(dice.uniform(0, 0.3))
            if number % 4 == 3:
                server.kill()
                time.sleep(0.5)
                server.start()
                kills += 1
            else:
                kills += workers.kill(dice)
        workers.wait()
        for _ in range(2):  # a worker that was killed last, and not started again since
            assert workers.start().wait(timeout=300) == 0
    assert kills == 12
    lost = asked - site.counts()
    assert not lost, f"{lost.total()} requests lost: {list(lost)[:5]}"
    assert workers.logged().keys() == expected.keys()
    for name, counts in workers.feeds().items():
        less, more = Counter(expected.keys()) - counts, counts - Counter(expected.keys())
        assert not less, f"{name} lacks {less.total()}: {list(less)[:5]}"
        assert not more, f"{name} has {more.total()} too many: {list(more)[:5]}"
