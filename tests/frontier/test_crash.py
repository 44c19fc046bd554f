"""A killed process leaves the state of its last commit."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from quarkcrawl.frontier import Candidate, Ending, SqliteFrontier
from tests.frontier.crawler import OPTIONS, Changes

ROOT = Path(__file__).resolve().parents[2]


class Expected:
    """The state that the diary tells of."""

    def __init__(self) -> None:
        self.waiting: dict[str, int] = {}  # URL: tries
        self.ended: set[str] = set()
        self.last_token = 0
        self.commits = 0

    def apply(self, changes: Changes) -> None:
        self.waiting.update(dict.fromkeys(changes.pushed, 0))
        self.waiting.update(changes.tries)
        for url in changes.ended:
            del self.waiting[url]
        self.ended.update(changes.ended)
        self.commits += 1


def killed_crawl(path: Path, diary: Path, seed: int, wait_s: float) -> list[tuple[str, Changes]]:
    """Run a crawler, kill it, and return the new lines of its diary."""
    start = diary.stat().st_size if diary.exists() else 0
    command = [sys.executable, "-m", "tests.frontier.crawler", str(path), str(diary), str(seed)]
    with subprocess.Popen(command, cwd=ROOT) as process:
        try:
            deadline = time.monotonic() + 60
            while not (diary.exists() and diary.stat().st_size > start):
                assert process.poll() is None, "the crawler ended by itself"
                assert time.monotonic() < deadline, "the crawler does not commit"
                time.sleep(0.002)
            time.sleep(wait_s)
            assert process.poll() is None, "the crawler ended by itself"
        finally:
            process.kill()  # SIGKILL: no clean-up of any kind
    new = diary.read_bytes()[start:]
    whole = new[: new.rfind(b"\n") + 1]  # a line that was being written announced nothing yet
    os.truncate(diary, start + len(whole))
    lines = whole.decode().splitlines()
    return [(word, Changes(**changes)) for word, changes in map(json.loads, lines)]


def matches(frontier: SqliteFrontier, expected: Expected) -> bool:
    counts = frontier.counts()
    seen = len(expected.waiting) + len(expected.ended)
    return (counts.seen, counts.ended.get("stored", 0)) == (seen, len(expected.ended))


def check(frontier: SqliteFrontier, expected: Expected, claims: list[str]) -> None:
    counts = frontier.counts()
    assert (counts.leased, counts.pending) == (0, len(expected.waiting))
    states = list(frontier.hosts())
    assert sum(state.pending for state in states) == counts.pending
    assert sum(state.stored for state in states) == len(expected.ended)
    assert sum(state.leased for state in states) == 0
    for url, found in zip(expected.waiting, frontier.find(list(expected.waiting)), strict=True):
        assert type(found) is Candidate
        assert found.url == url
    ended = sorted(expected.ended)
    assert frontier.find(ended) == [None] * len(ended)
    assert not any(frontier.push([Candidate(url, url.split("/")[2], 1) for url in ended]))
    assert all(frontier.claim("md5", url.encode(), "other") == url for url in ended)
    lost = [url for url in claims if url not in expected.ended]
    assert all(frontier.claim("md5", url.encode(), "other") == "other" for url in lost)


def leases_of_all(path: Path, expected: Expected) -> None:
    """Nothing is stuck: everything that waits is leased, once, with the tries it had."""
    frontier = SqliteFrontier(path, OPTIONS)
    now, tries = 1e12, {}
    while (ready := frontier.next_ready(now=now)) is not None:
        now = max(now, ready)
        for lease in frontier.lease(100, now=now):
            assert lease.token > expected.last_token
            assert lease.url not in tries
            tries[lease.url] = lease.tries - 1
            frontier.acknowledge([Ending(lease.token, "x")])
    assert tries == expected.waiting
    frontier._database.abandon()  # the next round goes on from the last commit


@pytest.mark.full
@pytest.mark.parametrize("seed", [1, 2])
def test_kill_at_random_moments(tmp_path: Path, seed: int) -> None:
    path, diary = tmp_path / "f.db", tmp_path / "diary"
    chance = random.Random(seed)
    expected = Expected()
    for round_number in range(1, 7):
        lines = killed_crawl(path, diary, 100 * seed + round_number, chance.uniform(0, 0.3))
        claims = [url for _, changes in lines for url in changes.claims]
        for word, changes in lines:
            expected.last_token = max([expected.last_token, *changes.tokens])
            if word == "done":
                expected.apply(changes)
        frontier = SqliteFrontier(path, OPTIONS)
        if lines[-1][0] == "about" and not matches(frontier, expected):
            expected.apply(lines[-1][1])  # killed between the commit and the line after it
        assert matches(frontier, expected)
        check(frontier, expected, claims)
        frontier._database.abandon()  # keep what the check claimed out of the file
        leases_of_all(path, expected)
    assert expected.commits > 20
    assert len(expected.ended) > 500
