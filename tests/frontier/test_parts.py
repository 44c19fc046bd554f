"""Keys and timetable against plain versions of themselves."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.frontier.keys import UrlKeys
from quarkcrawl.frontier.protocol import robots_url
from quarkcrawl.frontier.sqlite.database import Database
from quarkcrawl.frontier.sqlite.hosts import HostRecord, Timetable
from quarkcrawl.frontier.sqlite.queue import Queue
from tests.profiles import examples

if TYPE_CHECKING:
    from pathlib import Path

SECRET = b"0123456789abcdef"


@given(st.lists(st.text(st.characters()), unique=True))
def test_keys_depend_on_the_url_and_the_secret_alone(urls: list[str]) -> None:
    keys = UrlKeys(SECRET).many(urls)
    fresh = UrlKeys(SECRET)
    assert [fresh.many([url])[0] for url in reversed(urls)] == keys[::-1]
    assert len(set(keys)) == len(urls)
    assert all(-(2**63) <= key < 2**63 for key in keys)
    other = UrlKeys(b"f" * 16).many(urls)
    assert not set(other) & set(keys)


def test_keys_of_a_host_are_neighbors() -> None:
    hosts = [f"host{number}.cn" for number in range(200)]
    urls = [f"{scheme}://{host}/{n}" for host in hosts for n in range(20)
            for scheme in ("http", "https")]  # fmt: skip
    keys = UrlKeys(SECRET).many(urls)
    fronts = {url.split("/")[2]: key >> 48 for url, key in zip(urls, keys, strict=True)}
    for url, key in zip(urls, keys, strict=True):
        assert key >> 48 == fronts[url.split("/")[2]]
    assert len(set(fronts.values())) > 190
    assert len({key & (2**48 - 1) for key in keys}) == len(keys)


def test_fronts_are_forgotten_but_stay_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quarkcrawl.frontier.keys.AUTHORITIES_KEPT", 3)
    keys = UrlKeys(SECRET)
    urls = [f"http://{number}.cn/" for number in range(10)]
    assert keys.many(urls) == keys.many(urls) == UrlKeys(SECRET).many(urls)
    assert len(keys._fronts) <= 3


@settings(max_examples=examples(50))
@given(batches=st.lists(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(0, 300))))
def test_seen_set_is_a_set(batches: list[list[int]], tmp_path_factory: pytest.TempPathFactory):
    database = Database(tmp_path_factory.mktemp("seen") / "f.db")
    queue, plain = Queue(database), set()
    for batch in [*batches, list(range(1000)), list(range(500, 1500))]:
        assert queue.mark_seen(batch) == set(batch) - plain
        plain |= set(batch)
    database.close()


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 9)) | st.just("take"),
        max_size=200,
    )
)
def test_timetable_gives_the_earliest(steps: list[tuple[int, int] | str]) -> None:
    hosts = [HostRecord(number, str(number)) for number in range(6)]
    timetable, plain = Timetable(), {}
    for step in steps:
        if isinstance(step, tuple):
            host, time = hosts[step[0]], step[1]
            timetable.arm(host, time)
            plain[host] = min(time, plain.get(host, inf))
        elif timetable.first() is not None:
            time, host = timetable.first()
            assert plain.pop(host) == time
            assert time <= min(plain.values(), default=inf)
            timetable.take()
        first = timetable.first()
        assert (first is None) == (not plain)
        if first is not None:
            assert first[0] == min(plain.values())


def test_timetable_does_not_grow() -> None:
    hosts = [HostRecord(number, str(number)) for number in range(10)]
    timetable = Timetable()
    for time in range(100_000, 0, -1):
        timetable.arm(hosts[time % 10], time)
    assert len(timetable._heap) < 2_000
    order = []
    while (first := timetable.first()) is not None:
        order.append(first[0])
        timetable.take()
    assert order == list(range(1, 11))


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://a.cn/", "http://a.cn/robots.txt"),
        ("https://a.cn:8443/x/y?z", "https://a.cn:8443/robots.txt"),
        ("http://a.cn", "http://a.cn/robots.txt"),
        ("http://a.cn?q=/", "http://a.cn/robots.txt"),
        ("http://a.cn#/f", "http://a.cn/robots.txt"),
        ("http://[::1]:80/x", "http://[::1]:80/robots.txt"),
    ],
)
def test_robots_url(url: str, expected: str) -> None:
    assert robots_url(url) == expected


def test_a_database_of_ours_has_no_other_writer(tmp_path: Path) -> None:
    database = Database(tmp_path / "f.db")
    assert database.row("PRAGMA journal_mode") == ("wal",)
    assert database.row("PRAGMA application_id") == (0x51434652,)
    database.close()
    assert database.closed
