"""Tiles that can be told apart, and the grid of a cluster of several hundred pages, in a real browser."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from playwright.sync_api import expect

from quarkcrawl.store import CorpusWriter
from quarkcrawl.workbench.web.clusters import ClusterReading, common_patterns, url_pattern
from tests.crawl.harness import environment
from tests.store.samples import make_item
from tests.workbench.web.conftest import TOKEN, Bench, running, watching

N_ARTICLES = 420
HOST = "www.wenzhang.cn"
LONG, EMPTY, SHORT = 137, 251, 333  # articles that stand out


def article(n: int) -> str:
    title = f"第{n}篇文章的标题" * (9 if n == LONG else 1)
    date = "" if n == EMPTY else f"2003-{n % 12 + 1:02}-{n % 28 + 1:02}"
    body = "短。" if n == SHORT else f"天网搜索引擎的第{n}条消息，北京大学网络实验室报道。" * 6
    return (
        f"<title>{title}</title><div id=top><a href=/>首页</a></div><h1>{title}</h1>"
        f"<h4>{date}</h4><div class=text><p>{body}</p></div><div id=foot>版权所有</div>"
    )


def listing(n: int) -> str:
    links = "".join(f"<li><a href=/a/{n * 9 + k}.html>消息{n * 9 + k}</a></li>" for k in range(9))
    return f"<title>第{n}页</title><table><tr><td><ul>{links}</ul></td></tr></table><form><input></form>"


def post(name: str) -> str:
    return (
        f"<title>{name}</title><main><article><header><h2>{name}</h2></header>"
        f"<blockquote>{f'{name}写的一段话。' * 9}</blockquote><pre>{name}</pre></article></main>"
    )


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """A workbench on a site with a large cluster."""
    corpus = tmp_path_factory.mktemp("large") / "corpus"
    pages = [(f"http://{HOST}/a/{n}.html", article(n)) for n in range(N_ARTICLES)]
    pages += [(f"http://{HOST}/list.asp?page={n}", listing(n)) for n in range(40)]
    names = [f"{first}-{second}" for first in "abcdef" for second in "uvwxyz"]
    pages += [(f"http://{HOST}/blog/{name}/", post(name)) for name in names]
    with CorpusWriter(corpus) as writer:
        for number, (url, html) in enumerate(pages):
            body = html.encode("gb18030")
            writer.append_page(make_item(number, host=HOST, url=url, body=body))
    words = [
        "template",
        "train",
        str(corpus),
        "--out",
        f"{corpus}/templates.json",
        "--workers",
        "1",
    ]
    subprocess.run([sys.executable, "-m", "quarkcrawl", *words], env=environment(), check=True,
                   capture_output=True, timeout=300)  # fmt: skip
    with running(str(corpus)) as base:
        yield Bench(base, TOKEN, corpus)


def articles(bench) -> dict:
    rows = bench.get("/api/templates")["rows"]
    return max(rows, key=lambda row: row["n_pages"])


def whole_grid(bench, path: str) -> dict:
    for _ in range(300):
        found = bench.get(path)
        if found["is_done"]:
            return found
        time.sleep(0.2)
    return pytest.fail("the pages are not read")


@pytest.mark.full
def test_tiles_show_sample_kind_and_addresses(browser, bench):
    """At db60640 a tile had a skeleton, a number and the host: all of one site looked alike."""
    rows = bench.get("/api/templates")["rows"]
    assert len(rows) >= 2
    one = articles(bench)
    assert one["n_pages"] > 400
    assert one["patterns"][0]["pattern"] == f"{HOST}/a/#.html"
    (blog,) = (row for row in rows if "/blog/" in row["example"])
    assert [row["pattern"] for row in blog["patterns"]] == [f"{HOST}/blog/…/"]
    with watching(browser, bench.base) as watched:
        watched.open("/templates")
        tiles = watched.page.locator(".tiles li")
        expect(tiles).to_have_count(len(rows))
        told = [tile.inner_text() for tile in tiles.all()]
        assert len(set(told)) == len(told)
        tile = tiles.filter(has=watched.page.locator(f"a[href='/templates/{one['id']}']"))
        expect(tile).to_contain_text(one["title"])
        expect(tile.locator(".pattern")).to_have_text(f"{HOST}/a/#.html")
        expect(tile.frame_locator("iframe").locator("h1")).to_have_text(one["title"])
        assert tile.locator("iframe").get_attribute("sandbox") == ""  # nothing runs there
        watched.page.keyboard.press("Tab")  # and nothing in it is reached by keyboard
        links = "document.activeElement.closest('.look') === null"
        for _ in range(20):
            assert watched.page.evaluate(links)
            watched.page.keyboard.press("Tab")
        tile.click(position={"x": 40, "y": 40})  # the picture is part of the link
        watched.page.wait_for_url(f"**/templates/{one['id']}")
        watched.assert_quiet()


@pytest.mark.full
def test_outliers_of_a_large_cluster_come_first(browser, bench):
    one = articles(bench)
    positions = {}
    with watching(browser, bench.base) as watched:
        watched.open(f"/templates/{one['id']}")
        frame = watched.page.frame_locator("#frame")
        for name, text in (
            ("title", "h1 qk-run"),
            ("date", "h4 qk-run"),
            ("body", ".text p qk-run"),
        ):
            frame.locator(text).first.click()
            field = watched.page.locator("#name [name=position]")
            expect(field).not_to_have_value("")
            positions[name] = field.input_value()
            watched.page.keyboard.type(name)
            watched.page.keyboard.press("Enter")
            expect(watched.page.locator(f"#fields [data-name={name}]")).to_be_visible()
        found = whole_grid(bench, f"/api/templates/{one['id']}/grid?sort=outliers")
        assert found["n_rows"] == one["n_pages"] == N_ARTICLES
        assert found["patterns"] == [{"pattern": f"{HOST}/a/#.html", "n": N_ARTICLES}]
        first = {row["url"]: row["unusual"] for row in found["rows"][:3]}
        assert first == {
            f"http://{HOST}/a/{LONG}.html": [{"field": "title", "what": "long"}],
            f"http://{HOST}/a/{EMPTY}.html": [{"field": "date", "what": "empty"}],
            f"http://{HOST}/a/{SHORT}.html": [{"field": "body", "what": "short"}],
        }
        assert found["n_unusual"] == 3
        stored = bench.get(f"/api/templates/{one['id']}/grid")
        assert [row["url"] for row in stored["rows"][:2]] == [
            f"http://{HOST}/a/{n}.html" for n in (0, 1)
        ]
        fields = {field["name"]: field["n_filled"] for field in stored["fields"]}
        assert fields == {"title": N_ARTICLES, "date": N_ARTICLES - 1, "body": N_ARTICLES}
        watched.page.get_by_role("link", name="outliers first").click()
        rows = watched.page.locator("#grid tbody tr")
        expect(rows).to_have_count(50)
        expect(watched.page.locator("#grid tbody .unusual .tag")).to_have_count(3)
        told = sorted(tag.inner_text() for tag in watched.page.locator(".unusual .tag").all())
        assert told == ["body: short", "date: empty", "title: long"]
        watched.page.locator("#grid .pager button").last.click()  # the order stays in the address
        expect(rows.first).to_be_visible()
        expect(watched.page.locator("#grid .where")).to_have_text("51–100 of 420")
        assert "sort=outliers" in watched.page.url
        watched.assert_quiet()


@pytest.mark.parametrize(
    ("url", "pattern"),
    [("http://a.cn/", "a.cn/"), ("http://a.cn", "a.cn"), ("https://a.cn/b-12/3.html#x", "a.cn/b-#/#.html"),
     ("http://a.cn/x?id=12&q=&&r", "a.cn/x?id=…&q=…&=…&r=…"), ("http://a1.cn:80/9a0b1c2d3e4f5a6b.htm", "a1.cn:80/#.htm")],
)  # fmt: skip
def test_patterns_of_addresses(url, pattern):
    assert url_pattern(url) == pattern


def test_names_that_are_another_on_each_page_are_left_open():
    posts = {f"a.cn/2024/{name}/": 1 for name in ("one", "two", "three")}
    sections = {f"a.cn/{name}/#.html": 50 for name in ("news", "sport", "tech", "home")}
    files = {f"a.cn/f/{name}?v=…": 2 for name in ("a.pdf", "b.pdf", "c.pdf", "x.htm")}
    few = {"a.cn/x/one": 1, "a.cn/x/two": 1, "a.cn": 1}
    found = common_patterns(posts | sections | files | few)
    assert {found[one] for one in posts} == {"a.cn/2024/…/"}
    assert all(found[one] == one for one in sections | few)
    assert {found[one] for one in files} == {"a.cn/f/….pdf?v=…", "a.cn/f/x.htm?v=…"}
    both = common_patterns({f"a.cn/{n}user/{n}post": 1 for n in "abcd"})
    assert set(both.values()) == {f"a.cn/{n}user/{n}post" for n in "abcd"}
    assert common_patterns({}) == {}


def test_of_few_values_the_usual_length_is_not_known():
    reading = ClusterReading(1, "", [])
    for n in range(4):
        row = {"id": str(n), "url": f"http://a.cn/{n}", "similarity": 1.0 - n / 10}
        reading.add([{**row, "whole": {"title": "天" * (1 + 99 * n)}}])
    assert [row["unusual"] for row in reading.judged(["title"], outliers_first=True)] == [[]] * 4
    rows = reading.judged(["title", "date"], outliers_first=True)
    assert [row["id"] for row in rows] == ["3", "2", "1", "0"]  # the least similar first
    assert rows[0]["unusual"] == [{"field": "date", "what": "empty"}]
