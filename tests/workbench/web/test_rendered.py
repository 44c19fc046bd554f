"""A page that a browser of the crawl ran is shown as it looked then, from what is stored."""

from __future__ import annotations

import pytest

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
