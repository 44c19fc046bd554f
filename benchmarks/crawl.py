"""CPU of a crawl per page: plain tuned Scrapy, crawlee, ours bare, storing and analysing.

All crawl the same replay of 200 hosts, three levels deep, in one run, pinned to one core
with the server on the other. What is measured is the CPU time of the crawling process (user and
system, all threads) from the start of the crawl to its end, imports left out, divided by the
pages fetched. Prints JSON.

    python benchmarks/crawl.py [--hosts 200] [--pages 4000] [--rounds 3]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from crawl_replay import write_replay

from quarkcrawl.lab.mockweb import ServerProcess

HERE = Path(__file__).resolve().parent
CASES = {
    "a_scrapy": "plain tuned Scrapy 2.19 with LinkExtractor",
    "a2_scrapy_one_item": "the same with CONCURRENT_ITEMS=1, which few would think of",
    "b_crawlee": "crawlee-python, ParselCrawler on its httpx client",
    "c_ours_links": "quarkcrawl without storing: page, links, frontier",
    "d_ours_stored": "quarkcrawl with dedup, spam list, page.dat and rows",
    "e_ours_analysed": "the same with the stages that cut blocks and find the content",
}


def measure(case: str, server: ServerProcess, hosts: Path, folder: Path) -> dict[str, float]:
    info = server.info
    before = len(server.log())
    command = [
        sys.executable, str(HERE / "crawl_case.py"), case, str(hosts), str(folder),
        info.address, str(info.http_port), str(info.https_port),
    ]  # fmt: skip
    done = subprocess.run(
        command, capture_output=True, text=True, preexec_fn=lambda: _pin(0), check=False
    )
    if done.returncode != 0:
        return {"error": done.stderr[-2000:]}
    result = json.loads(done.stdout.splitlines()[-1])
    fetched = [e for e in server.log()[before:] if e.target != "/robots.txt" and e.status == 200]
    result["fetched_pages"] = len(fetched)
    result["cpu_ms_per_page"] = round(result["cpu_s"] * 1000 / max(len(fetched), 1), 3)
    return result


def _pin(core: int) -> None:
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[core % len(cores)]})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=200)
    parser.add_argument("--pages", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--case", action="append", choices=list(CASES))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="quarkcrawl-bench-") as name:
        folder = Path(name)
        replay, hosts, facts = write_replay(folder, options.hosts, options.pages)
        results: dict[str, list[dict[str, float]]] = {}
        # Port 80, because crawlee's client can map names but not ports (needs root).
        with ServerProcess(["--replay", str(replay), "--http-port", "80"]) as server:
            _pin_server(server)
            for round_number in range(options.rounds):
                for case in options.case or CASES:
                    out = folder / f"{case}-{round_number}"
                    results.setdefault(case, []).append(measure(case, server, hosts, out))
    print(json.dumps(report(facts, results), indent=1))


def _pin_server(server: ServerProcess) -> None:
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(server.info.pid, {cores[-1]})


def report(facts: dict, results: dict[str, list[dict[str, float]]]) -> dict:
    cases = {}
    for case, rounds in results.items():
        good = [r["cpu_ms_per_page"] for r in rounds if "error" not in r]
        cases[case] = {
            "what": CASES[case],
            "cpu_ms_per_page": round(statistics.median(good), 3) if good else None,
            "rounds": rounds,
        }
    base = cases.get("a_scrapy", {}).get("cpu_ms_per_page")
    for case in cases.values():
        if base and case["cpu_ms_per_page"]:
            case["ratio_to_a"] = round(case["cpu_ms_per_page"] / base, 3)
    return {"web": facts, "cases": cases}


if __name__ == "__main__":
    main()
