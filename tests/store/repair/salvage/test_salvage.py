from __future__ import annotations

import random
import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest

from quarkcrawl.errors import StoreError
from quarkcrawl.store.corpus import Corpus
from quarkcrawl.store.layout import page_dat_path
from quarkcrawl.store.repair.salvage.report import SalvageJob
from quarkcrawl.store.repair.salvage.rows import SalvagedRows
from quarkcrawl.store.repair.salvage.salvage import salvage
from quarkcrawl.store.repair.verify import verify
from quarkcrawl.store.tables.parts import all_parts
from quarkcrawl.store.tables.rows import DropRow
from quarkcrawl.store.tables.stream import iter_rows
from quarkcrawl.store.tianwang.record import encode_record
from quarkcrawl.store.writer import CorpusWriter
from tests.profiles import examples
from tests.store.samples import make_item

if TYPE_CHECKING:
    from pathlib import Path

    from quarkcrawl.store.tables.rows import PageRow

N = 24
salvage_module = sys.modules[salvage.__module__]  # the package exports the function by that name


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "corpus"


@pytest.fixture
def rows(root: Path) -> dict[str, PageRow]:
    """A corpus with rows in Parquet and, the last third, in a journal left by a crash."""
    live = root.with_name("live")
    with CorpusWriter(live) as writer:
        found = []
        for n in range(N):
            found.append(writer.append_page(make_item(n, host=f"h{n % 3}.cn", analysis={"n": n})))
            if n == 15:
                writer.append_row(DropRow("http://a.cn/", "a.cn", "r", "", 1, 0.0))
                writer.rotate()
        writer.append_row(DropRow("http://b.cn/", "b.cn", "r", "", 1, 0.0))
        writer.sync()
        while len(list(live.glob("journal/*"))) > 1:
            pass
        shutil.copytree(live, root)
    return {row.url: row for row in found}


def bodies(root: Path) -> dict[str, bytes]:
    corpus = Corpus.open(root)
    return {row.url: corpus.page(row).body for row in corpus.pages()}


def injure(root: Path, host: str, at: int, data: bytes) -> None:
    path = page_dat_path(root, host)
    content = bytearray(path.read_bytes())
    content[at : at + len(data)] = data
    path.write_bytes(content)


def check(root: Path, rows: dict[str, PageRow], lost: set[str]) -> None:
    """All but the lost pages are there, with body and row as they were."""
    assert list(verify(root)) == []
    found = {row.url: row for row in iter_rows(root, "page")}
    assert set(found) == set(rows) - lost
    assert bodies(root) == {url: make_item(number(url), host=rows[url].host).body for url in found}  # type: ignore[arg-type]
    for url, row in found.items():
        assert row.analysis == rows[url].analysis  # type: ignore[union-attr]
    assert {row.url for row in iter_rows(root, "drop")} == {"http://a.cn/", "http://b.cn/"}
    with CorpusWriter(root) as writer:  # and the crawl can go on
        assert writer.recovery.nothing_done


def number(url: str) -> int:
    return int(url.rpartition("/p")[2][:-5])


@pytest.mark.parametrize("in_place", [True, False])
def test_a_sound_corpus_stays_as_it_is(
    root: Path, rows: dict[str, PageRow], in_place: bool
) -> None:
    before = {path: path.read_bytes() for path in root.glob("data_*/*/page.dat")}
    out = None if in_place else root.with_name("out")
    report = salvage(root, out)
    assert (report.records_kept, report.rows_kept) == (N, N)
    assert (report.records_lost, report.rows_rebuilt, report.rows_dropped) == (0, 0, 0)
    assert report.backup is None
    assert {path: path.read_bytes() for path in before} == before
    check(out or root, rows, set())


@pytest.mark.full
@pytest.mark.parametrize("in_place", [True, False])
def test_all_but_the_damaged_record(root: Path, rows: dict[str, PageRow], in_place: bool) -> None:
    victims = [row for row in rows.values() if row.host == "h1.cn"][2:7:2]
    for row in victims:
        injure(root, row.host, row.offset + row.length // 2, bytes(30))
    source = {path: path.read_bytes() for path in root.glob("data_*/*/page.dat")}
    out = None if in_place else root.with_name("out")
    report = salvage(root, out)
    assert (report.records_kept, report.records_lost) == (N - 3, 3)
    assert (report.rows_kept, report.rows_dropped, report.rows_rebuilt) == (N - 3, 3, 0)
    assert report.files_rewritten == (1 if in_place else 3)
    assert report.backup is not None
    copies = sorted(report.backup.iterdir(), key=lambda path: int(path.name.split("@")[1]))
    assert [copy.stat().st_size for copy in copies] == [row.length for row in victims]
    assert report.bytes_lost == sum(row.length for row in victims)
    check(out or root, rows, {row.url for row in victims})
    if not in_place:
        assert {path: path.read_bytes() for path in source} == source


@pytest.mark.parametrize("seed", range(examples(25)))
def test_random_injuries(root: Path, rows: dict[str, PageRow], seed: int) -> None:
    rng = random.Random(seed)
    touched = set()
    for _ in range(rng.randrange(1, 6)):
        host = f"h{rng.randrange(3)}.cn"
        path = page_dat_path(root, host)
        at = rng.randrange(path.stat().st_size)
        size = rng.randrange(1, 300)
        injure(root, host, at, rng.choice([bytes(size), rng.randbytes(size)]))
        touched |= {
            row.url
            for row in rows.values()
            if row.host == host and row.offset < at + size and at < row.offset + row.length
        }
    salvage(root)
    assert {p.kind for p in verify(root)} <= {"wrong host"}  # a header may name another URL now
    found = {row.url: row for row in iter_rows(root, "page")}
    assert set(rows) - touched <= set(found)
    assert salvage(root).files_rewritten == 0


def test_lost_rows_are_made_anew(root: Path, rows: dict[str, PageRow]) -> None:
    shutil.rmtree(root / "analysis")
    shutil.rmtree(root / "journal")
    report = salvage(root)
    assert (report.rows_kept, report.rows_rebuilt) == (0, N)
    assert list(verify(root)) == []
    for row in Corpus.open(root).pages():
        old = rows[row.url]
        assert (row.level, row.flags) == (0, ("salvaged",))
        for name in ("host", "offset", "length", "status", "mime", "charset", "charset_source",
                     "md5", "body_bytes", "title", "ip", "links", "origin"):  # fmt: skip
            assert getattr(row, name) == getattr(old, name), name
        assert row.fetched_at == int(old.fetched_at)


def test_a_lost_parquet_file(root: Path, rows: dict[str, PageRow]) -> None:
    part = all_parts(root, "page")[0]
    part.path.write_bytes(b"PAR1 no more")
    report = salvage(root)
    assert report.parts_lost == [part.path]
    assert report.rows_rebuilt > 0
    assert report.rows_kept + report.rows_rebuilt == N
    assert report.backup is not None
    assert len(list(report.backup.iterdir())) == 1
    assert list(verify(root)) == []
    assert rows


def test_rows_of_pages_that_are_gone(root: Path, rows: dict[str, PageRow]) -> None:
    page_dat_path(root, "h2.cn").unlink()
    report = salvage(root)
    assert report.rows_dropped == N // 3
    check(root, rows, {url for url, row in rows.items() if row.host == "h2.cn"})


def test_a_host_in_the_wrong_bucket_moves(root: Path, rows: dict[str, PageRow]) -> None:
    path = page_dat_path(root, "h0.cn")
    wrong = root / "data_9" / "h0.cn" / "page.dat"
    wrong.parent.mkdir(parents=True)
    path.rename(wrong)
    report = salvage(root)
    assert report.rows_kept == N
    assert not wrong.exists()
    check(root, rows, set())


def test_a_page_stored_twice_is_kept_once(root: Path, rows: dict[str, PageRow]) -> None:
    with page_dat_path(root, "h0.cn").open("ab") as file:
        file.write(encode_record(Corpus.open(root).read(next(iter(rows.values())))))
    report = salvage(root)
    assert report.repeated == 1
    check(root, rows, set())


def test_wrong_lengths_and_missing_line_feeds_are_mended(
    root: Path, rows: dict[str, PageRow]
) -> None:
    path = page_dat_path(root, "h1.cn")
    data = path.read_bytes()[:-1]
    head, _, tail = data.partition(b"\nlength: ")
    path.write_bytes(head + b"\nlength: 1" + tail)
    report = salvage(root)
    assert (report.records_kept, report.records_lost, report.rows_kept) == (N, 0, N)
    check(root, rows, set())


@pytest.mark.full
def test_interrupted_and_run_again(
    root: Path, rows: dict[str, PageRow], monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = next(row for row in rows.values() if row.host == "h1.cn")
    injure(root, victim.host, victim.offset + 200, bytes(30))
    real = salvage_module.salvage_host
    for survived in range(3):
        calls = 0

        def dies(*args: Any, survived: int = survived) -> Any:
            nonlocal calls
            calls += 1
            if calls > survived:
                raise KeyboardInterrupt
            return real(*args)

        monkeypatch.setattr(salvage_module, "salvage_host", dies)
        with pytest.raises(KeyboardInterrupt):
            salvage(root)
        with pytest.raises(StoreError, match="salvage was interrupted"):
            CorpusWriter(root)
    monkeypatch.setattr(salvage_module, "salvage_host", real)
    salvage(root)
    check(root, rows, {victim.url})


def test_interrupted_at_the_very_end_and_run_again(
    root: Path, rows: dict[str, PageRow], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new part of a table is there, and so is what it was made of."""
    real = SalvagedRows._delete

    def dies(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(SalvagedRows, "_delete", dies)
    with pytest.raises(KeyboardInterrupt):
        SalvagedRows(SalvageJob(root, root), 90)._carry_over("drop")
    monkeypatch.setattr(SalvagedRows, "_delete", real)
    salvage(root)
    assert sorted(row.url for row in iter_rows(root, "drop")) == ["http://a.cn/", "http://b.cn/"]
    check(root, rows, set())


def test_files_of_one_host_in_two_wrong_buckets_are_both_set_aside(
    root: Path, rows: dict[str, PageRow]
) -> None:
    for number, junk in ((8, b"first junk"), (9, b"other junk")):
        wrong = root / f"data_{number}" / "h0.cn" / "page.dat"
        wrong.parent.mkdir(parents=True)
        wrong.write_bytes(junk)
    report = salvage(root)
    assert report.backup is not None
    kept = [path.read_bytes() for path in report.backup.iterdir()]
    assert sorted(kept) == [b"first junk"] * 2 + [b"other junk"] * 2
    check(root, rows, set())


def test_page_dat_files_of_others(tmp_path: Path) -> None:
    """A folder with nothing but page.dat files becomes a corpus."""
    source = tmp_path / "source"
    path = page_dat_path(source, "www.pku.edu.cn")
    path.parent.mkdir(parents=True)
    with CorpusWriter(tmp_path / "c") as writer:
        row = writer.append_page(make_item(1, host="www.pku.edu.cn"))
    record = Corpus.open(tmp_path / "c").read(row)
    old = encode_record(record, compress=False).replace(
        b"http://www.pku.edu.cn/p1.html", "http://www.pku.edu.cn/中".encode("gbk")
    )
    path.write_bytes(old)
    report = salvage(source, tmp_path / "out")
    assert report.rows_rebuilt == 1
    assert list(verify(tmp_path / "out")) == []
    assert [row.url for row in Corpus.open(tmp_path / "out").pages()] == [
        "http://www.pku.edu.cn/%D6%D0"
    ]
    assert path.read_bytes() == old
    assert not (source / "corpus.json").exists()


def test_where_salvage_does_not_go(tmp_path: Path, root: Path, rows: dict[str, PageRow]) -> None:
    with pytest.raises(StoreError, match="no such folder"):
        salvage(tmp_path / "missing")
    with pytest.raises(StoreError, match="holds pages already"):
        salvage(root, tmp_path / "live")
    assert rows
