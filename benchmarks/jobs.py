"""CPU a request of crawls that can go on later: DurableAddon beside JOBDIR, SQLite queues, neither.

    python benchmarks/jobs.py [--rounds 5] [--spider pages]

The spiders of tests/crawl/jobs/project crawl the shop of tests/crawl/jobs/site.py (a process of
its own, 5,000 pages, 20,000 items, one feed of JSON lines) as `scrapy crawl` processes. By turns in
one run, each round in another order; medians. CPU is that of the crawling process from the moment
its spider opened to its end, closing included; what starting costs is told beside it. Prints JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from tests.crawl.jobs.runs import Job  # noqa: E402
from tests.crawl.jobs.site import Shop, ShopServer  # noqa: E402

CLOCK = """
import json, os
from scrapy import signals

class Clock:
    def __init__(self, crawler):
        crawler.signals.connect(self.opened, signals.spider_opened)

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler)

    def opened(self):
        times = os.times()
        with open("../opened.json", "w") as file:
            json.dump(times.user + times.system, file)
"""
FEEDS = json.dumps({"feeds/items.jsonl": {"format": "jsonlines"}})
SAME = {"FEEDS": FEEDS, "ITEM_PIPELINES": "{}", "EXTENSIONS": '{"clock.Clock": 1}'}
SQLITE = {
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleLifoSQLiteQueue",
    "SCHEDULER_START_DISK_QUEUE": "scrapy.squeues.PickleFifoSQLiteQueue",
}
CASES: dict[str, dict[str, str]] = {
    "none": {"ADDONS": "{}"},
    "jobdir": {"ADDONS": "{}", "JOBDIR": "job"},
    "jobdir_sqlite": {"ADDONS": "{}", "JOBDIR": "job", **SQLITE},
    "durable": {},
}


def measure(case: str, spider: str, server: ShopServer) -> dict[str, float]:
    """One crawl."""
    with tempfile.TemporaryDirectory(prefix="quarkcrawl-bench-") as name:
        folder = Path(name)
        job = Job(folder, server, spider, **SAME, **CASES[case])
        (job.folder / "clock.py").write_text(CLOCK, encoding="utf-8")
        start = time.monotonic()
        process = job.start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        items = [row["sku"] for row in job.lines()]
        if process.returncode or sorted(items) != sorted(server.shop.rows(spider)):
            raise SystemExit(f"{case}: {len(items)} items\n{job.said()[-3000:]}")
        opened_s = json.loads((folder / "opened.json").read_text(encoding="utf-8"))
        cpu_s = usage.ru_utime + usage.ru_stime
        n_requests = server.total()
        return {
            "requests": n_requests,
            "cpu_ms": round(1000 * (cpu_s - opened_s) / n_requests, 4),
            "start_cpu_s": round(opened_s, 3),
            "rss_mb": round(usage.ru_maxrss / 1024, 1),
            "clock_s": round(time.monotonic() - start, 2),
        }


def compare(spider: str, server: ShopServer, rounds: int) -> dict[str, object]:
    runs: dict[str, list[dict[str, float]]] = defaultdict(list)
    for number in range(rounds):
        order = list(CASES)
        random.Random(number).shuffle(order)
        for case in order:
            runs[case].append(measure(case, spider, server))
    cases = {
        case: {key: statistics.median(run[key] for run in runs[case]) for key in runs[case][0]}
        for case in CASES
    }
    ratios = {
        case: [
            run["cpu_ms"] / base["cpu_ms"]
            for run, base in zip(runs[case], runs["jobdir"], strict=True)
        ]
        for case in CASES
    }
    return {
        "cases": cases,
        "ratio_to_jobdir": {
            case: {
                "of_medians": round(cases[case]["cpu_ms"] / cases["jobdir"]["cpu_ms"], 3),
                "median_of_rounds": round(statistics.median(each), 3),
                "least": round(min(each), 3),
                "most": round(max(each), 3),
            }
            for case, each in ratios.items()
        },
        "rounds": runs,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--spider", action="append", choices=["pages", "rules", "maps"])
    parser.add_argument("--categories", type=int, default=16)
    options = parser.parse_args()
    found: dict[str, object] = {"load_before": os.getloadavg()}
    with ShopServer(Shop(n_categories=options.categories)) as server:
        found["spiders"] = {
            spider: compare(spider, server, options.rounds)
            for spider in options.spider or ["pages", "maps"]
        }
    found["load_after"] = os.getloadavg()
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
