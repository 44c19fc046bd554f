"""Pages that multiply: the crawl's memory stays bounded, and nothing but the page is flagged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from itertools import pairwise
from pathlib import Path

import pytest

from quarkcrawl.lab.mockweb import ServerProcess
from quarkcrawl.store import Corpus
from tests.crawl.harness import environment, host_map, write_hosts

from .bombs import BOMBS, ISSUE_PAGE

GOOD, BAD = "www.good.cn", "www.bad.cn"
ALONE = (
    "base", "base_3mb", "base_within_bounds", "srcset", "data_attributes", "attributes_of_one",
    "long_attribute", "a_million_links", "links_by_number", "links_within_links", "nested_frames",
    "title", "canonical", "json_ld_wide", "json_ld_deep", "formats", "cells", "paragraphs",
)  # fmt: skip
MOST_BYTES = 1500 * 10**6
MOST_SILENCE_S = 5
DELAY_S = 0.25
ROBOTS = "User-agent: *\nAllow: /$\nAllow: /*.html$\nDisallow: /\n"
"""What a bomb leads to is found, judged and listed, but not asked for."""


def site(bombs):
    links = "".join(f"<a href=/{n}.html>{n}</a>" for n in range(12))
    pages = {f"http://{GOOD}/": f"<title>{GOOD}</title>{links}"}
    pages |= {f"http://{GOOD}/{n}.html": f"<p>page {n} " + "天网" * 99 for n in range(12)}
    pages[f"http://{BAD}/robots.txt"] = ROBOTS
    links = "".join(f"<a href=/{name}.html>x</a>" for name in [*bombs, "after"])
    pages[f"http://{BAD}/"] = links
    pages |= {f"http://{BAD}/{name}.html": bomb for name, bomb in bombs.items()}
    pages[f"http://{BAD}/after.html"] = "<p>天网"
    return pages


class Watcher(threading.Thread):
    """The most memory that the processes of a session have had at once.

    Pages that several share count once: it is their proportional set sizes that are added up.
    """

    def __init__(self, session):
        super().__init__(daemon=True)
        self._session = session
        self.peak_bytes = 0

    def run(self):
        while now := sum(map(own_bytes, self._pids())):
            self.peak_bytes = max(self.peak_bytes, now)
            time.sleep(0.1)

    def _pids(self):
        for name in [path.name for path in Path("/proc").iterdir()]:
            try:
                if name.isdigit() and os.getsid(int(name)) == self._session:
                    yield name
            except ProcessLookupError:
                pass


def own_bytes(pid):
    """Proportional set size of a process; 0 of one that is gone."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    return sum(int(line.split()[1]) << 10 for line in text.splitlines() if line[:4] == "Pss:")


def crawl(folder, server, **settings):
    """The command; its summary and the most memory of all its processes together."""
    command = [sys.executable, "-m", "quarkcrawl", "crawl", write_hosts(folder, [GOOD, BAD])]
    command += ["--out", folder / "corpus", "--quiet"]
    for name, value in {"host_map": host_map(server), "workers": 2, **settings}.items():
        command += ["--set", f"{name}={value}"]
    with subprocess.Popen(command, env=environment(), cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, start_new_session=True) as process:  # fmt: skip
        watcher = Watcher(process.pid)
        watcher.start()
        out, err = process.communicate(timeout=500)
    assert process.returncode == 0, err
    watcher.join()
    return json.loads(out), watcher.peak_bytes


def check(folder, bombs, **settings):
    """Crawl: all pages are stored, the good ones without a flag; memory and silence are bounded."""
    pages = site(bombs)
    with ServerProcess.for_pages(pages) as server:
        summary, peak_bytes = crawl(folder, server, delay_s=DELAY_S, **settings)
        log = server.log()
    rows = list(Corpus.open(folder / "corpus").pages())
    assert summary["left"] == 0
    assert sorted(row.url for row in rows) == sorted(pages.keys() - {f"http://{BAD}/robots.txt"})
    flags = {row.url.rpartition("/")[2]: row.flags for row in rows if row.flags}
    assert flags.keys() <= {f"{name}.html" for name in bombs}
    times = [entry.time for entry in log if entry.host == GOOD]
    silence_s = max(later - at for at, later in pairwise(times)) - DELAY_S
    print(f"\n{peak_bytes / 1e6:.0f} MB, silent for {silence_s:.1f} s, {flags}")
    assert peak_bytes <= MOST_BYTES
    assert silence_s <= MOST_SILENCE_S


ANALYSIS = """
import re, sys, time
from quarkcrawl.analysis import AnalysisPlan, PageInput, StagePlan, analyze

stages = [StagePlan(name, f"quarkcrawl.analysis.stages:{name}") for name in ("segmentation", "content")]
plan = AnalysisPlan(tuple(stages))
analyze(PageInput("http://www.bad.cn/", "<p>天网".encode()), plan)
body, started = sys.stdin.buffer.read(), time.process_time()
found = analyze(PageInput("http://www.bad.cn/bomb.html", body, "text/html; charset=utf-8"), plan)
assert found.links.n_too_long + found.links.n_cut == 5_000
# What getrusage tells is that of the process it was forked from, if that was larger.
peak_kib = int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
print(time.process_time() - started, peak_kib << 10)
"""


@pytest.mark.full
def test_the_page_of_the_issue():
    """200 KB of base and 5,000 links: less than 2 s of CPU and 300 MB, the process and all."""
    assert 284_000 <= len(ISSUE_PAGE) <= 288_000
    done = subprocess.run([sys.executable, "-c", ANALYSIS], input=ISSUE_PAGE.encode(),
                          capture_output=True, env=environment(), check=True)  # fmt: skip
    cpu_s, peak_bytes = map(float, done.stdout.split())
    print(f"\n{cpu_s:.2f} s, {peak_bytes / 1e6:.0f} MB")
    assert cpu_s <= 2
    assert peak_bytes <= 300 * 10**6


@pytest.mark.full
@pytest.mark.timeout(240)
@pytest.mark.parametrize("name", ALONE)
def test_memory_of_a_crawl_with_one_bomb(tmp_path, name):
    check(tmp_path, {name: BOMBS[name]()})


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_memory_of_a_crawl_of_bombs(tmp_path):
    bombs = {name: bomb() for name, bomb in BOMBS.items()}
    check(tmp_path, bombs, host_concurrency=4, analysis_items="yes", analysis_spans="yes")
