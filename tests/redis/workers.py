"""Worker processes of a shared crawl, and what they stored together."""

from __future__ import annotations

import json
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Self

from quarkcrawl.corpus.merge import MergeReport, merge_corpora
from quarkcrawl.store.corpus import Corpus
from quarkcrawl.store.repair.verify import verify
from quarkcrawl.store.shards import shard_roots
from tests.crawl.harness import FAST, command, crawl, environment, host_map

__all__ = ["Crew", "alone", "merged", "stored_md5s", "wait_until"]

PLAIN = {**FAST, "timeout_s": "12", "segmentation": "false", "content": "false", "robots": "false"}


class Crew:
    """Workers of one campaign; all that are still running are killed at the end."""

    def __init__(self, folder: Path, server, redis_url: str, hosts: list[str], **settings: str):
        self.out = folder / "out"
        self.folder = folder
        self.hosts = folder / "hosts.txt"
        self.hosts.write_text("".join(f"{host}\n" for host in hosts), encoding="utf-8")
        self.settings = {
            **PLAIN,
            "host_map": host_map(server),
            "redis": redis_url,
            **settings,
        }
        self.workers: list[subprocess.Popen] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.workers:
            if worker.poll() is None:
                worker.kill()
            worker.wait()

    def start(self, **settings: str) -> subprocess.Popen:
        number = len(self.workers)
        words = command(self.hosts, self.out, {**self.settings, **settings})
        out, errors = (self.folder / f"w{number}.{kind}" for kind in ("out", "err"))
        with out.open("wb") as stdout, errors.open("wb") as stderr:
            worker = subprocess.Popen(words, env=environment(), stdout=stdout, stderr=stderr)
        self.workers.append(worker)
        return worker

    def errors(self, number: int) -> str:
        return (self.folder / f"w{number}.err").read_text(encoding="utf-8")

    def summary(self, number: int) -> dict:
        return json.loads((self.folder / f"w{number}.out").read_text(encoding="utf-8"))

    def finish(self, timeout_s: float = 300) -> None:
        """Wait for all that are running; they must end well."""
        deadline = time.monotonic() + timeout_s
        for number, worker in enumerate(self.workers):
            if worker.poll() is None:
                code = worker.wait(max(1.0, deadline - time.monotonic()))
                assert code == 0, self.errors(number)

    def stored(self) -> Counter[str]:
        return Counter(
            row.url for shard in shard_roots(self.out) for row in Corpus.open(shard).pages()
        )


def merged(crew: Crew, name: str = "merged") -> tuple[set[str], MergeReport]:
    """Merge, verify the result, and return its URLs."""
    report = merge_corpora([crew.out], crew.folder / name)
    assert list(verify(crew.folder / name)) == []
    rows = list(Corpus.open(crew.folder / name).pages())
    urls = {row.url for row in rows}
    assert len(urls) == len(rows) == report.pages
    assert len({row.md5 for row in rows}) == len(rows)
    return urls, report


def stored_md5s(corpus: Path) -> dict[str, bytes]:
    """MD5 of the body by URL."""
    return {row.url: row.md5 for row in Corpus.open(corpus).pages()}


def alone(crew: Crew, server) -> dict[str, bytes]:
    """What one process stores of the same web, by the same rules."""
    without = {"redis", "lease_s", "timeout_s"}
    settings = {name: value for name, value in crew.settings.items() if name not in without}
    folder = crew.folder / "alone"
    folder.mkdir()
    hosts = crew.hosts.read_text(encoding="utf-8").split()
    run = crawl(folder, server, hosts, limit_s=900, **settings)
    assert run.code == 0, run.stderr
    return stored_md5s(run.out)


def wait_until(check, timeout_s: float = 150) -> None:
    deadline = time.monotonic() + timeout_s
    while not check():
        assert time.monotonic() < deadline, "it does not come"
        time.sleep(0.01)
