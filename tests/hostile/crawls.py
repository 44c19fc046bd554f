"""One crawl over the whole table, by us and by plain Scrapy, and what came of each host."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from quarkcrawl.store.corpus import Corpus

from .behavior import BESIDE, DOMAIN, Behavior
from .server import behaviors

ROOT = Path(__file__).resolve().parents[2]

TIMEOUT_S, TRIES = 4, 2
GOOD = "good"
"""Name of the host whose pages must all arrive, whatever the others do."""

SETTINGS = {
    "timeout_s": TIMEOUT_S,
    "max_tries": TRIES,
    "late_tries": 0,
    "retry_delay_s": 0.05,
    "delay_s": 0,
    "host_concurrency": 2,
    "max_host_pages": 25,
    "pattern_pages": 12,
    "max_body_bytes": 1 << 20,
    "max_crawl_delay_s": 0.2,
    "max_retry_after_s": 0.5,
    "user_agent": "hostile-test/1.0 (+mailto:crawl@example.cn)",
}


@dataclass(frozen=True)
class Ports:
    http: int
    https: int
    log: Path

    def requests(self) -> list[dict[str, str]]:
        return [json.loads(line) for line in self.log.read_text(encoding="utf-8").splitlines()]


@contextlib.contextmanager
def hostile_server(folder: Path, *table: str) -> Iterator[Ports]:
    """The server, as a process of its own; ``"hundred"`` is the name of the other table."""
    log = folder / "requests.jsonl"
    words = [sys.executable, "-m", "tests.hostile.server", str(log), *table]
    process = subprocess.Popen(
        words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            ports = json.loads(process.stdout.readline())
            yield Ports(ports["http"], ports["https"], log)
        finally:
            process.stdin.close()
            process.wait(20)


@dataclass
class HostOutcome:
    """What came of one host: path → ending, as `Behaviour.expect` writes them."""

    ends: dict[str, str] = field(default_factory=dict)
    requests: int = 0
    titles: dict[str, str] = field(default_factory=dict)
    most_body_bytes: int = 0


@dataclass(frozen=True)
class Outcome:
    """A finished crawl over the table."""

    code: int
    elapsed_s: float
    cpu_s: float
    peak_rss_bytes: int
    stored_bytes: int
    hosts: Mapping[str, HostOutcome]
    requests: list[dict[str, str]]
    stderr: str
    summary: dict


def _peak_rss_bytes(pid: int) -> int:
    # Not ru_maxrss: there the memory of whoever started the process counts too.
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) * 1024 if found else 0


def run(words: list[str], cwd: Path, timeout_s: float) -> tuple[int, str, str, float, float, int]:
    """Run a command; also its wall and CPU seconds and its peak of resident memory."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    start = time.monotonic()
    with (cwd / "stdout").open("w+b") as out, (cwd / "stderr").open("w+b") as err:
        process = subprocess.Popen(words, cwd=cwd, env=env, stdout=out, stderr=err)
        peak = 0
        while True:
            peak = max(peak, _peak_rss_bytes(process.pid))
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() - start > timeout_s:
                process.kill()
            time.sleep(0.05)
        process.returncode = os.waitstatus_to_exitcode(status)
    texts = [(cwd / name).read_text(errors="replace") for name in ("stdout", "stderr")]
    cpu_s = usage.ru_utime + usage.ru_stime
    wall_s = time.monotonic() - start
    return process.returncode, *texts, wall_s, cpu_s, peak


def crawl(
    folder: Path,
    rows: list[Behavior] | None = None,
    *,
    timeout_s: float = 120,
    request_timeout_s: float = TIMEOUT_S,
    table: tuple[str, ...] = (),
    beside: bool = False,
) -> Outcome:
    """`quarkcrawl crawl` over the table, into ``folder/corpus``; also over a good host a row."""
    rows = rows or behaviors()
    folder.mkdir(exist_ok=True)
    hosts = folder / "hosts.txt"
    urls = [row.url for row in rows]
    urls += [f"http://{BESIDE}{row.host}/" for row in rows] if beside else []
    hosts.write_text("".join(f"{url}\n" for url in urls), encoding="utf-8")
    corpus = folder / "corpus"
    words = [sys.executable, "-m", "quarkcrawl", "crawl", str(hosts)]
    words += ["--out", str(corpus), "--quiet"]
    with hostile_server(folder, *table) as server:
        settings = SETTINGS | {"host_map": f"127.0.0.1:{server.http}:{server.https}"}
        settings["timeout_s"] = request_timeout_s
        for name, value in settings.items():
            words += ["--set", f"{name}={value}"]
        code, out, err, wall_s, cpu_s, rss = run(words, folder, timeout_s)
        requests = server.requests()
    summary = json.loads(out) if out.startswith("{") else {}
    stored = sum(p.stat().st_size for p in corpus.rglob("*") if p.is_file())
    return Outcome(
        code, wall_s, cpu_s, rss, stored, outcomes(corpus, requests), requests, err, summary
    )


def _place(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    return parts.netloc.removesuffix(f".{DOMAIN}"), path


def outcomes(root: Path, requests: list[dict[str, str]]) -> dict[str, HostOutcome]:
    """Read the corpus: every URL that ended, with its ending."""
    found: dict[str, HostOutcome] = defaultdict(HostOutcome)
    corpus = Corpus.open(root)
    for page in corpus.pages():
        host, path = _place(page.url)
        outcome = found[host]
        outcome.ends[path] = "+".join(["stored", *page.flags])
        outcome.titles[path] = page.title or ""
        body = corpus.page(page).body
        outcome.most_body_bytes = max(outcome.most_body_bytes, len(body))
    others = [(r.url, "duplicate") for r in corpus.duplicates()]
    others += [(r.url, "redirect") for r in corpus.redirects()]
    others += [(r.url, r.reason) for r in corpus.drops()]
    for url, reason in others:
        host, path = _place(url)
        assert path not in found[host].ends, (url, reason, found[host].ends[path])
        found[host].ends[path] = reason
    for host, count in Counter(r["host"] for r in requests).items():
        found[host.removesuffix(f".{DOMAIN}")].requests = count
    return dict(found)


def faults(row: Behavior, outcome: HostOutcome | None) -> list[str]:
    """Where what came of a host differs from what is expected of it."""
    if outcome is None:
        return ["nothing is known of the host"]
    wrong = []
    others = row.expect.get("*", frozenset())
    for path, ending in row.expect.items():
        if path != "*" and outcome.ends.get(path, "") not in ending.split("|"):
            wrong.append(f"{path[:60]}: {outcome.ends.get(path, 'nothing')}, not {ending}")
    for path, ending in outcome.ends.items():
        if path not in row.expect and ending not in others:
            wrong.append(f"{path[:60]}: {ending}, not expected")
    seen = {ending for path, ending in outcome.ends.items() if path not in row.expect}
    wrong += [f"none ended as {reason}" for reason in sorted(others - seen)]
    if row.text is not None and outcome.titles.get("/") != row.text:
        wrong.append(f"title {outcome.titles.get('/')!r}")
    if outcome.requests > row.most_requests:
        wrong.append(f"{outcome.requests} requests, more than {row.most_requests}")
    if outcome.most_body_bytes > row.most_stored_bytes:
        wrong.append(f"{outcome.most_body_bytes} bytes stored")
    return wrong
