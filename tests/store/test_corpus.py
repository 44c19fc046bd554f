from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from quarkcrawl.errors import DamagedRecordError, StoreError
from quarkcrawl.store.corpus import Corpus
from quarkcrawl.store.layout import page_dat_path
from quarkcrawl.store.tables.rows import DropRow, RedirectRow
from quarkcrawl.store.writer import CorpusWriter
from tests.store.samples import duplicate_row, make_body, make_item

if TYPE_CHECKING:
    from pathlib import Path


def fill(root: Path, *, close: bool) -> CorpusWriter:
    writer = CorpusWriter(root)
    for n in range(6):
        host = ["www.pku.edu.cn", "e.pku.edu.cn"][n % 2]
        marks = ("truncated",) if n == 3 else ()
        status = 203 if n == 4 else 200
        writer.append_page(make_item(n, host=host, flags=marks, status=status, level=1 + n // 2))
    body = make_body(9, encoding="utf-8")
    writer.append_page(make_item(9, body=body, header_lines=((b"content-type", b"Text/Plain"),)))
    writer.append_row(duplicate_row("http://a.cn/d", "http://a.cn/", b"\0", 2, 1.0))
    writer.append_row(RedirectRow("http://a.cn/r", "http://b.cn/", 302, 2, 1.0, in_scope=False))
    for reason in ("http_404", "robots", "http_404"):
        writer.append_row(DropRow("http://a.cn/x", "a.cn", reason, "", 2, 1.0))
    if close:
        writer.close()
    return writer


@pytest.mark.parametrize("close", [True, False])
def test_info(tmp_path: Path, close: bool) -> None:
    writer = fill(tmp_path, close=close)
    corpus = Corpus.open(tmp_path)
    info = corpus.info()
    assert (info.hosts, info.pages, info.duplicates, info.redirects) == (3, 7, 1, 1)
    assert info.by_status == {200: 6, 203: 1}
    assert info.by_mime == {"text/html": 6, "text/plain": 1}
    assert info.by_charset == {"gb18030": 6, "utf-8": 1}
    assert info.by_level == {1: 2, 2: 3, 3: 2}
    assert info.by_mark == {"truncated": 1}
    assert info.drops == {"http_404": 2, "robots": 1}
    assert info.body_bytes == sum(
        len(corpus.read(row).data.partition(b"\r\n\r\n")[2]) for row in corpus.pages()
    )
    assert info.stored_bytes == sum(p.stat().st_size for p in tmp_path.glob("data_*/*/page.dat"))
    assert sorted(corpus.hosts()) == ["e.pku.edu.cn", "www.example.cn", "www.pku.edu.cn"]
    assert [row.reason for row in corpus.drops()] == ["http_404", "robots", "http_404"]
    assert [row.target for row in corpus.redirects()] == ["http://b.cn/"]
    assert [row.duplicate_of for row in corpus.duplicates()] == ["http://a.cn/"]
    assert corpus.table("page").count_rows() == 7
    writer.close()


def test_pages_are_parsed_as_they_were_in_the_crawl(tmp_path: Path) -> None:
    fill(tmp_path, close=True)
    corpus = Corpus.open(tmp_path)
    for row in corpus.pages():
        page = corpus.page(row)
        assert (page.encoding, page.title, page.url) == (row.charset, row.title, row.url)
        assert [link.url for link in page.links] == [link.url for link in row.links]


def test_an_empty_corpus(tmp_path: Path) -> None:
    corpus = Corpus.create(tmp_path / "a" / "b")
    info = corpus.info()
    assert (info.hosts, info.pages, info.drops, info.stored_bytes) == (0, 0, {}, 0)
    assert list(corpus.hosts()) == []
    assert Corpus.create(tmp_path / "a" / "b").root == corpus.root
    assert json.loads((corpus.root / "corpus.json").read_text())["version"] == 1


def test_what_is_no_corpus(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no folder"):
        Corpus.open(tmp_path / "missing")
    with pytest.raises(StoreError, match=r"corpus\.json is missing"):
        Corpus.open(tmp_path)
    (tmp_path / "corpus.json").write_text("[]")
    with pytest.raises(StoreError, match="does not describe"):
        Corpus.open(tmp_path)
    (tmp_path / "corpus.json").write_text('{"version": 2}')
    with pytest.raises(StoreError, match="newer"):
        Corpus.open(tmp_path)
    with pytest.raises(StoreError, match="newer"):
        CorpusWriter(tmp_path)


def test_a_folder_of_other_things_is_not_taken_over(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    for make in (Corpus.create, CorpusWriter):
        with pytest.raises(StoreError, match="other things"):
            make(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["photos"]


def test_a_record_that_is_gone(tmp_path: Path) -> None:
    fill(tmp_path, close=True)
    corpus = Corpus.open(tmp_path)
    row = next(corpus.pages())
    path = page_dat_path(tmp_path, row.host)
    path.write_bytes(path.read_bytes()[: row.offset + row.length - 5])
    with pytest.raises(DamagedRecordError, match=f"page.dat@{row.offset}"):
        corpus.read(row)
