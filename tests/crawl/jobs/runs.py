"""A Scrapy project crawled by real `scrapy crawl` processes that may be stopped at any moment."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from tests.crawl.harness import environment

from .site import ShopServer

PROJECT = Path(__file__).parent / "project"
PLAIN_FEEDS = {
    "feeds/items.jsonl": {"format": "jsonlines"},
    "feeds/items.csv": {
        "format": "csv",
        "fields": ["sku", "name", "price", "stock", "note", "depth"],
    },
    "feeds/batch-%(batch_id)05d.jsonl": {"format": "jsonlines", "batch_item_count": 500},
}
"""Those of the project without Parquet, which Scrapy does not write."""


class Job:
    """One job of one spider, in a copy of the project; the same command each time.

    Args:
        is_durable: whether with the line of the add-on, as the project has it, or with JOBDIR.
        folder: where the copy of the project is made.
    """

    def __init__(
        self,
        folder: Path,
        server: ShopServer,
        spider: str,
        *,
        is_durable: bool = True,
        **settings: str,
    ) -> None:
        self.top, self.folder = folder, folder / "project"
        self.server, self.spider = server, spider
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PROJECT, self.folder, ignore=ignored, dirs_exist_ok=True)
        if not is_durable:
            plain = {"ADDONS": "{}", "JOBDIR": "job", "FEEDS": json.dumps(PLAIN_FEEDS)}
            settings = {**plain, **settings}
        self.is_durable = is_durable
        self.settings = {"ITEM_LOG": "../items.log", **settings}
        self.environment = environment(PYTHONDONTWRITEBYTECODE="1")
        self.runs = 0
        server.reset()

    @property
    def words(self) -> list[str]:
        words = [
            sys.executable,
            "-m",
            "scrapy",
            "crawl",
            self.spider,
            "-a",
            f"site={self.server.url}",
        ]
        if self.spider in ("api", "patient"):
            words += ["-a", f"categories={self.server.shop.n_categories}"]
        for name, value in self.settings.items():
            words += ["-s", f"{name}={value}"]
        return words

    # -- processes -----------------------------------------------------------------------------

    def start(self) -> subprocess.Popen[bytes]:
        """One run; what it says goes to ``run-N.log`` beside the project."""
        self.runs += 1
        with (self.top / f"run-{self.runs}.log").open("wb") as file:
            return subprocess.Popen(
                self.words, cwd=self.folder, env=self.environment, stdout=file, stderr=file
            )

    def said(self) -> str:
        """What the last run said."""
        return (self.top / f"run-{self.runs}.log").read_text(encoding="utf-8", errors="replace")

    def run(self) -> int:
        """A run to its end; the exit code."""
        return self.start().wait(timeout=400)

    def finish(self) -> None:
        """The run that must go through."""
        assert self.run() == 0, self.said()[-4000:]
        assert self.rows()[-1].get("closed") == "finished", self.said()[-4000:]

    def last_run(self) -> None:
        """A run to its end, which the add-on must reach.

        Scrapy alone does not always: a queue that was being written at a death raises at each look,
        and the spider waits for ever.
        """
        process = self.start()
        last, last_change = -1, time.monotonic()
        while process.poll() is None:
            time.sleep(0.1)
            total = self.server.total()
            if self.is_durable or total != last or "queuelib" not in self.said():
                last, last_change = total, time.monotonic()
            elif time.monotonic() - last_change > 5:
                process.kill()
                process.wait(timeout=60)
        assert process.returncode == 0 or not self.is_durable, self.said()[-4000:]

    def wait_for_requests(self, process: subprocess.Popen[bytes], number: int) -> None:
        """Until this run has asked for so many pages, or ended."""
        end = self.server.total() + number
        while process.poll() is None and self.server.total() < end:
            time.sleep(0.005)

    def stop(self, signals: list[int], n_requests: int, dice: random.Random) -> bool:
        """Send signals after so many requests and a moment; whether the run was cut short."""
        process = self.start()
        self.wait_for_requests(process, n_requests)
        time.sleep(dice.uniform(0, 0.05))
        for number in signals:
            process.send_signal(number)
            time.sleep(0.2 if len(signals) > 1 else 0)
        process.wait(timeout=400)
        return self.rows()[-1].get("closed") != "finished"

    def kill(self, n_requests: int, dice: random.Random) -> bool:
        return self.stop([signal.SIGKILL], n_requests, dice)

    # -- what is there -------------------------------------------------------------------------

    def rows(self) -> list[dict]:
        """What the pipeline has written down; it writes a line at once, so that none is torn."""
        path = self.top / "items.log"
        lines = path.read_bytes().splitlines() if path.exists() else []
        return [json.loads(line) for line in lines] or [{}]

    def logged(self) -> Counter[str]:
        return Counter(row["sku"] for row in self.rows() if "sku" in row)

    def lines(self, name: str = "items.jsonl", size: int | None = None) -> list[dict]:
        """Rows of a feed of JSON lines, or of its beginning."""
        path = self.folder / "feeds" / name
        data = path.read_bytes()[:size] if path.exists() else b""
        return [json.loads(line) for line in data.splitlines()]

    def n_kept(self, ending: str) -> int:
        """Rows of the feed of JSON lines whose name ends so, as far as the job has marked it."""
        size = 0
        for path in self.folder.glob(".scrapy/jobs/*/job.db"):
            with contextlib.closing(
                sqlite3.connect(f"file:{path}?mode=ro", uri=True)
            ) as connection:
                for (state,) in connection.execute(
                    "SELECT state FROM feeds WHERE uri = 'feeds/items.jsonl'"
                ):
                    size = json.loads(state)["batch"]["size"] or 0
        return sum(row["sku"].endswith(ending) for row in self.lines(size=size))

    def opened(self) -> list[dict]:
        """What the pipeline wrote down when each run had opened its spider."""
        return [row for row in self.rows() if "opened" in row]

    def _rows_of_runs(self) -> list[dict]:
        """The rows without those of runs that were refused: these cut no feed back."""
        rows = self.rows()
        following = [*rows[1:], {}]
        return [
            row
            for row, after in zip(rows, following, strict=True)
            if "job_refused" not in (row.get("closed"), "opened" in row and after.get("closed"))
        ]

    def in_flight(self) -> list[set[str]]:
        """Of each run but the first: the items given before that no feed had kept when it began.

        A feed is cut back before the spider opens, and the pipeline then writes down how long it is.
        """
        given: set[str] = set()
        flights = []
        for number, row in enumerate(self._rows_of_runs()):
            if "sku" in row:
                given.add(row["sku"])
            elif "opened" in row and number:
                size = row["opened"].get("feeds/items.jsonl", 0)
                flights.append(given - {kept["sku"] for kept in self.lines(size=size)})
        return flights

    def in_flight_of_each_run(self) -> list[set[str]]:
        """Of each run but the last: what it had given itself and no feed had kept."""
        flights, given, runs = self.in_flight(), set(), []
        for row in self._rows_of_runs()[1:]:
            if "sku" in row:
                given.add(row["sku"])
            elif "opened" in row:
                runs.append(given & flights[len(runs)])
                given = set()
        return runs
