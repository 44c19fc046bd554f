"""Nothing is pickled: not in any file of a job, and no call of pickle while it runs."""

from __future__ import annotations

import io
import pickle
import pickletools
import random
import re
import signal
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from .checks import assert_whole
from .runs import Job
from .site import Shop, ShopServer

pytestmark = pytest.mark.timeout(900)

BLOCKER = """
import os, pickle, traceback

def refuse(*args, **kwargs):
    with open(os.environ["PICKLE_CALLS"], "a") as file:
        traceback.print_stack(file=file)
    raise RuntimeError("pickle is called")

pickle.load = pickle.loads = pickle.dump = pickle.dumps = refuse
"""
PREFIX = re.compile(rb"\x80[\x02-\x05]")


@pytest.fixture(scope="module")
def server():
    with ShopServer(Shop(n_categories=4, n_lists=3)) as process:
        yield process


def without_pickle(job: Job) -> Path:
    """The processes of a job have no pickle; the file in which calls of it are noted."""
    folder = job.top / "blocker"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(BLOCKER, encoding="utf-8")
    job.environment["PYTHONPATH"] = f"{folder}:{job.environment['PYTHONPATH']}"
    job.environment["PICKLE_CALLS"] = str(job.top / "calls.txt")
    return job.top / "calls.txt"


def is_pickle(data: bytes, *, is_whole: bool) -> bool:
    """Whether a pickle begins here, whose stack fits from its first operation to its last.

    Args:
        is_whole: whether nothing may follow it: digests of pages may begin as tiny pickles do.
    """
    file = io.BytesIO(data)
    try:
        pickletools.dis(file, out=io.StringIO())
    except Exception:  # whatever it is, it is none
        return False
    return not (is_whole and file.read(1))


def test_a_digest_that_begins_as_a_pickle_does_is_none():
    digest = bytes.fromhex("292e2a68840767e5e0cb97c5d2d6b5d60919c754")
    assert not is_pickle(digest, is_whole=True)
    assert is_pickle(digest, is_whole=False)
    assert all(is_pickle(pickle.dumps([1, "a"], n), is_whole=True) for n in range(6))


def pickled(path: Path) -> Iterator[str]:
    """Places in a file where a pickle begins; of a database the cells, too, which may be in parts."""
    data = path.read_bytes()
    for match in PREFIX.finditer(data):
        if is_pickle(data[match.start() :], is_whole=False):
            yield f"{path} at {match.start()}"
    if not data.startswith(b"SQLite format 3\0"):
        return
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        tables = [row[0] for row in connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL"
        )]  # fmt: skip
        for table in tables:
            for row in connection.execute(f"SELECT * FROM {table}"):
                for cell in row:
                    raw = cell.encode(errors="replace") if isinstance(cell, str) else cell
                    if isinstance(raw, bytes) and raw and is_pickle(raw, is_whole=True):
                        yield f"{path}, table {table}: {raw[:60]!r}"
    finally:
        connection.close()


def all_pickled(job: Job) -> list[str]:
    files = [path for path in job.folder.rglob("*") if path.is_file() and path.suffix != ".py"]
    return [place for path in files for place in pickled(path)]


@pytest.mark.full
@pytest.mark.parametrize("spider", ["pages", "patient", "rules", "maps", "api", "stock"])
def test_no_spider_needs_it(tmp_path, server, spider):
    job = Job(tmp_path, server, spider)
    calls = without_pickle(job)
    dice = random.Random(1)
    for number in (signal.SIGKILL, signal.SIGTERM):
        assert job.stop([number], 40, dice)
        assert all_pickled(job) == []
    job.finish()
    assert_whole(job)
    assert all_pickled(job) == []
    assert not calls.exists(), calls.read_text("utf-8")


@pytest.mark.full
def test_what_scrapy_pickles_is_seen(tmp_path, server):
    """Else the test above could not fail."""
    job = Job(tmp_path, server, "stock", is_durable=False)
    assert job.stop([signal.SIGTERM], 40, random.Random(1))
    assert {place.split(" at ")[0].split("/")[-1] for place in all_pickled(job)} >= {"spider.state"}
    assert any("requests.queue" in place for place in all_pickled(job))


@pytest.mark.full
def test_a_call_that_scrapy_makes_is_seen(tmp_path, server):
    job = Job(tmp_path, server, "stock", is_durable=False)
    calls = without_pickle(job)
    job.run()
    assert "squeues.py" in calls.read_text("utf-8")


@pytest.mark.parametrize("protocol", range(6))
def test_a_pickle_in_a_cell_is_seen(tmp_path, protocol):
    import pickle

    connection = sqlite3.connect(tmp_path / "job.sqlite")
    connection.execute("CREATE TABLE rows (data BLOB)")
    data = pickle.dumps({"url": "http://a.cn/" * 1000, "meta": {1: (2, 3)}}, protocol)
    connection.execute("INSERT INTO rows VALUES (?)", (data,))
    connection.execute("INSERT INTO rows VALUES (?)", ('{"url": "http://a.cn/", "meta": []}',))
    connection.commit()
    connection.close()
    assert len(list(pickled(tmp_path / "job.sqlite"))) in (1, 2)
