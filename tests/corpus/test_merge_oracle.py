"""Merging by sorting on disk beside a plain rule in memory; what holds of damaged records."""

from __future__ import annotations

import hashlib
import shutil
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.corpus.merge import merge_corpora
from quarkcrawl.store import Corpus, DropRow, RedirectRow, open_shard, page_dat_path, shard_roots
from quarkcrawl.store.repair import verify
from tests.corpus.merge_oracle import merged_rows, rows_of
from tests.corpus.merge_samples import write_page
from tests.store.samples import duplicate_row

KINDS = ["page", "page", "page", "duplicate", "redirect", "drop"]
ROWS = st.lists(
    st.tuples(
        st.integers(0, 2), st.sampled_from(KINDS), st.integers(0, 8), st.integers(0, 5),
        st.integers(0, 9), st.sampled_from([1, 1, 2, 3]),
    ),
    max_size=40,
)  # fmt: skip


def write_shards(out: Path, rows) -> None:
    with ExitStack() as stack:
        writers = [stack.enter_context(open_shard(out)) for _ in range(3)]
        for shard, *row in rows:
            write_row(writers[shard], *row)


def write_row(writer, kind, number, body, at, version=1) -> None:
    url = f"http://h{number % 3}.cn/{number}"
    content = b"<p>%d" % body
    links = [f"http://l.cn/{at}"]
    if kind == "page":
        write_page(writer, url, body=content, fetched_at=at, links=links, version=version)
    elif kind == "duplicate":
        digest = hashlib.md5(content, usedforsecurity=False).digest()
        writer.append_row(duplicate_row(url, f"http://o.cn/{body}", digest, 2, float(at)))
    elif kind == "redirect":
        writer.append_row(RedirectRow(url, f"http://t.cn/{body}", 301, 2, float(at), True))
    else:
        writer.append_row(DropRow(url, "h.cn", "http_404", "", 2, float(at)))


@pytest.mark.full
@settings(max_examples=15)
@given(ROWS)
def test_the_result_is_that_of_sets_in_memory(tmp_path_factory, rows) -> None:
    folder = tmp_path_factory.mktemp("merge")
    write_shards(folder / "shards", rows)
    report = merge_corpora([folder / "shards"], folder / "out")
    found, expected = rows_of(folder / "out"), merged_rows(folder / "shards")
    assert found == expected
    counts = (report.pages, report.duplicates, report.redirects, report.drops)
    assert counts == tuple(len(rows) for rows in expected.values())
    assert report.hosts == len({url.split("/")[2] for url in expected["page"]})
    assert list(verify(folder / "out")) == []


@pytest.mark.full
def test_many_shards_leave_few_parts(tmp_path) -> None:
    """Also rows that a killed worker left in its journal."""
    n_shards = 20
    with ExitStack() as stack:
        writers = [stack.enter_context(open_shard(tmp_path / "alive")) for _ in range(n_shards)]
        for n in range(100):
            write_row(writers[n % n_shards], "page", n, n // 2 if n < 20 else n, 100 - n)
        for writer in writers[::2]:
            writer.sync()
        for n in range(100, 150):
            write_row(writers[n % n_shards], KINDS[n % 6], n, n, n)
        for writer in writers:
            writer.sync()
        shutil.copytree(tmp_path / "alive", tmp_path / "shards")
    merge_corpora([tmp_path / "shards"], tmp_path / "out")
    assert rows_of(tmp_path / "out") == merged_rows(tmp_path / "shards")
    assert len(list((tmp_path / "out" / "analysis").rglob("*.parquet"))) < 10
    assert not list((tmp_path / "out" / "journal").glob("*"))
    assert list(verify(tmp_path / "out")) == []


@settings(max_examples=15)
@given(ROWS, st.data())
@pytest.mark.full
def test_what_is_damaged_is_replaced_where_it_can_be(tmp_path_factory, rows, data) -> None:
    folder = tmp_path_factory.mktemp("merge")
    write_shards(folder / "shards", rows)
    whole, pages = set(), set()
    for shard in shard_roots(folder / "shards"):
        for row in list(Corpus.open(shard).pages()):
            pages.add((row.url, row.md5))
            if data.draw(st.booleans()):
                spoil(shard, row)
            else:
                whole.add((row.url, row.md5))
    report = merge_corpora([folder / "shards"], folder / "out")
    found = rows_of(folder / "out")
    assert list(verify(folder / "out")) == []
    stored = {url: facts[0] for url, facts in found["page"].items()}
    assert set(stored.items()) <= whole
    assert len(set(stored.values())) == len(stored)
    urls = [url for kind in found.values() for url in kind]
    assert len(urls) == len(set(urls))
    for url in {url for url, _ in pages} - stored.keys():
        bodies = {md5 for other, md5 in pages if other == url} & set(stored.values())
        if bodies:
            md5, owner = found["duplicate"][url][0], found["duplicate"][url][-1]
            assert md5 in bodies
            assert stored[owner] == md5
        else:
            assert found["drop"][url][0] == "damaged"
            assert url not in {other for other, _ in whole}
    n_damaged = sum(facts[0] == "damaged" for facts in found["drop"].values())
    assert report.damaged == n_damaged


def spoil(shard: Path, row) -> None:
    path = page_dat_path(shard, row.host)
    content = bytearray(path.read_bytes())
    content[row.offset + row.length - 12] ^= 0xFF
    path.write_bytes(content)
