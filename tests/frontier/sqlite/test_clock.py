"""The wall clock is set between two runs, or while one goes on: what is due later stays so."""

from __future__ import annotations

import pytest

from quarkcrawl.frontier import Candidate, Ending, FrontierOptions, SqliteFrontier, SteadyClock
from quarkcrawl.frontier.sqlite import frontier as module

OPTIONS = FrontierOptions(delay_s=10, robots=False, concurrency=2)
URLS = [f"http://a.cn/{n}" for n in range(4)]
START = 1_800_000_000.0


def test_a_steady_clock_does_not_follow_the_wall_clock():
    wall, passed = [START], [50.0]
    clock = SteadyClock(lambda: wall[0], lambda: passed[0])
    assert clock() == START
    for step in (-3600, 7200, 1e9):
        wall[0] += step
        passed[0] += 2
    assert clock() == START + 6


@pytest.fixture
def clock(monkeypatch):
    now = [START]
    monkeypatch.setattr(module, "steady_time", lambda: now[0])
    return now


def opened(path) -> SqliteFrontier:
    return SqliteFrontier(path / "frontier.sqlite", OPTIONS)


def begun(path, clock) -> SqliteFrontier:
    """Of four URLs one is stored, one failed and one is out; the next is due in ten seconds."""
    frontier = opened(path)
    frontier.push([Candidate(url, "a.cn", 1) for url in URLS])
    (first,) = frontier.lease(1, now=clock[0])
    frontier.acknowledge([Ending(first.token, "stored")])
    clock[0] += 10
    (second,) = frontier.lease(1, now=clock[0])
    frontier.retry(second.token, reason="timeout", not_before=clock[0] + 120)
    clock[0] += 10
    frontier.lease(1, now=clock[0])
    frontier.commit()
    return frontier


@pytest.mark.parametrize("back_s", [3600, 7200, 40_000_000])
@pytest.mark.parametrize("is_killed", [True, False])
def test_a_clock_that_was_set_back_makes_no_pause(tmp_path, clock, back_s, is_killed):
    frontier = begun(tmp_path, clock)
    if is_killed:
        frontier._database.abandon()
    else:
        frontier.close()
    clock[0] -= back_s
    frontier = opened(tmp_path)
    assert frontier.next_ready(now=clock[0]) == pytest.approx(clock[0] + 10)
    asked = []
    for _ in range(40):
        for lease in frontier.lease(5, now=clock[0]):
            asked.append((lease.url, clock[0]))
            frontier.acknowledge([Ending(lease.token, "stored")])
        clock[0] += 5
    assert [url for url, _ in asked] == [URLS[2], URLS[3], URLS[1]]
    assert [round(at - asked[0][1]) for _, at in asked] == [0, 10, 100]
    assert frontier.counts().ended == {"stored": 4}
    frontier.close()


def test_a_clock_that_was_set_forth_lets_nothing_be_fetched_twice(tmp_path, clock):
    begun(tmp_path, clock).close()
    clock[0] += 3600
    frontier = opened(tmp_path)
    found = []
    while leases := frontier.lease(1, now=clock[0]):
        found += [lease.url for lease in leases]
        frontier.acknowledge([Ending(lease.token, "stored") for lease in leases])
        clock[0] += 10
    assert sorted(found) == URLS[1:]
    frontier.close()


def test_rules_of_a_host_do_not_grow_younger(tmp_path, clock):
    frontier = SqliteFrontier(tmp_path / "f", FrontierOptions(delay_s=1))
    frontier.push([Candidate(URLS[0], "a.cn", 1)])
    (robots,) = frontier.lease(1, now=clock[0])
    frontier.set_robots(robots.token, robots="", delay_s=None, now=clock[0])
    frontier.close()
    clock[0] -= 3600
    frontier = SqliteFrontier(tmp_path / "f")
    assert frontier.host("a.cn").robots_time <= clock[0]
    frontier.close()
