"""CPU and pages a second of crawls: Scrapy, crawlee, ours bare, storing and analyzing.

All crawl the same pages (20 KiB, 41 links, served by nginx on port 80, which needs root) in one
run, by turns. CPU time is that of the crawling process and all its descendants. A case is run on
few hosts and on many; the difference of the two, divided by that of their pages, leaves out what
starting costs. Prints JSON.

    python benchmarks/crawl.py [--hosts 120] [--pages 50] [--rounds 3]
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from crawl_web import LINKS, PAGE_BYTES, Nginx, write_web

HERE = Path(__file__).resolve().parent
CASES = {
    "a0_fetch": "Scrapy's bare fetch of all pages, tuned, without reading them",
    "a_scrapy": "plain tuned Scrapy with LinkExtractor",
    "a2_scrapy_one_item": "the same with CONCURRENT_ITEMS=1, which few would think of",
    "b_crawlee": "crawlee-python, ParselCrawler on its default client (impit)",
    "d_stored": "quarkcrawl with duplicates, spam list, links, page.dat and rows",
    "e_analysed_in_process": "with all default stages, in one process",
    "e1_analysed": "the same with one worker",
    "e2_analysed": "the same with two workers",
    "w_waiting": "the same with 16 workers that wait 20 ms a page instead of working",
}
_SUBREAPER = 36


def measure(case: str, hosts: Path, out: Path) -> dict[str, float]:
    """CPU and wall time of one crawl, with what it started."""
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)  # what a crawl leaves behind comes to us
    before, start = _children_s(), time.monotonic()
    command = [sys.executable, str(HERE / "crawl_case.py"), case, str(hosts), str(out)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    text, errors = process.communicate()
    wall_s = time.monotonic() - start
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            break
    if process.returncode != 0:
        raise SystemExit(f"{case}: {errors[-2000:]}")
    found = json.loads(text.splitlines()[-1])
    return {"pages": found["pages"], "own_s": found["cpu_s"], "wall_s": wall_s,
            "cpu_s": _children_s() - before}  # fmt: skip


def _children_s() -> float:
    times = os.times()
    return times.children_user + times.children_system


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=120)
    parser.add_argument("--pages", type=int, default=50)
    parser.add_argument("--few-hosts", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--case", action="append", choices=list(CASES))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="quarkcrawl-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        hosts = write_web(folder / "web", options.hosts, options.pages)
        lists = {}
        for size, chosen in (("few", hosts[: options.few_hosts]), ("many", hosts)):
            lists[size] = folder / f"{size}.txt"
            lists[size].write_text("".join(f"{host}\n" for host in chosen), encoding="utf-8")
        rounds: dict[str, list[dict[str, float]]] = {}
        with Nginx(folder, folder / "web") as server:
            for number in range(options.rounds):
                for case in options.case or CASES:
                    few = measure(case, lists["few"], folder / f"{case}-few-{number}")
                    server_s = server.cpu_s()
                    many = measure(case, lists["many"], folder / f"{case}-many-{number}")
                    slope = per_page(few, many)
                    slope["server_ms"] = (server.cpu_s() - server_s) * 1000 / many["pages"]
                    rounds.setdefault(case, []).append(slope)
    web = {"hosts": options.hosts, "pages": options.pages, "bytes": PAGE_BYTES, "links": LINKS}
    print(json.dumps({"web": web, "cases": report(rounds)}, indent=1))


def per_page(few: dict[str, float], many: dict[str, float]) -> dict[str, float]:
    """What a page costs, without what starting costs."""
    pages = many["pages"] - few["pages"]
    out = {f"{name}_ms": (many[f"{name}_s"] - few[f"{name}_s"]) * 1000 / pages
           for name in ("cpu", "own", "wall")}  # fmt: skip
    return {"pages": many["pages"], **out, "pages_per_s": 1000 / out["wall_ms"]}


def report(rounds: dict[str, list[dict[str, float]]]) -> dict[str, dict[str, object]]:
    """Medians of each case, and its CPU beside that of Scrapy and crawlee."""
    cases: dict[str, dict[str, object]] = {}
    for case, measured in rounds.items():
        medians = {
            key: round(statistics.median(r[key] for r in measured), 3) for key in measured[0]
        }
        cases[case] = {"what": CASES[case], **medians}
    for peer in ("a0_fetch", "a_scrapy", "b_crawlee"):
        if peer in cases:
            for one in cases.values():
                one[f"ratio_to_{peer}"] = round(one["cpu_ms"] / cases[peer]["cpu_ms"], 3)
    return cases


if __name__ == "__main__":
    main()
