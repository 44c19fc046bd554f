"""Soak: workers over Redis crawl good and bad hosts, while workers and Redis are killed.

    python benchmarks/soak.py --minutes 10 > benchmarks/out/soak.json
    python benchmarks/soak.py --minutes 60 --delay-s 10     # about half a core

Once or twice a minute a random worker (at times Redis too) dies by SIGKILL and is started
again. One server, that of the hostile tests, serves good and bad hosts. Measured:
acknowledged pages lost (0 is expected), copies, resident memory, open files and sockets over time
of every process that lived for some minutes (one worker is never killed), CPU seconds, processes
left over. Exit status 1 if anything was lost or left behind, or a store has a problem.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import shutil
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import psutil

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
# ruff: noqa: E402 - the tests are no installed package

from quarkcrawl.store.corpus import Corpus
from quarkcrawl.store.repair.verify import verify
from quarkcrawl.store.shards import shard_roots
from quarkcrawl.store.tables.journal import read_lines
from quarkcrawl.store.writer import CorpusWriter
from tests.hostile.crawls import hostile_server
from tests.hostile.server import behaviors
from tests.redis.server import RedisServer
from tests.redis.workers import Crew

WORKERS = 4
SAMPLE_S, SETTLED_S, WATCHED_S = 2.0, 60.0, 120.0
SETTINGS = {
    "timeout_s": "5", "max_tries": "2", "delay_s": "0", "host_concurrency": "4",
    "concurrency": "32", "max_host_pages": "250", "max_body_bytes": "1048576",
    "max_retry_after_s": "1", "max_crawl_delay_s": "0.5", "robots": "true",
    "content": "true", "segmentation": "true",
}  # fmt: skip


class Web:
    """What `Crew` asks of a server: its ports."""

    def __init__(self, ports) -> None:
        self.info = self
        self.address, self.http_port, self.https_port = "127.0.0.1", ports.http, ports.https


def hosts(n_good: int) -> list[str]:
    bad = [row.url for row in behaviors()]
    good = [f"http://good-{number}.hostile.example/" for number in range(n_good)]
    return bad + good


class Durable:
    """URLs that journals said were on disk, read as the run goes: all that was acknowledged is."""

    def __init__(self) -> None:
        self.urls: set[str] = set()
        self._read: dict[Path, int] = {}

    def look(self, out: Path) -> None:
        for path in out.glob("workers/*/journal/rows-*.jsonl"):
            with contextlib.suppress(FileNotFoundError):  # compacted meanwhile
                self._look(path)

    def _look(self, path: Path) -> None:
        waiting, start = [], self._read.get(path, 0)
        for line in read_lines(path):
            if line.payload is None or line.end <= start:
                continue
            if line.kind == "page":
                waiting.append(line)
            elif line.kind == "synced":
                upto = json.loads(line.payload)["upto"]
                self.urls |= {json.loads(x.payload)["url"] for x in waiting if x.end <= upto}
                waiting = [x for x in waiting if x.end > upto]
                self._read[path] = upto


class Sample(NamedTuple):
    """A process at a moment."""

    age_s: float
    rss_bytes: int
    fds: int
    sockets: int


class Soak:
    """One run; `samples` are kept by process: its role and its id."""

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        self.folder, self.seconds = folder, options.minutes * 60
        self.settings = SETTINGS | {
            "delay_s": str(options.delay_s),
            "lease_s": str(options.lease_s),
        }
        self.rng = random.Random(options.seed)
        self.hosts = hosts(options.good_hosts)
        self.samples: dict[tuple[str, int], list[Sample]] = {}
        self.cpu_s: dict[tuple[str, int], float] = {}
        self.kills = {"worker": 0, "redis": 0}
        self.loads: list[float] = []
        self.durable = Durable()

    def run(self) -> dict:
        redis = RedisServer(self.folder, "--appendonly", "yes", "--appendfsync", "always")
        redis.start_s = 120.0  # it reads its file again, on a machine that is busy
        try:
            with (
                hostile_server(self.folder) as ports,
                Crew(
                    self.folder, Web(ports), redis.url + "#soak", self.hosts, **self.settings
                ) as crew,
            ):
                self._crawl(crew, redis)
                return self._report(crew)
        finally:
            redis.kill()

    @staticmethod
    def left() -> list[int]:
        """Processes that should be gone."""
        return [child.pid for child in psutil.Process().children(recursive=True)]

    def _crawl(self, crew: Crew, redis: RedisServer) -> None:
        start = time.monotonic()
        crew.workers_alive = [crew.start() for _ in range(WORKERS)]
        next_kill = start + 60
        while time.monotonic() - start < self.seconds:
            time.sleep(SAMPLE_S)
            self._sample(crew)
            if time.monotonic() >= next_kill:
                next_kill = time.monotonic() + self.rng.uniform(20, 60)
                self.durable.look(crew.out)
                self._kill(crew, redis)
            self._replace(crew)
        self.crawl_s = time.monotonic() - start
        self._end(crew)

    def _kill(self, crew: Crew, redis: RedisServer) -> None:
        if self.rng.random() < 0.25:
            redis.kill()
            self.kills["redis"] += 1
            time.sleep(self.rng.uniform(0.2, 2))
            redis.start()
        # Three workers take turns in dying; the fourth lives on, so that its memory tells.
        victims = [w for w in crew.workers_alive[1:] if w.poll() is None]
        if victims:
            self.rng.choice(victims).kill()
            self.kills["worker"] += 1

    def _replace(self, crew: Crew) -> None:
        for index, worker in enumerate(crew.workers_alive):
            if worker.poll() is not None and worker.returncode != 0:
                crew.workers_alive[index] = crew.start()

    def _sample(self, crew: Crew) -> None:
        self.loads.append(psutil.getloadavg()[0])
        workers = {worker.pid for worker in crew.workers_alive}
        for process in psutil.Process().children():
            with contextlib.suppress(psutil.Error, OSError):
                role = "worker" if process.pid in workers else process.cmdline()[0].split("/")[-1]
                age_s = time.time() - process.create_time()
                rss_bytes = process.memory_info().rss
                if not rss_bytes:  # dead, but not waited for
                    continue
                sample = Sample(age_s, rss_bytes, process.num_fds(), len(process.net_connections()))
                self.samples.setdefault((role, process.pid), []).append(sample)
                self.cpu_s[role, process.pid] = sum(process.cpu_times()[:2])

    def _end(self, crew: Crew) -> None:
        """Ctrl-C once: what is out is finished, and everything is made durable."""
        for worker in crew.workers_alive:
            if worker.poll() is None:
                worker.terminate()
        deadline = time.monotonic() + 90
        for worker in crew.workers_alive:
            with contextlib.suppress(Exception):
                worker.wait(max(1.0, deadline - time.monotonic()))

    @staticmethod
    def _other_exits(crew: Crew) -> list[str]:
        """Of workers that were neither killed nor told to stop: code and last words."""
        return [
            f"{worker.returncode}: {crew.errors(number).strip()[-300:]}"
            for number, worker in enumerate(crew.workers)
            if worker.returncode not in (-signal.SIGKILL, 130, 0)
        ]

    def _report(self, crew: Crew) -> dict:
        ended = [w.poll() for w in crew.workers_alive]
        self.durable.look(crew.out)
        urls: dict[str, int] = {}
        problems = []
        for shard in shard_roots(crew.out):
            CorpusWriter(shard).close()  # as the next worker would: recovery, compaction
            problems += list(verify(shard))
            for row in Corpus.open(shard).pages():
                urls[row.url] = urls.get(row.url, 0) + 1
        lost = sorted(self.durable.urls - set(urls))
        return {
            "seconds": round(self.crawl_s, 1),
            "load": round(statistics.mean(self.loads), 1),
            "kills": self.kills,
            "worker_starts": len(crew.workers),
            "exit_codes_at_end": ended,
            "other_exits": self._other_exits(crew),
            "pages": len(urls),
            "copies": sum(urls.values()) - len(urls),
            "acknowledged": len(self.durable.urls),
            "acknowledged_lost": len(lost),
            "lost": lost[:20],
            "store_problems": len(problems),
            "problem_kinds": Counter(problem.kind for problem in problems),
            "problems": [str(problem) for problem in problems[:20]],
            "cpu_s": round(sum(self.cpu_s.values())),
            "processes": self._slopes(),
        }

    def _slopes(self) -> dict:
        """Of each process that was watched for two minutes after its first (caches fill)."""
        found = {}
        for (role, pid), samples in self.samples.items():
            rows = [row for row in samples if row.age_s > SETTLED_S]
            if rows and rows[-1].age_s - rows[0].age_s >= WATCHED_S:
                found[f"{role} {pid}"] = trend(rows)
        return found


def trend(rows: list[Sample]) -> dict:
    """How memory, files and sockets of a process went."""
    minutes, mib = [r.age_s / 60 for r in rows], [r.rss_bytes / 2**20 for r in rows]
    half = len(rows) // 2
    slopes = [statistics.linear_regression(minutes[a:], mib[a:]).slope for a in (0, half)]
    step = max(1, len(rows) // 12)
    return {
        "watched_s": round(rows[-1].age_s - rows[0].age_s),
        "rss_mib_per_min": round(slopes[0], 3),
        "rss_mib_per_min_second_half": round(slopes[1], 3),
        "rss_by_time_mib": [round(value) for value in mib[::step]],
        "fds": [min(r.fds for r in rows), max(r.fds for r in rows), rows[-1].fds],
        "sockets": [min(r.sockets for r in rows), max(r.sockets for r in rows), rows[-1].sockets],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--good-hosts", type=int, default=400)
    parser.add_argument("--lease-s", type=float, default=30)
    parser.add_argument("--delay-s", type=float, default=0, help="between two pages of a host")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="quarkcrawl-soak-"))
    try:
        soak = Soak(folder, options)
        result = soak.run()
        result["processes_left"] = soak.left()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(json.dumps(result, indent=1))
    bad = result["acknowledged_lost"] or result["store_problems"] or result["processes_left"]
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
