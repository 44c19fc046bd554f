"""Style sheets that stand in a rendered page, so that it can be shown as it looked."""

import asyncio

import pytest

from quarkcrawl.page import Page
from quarkcrawl.render import Renderer, RenderLimits, Reply
from quarkcrawl.render.stylesheets import StyleSheets
from quarkcrawl.workbench.web.worker.frames import original_frame

URL = "http://www.example.com/news/a.html"
MAIN = "http://www.example.com/css/main.css"
CSS = "text/css; charset=utf-8"


def sheets(most_bytes=10_000, **texts):
    made = StyleSheets(most_bytes)
    for name, text in texts.items():
        made.keep(f"http://www.example.com/css/{name}.css", text.encode(), CSS)
    return made


def link(made, href="/css/main.css", **attrs):
    pairs = [("rel", "stylesheet"), ("href", href), *attrs.items()]
    return made.in_place(pairs, URL)


def test_a_sheet_stands_with_absolute_addresses_and_without_comments():
    made = sheets(main="/* x */ a{background:url( '../i/a.png' )} b{src:url(data:font/woff,x)}")
    text = link(made)
    assert 'url("http://www.example.com/i/a.png")' in text
    assert "url(data:font/woff,x)" in text
    assert "/*" not in text


def test_an_imported_sheet_stands_where_it_is_imported():
    made = sheets(main='@import "b.css" print; @import url(c.css);d{}', b="b{}", c="c{}")
    assert link(made).split() == ["@media", "print{b{}}", "c{}d{}"]


def test_sheets_that_import_one_another_end():
    many = '@import "main.css";' * 200
    assert link(sheets(main=many + "x{}", most_bytes=100_000)).count("x{}") <= 51


def test_what_ends_a_style_element_is_written_otherwise():
    assert "</style" not in link(sheets(main="a{content:'</style><script>'}"))


@pytest.mark.parametrize(
    "attrs", [{"rel": "alternate stylesheet"}, {"rel": "icon"}, {"disabled": ""}]
)
def test_other_links_stay(attrs):
    assert link(sheets(main="a{}"), **attrs) is None


def test_no_more_than_the_bound_is_kept():
    made = sheets(10, main="a{}b{}c{}d{}e{}", small="a{}")
    assert link(made) is None
    assert link(made, "/css/small.css") == "a{}"
    assert link(sheets(0, main="a{}")) is None


def test_the_charset_is_that_of_the_header_or_of_the_sheet():
    made = StyleSheets(1000)
    made.keep(MAIN, "a{font-family:宋体}".encode("gbk"), "text/css;charset=gbk")
    assert "宋体" in link(made)
    made = StyleSheets(1000)
    made.keep(MAIN, '@charset "gb2312";a{font-family:黑体}'.encode("gbk"), "text/css")
    assert "黑体" in link(made)


class _Site:
    async def fetch(self, url, max_bytes):
        text = {"main.css": '@import "more.css";h1{color:#123456}', "more.css": "p{margin:7px}"}
        return Reply(url, 200, CSS, text[url.rpartition("/")[2]].encode())


@pytest.mark.full
@pytest.mark.parametrize("most_bytes", [0, 100_000])
def test_a_rendered_page_carries_its_sheets_when_asked(browser_path, most_bytes):
    html = "<link rel=stylesheet media=screen href=../css/main.css><h1>标题</h1><p>正文"

    async def run():
        async with Renderer(RenderLimits(max_style_bytes=most_bytes), _Site()) as renderer:
            return await renderer.render(Page.from_html(html, URL))

    result = asyncio.run(run())
    assert result.reason == "rendered"
    assert (b"#123456" in result.html.encode()) == ("<style" in result.html) == bool(most_bytes)
    assert ("<link" in result.html) == (not most_bytes)
    assert len(result.layout.boxes) == len(result.page.tree)  # aligned all the same
    assert result.layout.visible.any()
    shown = original_frame(Page.from_html(result.html, URL)).html
    assert ("p{margin:7px}" in shown) == bool(most_bytes)
