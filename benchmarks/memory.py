"""Memory of a crawl that grows: resident set at 10,000 pages and at the end. Prints JSON.

The clean mini-web makes its pages as they are asked for, 500 a host. Resident memory is sampled
twice a second, with the size of the server's request log as the measure of progress.

    python benchmarks/memory.py [--pages 100000]
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from quarkcrawl.lab.mockweb import MiniWeb, ServerProcess

PAGES_PER_HOST = 500


def rss_mib(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def crawl(folder: Path, n_pages: int) -> list[tuple[int, float]]:
    """Samples of (bytes of the request log, MiB): the log grows evenly with the pages."""
    web = MiniWeb(seed=1, n_hosts=n_pages // PAGES_PER_HOST, n_pages=n_pages, zipf=0, hostile=False)
    hosts, log = folder / "hosts.txt", folder / "requests.log"
    hosts.write_text("".join(f"{web.home(h)}\n" for h in web.hosts()))
    samples = []
    with ServerProcess([*web.arguments()]) as server:
        info = server.info
        host_map = f"{info.address}:{info.http_port}:{info.https_port}"
        words = [sys.executable, "-m", "quarkcrawl", "crawl", str(hosts), "--out"]
        words += [str(folder / "corpus"), "--quiet", "--delay-s", "0"]
        for setting in (f"host_map={host_map}", "host_concurrency=8"):
            words += ["--set", setting]
        with log.open("w") as out:
            process = subprocess.Popen(words, stdout=out, stderr=subprocess.STDOUT)
            while process.poll() is None:
                samples.append((server.log_size_bytes(), rss_mib(process.pid)))
                time.sleep(0.5)
        if process.returncode != 0:
            raise SystemExit(log.read_text()[-3000:])
    return samples


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=100_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="quarkcrawl-memory-") as name:
        samples = crawl(Path(name), options.pages)
    print(json.dumps(report(samples), indent=1))


def report(samples: list[tuple[int, float]]) -> dict[str, object]:
    """Median of the ten per cent of samples around each tenth of the run."""
    total = samples[-1][0]
    deciles = {}
    for tenth in range(1, 11):
        near = [mib for n, mib in samples if (tenth - 0.5) <= n / total * 10 <= tenth + 0.05]
        deciles[f"{tenth * 10}%"] = round(statistics.median(near), 1) if near else None
    known = [v for v in deciles.values() if v]
    return {
        "rss_mib": deciles,
        "max_rss_mib": round(max(mib for _, mib in samples), 1),
        "last_to_first": round(known[-1] / known[0], 3),
    }


if __name__ == "__main__":
    main()
