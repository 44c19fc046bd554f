"""Real crawls for tests: a mini-web server process and a Scrapy process, over real sockets."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from quarkcrawl.frontier import SqliteFrontier
from quarkcrawl.store import DropRow, DuplicateRow, PageRow, RedirectRow
from quarkcrawl.store.corpus import Corpus
from tests import forked

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
FAST = {"retry_delay_s": "0.05", "delay_s": "0", "host_concurrency": "8", "timeout_s": "5"}
FAST |= {"content": "no"}  # whose models cost each process two seconds


@dataclass
class Run:
    """A finished crawl."""

    code: int
    out: Path
    stdout: str
    stderr: str
    elapsed_s: float
    summary: dict = field(default_factory=dict)

    @property
    def reasons(self) -> dict[str, int]:
        return self.summary["reasons"]

    def pages(self) -> dict[str, PageRow]:
        return {row.url: row for row in Corpus.open(self.out).pages()}

    def bodies(self) -> dict[str, bytes]:
        corpus = Corpus.open(self.out)
        return {row.url: corpus.page(row).body for row in corpus.pages()}

    def rows(self, kind: str) -> list[DropRow | DuplicateRow | RedirectRow]:
        return list(getattr(Corpus.open(self.out), kind + "s")())

    def drops(self) -> dict[str, str]:
        return {row.url: row.reason for row in self.rows("drop")}

    def assert_settled(self) -> None:
        """Nothing waits, nothing is out, every ending is counted once."""
        frontier = SqliteFrontier(self.out / "frontier.sqlite", readonly=True)
        counts = frontier.counts()
        frontier.close()
        assert (counts.pending, counts.leased) == (0, 0), counts


def environment(**extra: str) -> dict[str, str]:
    """What a child sees: not the Scrapy project that a command run in this process chose."""
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    ours = {name: value for name, value in os.environ.items() if name != "SCRAPY_SETTINGS_MODULE"}
    return {**ours, "PYTHONPATH": path, "NO_COLOR": "1", **extra}


@contextmanager
def in_thread(server):
    """A server of `socketserver` that answers until the block ends."""
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def host_map(server) -> str:
    info = server.info
    return f"{info.address}:{info.http_port}:{info.https_port}"


def write_hosts(folder: Path, hosts) -> Path:
    path = folder / "hosts.txt"
    path.write_text("".join(f"{h}\n" for h in hosts), encoding="utf-8")
    return path


def command(hosts: Path, out: Path, settings: dict[str, str]) -> list[str]:
    words = [sys.executable, "-m", "quarkcrawl", "crawl", str(hosts), "--out", str(out), "--quiet"]
    for name, value in settings.items():
        words += ["--set", f"{name}={value}"]
    return words


def crawl(
    folder: Path,
    server,
    hosts,
    *,
    limit_s: float = 300,
    cwd: Path | None = None,
    out: Path | None = None,
    ahead_s: float = 0,
    **settings: str,
) -> Run:
    """Crawl hosts of a server to the end; the summary is read from standard output."""
    out = out or folder / "corpus"
    merged = {**FAST, **({"host_map": host_map(server)} if server else {}), **settings}
    start = time.monotonic()
    done = forked.run(
        command(write_hosts(folder, hosts), out, merged),
        cwd=cwd or folder,
        env=environment(**{forked.AHEAD: str(ahead_s)}),
        timeout=limit_s,
    )
    run = Run(done.returncode, out, done.stdout, done.stderr, time.monotonic() - start)
    if done.stdout.strip().startswith("{"):
        run.summary = json.loads(done.stdout)
    return run


POLLS_S = 60
UNPOLLED = f"""
from scrapy.core.engine import ExecutionEngine
from spiders.cwt import CwtSpider

ExecutionEngine._SLOT_HEARTBEAT_INTERVAL = {POLLS_S}.0


class Unpolled(CwtSpider):
    name = "unpolled"
"""
"""A spider that nothing but its own events wakes: Scrapy looks every five seconds else."""


def scrapy_crawl(
    folder: Path,
    server,
    spider: str,
    hosts,
    *,
    spiders: str = "",
    pipelines: str = "",
    limit_s: float = 300,
    settings: dict | None = None,
    out: Path | None = None,
) -> Run:
    """``scrapy crawl SPIDER`` in a project made by ``quarkcrawl config new``, with extra code."""
    folder.mkdir(exist_ok=True)
    project = folder / "project"
    new = [sys.executable, "-m", "quarkcrawl", "config", "new", str(project)]
    forked.run(new, cwd=folder, env=environment(), timeout=300).check_returncode()
    (project / "spiders" / "extra.py").write_text(spiders, encoding="utf-8")
    (project / "pipelines" / "extra.py").write_text(pipelines, encoding="utf-8")
    out = out or folder / "corpus"
    merged = {**FAST, "host_map": host_map(server), "out": str(out), "progress": "false"}
    words = [sys.executable, "-m", "scrapy", "crawl", spider]
    words += ["-a", f"hosts={write_hosts(folder, hosts)}"]
    for name, value in merged.items():
        words += ["-s", f"QUARKCRAWL_{name.upper()}={value}"]
    for name, value in (settings or {}).items():
        words += ["-s", f"{name}={value}"]
    start = time.monotonic()
    done = forked.run(words, cwd=project, env=environment(), timeout=limit_s)
    run = Run(done.returncode, out, done.stdout, done.stderr, time.monotonic() - start)
    summaries = sorted((out / "runs").glob("run-*.json"))
    if summaries:
        run.summary = json.loads(summaries[-1].read_text(encoding="utf-8"))
    return run


def endings(run: Run) -> Counter[str]:
    """Reasons by which the frontier ended its leases."""
    return Counter(run.summary["frontier"]["ended"])
