"""Files that are not ours, are damaged, locked or cannot grow."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from quarkcrawl.errors import FrontierError, QuarkError, StorageFullError
from quarkcrawl.frontier import Candidate, Ending, FrontierOptions, SqliteFrontier
from tests.frontier.steps import page

ROOT = Path(__file__).resolve().parents[2]
OPTIONS = FrontierOptions(delay_s=0.0, concurrency=100, robots=False)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "f.db"


def filled(path: Path, urls: int = 3000) -> SqliteFrontier:
    frontier = SqliteFrontier(path, OPTIONS)
    for start in range(0, urls, 50):
        frontier.push([page(n, host=f"h{start % 7}.cn") for n in range(start, start + 50)])
    frontier.commit()
    return frontier


def refused(path: Path, match: str, **options: bool) -> None:
    with pytest.raises(FrontierError, match=match) as error:
        SqliteFrontier(path, OPTIONS, **options)
    assert error.value.where == str(path)


# -- files that are not ours


@pytest.mark.parametrize("content", [b"hello", b"\0" * 10_000, b"SQLite format 3\0" + b"x" * 200])
def test_another_kind_of_file(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    refused(path, "not a frontier")
    refused(path, "not a frontier", readonly=True)
    assert path.read_bytes() == content


def test_another_programs_database(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE seen (key INTEGER PRIMARY KEY)")
    connection.close()
    before = path.read_bytes()
    refused(path, "not a quarkcrawl frontier")
    assert path.read_bytes() == before


@pytest.mark.parametrize(("version", "word"), [(0, "older"), (2, "newer"), (2_000_000, "newer")])
def test_another_version(path: Path, version: int, word: str) -> None:
    SqliteFrontier(path, OPTIONS).close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version={version}")
    connection.close()
    refused(path, word)
    refused(path, word, readonly=True)


def test_an_empty_file_becomes_a_frontier(path: Path) -> None:
    path.touch()
    filled(path).close()
    assert path.stat().st_size > 0


def test_no_folder_and_a_folder(path: Path) -> None:
    refused(path / "deeper" / "f.db", "cannot be used")
    path.mkdir()
    refused(path, "cannot be used")


def test_a_second_writer_is_told_so(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quarkcrawl.frontier.sqlite.file.LOCK_WAIT_S", 0.05)
    frontier = filled(path)
    refused(path, "another process")
    frontier.push([page("after")])
    frontier.commit()
    refused(path, "another process")
    frontier.close()
    SqliteFrontier(path).close()


# -- damage


def use(frontier: SqliteFrontier) -> None:
    """A bit of everything."""
    list(frontier.hosts())
    frontier.push([page(n, host="h1.cn") for n in range(0, 3000, 7)])
    for now in range(10):
        leases = frontier.lease(300, now=now)
        frontier.acknowledge([Ending(lease.token, "stored") for lease in leases])
    list(frontier.close_host("h1.cn", reason="x"))
    list(frontier.drain_closed())
    frontier.commit()


@pytest.mark.full
@pytest.mark.parametrize("seed", range(25))
def test_damaged_pages_are_an_error_that_names_the_file(path: Path, seed: int) -> None:
    filled(path).close()
    chance = random.Random(seed)
    content = bytearray(path.read_bytes())
    for _ in range(6):
        at = 4096 * chance.randrange(0 if seed % 5 == 0 else 1, len(content) // 4096)
        content[at : at + 4096] = chance.randbytes(4096)
    path.write_bytes(content)
    frontier = None
    with pytest.raises(FrontierError) as error:  # noqa: PT012
        frontier = SqliteFrontier(path, OPTIONS)
        use(frontier)
    assert error.value.where == str(path)
    if frontier is not None:
        frontier.close()


@pytest.mark.full
def test_any_damaged_bytes_are_an_error_or_do_no_harm(path: Path) -> None:
    frontier = filled(path)
    for lease in frontier.lease(20, now=0):
        frontier.retry(lease.token, reason="dns", not_before=5)
    frontier.close()
    good = path.read_bytes()
    failed = 0
    for seed in range(60):
        chance = random.Random(seed)
        content = bytearray(good)
        for _ in range(chance.choice([1, 10, 100])):
            content[chance.randrange(len(content))] = chance.randrange(256)
        damaged = path.with_name(f"{seed}.db")
        damaged.write_bytes(content)
        try:
            frontier = SqliteFrontier(damaged, OPTIONS)
            use(frontier)
            frontier.close()
        except FrontierError as error:  # any other exception fails the test
            failed += error.where == str(damaged)
        finally:
            frontier._database.abandon()
    assert failed > 20


@pytest.mark.parametrize("kept", [0.3, 0.6, 0.9])
def test_a_truncated_file_is_an_error(path: Path, kept: float) -> None:
    filled(path).close()
    os.truncate(path, int(path.stat().st_size * kept))
    frontier = None
    with pytest.raises(FrontierError, match="damaged") as error:  # noqa: PT012
        frontier = SqliteFrontier(path, OPTIONS)
        use(frontier)
    assert error.value.where == str(path)
    if frontier is not None:
        frontier.close()


@pytest.mark.parametrize("value", ["", "[]", "{}", '{"seen": 1}', b"\xff", 7])
@pytest.mark.parametrize("name", ["totals", "options"])
def test_damaged_totals(path: Path, name: str, value: object) -> None:
    SqliteFrontier(path, OPTIONS).close()
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE meta SET value = ? WHERE name = ?", (value, name))
    connection.close()
    with pytest.raises(FrontierError, match=f"{name} cannot be read"):
        SqliteFrontier(path, readonly=True)


def test_counts_that_contradict_the_rows(path: Path) -> None:
    filled(path).close()
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("DELETE FROM waiting")
    connection.close()
    frontier = SqliteFrontier(path, OPTIONS)
    with pytest.raises(FrontierError, match="damaged"):
        frontier.lease(1, now=0)
    frontier.close()


# -- no space


def test_after_a_full_disk_the_last_commit_is_there(path: Path) -> None:
    frontier = filled(path)
    committed = frontier.counts()
    pages = frontier._database.row("PRAGMA page_count")[0]
    frontier._database.row(f"PRAGMA max_page_count={pages + 20}")
    with pytest.raises(StorageFullError) as error:  # noqa: PT012
        for start in range(10_000, 100_000, 50):
            frontier.push([page(n) for n in range(start, start + 50)])
            frontier.commit()
            committed = frontier.counts()
    assert error.value.where == str(path)
    for call in (frontier.counts, frontier.commit, lambda: frontier.lease(1, now=0)):
        with pytest.raises(FrontierError, match="closed"):
            call()
    frontier.close()
    frontier = SqliteFrontier(path, OPTIONS)
    assert frontier.counts() == committed
    use(frontier)
    frontier.close()


FILL = """
import resource, signal, sys
from pathlib import Path
from quarkcrawl.errors import QuarkError
from quarkcrawl.frontier import SqliteFrontier
from tests.frontier.steps import page
limit = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
frontier, number = None, 0
try:
    frontier = SqliteFrontier(Path(sys.argv[1]))
    while True:
        number += 50
        frontier.push([page(n) for n in range(number - 50, number)])
        frontier.commit()
        print(frontier.counts().seen, flush=True)
except QuarkError as error:
    print(type(error).__name__, error.where)
finally:
    if frontier is not None:
        frontier.close()
"""


@pytest.mark.full
@pytest.mark.parametrize("limit_kib", [2, 20, 100, 700, 2000])
def test_a_file_that_may_not_grow(path: Path, limit_kib: int) -> None:
    command = [sys.executable, "-c", FILL, str(path), str(limit_kib * 1024)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    *seen, last = done.stdout.splitlines()
    assert last == f"StorageFullError {path}", done.stdout + done.stderr
    assert done.returncode == 0
    frontier = SqliteFrontier(path, OPTIONS)
    assert frontier.counts().seen == int(seen[-1] if seen else 0)
    frontier.push([page("more")])
    use(frontier)
    frontier.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a file system")
def test_a_full_file_system() -> None:
    # Not below tmp_path: another run of pytest that clears old folders cannot remove a mount.
    mount = Path(tempfile.mkdtemp())
    command = ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(mount)]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        mount.rmdir()
        pytest.skip("may not mount a file system here")
    try:
        path = mount / "f.db"
        frontier = SqliteFrontier(path, OPTIONS)
        committed = frontier.counts()
        with pytest.raises(StorageFullError):  # noqa: PT012
            for start in range(0, 1_000_000, 50):
                frontier.push([page(n) for n in range(start, start + 50)])
                frontier.commit()
                committed = frontier.counts()
        frontier.close()
        subprocess.run(["mount", "-o", "remount,size=50m", str(mount)], check=True)
        frontier = SqliteFrontier(path, OPTIONS)
        assert frontier.counts() == committed
        use(frontier)
        frontier.close()
    finally:
        subprocess.run(["umount", str(mount)], check=True)
        mount.rmdir()


def test_errors_survive_pickling(path: Path) -> None:
    import pickle

    path.write_bytes(b"no")
    with pytest.raises(QuarkError) as error:
        SqliteFrontier(path)
    again = pickle.loads(pickle.dumps(error.value))
    assert (type(again), str(again)) == (FrontierError, str(error.value))


def test_a_failed_opening_leaves_nothing_open(path: Path) -> None:
    path.write_bytes(b"x" * 5000)
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        refused(path, "not a frontier")
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_candidate_is_not_needed_to_be_sane(path: Path) -> None:
    frontier = SqliteFrontier(path, OPTIONS)
    assert frontier.push([Candidate("http://a.cn/", "", 0, origin="", hops=0)]) == [True]
    assert [lease.host for lease in frontier.lease(1, now=0)] == [""]
    frontier.close()
