"""Archives of other crawlers, written by warcio."""

from __future__ import annotations

import gzip
import io
import os
import signal
import zlib
from pathlib import Path

import brotli
import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from quarkcrawl.corpus import WarcImportOptions, import_warc
from quarkcrawl.corpus.extraction.job import PoolOptions
from quarkcrawl.corpus.warc import importer as warcimport
from quarkcrawl.corpus.warc.replies import entity_body
from quarkcrawl.store import Corpus, split_reply, verify
from quarkcrawl.store.warc.reader import WarcFound
from tests.store.samples import make_body

BODY = make_body(1)
CHUNKED = b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in (BODY[:99], BODY[99:], b""))
READ = warcimport._read_and_prepare
HTML = ("Content-Type", "text/html; charset=gb2312")


class Writer(WARCWriter):
    """warcio leaves its temporary files to the garbage collector, which warns."""

    def _create_temp_file(self):
        return io.BytesIO()


class Archive:
    """A WARC file in the making."""

    def __init__(self) -> None:
        self._file = io.BytesIO()
        self.writer = Writer(self._file, gzip=True, warc_version="1.0")
        self.writer.write_record(self.writer.create_warcinfo_record("x.warc.gz", {"software": "x"}))

    def reply(
        self, url: str, body: bytes = b"", *headers, status: str = "200 OK", **fields
    ) -> None:
        head = StatusAndHeaders(status, list(headers), protocol="HTTP/1.1")
        names = {"WARC-Date": "2008-05-04T03:02:01Z", "WARC-IP-Address": "1.2.3.4"}
        names |= {name.replace("_", "-"): value for name, value in fields.items()}
        self.writer.write_record(
            self.writer.create_warc_record(
                url, "response", io.BytesIO(body), http_headers=head, warc_headers_dict=names
            )
        )

    def store(self, folder: Path) -> Path:
        path = folder / "x.warc.gz"
        path.write_bytes(self._file.getvalue())
        return path


@pytest.fixture
def archive() -> Archive:
    return Archive()


@pytest.mark.full
@pytest.mark.parametrize(("headers", "body", "marks"), [
    ([], BODY, ()),
    ([("Transfer-Encoding", "chunked")], CHUNKED, ()),
    ([("Transfer-Encoding", "chunked")], BODY, ()),  # decoded by the archive, the header kept
    ([("Content-Encoding", "gzip")], gzip.compress(BODY), ()),
    ([("Content-Encoding", "gzip")], BODY, ()),
    ([("Content-Encoding", "x-gzip"), ("Transfer-Encoding", "Chunked")],
     b"%x\r\n%s\r\n0\r\n\r\n" % (len(gzip.compress(BODY)), gzip.compress(BODY)), ()),
    ([("Content-Encoding", "deflate")], zlib.compress(BODY), ()),
    ([("Content-Encoding", "br")], brotli.compress(BODY), ()),
    ([("Content-Encoding", "identity")], BODY, ()),
    ([("Content-Encoding", "secret")], BODY, ("bad_encoding",)),
])  # fmt: skip
def test_encodings_are_removed(tmp_path: Path, archive, headers, body: bytes, marks) -> None:
    archive.reply("http://A.cn:80/x#f", body, HTML, *headers, ("Content-Length", str(len(body))))
    done = import_warc([archive.store(tmp_path)], tmp_path / "c")
    corpus = Corpus.open(tmp_path / "c")
    (row,) = corpus.pages()
    assert (row.url, row.host, row.level, row.flags) == ("http://a.cn/x", "a.cn", 0, marks)
    assert (row.charset, row.title, row.ip) == ("gb18030", "第1页", "1.2.3.4")
    reply = split_reply(corpus.read(row).data)
    assert reply.body == BODY
    assert reply.get("content-length") == str(len(BODY))
    assert reply.get("content-encoding") is None
    assert [name for name, _ in headers if reply.get("X-Crawler-" + name) is None] == []
    assert corpus.read(row).date == 1209870121
    assert len(row.links) == 5
    assert done.skipped == {"warcinfo": 1}
    assert list(verify(tmp_path / "c")) == []


def test_damaged_and_endless_bodies() -> None:
    def body(name: str, data: bytes, limit: int = 10_000):
        head = f"HTTP/1.1 200 OK\r\nContent-Encoding: {name}\r\n\r\n".encode()
        return entity_body(split_reply(head + data), limit)

    cut = body("gzip", gzip.compress(BODY)[:-20])
    assert BODY.startswith(cut.data[:500])
    bomb = body("gzip", gzip.compress(bytes(30_000_000)))
    assert (len(bomb.data), bomb.flags) == (10_000, ("truncated",))
    twice = body("gzip, gzip", gzip.compress(gzip.compress(BODY)))
    assert twice.data == BODY
    assert body("br", b"junk").flags == ("bad_encoding",)
    assert len(body("gzip," * 50, b"x").data) == 1


def test_every_capture_ends_with_a_row(tmp_path: Path, archive) -> None:
    archive.reply("http://a.cn/", BODY, HTML)
    archive.reply("http://a.cn/", make_body(2), HTML)
    archive.reply("http://a.cn/copy", BODY, HTML)
    archive.reply("http://a.cn/moved", b"", ("Location", "/new?a b"), status="301 Moved")
    archive.reply("http://a.cn/nowhere", b"", status="302 Found")
    archive.reply("http://a.cn/gone", b"", status="410 Gone")
    archive.reply("http://a.cn/pic", b"GIF89a", ("Content-Type", "image/gif"))
    archive.reply("ftp://a.cn/", BODY, HTML)
    archive.reply("http://a.cn/cut", make_body(3), HTML, WARC_Truncated="length")
    writer = archive.writer
    writer.write_record(writer.create_warc_record("dns:a.cn", "response", io.BytesIO(b"1"),
                                                  warc_content_type="text/dns"))  # fmt: skip
    writer.write_record(writer.create_warc_record("http://a.cn/r", "resource",
        io.BytesIO(make_body(4)), warc_content_type="text/html; charset=gbk"))  # fmt: skip
    writer.write_record(writer.create_revisit_record("http://a.cn/again", "sha1:X",
        "http://a.cn/", "2008-05-04T03:02:01Z"))  # fmt: skip
    writer.write_record(writer.create_revisit_record("http://a.cn/lost", "sha1:X",
        "http://a.cn/other", "2008-05-04T03:02:01Z"))  # fmt: skip
    done = import_warc([archive.store(tmp_path)], tmp_path / "c")
    assert (done.records, done.pages, done.duplicates, done.redirects) == (14, 3, 2, 1)
    assert done.url_twice == 1
    assert done.skipped == {"warcinfo": 1, "response": 1}
    corpus = Corpus.open(tmp_path / "c")
    assert {row.url: row.flags for row in corpus.pages()} == {
        "http://a.cn/": (), "http://a.cn/cut": ("truncated",), "http://a.cn/r": ()
    }  # fmt: skip
    assert {row.url: row.duplicate_of for row in corpus.duplicates()} == {
        "http://a.cn/copy": "http://a.cn/", "http://a.cn/again": "http://a.cn/"
    }  # fmt: skip
    assert all(len(row.links) == 5 for row in corpus.duplicates())
    assert [row.target for row in corpus.redirects()] == ["http://a.cn/new?a%20b"]
    assert {row.url: row.reason for row in corpus.drops()} == {
        "http://a.cn/nowhere": "bad_redirect", "http://a.cn/gone": "http_410",
        "http://a.cn/pic": "mime", "ftp://a.cn/": "bad_url", "http://a.cn/lost": "no_original",
    }  # fmt: skip
    assert done.drops == {
        "bad_redirect": 1,
        "http_410": 1,
        "mime": 1,
        "bad_url": 1,
        "no_original": 1,
    }
    assert list(verify(tmp_path / "c")) == []


def test_any_media_type_on_request(tmp_path: Path, archive) -> None:
    archive.reply("http://a.cn/pic", b"GIF89a", ("Content-Type", "image/gif"))
    path = archive.store(tmp_path)
    done = import_warc([path], tmp_path / "c", options=WarcImportOptions(mime_types=()))
    assert done.pages == 1


def test_forged_facts_do_no_harm(tmp_path: Path, archive) -> None:
    """The field of our exports in a foreign file may hold anything."""
    for number, facts in enumerate([
        "[]", "{", '{"level":"x","fetched_at":1e999,"marks":{"a":1},"extra":[[1,2],["a"]]}',
        '{"url":"http://../","row":"page"}', '{"url":5,"id":"a\\nb"}', '{"row":"redirect","target":7}',
    ]):  # fmt: skip
        archive.reply(f"http://a.cn/{number}", make_body(number), HTML, X_Quarkcrawl=facts)
    done = import_warc([archive.store(tmp_path)], tmp_path / "c")
    assert done.pages + done.drops.total() + done.redirects == 6
    assert done.drops["bad_url"] == 2
    assert Corpus.open(tmp_path / "c").info().pages == done.pages


def read_or_die(found: WarcFound, options: WarcImportOptions):
    """As a parser of native code that breaks down on one page."""
    if found.url == "http://a.cn/2":
        os.kill(os.getpid(), signal.SIGSEGV)
    return READ(found, options)


@pytest.mark.full
def test_a_page_that_its_process_does_not_survive_is_stored_unparsed(
    tmp_path: Path, archive, monkeypatch
) -> None:
    """The others are as ever. (No page is known that kills the parser.)"""
    monkeypatch.setattr(warcimport, "_read_and_prepare", read_or_die)
    for number in range(6):
        body = f"<title>{number}</title><a href=/x{number}>x</a>".encode()
        archive.reply(f"http://a.cn/{number}", body, HTML)
    path = archive.store(tmp_path)
    report = import_warc([path], tmp_path / "out", pool=PoolOptions(workers=2))
    assert report.failures == {"crash": 1}
    corpus = Corpus.open(tmp_path / "out")
    rows = list(corpus.pages())
    assert [row.url for row in rows] == [f"http://a.cn/{n}" for n in range(6)]
    assert [row.flags for row in rows] == [("failed:parse",) if n == 2 else () for n in range(6)]
    assert [len(row.links) for row in rows] == [int(n != 2) for n in range(6)]
    assert corpus.page(rows[2]).body.startswith(b"<title>2")
    assert list(verify(tmp_path / "out")) == []
