"""Merging shards: each URL and each body once, nothing else lost."""

from __future__ import annotations

import errno
import json
import shutil
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.cli import main
from quarkcrawl.corpus.merge import merge_corpora
from quarkcrawl.errors import CorpusLockedError, InputError, StorageFullError, StoreError
from quarkcrawl.store import BulkWriter, Corpus, CorpusWriter, DropRow, RedirectRow
from quarkcrawl.store.layout import page_dat_path, stored_files
from quarkcrawl.store.repair.verify import verify
from quarkcrawl.store.shards import is_sharded, open_shard, shard_roots, worker_of
from tests.corpus.merge_samples import write_page
from tests.store.samples import duplicate_row


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """Two workers' shards with overlaps of every kind."""
    root = tmp_path / "shared"
    with open_shard(root) as one, open_shard(root) as two:
        write_page(one, "http://a.cn/", fetched_at=1, links=["http://a.cn/1"])
        write_page(one, "http://a.cn/1", level=2, fetched_at=5)
        write_page(two, "http://a.cn/1", level=2, fetched_at=3, body=b"<p>earlier version")
        write_page(two, "http://a.cn/2", level=2, fetched_at=4, links=["http://a.cn/9"])
        same = b"<p>the same body"
        write_page(one, "http://b.cn/", fetched_at=7, body=same, links=["http://b.cn/x"])
        write_page(two, "http://c.cn/", fetched_at=6, body=same)
        one.append_row(duplicate_row("http://b.cn/d", "http://b.cn/", bytes(16), 2, 8.0))
        two.append_row(duplicate_row("http://b.cn/d", "http://b.cn/", bytes(16), 2, 9.0))
        two.append_row(RedirectRow("http://c.cn/r", "http://c.cn/", 301, 2, 9.0, True))
        two.append_row(DropRow("http://a.cn/1", "a.cn", "lease_expired", "", 2, 2.0))
        one.append_row(DropRow("http://a.cn/no", "a.cn", "http_404", "", 2, 2.0))
    return root


def test_merge(shared: Path, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in shared.rglob("page.dat")}
    report = merge_corpora([shared], tmp_path / "out")
    corpus = Corpus.open(tmp_path / "out")
    assert list(verify(corpus.root)) == []
    rows = {row.url: row for row in corpus.pages()}
    assert rows.keys() == {"http://a.cn/", "http://a.cn/1", "http://a.cn/2", "http://c.cn/"}
    assert corpus.page(rows["http://a.cn/1"]).body == b"<p>earlier version"
    assert [link.url for link in rows["http://a.cn/2"].links] == ["http://a.cn/9"]
    duplicates = {row.url: row for row in corpus.duplicates()}
    assert duplicates["http://b.cn/"].duplicate_of == "http://c.cn/"
    assert [link.url for link in duplicates["http://b.cn/"].links] == ["http://b.cn/x"]
    assert duplicates.keys() == {"http://b.cn/", "http://b.cn/d"}
    assert [row.url for row in corpus.redirects()] == ["http://c.cn/r"]
    assert [(row.url, row.reason) for row in corpus.drops()] == [("http://a.cn/no", "http_404")]
    assert (report.pages, report.url_twice, report.md5_twice, report.hosts) == (4, 1, 1, 2)
    assert (report.duplicates, report.redirects, report.drops, report.damaged) == (2, 1, 1, 0)
    per_host = Counter(host for _, host, _ in stored_files(corpus.root))
    assert per_host == {"a.cn": 1, "c.cn": 1}, "exactly one page.dat a host"
    assert {path: path.read_bytes() for path in shared.rglob("page.dat")} == before


def test_a_damaged_record_costs_only_its_page(shared: Path, tmp_path: Path) -> None:
    shard = shared / "workers" / "002"
    row = next(row for row in Corpus.open(shard).pages() if row.url == "http://a.cn/2")
    path = page_dat_path(shard, row.host)
    data = bytearray(path.read_bytes())
    data[row.offset + row.length - 12] ^= 0xFF
    path.write_bytes(data)
    report = merge_corpora([shared], tmp_path / "out")
    assert (report.damaged, report.pages) == (1, 3)
    drops = {row.url: row.reason for row in Corpus.open(tmp_path / "out").drops()}
    assert drops["http://a.cn/2"] == "damaged"
    assert list(verify(tmp_path / "out")) == []


def test_a_merge_of_merges_changes_nothing(shared: Path, tmp_path: Path) -> None:
    merge_corpora([shared], tmp_path / "one")
    shutil.copytree(tmp_path / "one", tmp_path / "copy")
    report = merge_corpora([tmp_path / n for n in ("one", "copy", "one")], tmp_path / "two")
    one, two = (sorted(r.url for r in Corpus.open(tmp_path / n).pages()) for n in ("one", "two"))
    assert one == two
    assert report.url_twice == 4


def test_nothing_is_overwritten_and_nobody_disturbed(shared: Path, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(InputError, match="already"):
        merge_corpora([shared], tmp_path / "there")
    with pytest.raises(StoreError, match="no corpus"):
        merge_corpora([tmp_path / "there"], tmp_path / "out")
    with (
        CorpusWriter(shared / "workers" / "001"),
        pytest.raises(CorpusLockedError, match="in use"),
    ):
        merge_corpora([shared], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_interrupted_merge_is_begun_anew(shared: Path, tmp_path: Path) -> None:
    with CorpusWriter(tmp_path / "out.merging") as writer:
        write_page(writer, "http://left.over/")
    merge_corpora([shared], tmp_path / "out")
    assert "http://left.over/" not in {row.url for row in Corpus.open(tmp_path / "out").pages()}
    assert not (tmp_path / "out.merging").exists()


def test_a_merge_that_fails_leaves_nothing(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    (tmp_path / "out.merging").mkdir()  # of a disk without room for the marker
    monkeypatch.setattr(BulkWriter, "append_records", full)
    with pytest.raises(StorageFullError, match="no room"):
        merge_corpora([shared], tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == [shared.name]


@pytest.mark.full
@settings(max_examples=6)
@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 5), st.integers(0, 3), st.integers(0, 9)),
        max_size=16,
    )
)
def test_merge_agrees_with_a_plain_rule(tmp_path_factory, pages) -> None:
    """First by time: a URL that is new, then a body that is new."""
    root = tmp_path_factory.mktemp("merge")
    expected: dict[str, int] = {}
    seen_urls, order = set(), []
    with open_shard(root / "s") as one, open_shard(root / "s") as two, open_shard(root / "s") as x:
        writers = [one, two, x]
        for shard, url, body, at in pages:
            write_page(writers[shard], f"http://a.cn/{url}", body=b"<p>%d" % body, fetched_at=at)
    for number, path in enumerate(shard_roots(root / "s")):
        for row in Corpus.open(path).pages():
            order.append((row.fetched_at, number, row.offset, row.url, row.md5))
    bodies = set()
    for _, _, _, url, md5 in sorted(order):
        if url in seen_urls:
            continue
        seen_urls.add(url)
        if md5 not in bodies:
            bodies.add(md5)
            expected[url] = 1
    report = merge_corpora([root / "s"], root / "out")
    rows = list(Corpus.open(root / "out").pages())
    assert {row.url for row in rows} == set(expected)
    assert {row.md5 for row in rows} == bodies
    assert report.url_twice == len(order) - len(seen_urls)
    assert report.md5_twice == len(seen_urls) - len(expected)


# -- shards


def test_workers_take_free_shards(tmp_path: Path) -> None:
    first, second = open_shard(tmp_path), open_shard(tmp_path)
    assert [w.root.name for w in (first, second)] == ["001", "002"]
    name = worker_of(first.root, "host")
    first.close()
    again = open_shard(tmp_path)
    assert again.root.name == "001"
    assert worker_of(again.root, "other") == name
    assert worker_of(second.root, "host") != name
    again.close()
    second.close()
    assert is_sharded(tmp_path)
    assert [root.name for root in shard_roots(tmp_path)] == ["001", "002"]
    with pytest.raises(StoreError, match="no corpus"):
        shard_roots(tmp_path / "workers")


def test_a_corpus_of_one_process_takes_no_shards(tmp_path: Path) -> None:
    CorpusWriter(tmp_path).close()
    with pytest.raises(StoreError, match="one process"):
        open_shard(tmp_path)


@pytest.mark.full
def test_commands_see_the_union(shared: Path, tmp_path: Path, capsys) -> None:
    assert main(["corpus", "info", str(shared), "--json"]) == 0
    info = json.loads(capsys.readouterr().out)
    assert (info["pages"], info["hosts"], info["duplicates"]) == (6, 3, 2)
    assert main(["corpus", "verify", str(shared)]) == 0
    assert "6 pages checked" in capsys.readouterr().err
    assert main(["corpus", "replay", str(shared)]) == 2
    assert "corpus merge" in capsys.readouterr().err
    assert main(["corpus", "merge", str(shared), "--out", str(tmp_path / "m")]) == 0
    assert json.loads(capsys.readouterr().out)["pages"] == 4


def damage(shard: Path, url: str) -> None:
    """Spoil the record of a page."""
    row = next(row for row in Corpus.open(shard).pages() if row.url == url)
    path = page_dat_path(shard, row.host)
    data = bytearray(path.read_bytes())
    data[row.offset + row.length - 12] ^= 0xFF
    path.write_bytes(data)


def test_a_whole_copy_takes_the_place_of_a_damaged_one(shared: Path, tmp_path: Path) -> None:
    damage(shared / "workers" / "002", "http://a.cn/1")  # its later version is in 001
    damage(shared / "workers" / "002", "http://c.cn/")  # its body is that of http://b.cn/ in 001
    report = merge_corpora([shared], tmp_path / "out")
    corpus = Corpus.open(tmp_path / "out")
    rows = {row.url: row for row in corpus.pages()}
    assert rows.keys() == {"http://a.cn/", "http://a.cn/1", "http://a.cn/2", "http://b.cn/"}
    assert b"http://a.cn/1" in corpus.page(rows["http://a.cn/1"]).body
    assert corpus.page(rows["http://b.cn/"]).body == b"<p>the same body"
    duplicates = {row.url: row.duplicate_of for row in corpus.duplicates()}
    assert duplicates == {"http://c.cn/": "http://b.cn/", "http://b.cn/d": "http://b.cn/"}
    assert (report.damaged, report.pages) == (0, 4)
    assert list(verify(corpus.root)) == []


def test_copies_that_are_all_damaged_are_dropped_once(shared: Path, tmp_path: Path) -> None:
    damage(shared / "workers" / "002", "http://a.cn/1")
    damage(shared / "workers" / "001", "http://a.cn/1")
    report = merge_corpora([shared], tmp_path / "out")
    drops = [row.url for row in Corpus.open(tmp_path / "out").drops() if row.reason == "damaged"]
    assert drops == ["http://a.cn/1"]
    assert report.damaged == 1


def test_a_file_that_is_gone_costs_only_its_pages(shared: Path, tmp_path: Path) -> None:
    page_dat_path(shared / "workers" / "002", "c.cn").unlink()
    report = merge_corpora([shared], tmp_path / "out")
    assert (report.pages, report.damaged) == (4, 0), "the body of c.cn is that of b.cn"
    page_dat_path(shared / "workers" / "001", "b.cn").unlink()
    report = merge_corpora([shared], tmp_path / "again")
    drops = {row.url: row.detail for row in Corpus.open(tmp_path / "again").drops()}
    assert drops["http://c.cn/"] == drops["http://b.cn/"] == "page.dat is not there"
    assert (report.pages, report.damaged) == (3, 2)
