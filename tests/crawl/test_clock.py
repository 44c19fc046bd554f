"""Real crawls while the wall clock is set: no host pauses for it, nothing is fetched twice."""

from __future__ import annotations

import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from quarkcrawl.store import Corpus
from quarkcrawl.store.repair.verify import verify

from .harness import FAST, command, environment, host_map, write_hosts
from .test_givenup import ALL, HOST, failing, stored_paths

LIMIT_S = 240
"""An hour's pause would be longer, a busy machine is not."""

SITECUSTOMIZE = """
import os, time
_wall, _steps = time.time, os.environ["CLOCK_STEPS"]

def _set_wall():
    try:
        return _wall() + float(open(_steps).read() or 0)
    except FileNotFoundError:
        return _wall()

time.time = _set_wall
"""
"""The wall clock of a process and its workers, moved by what stands in a file."""


class Crawl:
    """A crawl, a process of its own, with a wall clock that can be set."""

    def __init__(self, folder, server) -> None:
        self.folder, self.out = folder, folder / "corpus"
        (folder / "sitecustomize.py").write_text(SITECUSTOMIZE)
        settings = FAST | {"delay_s": "0.1", "host_concurrency": "1", "host_map": host_map(server)}
        self._words = command(write_hosts(folder, [HOST]), self.out, settings)

    def set_clock(self, by_s: float) -> None:
        new = self.folder / "steps.new"
        new.write_text(str(by_s))
        new.replace(self.folder / "steps")

    @contextmanager
    def running(self) -> Iterator[subprocess.Popen]:
        env = environment(CLOCK_STEPS=str(self.folder / "steps"))
        env["PYTHONPATH"] = f"{self.folder}:{env['PYTHONPATH']}"
        with (self.folder / "stderr").open("ab") as err:
            process = subprocess.Popen(
                self._words, cwd=self.folder, env=env, stdout=subprocess.DEVNULL, stderr=err
            )
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def wait_for(condition) -> None:
    end = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.full
@pytest.mark.timeout(2 * LIMIT_S)
def test_a_clock_that_is_set_back_and_forth_stops_no_host(tmp_path):
    with failing(lambda path, n: 503 if path == "/p20" and n == 1 else 0) as server:
        crawl = Crawl(tmp_path, server)
        with crawl.running() as process:
            for n_asked, by_s in ((4, -3600), (10, 3600), (16, 0), (20, -3600)):
                wait_for(lambda n=n_asked: len(server.asked) >= n)
                crawl.set_clock(by_s)
            assert process.wait(LIMIT_S) == 0
        crawl.code = process.returncode
    assert stored_paths(crawl) == ALL
    expected = Counter([*ALL, "/robots.txt", "/p20"])
    assert Counter(server.asked) == expected
    assert list(verify(crawl.out)) == []


@pytest.mark.full
@pytest.mark.timeout(3 * LIMIT_S)
@pytest.mark.parametrize("by_s", [-3600, 3600])
def test_a_clock_that_was_set_while_nobody_ran_stops_no_host(tmp_path, by_s):
    with failing(lambda path, n: 0) as server:
        crawl = Crawl(tmp_path, server)
        with crawl.running() as process:
            wait_for(lambda: len(server.asked) >= 8)
            process.send_signal(signal.SIGKILL)
        crawl.set_clock(by_s)
        with crawl.running() as process:
            assert process.wait(LIMIT_S) == 0
    assert stored_paths(crawl) == ALL
    assert len(list(Corpus.open(crawl.out).pages())) == len(ALL)
    assert list(verify(crawl.out)) == []
