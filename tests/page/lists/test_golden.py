"""What lists of all kinds say, as sites write them."""

import gzip

import pytest

from quarkcrawl.page.lists import parse_list

from .documents import BROKEN, DAY, GOLDEN, KINDS, SITE


@pytest.mark.parametrize("name", GOLDEN)
def test_entries_with_their_dates(name):
    text, entries = GOLDEN[name]
    found = parse_list(text.encode(), SITE)
    assert found.kind == KINDS[name]
    assert [(one.url, one.lastmod) for one in found] == entries
    assert found.is_whole
    assert not found.is_cut


def test_news_and_items_have_titles_and_times():
    (one,) = parse_list(GOLDEN["news"][0].encode(), SITE)
    assert (one.title, one.published) == ("网页 的 结构", DAY)
    first, *_ = parse_list(GOLDEN["rss"][0].encode(), SITE)
    assert (first.title, first.published, first.lastmod) == ("一 & 二", DAY, DAY)
    first, *_ = parse_list(GOLDEN["atom"][0].encode(), SITE)
    assert (first.published, first.lastmod) == (DAY - 86400, DAY)


def test_the_page_in_other_languages():
    text = """<urlset xmlns:xhtml="http://www.w3.org/1999/xhtml"><url><loc>http://www.a.cn/zh</loc>
    <xhtml:link rel="alternate" hreflang="en" href="http://www.a.cn/en"/>
    <xhtml:link rel="stylesheet" hreflang="x" href="http://www.a.cn/not/me"/>
    <xhtml:link rel="alternate" hreflang="x-default" href="/"/></url></urlset>"""
    (one,) = parse_list(text.encode(), SITE)
    assert one.alternates == (("en", "http://www.a.cn/en"), ("x-default", "http://www.a.cn/"))


@pytest.mark.parametrize("what", BROKEN)
def test_what_sites_break_is_mended(what):
    found = parse_list(BROKEN[what].encode(), SITE)
    assert found.url == ["http://www.a.cn/?a=1&b=2&copy=3"]


@pytest.mark.parametrize("codec", ["gb18030", "utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("declared", ["utf-8", "gbk", "iso-8859-1", "nonsense"])
def test_the_bytes_decide_in_which_encoding_they_are(codec, declared):
    title = "天网搜索引擎的网页结构和排序，北京大学网络实验室" * 3
    text = (
        f'<?xml version="1.0" encoding="{declared}"?><rss version="2.0"><channel><item>'
        f"<title>{title}</title><link>http://www.a.cn/网页</link></item></channel></rss>"
    )
    (one,) = parse_list(text.encode(codec), SITE, f"text/xml; charset={declared}")
    assert (one.title, one.url) == (title, "http://www.a.cn/%E7%BD%91%E9%A1%B5")


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("name", ["urlset", "text", "json"])
def test_gzip_is_seen_by_its_bytes(name, layers):
    text, entries = GOLDEN[name]
    body = text.encode()
    for _ in range(layers):
        body = gzip.compress(body[:100], mtime=0) + gzip.compress(body[100:], mtime=0)
    found = parse_list(body, "http://www.a.cn/feeds/list")
    assert [(one.url, one.lastmod) for one in found] == entries


def test_what_broke_off_keeps_what_came_before():
    text = "".join(f"<url><loc>http://www.a.cn/{n}</loc></url>" for n in range(100))
    found = parse_list(f"<urlset>{text}".encode()[:-30], SITE)
    assert found.url == [f"http://www.a.cn/{n}" for n in range(99)]
    assert not found.is_whole
    body = gzip.compress(f"<urlset>{text}</urlset>".encode(), mtime=0)
    damaged = parse_list(body[: len(body) * 3 // 4], SITE)
    assert 0 < len(damaged) < 100
    assert damaged.url == [f"http://www.a.cn/{n}" for n in range(len(damaged))]
    assert not damaged.is_whole


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\0\0\0",
        b"<!DOCTYPE html><html><body><a href=/1>1</a><url><loc>http://www.a.cn/1</loc></url>",
        b"<html><rss><channel><item><link>http://www.a.cn/1</link></item></channel></rss>",
        "找不到网页".encode(),
        b"see http://www.a.cn/1",
        b'{"items": 3, "title": ""}',
        b'[{"url": "http://www.a.cn/1"}]',
        b'{"items": [{"url": "http://www.a.cn/1"}], "title": ',
        b'<opml><outline xmlUrl="http://www.a.cn/1"/></opml>',
        b"\x1f\x8b\x08",
        b"%PDF-1.4",
    ],
)
def test_what_is_no_list_has_no_entries(body):
    found = parse_list(body, SITE)
    assert (found.kind, len(found)) == ("", 0)


def test_a_sitemap_names_whole_addresses():
    text = "<urlset><url><loc>page.html</loc></url><url><loc>/a</loc></url><url><loc>mailto:a@a.cn</loc></url></urlset>"
    found = parse_list(text.encode(), SITE)
    assert found.url == ["http://www.a.cn/a"]
    assert found.n_refused == 2
