"""What the analysis stages add to the CPU of a crawl, per page of about 100 KiB.

Real pages (those of ../shared/data between 70 and 140 KiB, Chinese and English) are served as
they are and crawled with the stages off and on, by turns, in one run; the crawling process is
pinned to one core, the server to the other. What is measured is the CPU time of the crawling
process (user and system, all threads) without imports, per page stored. Loading jieba's
dictionary and the compiled loops, once per process, is reported apart. What the stages add is
given twice: the median difference to the crawl without them in the same round, and the
difference between the quickest crawls of both kinds, since what else runs on the machine only
adds. Prints JSON.

    python benchmarks/analysis.py [--copies 4] [--rounds 3] [--method quark --method default]
        [--case both_quark_text]
"""

from __future__ import annotations

import argparse
import base64
import gzip
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

from crawl_case import cpu_s

from quarkcrawl.lab.mockweb import ServerProcess

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data" / "extraction"
SMALLEST_BYTES, LARGEST_BYTES = 70 * 1024, 140 * 1024


def real_pages() -> list[tuple[str, bytes]]:
    pages = []
    for path in sorted(SHARED.glob("*.jsonl.gz")):
        for line in gzip.decompress(path.read_bytes()).splitlines():
            row = json.loads(line)
            body = base64.b64decode(row["body_b64"])
            if SMALLEST_BYTES <= len(body) <= LARGEST_BYTES:
                pages.append((row["url"] or "", body))
    return pages


def write_replay(folder: Path, copies: int) -> tuple[Path, Path, dict]:
    """Each page under some addresses of a host of its own; copies differ by a comment."""
    pages = real_pages()
    replay, hosts, n_bytes = folder / "pages.jsonl", folder / "hosts.txt", 0
    with replay.open("w") as lines, hosts.open("w") as seeds:
        for number, (url, body) in enumerate(pages):
            host = f"h{number}.bench.example"
            path = urlsplit(url).path or "/"
            for copy in range(copies):
                address = f"http://{host}/{copy}{path if path.isascii() else '/'}"
                marked = body + b"<!-- %d -->" % copy
                n_bytes += len(marked)
                row = {
                    "url": address,
                    "status": 200,
                    "headers": [["Content-Type", "text/html"]],
                    "body_b64": base64.b64encode(marked).decode(),
                }
                lines.write(json.dumps(row) + "\n")
                seeds.write(address + "\n")
    n_pages = len(pages) * copies
    return replay, hosts, {"pages": n_pages, "mean_body_bytes": n_bytes // max(n_pages, 1)}


def child(settings: dict, hosts: str) -> None:
    """One crawl; prints CPU per page."""
    import quarkcrawl as qc
    from quarkcrawl.crawl.project import project_folder, use_project
    from quarkcrawl.crawl.run import run_crawl

    use_project(project_folder())
    for name in ("dedup", "spam", "segmentation", "content", "page_dat"):
        __import__(f"pipelines.{name}")
    before = cpu_s()
    if settings.get("content") != "no":
        qc.extract("<p>天网", method=settings["content_method"])
    loaded_s = cpu_s() - before
    before, started = cpu_s(), time.monotonic()
    result = run_crawl(hosts, settings, log_level="WARNING")
    stored = result.summary["reasons"]["stored"]
    print(
        json.dumps(
            {
                "cpu_ms_per_page": round((cpu_s() - before) * 1000 / stored, 3),
                "stored": stored,
                "first_page_s": round(loaded_s, 3),
                "wall_s": round(time.monotonic() - started, 2),
                "max_rss_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
                "marks": result.summary.get("marks", {}),
            }
        )
    )


def crawl(settings: dict, server: ServerProcess, hosts: Path, out: Path) -> dict:
    info = server.info
    settings = settings | {
        "out": str(out),
        "host_map": f"{info.address}:{info.http_port}:{info.https_port}",
        "delay_s": 0,
        "host_concurrency": 8,
        "levels": 1,
        "progress": False,
        "in_process": True,  # what a page costs is measured where it is analyzed
    }
    words = [sys.executable, __file__, "--child", json.dumps(settings), str(hosts)]
    done = subprocess.run(
        words, capture_output=True, text=True, preexec_fn=lambda: pin(0, 0), check=False
    )
    if done.returncode:
        raise SystemExit(done.stderr[-3000:])
    found = json.loads(done.stdout.splitlines()[-1])
    parts = list(out.glob("analysis/pages/*/*.parquet"))
    found["table_bytes_per_page"] = sum(p.stat().st_size for p in parts) // found["stored"]
    return found


def pin(pid: int, core: int) -> None:
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(pid, {cores[core % len(cores)]})


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        child(json.loads(sys.argv[2]), sys.argv[3])
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--copies", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--method", action="append")
    parser.add_argument("--case", action="append", help="only this one, beside off")
    options = parser.parse_args()
    off = {"segmentation": "no", "content": "no"}
    cases = {"off": off, "segmentation": {"content": "no"}}
    for method in options.method or ["default"]:
        cases[f"both_{method}"] = {"content_method": method}
        cases[f"both_{method}_text"] = {"content_method": method, "analysis_metadata": "no"}
        cases[f"both_{method}_spans"] = {"content_method": method, "analysis_spans": "yes"}
    if options.case:
        cases = {"off": off} | {name: cases[name] for name in options.case}
    found: dict[str, list[dict]] = {name: [] for name in cases}
    with tempfile.TemporaryDirectory(prefix="quarkcrawl-bench-") as name:
        replay, hosts, facts = write_replay(Path(name), options.copies)
        with ServerProcess.for_replay([replay]) as server:
            pin(server.info.pid, -1)
            for number in range(options.rounds):
                for case, settings in cases.items():
                    out = Path(name) / f"{case}-{number}"
                    found[case].append(crawl(settings, server, hosts, out))
    print(json.dumps({"web": facts, "cases": report(found)}, indent=1))


def report(found: dict[str, list[dict]]) -> dict:
    cases: dict[str, dict] = {}
    base = statistics.median(r["cpu_ms_per_page"] for r in found["off"])
    least_off = min(r["cpu_ms_per_page"] for r in found["off"])
    for name, rounds in found.items():
        cpu_ms = statistics.median(r["cpu_ms_per_page"] for r in rounds)
        # Neighbors in time are compared with each other: the machine is not the same all along.
        pairs = zip(rounds, found["off"], strict=True)
        grown = statistics.median(a["cpu_ms_per_page"] - b["cpu_ms_per_page"] for a, b in pairs)
        least = min(r["cpu_ms_per_page"] for r in rounds) - least_off
        cases[name] = {
            "cpu_ms_per_page": cpu_ms,
            "grows_by_ms": round(grown, 3),
            "least_grows_by_ms": round(least, 3),
            "ratio": round(cpu_ms / base, 3),
            "rounds": rounds,
        }
    return cases


if __name__ == "__main__":
    main()
