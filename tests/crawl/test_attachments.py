"""Attachments: PDF files are stored and read where the setting asks for it, and not asked for else."""

from __future__ import annotations

import base64

import pyarrow.parquet as pq
import pytest

from quarkcrawl.analysis import PoolOptions
from quarkcrawl.config import CrawlConfig
from quarkcrawl.corpus import ExtractionOptions, export_warc, extract_corpus, import_warc
from quarkcrawl.corpus.archive import RecordFilter, extract_archive
from quarkcrawl.corpus.near import find_near
from quarkcrawl.dataset import export_dataset
from quarkcrawl.engines import open_engine
from quarkcrawl.errors import ConfigError
from quarkcrawl.lab.mockweb import ServerProcess
from quarkcrawl.page import PdfPage
from quarkcrawl.refine import refine_corpus
from quarkcrawl.store import Corpus
from tests.page.pdf import raw
from tests.page.pdf.makers import FILES, TEXT, hello, with_facts

from .harness import crawl

pytest.importorskip("pypdfium2")

HOST = "www.attached.example"
BASE = f"http://{HOST}/"
NOTES = "第一行笔记\n" + TEXT * 3 + "\n<b>不是标签</b>\n"


def answer(body, content_type, **headers):
    pairs = [("Content-Type", content_type), *headers.items()]
    return {"body_b64": base64.b64encode(body).decode(), "headers": pairs, "coding": None}


def warc_record(url, body, content_type):
    """As another crawler writes it."""
    block = f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\n\r\n".encode() + body
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n"
        "WARC-Date: 2026-01-02T03:04:05Z\r\n"
        "WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def large_pdf(n_bytes):
    """Longer than bodies of pages are; its text stands in front."""
    return raw.page_file(
        raw.stream(raw.shown("A long file")), more={6: raw.stream(bytes(n_bytes), Type="/Padding")}
    )


def pages():
    names = [
        *("gbk.pdf", "notice.PDF", "locked.pdf", "scan.pdf", "broken.pdf", "saved.pdf", "zip.pdf"),
        *("bomb.pdf", "download?id=7", "notes.txt", "slides.ppt", "large.pdf"),
    ]
    links = "".join(f"<p><a href='/{name}'>{name}</a> {TEXT}</p>" for name in names)
    pdf = "application/pdf"
    return {
        BASE: f"<title>附件</title><h1>通知</h1>{links}",
        BASE + "gbk.pdf": answer(FILES["gbk"].make(), pdf),
        BASE + "notice.PDF": answer(with_facts(), "application/pdf;charset=UTF-8"),
        BASE + "locked.pdf": answer(FILES["aes 256"].make(), pdf),
        BASE + "scan.pdf": answer(FILES["scanned"].make(), pdf),
        BASE + "broken.pdf": answer(b"<html>gone", pdf),
        BASE + "saved.pdf": answer(hello(), "application/octet-stream"),
        BASE + "zip.pdf": answer(b"PK\3\4 no pdf", "application/octet-stream"),
        BASE + "bomb.pdf": answer(raw.flate_bomb(2 << 30, twice=True), pdf),
        BASE + "download?id=7": answer(raw.page_file(raw.stream(raw.shown("by number"))), pdf),
        BASE + "notes.txt": answer(NOTES.encode(), "text/plain; charset=utf-8"),
        BASE + "slides.ppt": answer(b"\xd0\xcf", "application/vnd.ms-powerpoint"),
        BASE + "large.pdf": answer(large_pdf(200_000), pdf),
    }


SETTINGS = {"content": "yes", "near_method": "simhash", "max_body_bytes": "100000", "workers": "2"}
WITH_TEXT = {"gbk.pdf": TEXT, "notice.PDF": "A notice with metadata.", "large.pdf": "A long file",
             "saved.pdf": "Hello, reader of a second line", "download?id=7": "by number"}  # fmt: skip
WITHOUT = {"locked.pdf": "pdf_encrypted", "scan.pdf": "pdf_no_text", "broken.pdf": "pdf_broken",
           "bomb.pdf": "failed:crash"}  # fmt: skip


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("attached")
    with ServerProcess.for_pages(pages()) as server:
        more = {"attachments": "pdf", "page_memory_bytes": "300 MiB", "page_timeout_s": "250"}
        return crawl(folder, server, [HOST], **SETTINGS, **more), server.counts()


def columns(out):
    table = pq.read_table(out / "analysis" / "pages")
    return {row["url"].removeprefix(BASE): row for row in table.to_pylist()}


@pytest.mark.full
def test_pdf_and_text_are_stored_with_their_text_and_what_is_no_pdf_is_not(done):
    run, asked = done
    assert run.code == 0, run.stderr
    run.assert_settled()
    rows = columns(run.out)
    assert set(rows) == {"", "notes.txt", *WITH_TEXT, *WITHOUT}
    for name, text in WITH_TEXT.items():
        row = rows[name]
        assert (row["content_text"], row["page_type"], row["marks"] or []) == (text, "document", [])
        assert row["simhash"] is not None
    for name, reason in WITHOUT.items():
        assert (rows[name]["marks"], rows[name]["content_text"]) == ([reason], None)
    notice = rows["notice.PDF"]
    assert (notice["title"], notice["author"]) == ("关于开展网页搜集工作的通知", "王小明")
    assert (notice["mime"], rows["saved.pdf"]["mime"]) == (
        "application/pdf", "application/octet-stream",
    )  # fmt: skip
    assert rows["gbk.pdf"]["language"] == "zh"
    assert rows["notes.txt"]["content_text"] == NOTES.strip()
    assert run.drops() == {BASE + "zip.pdf": "mime"}
    assert BASE + "slides.ppt" not in asked


@pytest.mark.full
def test_the_bytes_are_in_page_dat_as_they_were_sent(done):
    corpus = Corpus.open(done[0].out)
    stored = {row.url: corpus.page(row) for row in corpus.pages()}
    page = stored[BASE + "large.pdf"]
    assert isinstance(page, PdfPage)
    assert page.body == large_pdf(200_000)  # which is more than max_body_bytes
    assert not isinstance(stored[BASE + "notes.txt"], PdfPage)


@pytest.mark.full
def test_without_the_setting_no_pdf_is_asked_for_and_none_is_stored(tmp_path):
    with ServerProcess.for_pages(pages()) as server:
        run = crawl(tmp_path, server, [HOST])
        asked = server.counts()
    assert set(columns(run.out)) == {"", "notes.txt"}
    assert not [url for url in asked if url.lower().endswith((".pdf", ".ppt"))]
    assert run.drops() == {BASE + "download?id=7": "mime"}  # its name does not tell


@pytest.mark.full
def test_jobs_over_the_corpus_take_them_like_pages(done, tmp_path):
    out = done[0].out
    options, pool = ExtractionOptions("quark"), PoolOptions(2, 250, 300 << 20)
    report = extract_corpus(out, options, pool=pool)
    assert report.failures.pop("crash") == 1  # the bomb
    assert report.failures == {"pdf_encrypted": 1, "pdf_no_text": 1, "pdf_broken": 1}
    rows = {}
    for file in (out / "analysis" / "extractions" / "quark").rglob("*.parquet"):
        rows |= {
            row["url"]: row for row in pq.read_table(file).to_pylist() if "content_text" in row
        }
    for name, text in WITH_TEXT.items():
        assert rows[BASE + name]["content_text"] == text
    export_warc(out, tmp_path / "warc")
    archive = extract_archive(
        [str(tmp_path / "warc")],
        tmp_path / "rows",
        ExtractionOptions("quark", site_pages=0),
        pool=pool,
    )
    assert archive.counts.pages == len(WITH_TEXT) + len(WITHOUT) + 2
    assert archive.counts.failures == {"crash": 1, **report.failures}
    import_warc([tmp_path / "warc"], tmp_path / "again")
    again = columns(tmp_path / "again")
    assert again["notice.PDF"]["title"] == "关于开展网页搜集工作的通知"


def test_archives_of_others_give_pdf_where_it_is_asked_for(tmp_path):
    replies = {
        "a.pdf": (FILES["gbk"].make(), "application/pdf"),
        "b.pdf": (b"", "application/pdf"),
        "c.zip": (b"PK", "application/zip"),
    }
    records = [warc_record(BASE + name, *reply) for name, reply in replies.items()]
    (tmp_path / "crawl.warc").write_bytes(b"".join(records))
    options = ExtractionOptions("quark", site_pages=0)
    here, source = PoolOptions(in_process=True), [str(tmp_path / "crawl.warc")]
    without = extract_archive(source, tmp_path / "without", options, pool=here)
    assert (without.counts.pages, without.counts.drops) == (0, {"mime": 3})
    only = RecordFilter(mime_types=("application/pdf",))
    done = extract_archive(source, tmp_path / "rows", options, record_filter=only, pool=here)
    assert (done.counts.pages, done.counts.drops) == (2, {"mime": 1})
    assert done.counts.failures == {"pdf_broken": 1}
    rows = [
        row
        for file in (tmp_path / "rows" / "quark").rglob("*.parquet")
        for row in pq.read_table(file).to_pylist()
        if row.get("content_text")
    ]
    assert [(row["url"], row["content_text"]) for row in rows] == [(BASE + "a.pdf", TEXT)]


@pytest.mark.full
def test_labels_near_duplicates_and_data_sets_have_them(done, tmp_path):
    out = done[0].out
    with open_engine("duckdb") as engine:
        labeled = refine_corpus(engine, out)
        assert labeled.failures == {}
        assert labeled.labelled == len(WITH_TEXT) + 2
        find_near(out)
        report = export_dataset(engine, out, tmp_path / "set")
    assert report.pages == len(WITH_TEXT) + len(WITHOUT) + 2


def test_only_known_kinds_of_attachments_are_taken():
    with pytest.raises(ConfigError, match="attachments is of pdf, not 'doc'"):
        CrawlConfig.from_mapping({"attachments": "pdf,doc"})
    assert CrawlConfig.from_mapping({"attachments": ["pdf"]}).attachments == ("pdf",)
    assert CrawlConfig().attachments == ()
