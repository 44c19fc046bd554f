"""The field of our own exports in archives that somebody else has written or changed."""

from __future__ import annotations

import json
from pathlib import Path

from quarkcrawl.corpus import export_warc, import_warc
from quarkcrawl.store import Corpus, CorpusWriter, RedirectRow
from quarkcrawl.store.repair.verify import verify
from quarkcrawl.store.warc.record import FACTS_FIELD
from tests.store.samples import make_item

REPLY = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>page"
MOVED = b"HTTP/1.1 301 Moved\r\nLocation: http://a.cn/\r\n\r\n"


def record(kind: str, url: str, block: bytes, **facts: object) -> bytes:
    """One record of a WARC file."""
    lines = [
        "WARC/1.1",
        f"WARC-Type: {kind}",
        f"WARC-Target-URI: {url}",
        "WARC-Date: 2008-05-04T03:02:01Z",
        "Content-Type: application/http",
        f"{FACTS_FIELD}: {json.dumps(facts)}",
        f"Content-Length: {len(block)}",
    ]
    return "\r\n".join([*lines, "", ""]).encode() + block + b"\r\n\r\n"


def test_numbers_that_no_column_holds_and_digests_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "x.warc").write_bytes(
        record("response", "http://a.cn/", REPLY, row="page", level=1e12, hops=10**12)
        + record("response", "http://a.cn/old", MOVED, row="redirect", level=2**31)
        + record("response", "http://a.cn/b", MOVED, row="redirect", level=True, target="\ud800")
        + record(
            "revisit", "http://a.cn/1", b"", md5="no digest", level=3, duplicate_of="http://x/"
        )
        + record("revisit", "http://a.cn/2", b"", md5="0" * 32, level=3, duplicate_of="http://x/")
    )
    report = import_warc([tmp_path / "x.warc"], tmp_path / "corpus")
    assert (report.pages, report.redirects, report.duplicates) == (1, 2, 1)
    assert report.drops == {"no_original": 1}
    corpus = Corpus.open(tmp_path / "corpus")
    (page,) = corpus.pages()
    assert (page.level, page.hops) == (0, 0)
    assert [row.level for row in corpus.redirects()] == [0, 0]
    assert list(verify(corpus.root)) == []
    assert corpus.table("redirect").to_table().num_rows == 2
    assert export_warc(corpus.root, tmp_path / "again").revisits == 1


def test_a_url_with_angle_brackets_comes_back(tmp_path: Path) -> None:
    urls = {"http://a.cn/>", "http://a.cn/<b>", "http://a.cn/a b"}
    with CorpusWriter(tmp_path / "corpus") as writer:
        for number, url in enumerate(sorted(urls)):
            writer.append_page(make_item(number, host="a.cn", url=url))
        writer.append_row(RedirectRow("http://a.cn/r>", "http://a.cn/>", 301, 1, 1.0, True))
    export_warc(tmp_path / "corpus", tmp_path / "warc")
    import_warc([tmp_path / "warc"], tmp_path / "again")
    again = Corpus.open(tmp_path / "again")
    assert {row.url for row in again.pages()} == urls
    assert [(row.url, row.target) for row in again.redirects()] == [
        ("http://a.cn/r>", "http://a.cn/>")
    ]
