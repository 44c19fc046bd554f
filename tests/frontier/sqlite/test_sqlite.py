"""The SQLite frontier keeps the protocol; and what only a file can do."""

from __future__ import annotations

import subprocess
import sys
from itertools import count
from typing import TYPE_CHECKING

import pytest

from quarkcrawl.errors import EmptyFrontierError, FrontierError
from quarkcrawl.frontier import Candidate, Ending, Frontier, FrontierOptions, SqliteFrontier
from quarkcrawl.frontier.sqlite import file, hosts, queue
from quarkcrawl.frontier.sqlite import frontier as sqlite
from tests.frontier.contract import FrontierContract
from tests.frontier.machine import Backend
from tests.frontier.steps import page, walk

if TYPE_CHECKING:
    from pathlib import Path

OPTIONS = FrontierOptions(delay_s=0.0, concurrency=8, robots=False)


@pytest.fixture
def backend(tmp_path: Path) -> Backend:
    numbers = count()
    return Backend(
        make=lambda options: SqliteFrontier(tmp_path / f"{next(numbers)}.db", options),
        reopen=lambda old: SqliteFrontier(old._database.path, old.options),
        crash=lambda old: old._database.abandon(),
        check=check_inside,
    )


def check_inside(frontier: SqliteFrontier) -> None:
    """Windows hold the first rows of the file, and their rows are counted; what is out is on lease."""
    leases = frontier._leases._open
    tokens = {out.row.key: token for token, out in leases.items() if out.row is not None}
    assert frontier._queue.out == tokens
    assert all(host.fetched == sum(out.fetched for out in leases.values() if out.host is host)
               for host in frontier._hosts._by_id.values())  # fmt: skip
    hosts = list(frontier._hosts._by_id.values())
    assert frontier._queue._held == sum(len(host.window) for host in hosts)
    for host in hosts:
        if host.closed is None:
            rows = frontier._queue.first(host, 1000)
            assert len(rows) == host.pending
            assert rows[: len(host.window)] == host.window
            assert not host.complete or rows == host.window


class TestSqlite(FrontierContract):
    @pytest.fixture
    def backend(self, backend: Backend) -> Backend:
        return backend


class TestSqliteWithSmallWindows(FrontierContract):
    """The same where every bound on memory is met all the time."""

    @pytest.fixture
    def backend(self, backend: Backend, monkeypatch: pytest.MonkeyPatch) -> Backend:
        monkeypatch.setattr(queue, "WINDOW", 2)
        monkeypatch.setattr(queue, "WINDOW_ROWS_TOTAL", 5)
        monkeypatch.setattr(sqlite, "DRAINED_ROWS", 2)
        monkeypatch.setattr(hosts, "KEPT_IDLE", 0)
        monkeypatch.setattr(hosts, "CHUNK", 2)
        return backend


def test_it_is_a_frontier(tmp_path: Path) -> None:
    frontier: Frontier = SqliteFrontier(tmp_path / "f.db")
    assert frontier.options == FrontierOptions()
    frontier.close()


def test_options_are_those_of_the_last_opening(tmp_path: Path) -> None:
    path = tmp_path / "f.db"
    SqliteFrontier(path, OPTIONS).close()
    frontier = SqliteFrontier(path)
    assert frontier.options == OPTIONS
    frontier.push([page(1)])
    frontier.set_host("b.cn", delay_s=3)
    frontier.close()
    frontier = SqliteFrontier(path, FrontierOptions(delay_s=9))
    assert [state.delay_s for state in frontier.hosts()] == [9, 3]
    frontier.close()


@pytest.mark.full
def test_an_ended_url_costs_few_bytes(tmp_path: Path) -> None:
    path = tmp_path / "f.db"
    frontier = SqliteFrontier(path, OPTIONS)
    urls = 40_000
    for start in range(0, urls, 50):
        frontier.push([page(n, host=f"{start % 700}.cn") for n in range(start, start + 50)])
    frontier.checkpoint()
    size = path.stat().st_size
    walk(frontier)
    frontier.close()
    assert path.stat().st_size < min(30 * urls, size / 3)
    assert [file.name for file in tmp_path.iterdir()] == ["f.db"]
    frontier = SqliteFrontier(path)
    assert frontier.counts().ended == {"stored": urls}
    assert frontier.push([page(7, host="0.cn")]) == [False]
    frontier.close()


@pytest.mark.full
def test_hosts_without_work_are_forgotten_and_known_again(tmp_path: Path) -> None:
    frontier = SqliteFrontier(tmp_path / "f.db", OPTIONS)
    number = 12_300
    for start in range(0, number, 100):
        frontier.push([page(1, host=f"{n}.cn") for n in range(start, start + 100)])
        frontier.commit()
        leases = frontier.lease(200, now=0)
        frontier.acknowledge([Ending(lease.token, "stored") for lease in leases])
    frontier.commit()
    assert len(frontier._hosts._by_id) <= 2 * hosts.KEPT_IDLE
    assert [state.host for state in frontier.hosts()] == [f"{n}.cn" for n in range(number)]
    assert frontier.push([page(2, host="5.cn")]) == [True]
    assert frontier.host("5.cn").stored == 1
    assert frontier.counts().hosts == number
    frontier.close()


@pytest.mark.full
def test_windows_are_bounded_together(tmp_path: Path) -> None:
    frontier = SqliteFrontier(tmp_path / "f.db", OPTIONS)
    held = []
    for number in range(5_000):
        frontier.push([page(n, host=f"{number}.cn") for n in range(20)])
        if number % 500 == 0:
            held.append(sum(len(one.window) for one in frontier._hosts._by_id.values()))
    assert max(held) <= queue.WINDOW_ROWS_TOTAL
    leases = frontier.lease(100_000, now=0)
    assert len(leases) == 40_000
    frontier.close()


class TestReadonly:
    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        return tmp_path / "f.db"

    def test_it_sees_the_last_commit_while_another_writes(self, path: Path) -> None:
        writer = SqliteFrontier(path, OPTIONS)
        writer.push([page(1), page(2), page(1, host="b.cn")])
        lease, *_ = writer.lease(1, now=0)
        writer.commit()
        committed = writer.counts()
        writer.push([page(3)])
        writer.acknowledge([Ending(lease.token, "stored")])
        reader = SqliteFrontier(path, readonly=True)
        assert reader.options == OPTIONS
        assert reader.counts() == committed
        assert [state.host for state in reader.hosts()] == ["a.cn", "b.cn"]
        assert reader.find([lease.url, page(3).url]) == [page(1), None]
        writer.commit()
        assert reader.counts() == writer.counts()
        assert reader.host("a.cn").stored == 1
        assert reader.find([lease.url, page(3).url]) == [None, page(3)]
        reader.close()
        writer.checkpoint()
        writer.close()

    def test_it_tells_which_urls_were_never_offered(self, path: Path) -> None:
        writer = SqliteFrontier(path, OPTIONS)
        writer.push([page(n) for n in range(0, 600, 2)])
        writer.commit()
        writer.push([page(1)])
        with SqliteReader(path) as reader:
            for n in (0, 1, 3, 256, 257, 600):  # asked for in chunks
                found = reader.unseen([page(k).url for k in range(n)])
                assert found == [k % 2 == 1 for k in range(n)]
            assert reader.counts().seen == 300
        writer.close()

    def test_a_reader_does_not_keep_a_writer_from_its_checkpoint(self, path: Path) -> None:
        writer = SqliteFrontier(path, OPTIONS)
        writer.push([page(n) for n in range(2000)])
        writer.commit()
        reader = SqliteFrontier(path, readonly=True)
        states = reader.hosts()
        next(states)
        writer.push([page(n) for n in range(2000, 4000)])
        writer.checkpoint()
        reader.close()
        writer.close()
        with SqliteReader(path) as reader:
            assert reader.counts().pending == 4000

    def test_it_changes_nothing(self, path: Path) -> None:
        SqliteFrontier(path, OPTIONS).close()
        with SqliteReader(path) as reader:
            for change in (
                lambda: reader.push([page(1)]),
                lambda: reader.lease(1, now=0),
                lambda: reader.acknowledge([Ending(1, "x")]),
                lambda: reader.finish("http://a.cn/", reason="x"),
                lambda: reader.set_host("a.cn", delay_s=1),
                lambda: reader.close_host("a.cn", reason="x"),
                lambda: reader.mark_seen(["x"]),
                lambda: reader.claim("md5", b"", "x"),
                reader.commit,
                reader.checkpoint,
            ):
                with pytest.raises(FrontierError, match="reading only"):
                    change()
            assert reader.counts().seen == 0

    def test_a_closed_frontier_has_nothing_out(self, path: Path) -> None:
        writer = SqliteFrontier(path, OPTIONS)
        writer.push([page(1), page(2)])
        writer.lease(1, now=0)
        writer.close()
        with SqliteReader(path) as reader:
            assert (reader.counts().leased, reader.counts().pending) == (0, 2)
            assert (reader.host("a.cn").leased, reader.host("a.cn").pending) == (0, 2)

    def test_a_missing_or_empty_file_is_not_made(self, path: Path) -> None:
        with pytest.raises(FrontierError, match="no such") as error:
            SqliteFrontier(path, readonly=True)
        assert error.value.where == str(path)
        assert not path.exists()
        path.touch()
        with pytest.raises(EmptyFrontierError, match="empty"):
            SqliteFrontier(path, readonly=True)

    def test_one_that_is_just_being_made_is_empty_or_whole(self, tmp_path: Path) -> None:
        paths = [tmp_path / f"{n}.db" for n in range(200)]
        program = (
            "import sys\n"
            "from quarkcrawl.frontier import FrontierOptions, SqliteFrontier\n"
            "for path in sys.argv[1:]:\n"
            "    SqliteFrontier(path, FrontierOptions()).close()\n"
        )
        n_empty = 0
        with subprocess.Popen([sys.executable, "-c", program, *map(str, paths)]) as writer:
            for path in paths:
                while not path.exists():
                    assert writer.poll() in {None, 0}
                while True:
                    try:
                        SqliteFrontier(path, readonly=True).close()
                    except EmptyFrontierError:
                        n_empty += 1
                    else:
                        break
        assert writer.returncode == 0
        assert n_empty  # the reader came early


class SqliteReader:
    def __init__(self, path: Path) -> None:
        self.frontier = SqliteFrontier(path, readonly=True)

    def __enter__(self) -> SqliteFrontier:
        return self.frontier

    def __exit__(self, *_: object) -> None:
        self.frontier.close()


def test_a_reader_in_a_folder_nobody_may_write(tmp_path: Path) -> None:
    path = tmp_path / "f.db"
    frontier = SqliteFrontier(path, OPTIONS)
    frontier.push([page(1)])
    frontier.close()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file.os, "access", lambda *_: False)
        with SqliteReader(path) as reader:
            assert reader.counts().pending == 1
    assert [file.name for file in tmp_path.iterdir()] == ["f.db"]


def test_odd_names_of_files(tmp_path: Path) -> None:
    path = tmp_path / "前沿 100%?mode=memory#x.db"
    frontier = SqliteFrontier(path, OPTIONS)
    frontier.push([Candidate("http://a.cn/", "a.cn", 1)])
    frontier.close()
    assert path.stat().st_size > 0
    with SqliteReader(path) as reader:
        assert reader.counts().pending == 1
