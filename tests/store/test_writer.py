from __future__ import annotations

import dataclasses
import os
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from quarkcrawl.errors import InputError, StoreError
from quarkcrawl.store import appendfile
from quarkcrawl.store.corpus import Corpus
from quarkcrawl.store.layout import page_dat_path
from quarkcrawl.store.repair.verify import verify
from quarkcrawl.store.tables.journal import journal_files, read_lines, replay
from quarkcrawl.store.tables.rows import DropRow, PageRow, RedirectRow
from quarkcrawl.store.tables.stream import iter_rows
from quarkcrawl.store.tianwang.reader import read_at
from quarkcrawl.store.writer import CorpusWriter
from tests.store.samples import duplicate_row, make_body, make_item
from tests.store.spec_reader import spec_records

DROP = DropRow("http://a.cn/x", "a.cn", "http_404", "", 2, 5.0)


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_pages_are_read_back_by_a_reader_of_the_specification(tmp_path: Path) -> None:
    items = [make_item(n, host=f"h{n % 7}.cn") for n in range(40)]
    with CorpusWriter(tmp_path) as writer:
        rows = [writer.append_page(item) for item in items]
    by_spec = {
        record["url"]: (host, record)
        for host in {item.host for item in items}
        for record in spec_records(page_dat_path(tmp_path, host))
    }
    assert len(by_spec) == 40
    for item, row in zip(items, rows, strict=True):
        host, record = by_spec[item.url]
        assert host == item.host
        assert record["body"] == item.body
        assert (record["offset"], record["length"]) == (row.offset, row.length)
        assert record["date"] == int(item.fetched_at)
        assert record["ip"] == "127.0.0.1"
        head = record["head"]
        assert isinstance(head, bytes)
        assert b"X-Crawler-Content-Encoding: gzip\r\n" in head
        assert b"Content-Length: %d" % len(item.body) in head


def test_all_rows_come_back_from_journal_and_from_parquet(tmp_path: Path) -> None:
    others = [
        DROP,
        RedirectRow("http://a.cn/1", "http://a.cn/2", 301, 2, 1.5, in_scope=True),
        duplicate_row("http://a.cn/3", "http://a.cn/4", b"ab", 2, 2.5),
    ]
    writer = CorpusWriter(tmp_path)
    pages = [writer.append_page(make_item(n, analysis={"n": n})) for n in range(5)]
    for row in others:
        writer.append_row(row)  # type: ignore[arg-type]
    assert list(replay(tmp_path)) == [*pages, *others]
    assert list(iter_rows(tmp_path, "page")) == pages
    writer.close()
    assert journal_files(tmp_path) == []
    assert list(iter_rows(tmp_path, "page")) == pages
    found = [row for kind in ("drop", "redirect", "duplicate") for row in iter_rows(tmp_path, kind)]  # type: ignore[arg-type]
    assert found == others
    assert list(verify(tmp_path)) == []


@pytest.mark.full
def test_few_open_files_for_many_hosts(tmp_path: Path) -> None:
    limit_before = open_files()
    rng = random.Random(1)
    with CorpusWriter(tmp_path, max_open_files=3) as writer:
        for n in range(200):
            writer.append_page(make_item(n, host=f"h{rng.randrange(20)}.cn"))
            if n % 10 == 9:
                writer.sync().acknowledged()
            assert open_files() - limit_before <= 3 + 10 + 4
    assert open_files() <= limit_before  # what others left open may have been collected meanwhile
    assert list(verify(tmp_path)) == []


def test_a_host_evicted_and_opened_again_within_a_group(tmp_path: Path) -> None:
    with CorpusWriter(tmp_path, max_open_files=1) as writer:
        for n in range(30):
            writer.append_page(make_item(n, host=f"h{n % 3}.cn"))
        writer.sync()
    assert list(verify(tmp_path)) == []


def test_groups_hold_what_was_appended_since_the_last_cut(tmp_path: Path) -> None:
    with CorpusWriter(tmp_path) as writer:
        assert writer.cut().n_rows == 0
        writer.append_page(make_item(1))
        writer.append_row(DROP)
        assert writer.cut().n_rows == 2
        assert writer.cut().n_rows == 0


def test_sync_calls_fdatasync_for_pages_before_the_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    real = os.fdatasync

    def fdatasync(fd: int) -> None:
        synced.append(Path(f"/proc/self/fd/{fd}").readlink().name)
        real(fd)

    monkeypatch.setattr(appendfile.os, "fdatasync", fdatasync)
    with CorpusWriter(tmp_path) as writer:
        writer.append_page(make_item(1, host="a.cn"))
        writer.append_page(make_item(2, host="b.cn"))
        group = writer.cut()
        assert synced == []
        group.sync()
        assert synced == ["page.dat", "page.dat", "rows-000001.jsonl"]
        group.sync()  # once is enough
        writer.append_page(make_item(3, host="b.cn"))
        writer.sync()
        assert synced[3:] == ["page.dat", "rows-000001.jsonl"]


def test_a_later_group_takes_the_earlier_ones_along(tmp_path: Path) -> None:
    with CorpusWriter(tmp_path) as writer:
        writer.append_page(make_item(1, host="a.cn"))
        first = writer.cut()
        writer.append_page(make_item(2, host="b.cn"))
        second = writer.cut()
        with pytest.raises(StoreError, match="only after its sync"):
            second.acknowledged()
        second.sync()
        assert first.synced
        assert second.synced
        marks = [
            line for line in read_lines(journal_files(tmp_path)[0][1]) if line.kind == "synced"
        ]
        assert len(marks) == 1


def test_syncs_in_threads_while_the_owner_appends(tmp_path: Path) -> None:
    with CorpusWriter(tmp_path, max_open_files=4) as writer, ThreadPoolExecutor(4) as pool:
        waiting = []
        for n in range(400):
            writer.append_page(make_item(n, host=f"h{n % 11}.cn"))
            if n % 8 == 7:
                group = writer.cut()
                waiting.append((group, pool.submit(group.sync)))
        for group, future in waiting:
            future.result()
            assert group.synced
            group.acknowledged()
    assert list(verify(tmp_path)) == []
    assert Corpus.open(tmp_path).info().pages == 400


def test_a_failed_sync_stops_the_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A device that fails to sync cannot be had in a test; after it nothing may be believed."""
    writer = CorpusWriter(tmp_path)
    writer.append_page(make_item(1))
    writer.sync().acknowledged()

    def fdatasync(fd: int) -> None:
        raise OSError(5, "Input/output error")

    writer.append_page(make_item(2))
    group = writer.cut()
    monkeypatch.setattr(appendfile.os, "fdatasync", fdatasync)
    for _ in range(2):
        with pytest.raises(StoreError, match=r"page\.dat.*Input/output error"):
            group.sync()
    with pytest.raises(StoreError, match="only after its sync"):
        group.acknowledged()
    monkeypatch.undo()
    with pytest.raises(StoreError, match="the writer stopped"):
        writer.append_page(make_item(3))
    writer.close()
    writer.close()
    with CorpusWriter(tmp_path) as again:  # the page is there by luck, but not lost by us
        again.append_page(make_item(3))
    assert list(verify(tmp_path)) == []


def test_a_page_that_cannot_be_taken_back_stops_the_writer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its record stays in page.dat: rows of later pages would point beside their records."""
    writer = CorpusWriter(tmp_path)
    writer.append_page(make_item(1, host="a.cn"))

    def fails(*_: Any) -> None:
        raise OSError(5, "device failed")

    def is_full(_: bytes) -> int:
        raise StoreError("no room", where="journal")

    monkeypatch.setattr(writer._rotation.journal, "append", is_full)
    monkeypatch.setattr(appendfile.os, "ftruncate", fails)
    with pytest.raises(StoreError, match="no room"):
        writer.append_page(make_item(2, host="a.cn"))
    monkeypatch.undo()
    with pytest.raises(StoreError, match="writer stopped"):
        writer.append_page(make_item(3, host="a.cn"))
    writer.close()
    with CorpusWriter(tmp_path) as again:
        assert [cut.host for cut in again.recovery.cuts] == ["a.cn"]
        again.append_page(make_item(2, host="a.cn"))
    assert list(verify(tmp_path)) == []


def test_what_cannot_be_stored_leaves_nothing(tmp_path: Path) -> None:
    with CorpusWriter(tmp_path) as writer:
        for bad in (
            make_item(1, host="../../etc"),
            make_item(1, url="http://a.cn/\nlength: 0"),
            make_item(1, fetched_at=-5.0),
        ):
            with pytest.raises(InputError):
                writer.append_page(bad)
        writer.append_page(make_item(2))
    assert Corpus.open(tmp_path).info().pages == 1
    assert list(verify(tmp_path)) == []


def test_a_closed_writer(tmp_path: Path) -> None:
    writer = CorpusWriter(tmp_path)
    writer.close()
    with pytest.raises(StoreError, match="closed"):
        writer.append_page(make_item(1))
    with pytest.raises(StoreError, match="closed"):
        writer.cut()


def test_rotation_waits_for_the_acknowledgement(tmp_path: Path) -> None:
    calls: list[list[int]] = []

    def on_rotate() -> None:
        calls.append([number for number, _ in journal_files(tmp_path)])
        assert threading.current_thread() is threading.main_thread()

    writer = CorpusWriter(tmp_path, rotate_bytes=3000, on_rotate=on_rotate)
    for n in range(10):
        writer.append_page(make_item(n))
    first = writer.cut()
    writer.append_page(make_item(10))
    second = writer.cut()
    second.sync()
    assert [number for number, _ in journal_files(tmp_path)] == [1, 2]
    assert calls == []
    first.acknowledged()
    assert calls == [[1, 2]]
    second.acknowledged()
    assert calls == [[1, 2]]
    writer.close()
    assert len(calls) == 2
    assert [row.url for row in iter_rows(tmp_path, "page")] == [make_item(n).url for n in range(11)]


def test_only_acknowledged_files_are_compacted(tmp_path: Path) -> None:
    with CorpusWriter(tmp_path, rotate_bytes=1) as writer:
        groups = []
        for n in range(4):
            writer.append_page(make_item(n))
            groups.append(writer.cut())
        groups[-1].sync()
        assert [number for number, _ in journal_files(tmp_path)] == [1, 2, 3, 4, 5]
        groups[1].acknowledged()
        writer._rotation._thread.submit(int).result()  # after the compaction
        assert [number for number, _ in journal_files(tmp_path)] == [3, 4, 5]
        assert len(list(iter_rows(tmp_path, "page"))) == 4


def test_a_compaction_that_failed_is_made_up_by_the_next_or_told_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with CorpusWriter(tmp_path) as writer, monkeypatch.context() as patch:
        patch.setattr("quarkcrawl.store.tables.rotation.compact", _no_memory)
        writer.append_page(make_item(0))
        writer.rotate()
        writer._rotation._thread.submit(int).result()
        assert [number for number, _ in journal_files(tmp_path)] == [1, 2]
        patch.undo()
        writer.append_page(make_item(1))
    assert "compaction failed, the next one makes it up" in caplog.text
    assert journal_files(tmp_path) == []
    writer = CorpusWriter(tmp_path)
    writer.append_page(make_item(2))
    monkeypatch.setattr("quarkcrawl.store.tables.rotation.compact", _no_memory)
    with pytest.raises(StoreError, match="compaction failed, the next run makes it up"):
        writer.close()
    monkeypatch.undo()
    assert len(journal_files(tmp_path)) == 1
    CorpusWriter(tmp_path).close()  # the lock is free
    assert journal_files(tmp_path) == []
    urls = Corpus.open(tmp_path).table("page").to_table()["url"].to_pylist()
    assert sorted(urls) == sorted(make_item(n).url for n in range(3))


def _no_memory(root: Path, number: int) -> int:
    raise MemoryError("realloc of size 128 failed")


@pytest.mark.full
def test_many_rotations_lose_and_repeat_nothing(tmp_path: Path) -> None:
    with CorpusWriter(tmp_path, rotate_bytes=4000) as writer:
        for n in range(300):
            writer.append_page(make_item(n, host=f"h{n % 3}.cn"))
            if n % 5 == 4:
                writer.sync().acknowledged()
            if n % 50 == 0:  # a reader sees each row once at any moment
                seen = [row.url for row in iter_rows(tmp_path, "page")]
                assert len(seen) == len(set(seen)) == n + 1
    assert list(verify(tmp_path)) == []
    assert Corpus.open(tmp_path).info().pages == 300


@pytest.mark.full
def test_reading_all_the_while(tmp_path: Path) -> None:
    """Readers in another thread never miss or repeat a row that was there when they began."""
    done = threading.Event()
    faults: list[str] = []
    appended = [0]

    def read() -> None:
        while not done.is_set():
            least = appended[0]
            rows: list[Any] = list(iter_rows(tmp_path, "page"))
            urls = [row.url for row in rows]
            if len(urls) != len(set(urls)) or len(urls) < least:
                faults.append(f"{least} appended, {len(urls)} rows, {len(set(urls))} urls")
            for row in rows[-3:]:
                assert read_at(page_dat_path(tmp_path, row.host), row.offset).url == row.url

    with CorpusWriter(tmp_path, rotate_bytes=6000) as writer:
        thread = threading.Thread(target=read)
        thread.start()
        for n in range(600):
            writer.append_page(make_item(n, host=f"h{n % 5}.cn", body=make_body(n, n_words=20)))
            appended[0] = n + 1
            if n % 5 == 4:
                writer.sync().acknowledged()
        done.set()
        thread.join()
    assert faults == []


def test_appending_to_an_old_corpus(tmp_path: Path) -> None:
    for start in (0, 10, 20):
        with CorpusWriter(tmp_path) as writer:
            assert writer.recovery.nothing_done
            for n in range(start, start + 10):
                writer.append_page(make_item(n))
    rows: list[PageRow] = list(Corpus.open(tmp_path).pages())
    assert sorted(row.url for row in rows) == sorted(make_item(n).url for n in range(30))
    assert list(verify(tmp_path)) == []


def test_items_are_not_touched(tmp_path: Path) -> None:
    item = make_item(1)
    before = dataclasses.replace(item)
    with CorpusWriter(tmp_path) as writer:
        writer.append_page(item)
    assert item == before
