"""Replay of JSON lines, WARC files and corpora made here, and of the real sites."""

import base64
import gzip
import io
import json
from pathlib import Path

import pytest
from fastwarc.warc import WarcRecord, WarcRecordType
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.errors import InputError
from quarkcrawl.miniweb import Ask, Coding, Fault, Replay
from quarkcrawl.miniweb.records import reply_from_row
from quarkcrawl.page import PageItem
from quarkcrawl.store import CorpusWriter, DuplicateRow, RedirectRow

try:
    from backports import zstd
except ModuleNotFoundError:
    zstd = None
needs_zstd = pytest.mark.skipif(zstd is None, reason="backports.zstd is not installed")


def pack_zstd(data):
    return zstd.compress(data)


SITES = Path(__file__).resolve().parents[3] / "shared" / "data" / "sites"


def ask(web, url, visit=1):
    scheme, _, rest = url.partition("://")
    host, slash, target = rest.partition("/")
    return web.respond(Ask(scheme, host, (slash + target).encode().decode("latin-1"), visit=visit))


def replay(tmp_path, *rows, name="pages.jsonl", **options):
    path = tmp_path / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return Replay([path], **options)


def page(url, html="页", **more):
    return {"url": url, "html": html, **more}


# --- look-up ---------------------------------------------------------------------------------


def test_html_is_utf8_with_a_header(tmp_path):
    web = replay(tmp_path, page("https://A.github.io/x.html", "天网\r\n<p>"))
    reply = ask(web, "https://a.github.io/x.html")
    assert reply.status == 200
    assert reply.body == "天网\r\n<p>".encode()
    assert reply.headers == (("Content-Type", "text/html; charset=utf-8"),)
    assert reply.coding is Coding.GZIP
    assert web.hosts() == ("a.github.io",)


@pytest.mark.parametrize(
    "asked",
    [
        "http://a.cn/文章/1 2.html",
        "http://a.cn/%E6%96%87%E7%AB%A0/1%202.html",
        "http://a.cn/%e6%96%87章/%31%202.html",
    ],
)
@pytest.mark.parametrize(
    "recorded", ["http://a.cn/文章/1 2.html", "http://A.CN/%E6%96%87%E7%AB%A0/1%202.html"]
)
def test_encoded_and_plain_forms_meet(tmp_path, recorded, asked):
    assert ask(replay(tmp_path, page(recorded)), asked).status == 200


@given(st.text(st.characters(exclude_characters="?%#\0", exclude_categories=["Cs"]), max_size=20))
def test_any_path_is_found_in_both_forms(tmp_path_factory, path):
    from urllib.parse import quote

    web = replay(tmp_path_factory.mktemp("r"), page(f"http://a.cn/{path}"))
    assert ask(web, f"http://a.cn/{quote(path)}").status == 200
    assert ask(web, f"http://a.cn/{path}").status == 200


def test_both_schemes_or_upgrade(tmp_path):
    rows = [
        page("https://a.cn/x"),
        page("http://a.cn/old"),
        page("http://b.cn/", "h"),
        page("https://b.cn/", "s"),
    ]
    both = replay(tmp_path, *rows)
    assert [ask(both, f"{s}://a.cn/x").status for s in ("http", "https")] == [200, 200]
    assert ask(both, "https://a.cn/old").status == 200
    assert [ask(both, f"{s}://b.cn/").body for s in ("http", "https")] == [b"h", b"s"]
    strict = replay(tmp_path, *rows, upgrade_http=True)
    moved = ask(strict, "http://a.cn/x")
    assert (moved.status, dict(moved.headers)["Location"]) == (301, "https://a.cn/x")
    assert ask(strict, "https://a.cn/x").status == 200
    assert ask(strict, "http://a.cn/old").status == 200


def test_directories(tmp_path):
    web = replay(
        tmp_path,
        page("http://a.cn/天/index.html", "i"),
        page("http://a.cn/b/", "b"),
        page("http://a.cn/index.html", "home"),
    )
    assert ask(web, "http://a.cn/").body == b"home"
    assert ask(web, "http://a.cn/天/").body == b"i"
    for path, location in (("天", "/%E5%A4%A9/"), ("b", "/b/"), ("b?x=1", None)):
        reply = ask(web, f"http://a.cn/{path}")
        assert (reply.status, dict(reply.headers).get("Location")) == (
            (301, location) if location else (404, None)
        )
    assert ask(web, "http://a.cn/b/index.html").status == 404
    assert ask(web, "http://a.cn/robots.txt").status == 404
    assert ask(web, "http://b.cn/").status == 404


def test_fragment_of_a_recorded_url_is_dropped(tmp_path):
    web = replay(tmp_path, page("http://a.cn/x.html#top", "1"), page("http://a.cn/C%23/"))
    assert ask(web, "http://a.cn/x.html").body == b"1"
    assert ask(web, "http://a.cn/C%23/").status == 200
    assert ask(web, "http://a.cn/C").status == 404


def test_queries_and_odd_urls(tmp_path):
    web = replay(
        tmp_path,
        page("http://a.cn?x=1", "q"),
        page("HTTP://u@a.cn:80/p?k=天", "k"),
        page("http://b.cn", "b"),
        page("http://b.cn:8080/", "port"),
        page("https://中文.cn:443/", "idn"),
    )
    assert ask(web, "http://a.cn/?x=1").body == b"q"
    assert ask(web, "http://a.cn/?x=2").status == 404
    assert ask(web, "http://a.cn/p?k=%E5%A4%A9").body == b"k"
    assert ask(web, "http://b.cn/").body == b"b"
    assert ask(web, "http://b.cn:8080/").body == b"port"
    assert ask(web, "https://xn--fiq228c.cn/").body == b"idn"
    assert web.hosts() == ("a.cn", "b.cn", "b.cn:8080", "xn--fiq228c.cn")


def test_later_record_wins_and_others_are_counted(tmp_path):
    web = replay(tmp_path, page("http://a.cn/x", "1"), page("http://a.cn/%78", "2"))
    assert ask(web, "http://a.cn/x").body == b"2"
    assert (web.shadowed, len(web)) == (1, 1)


# --- rows ------------------------------------------------------------------------------------


def test_row_keys(tmp_path):
    body = "正文".encode("gb18030")
    web = replay(
        tmp_path,
        {"url": "http://a.cn/gb", "body_b64": base64.b64encode(body).decode()},
        page("http://a.cn/e", "正文", encoding="gb18030"),
        page("http://a.cn/t", "正文", content_type="text/plain"),
        {"url": "http://a.cn/m", "status": 301, "headers": {"Location": "/x"}},
        page("http://a.cn/f", fault="stall", delay_s=0.5, drip_s=1, chunked=True, coding="br"),
        page("http://a.cn/v", "1"),
        page("http://a.cn/v", "3", from_visit=3),
        page("http://a.cn/s", "a\ud800b"),
    )
    gb = ask(web, "http://a.cn/gb")
    assert (gb.body, gb.headers) == (body, (("Content-Type", "text/html"),))
    declared = ask(web, "http://a.cn/e")
    assert (declared.body, dict(declared.headers)["Content-Type"]) == (
        body,
        "text/html; charset=gb18030",
    )
    assert dict(ask(web, "http://a.cn/t").headers)["Content-Type"] == "text/plain"
    moved = ask(web, "http://a.cn/m")
    assert (moved.status, moved.headers, moved.body) == (301, (("Location", "/x"),), b"")
    faulty = ask(web, "http://a.cn/f")
    assert (faulty.fault, faulty.delay_s, faulty.drip_s) == (Fault.STALL, 0.5, 1.0)
    assert (faulty.chunked, faulty.coding) == (True, Coding.BROTLI)
    assert [ask(web, "http://a.cn/v", n).body for n in (1, 2, 3, 9)] == [b"1", b"1", b"3", b"3"]
    assert ask(web, "http://a.cn/s").body == b"a?b"


def test_reply_from_row_keeps_given_content_type():
    reply = reply_from_row({"html": "x", "headers": [["content-type", "text/xml"]]})
    assert reply.headers == (("content-type", "text/xml"),)


@pytest.mark.parametrize(
    "line",
    [
        "nonsense",
        "[1]",
        '{"html": "x"}',
        '{"url": "http://a.cn/"}',
        '{"url": "ftp://a.cn/", "html": ""}',
        '{"url": 5, "html": ""}',
        '{"url": "http:///x", "html": ""}',
        '{"url": "http://a b/x", "html": ""}',
        '{"url": "http://' + "天" * 70 + '/x", "html": ""}',
        '{"url": "http://a.cn/", "body_b64": "!"}',
        '{"url": "http://a.cn/", "html": 7}',
        '{"url": "http://a.cn/", "html": "", "encoding": "klingon"}',
        '{"url": "http://a.cn/", "html": "", "fault": "earthquake"}',
        '{"url": "http://a.cn/", "html": "", "status": "good"}',
        '{"url": "http://a.cn/", "html": "", "headers": 3}',
        b"\xff\xfe",
    ],
)
def test_bad_line_is_named(tmp_path, line):
    path = tmp_path / "bad.jsonl"
    data = line if isinstance(line, bytes) else line.encode()
    path.write_bytes(b'{"url": "http://a.cn/", "html": "x"}\n\n' + data + b"\n")
    with pytest.raises(InputError) as caught:
        Replay([path])
    assert caught.value.where == f"{path}:3"


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
    from quarkcrawl.page import Page

    parsed = Page.from_bytes(body, url, "text/html")
    fields = {
        "url": url,
        "host": url.split("/")[2],
        "level": 1,
        "status": 200,
        "reason_phrase": "OK",
        "http_version": "HTTP/1.1",
        "body": body,
        "ip": "127.0.0.1",
        "fetched_at": 1.1e9,
        "header_lines": (
            (b"Content-Type", b"text/html; charset=gbk"),
            (b"Content-Encoding", b"gzip"),
            (b"Server", b"x"),
        ),
        "origin": None,
        "hops": 0,
        "token": 1,
        "page": parsed,
        "links": parsed.links,
        "md5": "0" * 32,
    }
    return PageItem(**(fields | changes))


@pytest.fixture
def corpus(tmp_path):
    root = tmp_path / "corpus"
    with CorpusWriter(root) as writer:
        writer.append_page(item("http://a.cn/", "天网".encode("gbk") * 50))
        writer.append_page(item("https://b.cn/x.html", b"<p>" * 99))
        writer.append_row(DuplicateRow("http://a.cn/?s=1", "http://a.cn/", "0" * 32, 2, 1.1e9))
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


# --- real sites ------------------------------------------------------------------------------

needs_sites = pytest.mark.skipif(not SITES.is_dir(), reason="../shared/data/sites is absent")


@pytest.mark.shared
@needs_sites
def test_real_sites_answer_every_recorded_page():
    from urllib.parse import quote

    web = Replay([SITES])
    assert len(web.hosts()) == 13
    count = 0
    for path in sorted(SITES.glob("*.jsonl.gz")):
        for line in gzip.decompress(path.read_bytes()).splitlines():
            row = json.loads(line)
            if "#" in row["url"]:
                continue
            host, _, target = row["url"].partition("://")[2].partition("/")
            body = row["html"].encode("utf-8", "replace")
            encoded = f"https://{host.lower()}/{quote(target)}"
            assert ask(web, encoded).body == body
            if encoded.endswith("/index.html"):
                assert ask(web, encoded.removesuffix("index.html")).body == body
                assert ask(web, encoded.removesuffix("/index.html")).status in {200, 301}
            count += 1
    assert count + 4 == len(web) + web.shadowed == 9_985
