"""Each kind of problem is made on purpose, and nothing else is reported."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from quarkcrawl.errors import StoreError
from quarkcrawl.store.layout import page_dat_path
from quarkcrawl.store.repair.verify import Problem, verify
from quarkcrawl.store.tables.journal import frame, journal_path
from quarkcrawl.store.tables.json import encode_row
from quarkcrawl.store.tianwang.record import TianwangRecord, encode_record
from quarkcrawl.store.writer import CorpusWriter
from tests.store.samples import make_body, make_item, row_of

if TYPE_CHECKING:
    from pathlib import Path

    from quarkcrawl.store.tables.rows import PageRow


@pytest.fixture
def rows(tmp_path: Path) -> list[PageRow]:
    with CorpusWriter(tmp_path) as writer:
        return [writer.append_page(make_item(n, host=f"h{n % 2}.cn")) for n in range(8)]


def add_rows(root: Path, *rows: PageRow) -> None:
    (root / "journal").mkdir(exist_ok=True)
    journal_path(root, 9).write_bytes(b"".join(frame(encode_row(row)) for row in rows))


def problems(root: Path) -> list[tuple[str, str | None]]:
    found = list(verify(root))
    assert all(isinstance(item, Problem) and item.where for item in found)
    return sorted((item.kind, item.url) for item in found)


def test_a_sound_corpus(tmp_path: Path, rows: list[PageRow]) -> None:
    assert len(rows) == 8
    assert problems(tmp_path) == []


def test_damaged_record(tmp_path: Path, rows: list[PageRow]) -> None:
    path = page_dat_path(tmp_path, "h0.cn")
    data = bytearray(path.read_bytes())
    data[rows[2].offset + rows[2].length - 40] ^= 1
    path.write_bytes(data)
    url = rows[2].url
    assert problems(tmp_path) == [("damaged record", url), ("row without record", url)]


def test_something_after_the_last_record(tmp_path: Path, rows: list[PageRow]) -> None:
    with page_dat_path(tmp_path, "h0.cn").open("ab") as file:
        file.write(b"\n")
    assert problems(tmp_path) == [("damaged record", None)]
    assert rows


def test_no_line_feed_at_the_end(tmp_path: Path, rows: list[PageRow]) -> None:
    path = page_dat_path(tmp_path, "h0.cn")
    path.write_bytes(path.read_bytes()[:-1])
    assert problems(tmp_path) == [
        ("damaged record", rows[6].url),
        ("row and record differ", rows[6].url),
    ]


def test_record_without_row(tmp_path: Path, rows: list[PageRow]) -> None:
    record = TianwangRecord("http://h1.cn/new", 0, "", b"HTTP/1.1 200 OK\r\n\r\nnew")
    with page_dat_path(tmp_path, "h1.cn").open("ab") as file:
        file.write(encode_record(record))
    assert problems(tmp_path) == [("record without row", record.url)]
    assert rows


def test_row_without_record(tmp_path: Path, rows: list[PageRow]) -> None:
    add_rows(
        tmp_path,
        row_of(make_item(50, host="h1.cn"), offset=10**6, length=10),
        row_of(make_item(51, host="gone.cn"), offset=0, length=10),
    )
    assert problems(tmp_path) == [
        ("row without record", "http://gone.cn/p51.html"),
        ("row without record", "http://h1.cn/p50.html"),
    ]
    assert rows


@pytest.mark.parametrize("what", ["url", "md5", "length", "body"])
def test_row_and_record_differ(tmp_path: Path, rows: list[PageRow], what: str) -> None:
    host, record = "h1.cn", TianwangRecord("http://h1.cn/p9.html", 0, "", b"")
    data = b"HTTP/1.1 200 OK\r\n\r\n" + make_body(9)
    packed = encode_record(TianwangRecord(record.url, 0, "", data))
    path = page_dat_path(tmp_path, host)
    offset = path.stat().st_size
    with path.open("ab") as file:
        file.write(packed)
    item = make_item(9, host=host)
    if what == "url":
        item = make_item(9, host=host, url="http://h1.cn/other")
    elif what == "md5":
        item = make_item(9, host=host, md5=bytes(16))
    elif what == "body":
        item = make_item(9, host=host, body=b"other")
    add_rows(tmp_path, row_of(item, offset=offset, length=len(packed) + (what == "length")))
    assert problems(tmp_path) == [("row and record differ", record.url)]
    assert rows


def test_two_rows_for_one_record(tmp_path: Path, rows: list[PageRow]) -> None:
    add_rows(tmp_path, rows[3])
    assert problems(tmp_path) == [
        ("md5 stored twice", None),
        ("two rows for one record", rows[3].url),
        ("url stored twice", rows[3].url),
    ]


def test_the_same_page_twice(tmp_path: Path) -> None:
    with CorpusWriter(tmp_path) as writer:
        writer.append_page(make_item(1))
        writer.append_page(make_item(1))
        writer.append_page(make_item(2))
        writer.append_page(make_item(3, body=make_body(2)))
    assert problems(tmp_path) == [
        ("md5 stored twice", None),
        ("md5 stored twice", None),
        ("url stored twice", make_item(1).url),
    ]


def test_wrong_bucket(tmp_path: Path, rows: list[PageRow]) -> None:
    path = page_dat_path(tmp_path, "h0.cn")
    wrong = tmp_path / "data_9" / "h0.cn"
    wrong.mkdir(parents=True)
    path.rename(wrong / "page.dat")
    found = problems(tmp_path)
    assert found.count(("wrong bucket", None)) == 1
    assert {kind for kind, _ in found} == {
        "wrong bucket", "record without row", "row without record",
    }  # fmt: skip
    assert rows


def test_wrong_host(tmp_path: Path) -> None:
    with CorpusWriter(tmp_path) as writer:
        writer.append_page(make_item(1, host="a.cn", url="http://b.cn/"))
        writer.append_page(make_item(2, host="a.cn:8080", url="http://a.cn:8080/"))
        writer.append_page(make_item(3, host="a.cn", url="https://a.cn/x"))
    assert problems(tmp_path) == [("wrong host", "http://b.cn/")]


def test_damaged_journal_line(tmp_path: Path, rows: list[PageRow]) -> None:
    add_rows(tmp_path)
    with journal_path(tmp_path, 9).open("ab") as file:
        file.write(b"00000000 {}\n")
    assert problems(tmp_path) == [("damaged journal line", None)]
    assert rows


def test_no_corpus(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        list(verify(tmp_path))
