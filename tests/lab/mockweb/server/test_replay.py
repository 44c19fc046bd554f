"""Replay of JSON lines, WARC files and corpora made here, and of the real sites."""

import base64
import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.errors import InputError
from quarkcrawl.lab.mockweb import Coding, Fault, Replay
from quarkcrawl.lab.mockweb.server.records import reply_from_row
from tests.lab.mockweb.replays import ask, page, replay

SITES = Path(__file__).resolve().parents[5] / "shared" / "data" / "sites"


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
        '{"url": "http://a.cn/", "html": "", "content_type": 3}',
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


# --- real sites ------------------------------------------------------------------------------

needs_sites = pytest.mark.skipif(not SITES.is_dir(), reason="../shared/data/sites is absent")


@pytest.mark.full
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
