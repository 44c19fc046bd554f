from __future__ import annotations

import json
import random
import shutil
from typing import TYPE_CHECKING

import pytest

from quarkcrawl.errors import StorageFullError, StoreError
from quarkcrawl.store.corpus import Corpus
from quarkcrawl.store.layout import page_dat_path
from quarkcrawl.store.repair import cuts as filecuts
from quarkcrawl.store.repair.recovery import recover
from quarkcrawl.store.repair.salvage.salvage import salvage
from quarkcrawl.store.repair.verify import verify
from quarkcrawl.store.tables.journal import journal_files, journal_path, read_lines, replay
from quarkcrawl.store.tables.stream import iter_rows
from quarkcrawl.store.writer import CorpusWriter
from tests.profiles import examples
from tests.store.samples import make_item

if TYPE_CHECKING:
    from pathlib import Path

    from quarkcrawl.store.tables.rows import PageRow

HOSTS = ["a.cn", "b.cn", "c.cn"]


def crashed(
    root: Path, *, synced: int, unsynced: int, rotate_bytes: int = 1 << 30
) -> list[PageRow]:
    """A corpus as a writer leaves it that dies: all of it in the kernel, some of it synced."""
    live = root.with_name(root.name + "-live")
    with CorpusWriter(live, rotate_bytes=rotate_bytes) as writer:
        rows = []
        for n in range(synced):
            rows.append(writer.append_page(make_item(n, host=HOSTS[n % 3])))
            if n % 4 == 3:
                writer.sync()  # never acknowledged: nothing is compacted
        writer.sync()
        rows += [
            writer.append_page(make_item(n, host=HOSTS[n % 3]))
            for n in range(synced, synced + unsynced)
        ]
        shutil.copytree(live, root)
    shutil.rmtree(live)
    return rows


def urls(root: Path) -> set[str]:
    found = [row.url for row in iter_rows(root, "page")]
    assert len(found) == len(set(found))
    return set(found)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "corpus"


def test_nothing_to_do_after_a_clean_close(root: Path) -> None:
    with CorpusWriter(root) as writer:
        writer.append_page(make_item(1))
    assert recover(root).nothing_done


def test_a_killed_writer_loses_nothing(root: Path) -> None:
    rows = crashed(root, synced=10, unsynced=5)
    recovery = recover(root)
    assert recovery.nothing_done
    assert recovery.rows_checked == 5
    assert list(replay(root)) == rows
    assert list(verify(root)) == []
    assert recover(root).rows_checked == 0  # what was checked is synced and marked


def test_a_record_without_its_row_is_cut(root: Path) -> None:
    rows = crashed(root, synced=6, unsynced=3)
    path = journal_path(root, 1)
    lines = list(read_lines(path))
    torn = path.read_bytes()[: lines[-1].offset + 30]
    path.write_bytes(torn)
    recovery = recover(root)
    assert recovery.journal_bytes_cut == 30
    assert [(cut.host, cut.kept_bytes, cut.cut_bytes) for cut in recovery.cuts] == [
        (rows[-1].host, rows[-1].offset, rows[-1].length)
    ]
    assert urls(root) == {row.url for row in rows[:-1]}
    assert list(verify(root)) == []
    copies = list((root / "salvage").glob("cut-*/*"))
    assert [copy.name for copy in copies] == [f"{rows[-1].host}@{rows[-1].offset}"]
    assert copies[0].stat().st_size == rows[-1].length


def test_a_new_host_without_any_row_disappears(root: Path) -> None:
    crashed(root, synced=3, unsynced=0)
    path = page_dat_path(root, "new.cn")
    path.parent.mkdir(parents=True)
    path.write_bytes(b"version: 1.0\nurl: http://new.cn/\n")
    recovery = recover(root)
    assert [cut.host for cut in recovery.cuts] == ["new.cn"]
    assert not path.parent.exists()
    assert list(verify(root)) == []


def test_rows_in_parquet_protect_their_records(root: Path) -> None:
    with CorpusWriter(root) as writer:
        for n in range(6):
            writer.append_page(make_item(n, host=HOSTS[n % 3]))
    (root / "journal").mkdir(exist_ok=True)
    journal_path(root, 2).write_bytes(b"")  # a writer that was killed right after opening
    assert recover(root).nothing_done
    with page_dat_path(root, "a.cn").open("ab") as file:
        file.write(b"version: 1.0\nurl: torn")
    recovery = recover(root)
    assert [cut.cut_bytes for cut in recovery.cuts] == [22]
    assert len(urls(root)) == 6
    assert list(verify(root)) == []


def test_power_cut_with_the_journal_ahead_of_the_pages(root: Path) -> None:
    """Rows reached the disk, their records did not: the file is short, or full of zeros."""
    for loss in ("short", "zeros"):
        rows = crashed(root, synced=9, unsynced=6)
        path = page_dat_path(root, "b.cn")
        lost = [row for row in rows[9:] if row.host == "b.cn"]
        assert len(lost) == 2
        data = path.read_bytes()
        kept = data[: lost[0].offset + 10]
        path.write_bytes(kept if loss == "short" else kept + bytes(len(data) - len(kept)))
        recovery = recover(root)
        assert recovery.rows_dropped == 2
        assert urls(root) == {row.url for row in rows} - {row.url for row in lost}
        assert list(verify(root)) == []
        with CorpusWriter(root) as writer:  # the pages are fetched again
            for row in lost:
                writer.append_page(make_item(int(row.url[len("http://b.cn/p") : -5]), host="b.cn"))
        assert urls(root) == {row.url for row in rows}
        assert list(verify(root)) == []
        shutil.rmtree(root)


def test_power_cut_with_a_hole_in_the_journal(root: Path) -> None:
    """A block of the unsynced part of the journal is lost, a later one is there."""
    rows = crashed(root, synced=9, unsynced=6)
    path = journal_path(root, 1)
    data = bytearray(path.read_bytes())
    unsynced = [line for line in read_lines(path) if line.kind == "page"][9:]
    data[unsynced[2].offset : unsynced[2].offset + 100] = bytes(100)
    path.write_bytes(data)
    recover(root)
    assert urls(root) == {row.url for row in rows[:11]}
    assert list(verify(root)) == []


@pytest.mark.parametrize("seed", range(examples(60)))
def test_random_power_cuts(root: Path, seed: int) -> None:
    """Synced bytes stay; of the others any suffix, or any 512-byte block, may be lost."""
    rng = random.Random(seed)
    n_synced, n_unsynced = rng.randrange(12), rng.randrange(1, 12)
    rotate_bytes = rng.choice([1 << 30, 5000])
    rows = crashed(root, synced=n_synced, unsynced=n_unsynced, rotate_bytes=rotate_bytes)
    synced, unsynced = rows[:n_synced], rows[n_synced:]
    files = {page_dat_path(root, host): 0 for host in HOSTS}
    for row in synced:
        path = page_dat_path(root, row.host)
        files[path] = max(files[path], row.offset + row.length)
    for _, path in journal_files(root):
        files[path] = durable_end(path, {row.url for row in synced})
    for path, durable in files.items():
        if path.exists():
            damage(rng, path, durable)
    recover(root)
    assert {row.url for row in synced} <= urls(root) <= {row.url for row in rows}
    assert list(verify(root)) == []
    missing = [row for row in unsynced if row.url not in urls(root)]
    with CorpusWriter(root) as writer:
        for row in missing:
            number = int(row.url.rpartition("/p")[2][:-5])
            writer.append_page(make_item(number, host=row.host))
    assert urls(root) == {row.url for row in rows}
    assert list(verify(root)) == []


def durable_end(journal: Path, synced: set[str]) -> int:
    """End of the last line of a synced row."""
    ends = [0]
    for line in read_lines(journal):
        if line.kind == "page" and json.loads(line.payload or b"")["url"] in synced:
            ends.append(line.end)
    return max(ends)


def damage(rng: random.Random, path: Path, durable: int) -> None:
    data = bytearray(path.read_bytes())
    if len(data) <= durable:
        return
    how = rng.choice(["nothing", "cut", "blocks", "both"])
    if how in {"blocks", "both"}:
        for start in range(durable, len(data), 512):
            if rng.random() < 0.3:
                data[start : start + 512] = bytes(len(data[start : start + 512]))
    if how in {"cut", "both"}:
        del data[rng.randrange(durable, len(data)) :]
    path.write_bytes(data)


def test_synced_pages_that_are_gone_are_not_papered_over(root: Path) -> None:
    crashed(root, synced=9, unsynced=0)
    path = page_dat_path(root, "b.cn")
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(StoreError, match=r"page\.dat: .*corpus salvage"):
        CorpusWriter(root)
    salvage(root)
    with CorpusWriter(root):
        pass
    assert len(urls(root)) == 8
    path.unlink()
    (root / "journal").mkdir(exist_ok=True)
    journal_path(root, 9).write_bytes(b"")
    with pytest.raises(StoreError, match="missing"):
        CorpusWriter(root)


def test_synced_rows_that_are_damaged_are_not_papered_over(root: Path) -> None:
    rows = crashed(root, synced=9, unsynced=0)
    path = journal_path(root, 1)
    data = bytearray(path.read_bytes())
    data[50] ^= 1
    path.write_bytes(data)
    with pytest.raises(StoreError, match=r"rows-000001\.jsonl@0: .*corpus salvage"):
        CorpusWriter(root)
    assert salvage(root).rows_rebuilt == 1
    with CorpusWriter(root):
        pass
    assert urls(root) == {row.url for row in rows}
    assert list(verify(root)) == []


def test_lost_tables_do_not_cost_the_pages(root: Path) -> None:
    """Someone deleted the tables: what recovery cuts is kept, and salvage brings it back."""
    crashed(root, synced=9, unsynced=0)
    shutil.rmtree(root / "journal")
    (root / "journal").mkdir()
    journal_path(root, 1).write_bytes(b"")
    recover(root)
    assert urls(root) == set()
    report = salvage(root, include_cut=True)
    assert report.records_kept == report.rows_rebuilt == 9
    assert len(urls(root)) == 9
    assert list(verify(root)) == []


def test_a_table_that_is_empty_is_named(root: Path) -> None:
    with CorpusWriter(root) as writer:
        writer.append_page(make_item(1))
    (part,) = root.glob("analysis/pages/bucket=*/part-*.parquet")
    part.write_bytes(b"")
    journal_path(root, 9).parent.mkdir(exist_ok=True)
    journal_path(root, 9).touch()
    with pytest.raises(StoreError, match=part.name):
        recover(root)


def test_no_room_for_copies(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = crashed(root, synced=9, unsynced=0)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(filecuts.shutil, "copyfileobj", full)
    with page_dat_path(root, "a.cn").open("ab") as file:
        file.write(b"torn")
    recover(root)  # a little is cut without a copy
    assert len(urls(root)) == 9
    monkeypatch.setattr(filecuts, "_UNSAVED_BYTES", 3)
    with page_dat_path(root, "a.cn").open("ab") as file:
        file.write(b"torn")
    with pytest.raises(StorageFullError, match="copy"):
        recover(root)
    assert page_dat_path(root, "a.cn").read_bytes().endswith(b"torn")
    assert Corpus.open(root).read(rows[0]).url == rows[0].url
