"""As it looks: of a page that a browser of the crawl ran with its style sheets, else without them."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browsers import browser_or_skip
from tests.crawl.harness import crawl
from tests.render.test_crawl import _Local
from tests.render.webserver import FILES, HTML, serving
from tests.workbench.web.conftest import Bench, running, watching

pytestmark = pytest.mark.full

HOST = "styled.example.com"
SHEET = "@import 'more.css';h1{color:rgb(1,2,3);background:url(/picture.png)}"
PAGE = (
    "<!DOCTYPE html><title>样子</title><link rel=stylesheet href=/css/main.css><h1>标题</h1>"
    "<div id=app></div><script>app.innerHTML='<p>'+'脚本写的。'.repeat(40)</script>"
)
LARGE = PAGE.replace("</script>", "+('<p>'+'段落'.repeat(20)).repeat(9000)</script>")


@pytest.fixture(scope="module")
def rendered(tmp_path_factory):
    """A workbench on a crawl that rendered; its web is gone."""
    browser_or_skip()
    folder = tmp_path_factory.mktemp("rendered")
    FILES.update({
        "/": (HTML, PAGE + "<a href=/large>"),
        "/large": (HTML, LARGE),
        "/css/main.css": ("text/css", SHEET),
        "/css/more.css": ("text/css", "p{margin-left:77px}/*" + "x" * 200_000 + "*/"),
    })  # fmt: skip
    with serving() as server:
        run = crawl(
            folder, _Local(server), [HOST], robots="false", render="all",
            render_style_bytes="1000000",
        )  # fmt: skip
    assert {row.analysis["render_reason"] for row in run.pages().values()} == {"rendered"}
    with running(str(run.out)) as base:
        yield Bench(base, corpus=run.out)


@pytest.mark.parametrize("path", ["/", "/large"])
def test_a_stored_page_is_shown_as_it_looked(rendered, browser, path) -> None:
    rows = rendered.get(f"/api/pages?host={HOST}")["rows"]
    page = next(row["id"] for row in rows if row["url"] == f"http://{HOST}{path}")
    with watching(browser, rendered.base) as watched:
        watched.open(f"/page/{page}")
        frame = watched.page.frame_locator("#original")
        frame.locator("p", has_text="脚本写的。").wait_for()
        style = "node => [getComputedStyle(node).color, getComputedStyle(node).marginLeft]"
        assert frame.locator("h1").evaluate(style)[0] == "rgb(1, 2, 3)"
        assert frame.locator("p").first.evaluate(style)[1] == "77px"
        watched.assert_quiet()


PLACED = "position:absolute;top:0;left:0;width:600px;margin:0;font-size:18px"
PLACED_PAGE = (
    "<!DOCTYPE html><title>样子</title><link rel=stylesheet href=/main.css><h1>标题</h1>"
    "<div style='position:relative;height:10px;overflow:hidden'>"
    f"<div style='{PLACED}'><p>第一段：{'天网搜索引擎。' * 9}</p></div><hr>"
    f"<div style='{PLACED}'><p>第二段：{'北京大学网络实验室。' * 9}</p></div></div>"
)


def test_texts_do_not_lie_upon_each_other_where_sheets_are_missing(browser, bench) -> None:
    """At db60640 inline styles stayed without the sheets: the second text lay upon the first."""
    page = bench.add(PLACED_PAGE)
    with watching(browser, bench.base) as watched:
        watched.open(f"/page/{page}")
        place = "one => { const box = one.getBoundingClientRect(); return [box.top, box.bottom]; }"
        for name in ("#original", "#blocks"):
            texts = watched.page.frame_locator(name).locator("p")
            expect(texts).to_have_count(2)
            (_, above), (below, _) = (one.evaluate(place) for one in texts.all())
            assert above <= below, name
            size = texts.first.evaluate("one => getComputedStyle(one).fontSize")
            assert size == "18px"  # what does not move it is kept
        run = watched.page.frame_locator("#blocks").locator("qk-run", has_text="第一段")
        run.click()
        facts = watched.page.locator("#facts-of-block")
        expect(facts).to_contain_text("第一段")
        watched.assert_quiet()
