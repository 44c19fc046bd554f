"""What can be replayed: JSON lines, plain and compressed, WARC, corpora."""

import gzip
import io
import json

import pytest
from fastwarc.warc import WarcRecord, WarcRecordType

from quarkcrawl.errors import InputError
from quarkcrawl.lab.mockweb import Replay
from quarkcrawl.page import Fetched, Page, PageItem
from quarkcrawl.store import CorpusWriter, RedirectRow
from tests.lab.mockweb.replays import ask, needs_zstd, pack_zstd, page, replay
from tests.store.samples import duplicate_row

# --- containers ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("p.jsonl", bytes),
        ("p.jsonl.gz", gzip.compress),
        pytest.param("p.jsonl.zst", pack_zstd, marks=needs_zstd),
    ],
)
def test_compressed_lines(tmp_path, name, pack):
    rows = [page(f"http://a.cn/{n}", str(n) * 1000) for n in range(50)]
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    (tmp_path / name).write_bytes(pack(data))
    web = Replay([tmp_path / name])
    assert [ask(web, row["url"]).body.decode() for row in rows] == [row["html"] for row in rows]


@pytest.mark.parametrize("name", ["p.jsonl.gz", pytest.param("p.jsonl.zst", marks=needs_zstd)])
def test_cut_file_is_an_error(tmp_path, name):
    rows = "".join(json.dumps(page(f"http://a.cn/{n}", str(n) * 99)) + "\n" for n in range(999))
    pack = gzip.compress if name.endswith("gz") else pack_zstd
    (tmp_path / name).write_bytes(pack(rows.encode())[:-20])
    with pytest.raises(InputError, match=r"p\.jsonl\.\w+:\d+: cannot be read further"):
        Replay([tmp_path / name])


def test_folder_and_several_paths(tmp_path):
    folder = tmp_path / "sites"
    folder.mkdir()
    replay(folder, page("http://a.cn/"), name="a.jsonl")
    replay(folder, page("http://b.cn/"), name="b.jsonl")
    (folder / "notes.md").write_text("not a page")
    replay(tmp_path, page("http://c.cn/"), name="c.jsonl")
    assert Replay([folder, str(tmp_path / "c.jsonl")]).hosts() == ("a.cn", "b.cn", "c.cn")


def test_nothing_to_replay(tmp_path):
    (tmp_path / "a.txt").write_text("x")
    for path in (tmp_path, tmp_path / "a.txt", tmp_path / "missing.jsonl"):
        with pytest.raises(InputError) as caught:
            Replay([path])
        assert caught.value.where == str(path)


def warc(*pages):
    out = io.BytesIO()
    for url, head, body in pages:
        record = WarcRecord()
        record.init_headers(WarcRecordType.response)
        record.headers["WARC-Target-URI"] = url
        record.headers["Content-Type"] = "application/http; msgtype=response"
        record.set_bytes_content(head.encode() + b"\r\n\r\n" + body)
        record.write(out)
    return out.getvalue()


WARC_PAGES = (
    (
        "http://a.cn/",
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=gb2312",
        "天".encode("gbk"),
    ),
    (
        "http://a.cn/gz",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nX-A: 1",
        gzip.compress(b"packed"),
    ),
    (
        "http://a.cn/ch",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked",
        b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
    ),
    ("http://a.cn/m", "HTTP/1.1 302 Found\r\nLocation: /gz", b""),
)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_warc(tmp_path, pack):
    path = tmp_path / ("x.warc" if pack is bytes else "x.warc.gz")
    path.write_bytes(b"".join(pack(warc(one)) for one in WARC_PAGES))
    web = Replay([path])
    home = ask(web, "http://a.cn/")
    assert (home.body.decode("gbk"), home.headers) == (
        "天",
        (("Content-Type", "text/html; charset=gb2312"),),
    )
    assert ask(web, "http://a.cn/gz").body == b"packed"
    assert ask(web, "http://a.cn/gz").headers == (("X-A", "1"),)
    assert ask(web, "http://a.cn/ch").body == b"abcde"
    moved = ask(web, "http://a.cn/m")
    assert (moved.status, moved.headers) == (302, (("Location", "/gz"),))


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_cut_warc_is_an_error(tmp_path, pack):
    big = ("http://a.cn/big", "HTTP/1.1 200 OK\r\nContent-Type: text/html", bytes(range(256)) * 40)
    data = pack(warc(WARC_PAGES[0])) + pack(warc(big))[:-90]
    (tmp_path / "x.warc").write_bytes(data)
    with pytest.raises(InputError, match=r"x\.warc@\d+"):
        Replay([tmp_path / "x.warc"])


def item(url, body, **changes):
    facts = {
        "host": url.split("/")[2],
        "level": 1,
        "status": 200,
        "reason_phrase": "OK",
        "http_version": "HTTP/1.1",
        "ip": "127.0.0.1",
        "fetched_at": 1.1e9,
        "header_lines": (
            (b"Content-Type", b"text/html; charset=gbk"),
            (b"Content-Encoding", b"gzip"),
            (b"Server", b"x"),
        ),
    }
    parsed = Page.from_bytes(body, url, "text/html")
    fetched = Fetched(url=url, **(facts | changes)).with_body(body)
    return PageItem(fetched, body, 1, parsed, parsed.links)


@pytest.fixture
def corpus(tmp_path):
    root = tmp_path / "corpus"
    with CorpusWriter(root) as writer:
        writer.append_page(item("http://a.cn/", "天网".encode("gbk") * 50))
        writer.append_page(item("https://b.cn/x.html", b"<p>" * 99))
        writer.append_row(duplicate_row("http://a.cn/?s=1", "http://a.cn/", bytes(16), 2, 1.1e9))
        writer.append_row(RedirectRow("http://a.cn/old", "http://a.cn/", 301, 2, 1.1e9, True))
        writer.sync()
    return root


def test_corpus(corpus):
    web = Replay([corpus])
    home = ask(web, "http://a.cn/")
    assert home.body == "天网".encode("gbk") * 50
    assert home.headers == (("Content-Type", "text/html; charset=gbk"), ("Server", "x"))
    assert ask(web, "https://b.cn/x.html").body == b"<p>" * 99
    assert ask(web, "http://a.cn/?s=1").body == home.body
    moved = ask(web, "http://a.cn/old")
    assert (moved.status, dict(moved.headers)["Location"]) == (301, "http://a.cn/")


def test_records_without_tables(corpus, tmp_path):
    bare = tmp_path / "bare"
    for source in corpus.glob("data_*/*/page.dat"):
        target = bare / source.relative_to(corpus)
        target.parent.mkdir(parents=True)
        target.write_bytes(source.read_bytes())
    web = Replay([bare])
    assert ask(web, "http://a.cn/").status == 200
    assert ask(web, "http://a.cn/old").status == 404


def test_damaged_corpus_is_named(corpus):
    path = next(corpus.glob("data_*/a.cn/page.dat"))
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(InputError, match="salvage") as caught:
        Replay([corpus])
    assert caught.value.where == f"{path}@0"


@pytest.mark.parametrize("pack", [gzip.compress, pytest.param(pack_zstd, marks=needs_zstd)])
def test_a_damaged_file_is_an_error(tmp_path, pack):
    name = "p.jsonl.zst" if pack is pack_zstd else "p.jsonl.gz"
    rows = "".join(json.dumps(page(f"http://a.cn/{n}", f"{n * n}" * 9)) + "\n" for n in range(99))
    whole = pack(rows.encode())
    for place in range(20, len(whole), len(whole) // 20):
        (tmp_path / name).write_bytes(whole[:place] + b"\xff" * 99 + whole[place + 99 :])
        with pytest.raises(InputError, match=r"p\.jsonl\.\w+:\d+: (cannot be read|is not a page)"):
            Replay([tmp_path / name])


def test_a_file_that_cannot_be_opened_is_an_error(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "q.jsonl").symlink_to(tmp_path / "none")
    with pytest.raises(InputError, match=r"q\.jsonl: cannot be read"):
        Replay([tmp_path / "folder"])
