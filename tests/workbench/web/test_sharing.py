"""A report that was sent: searched and looked at offline; hostile pages in it do nothing."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from quarkcrawl.cli import main
from quarkcrawl.store import CorpusWriter
from tests.store.samples import make_item
from tests.workbench.web.conftest import Watched
from tests.workbench.web.test_hostile import BLOCKED, HOSTILE, page_of

pytestmark = pytest.mark.full
SCREENS = [(1280, "light", "en"), (390, "dark", "zh")]
WAYS = ("kinds", "map", "looks", "text")


def opened(browser, report, **options):
    """A page without a network."""
    context = browser.new_context(**options)
    context.set_offline(True)
    watched = Watched(context.new_page(), "")
    page = watched.page
    page.set_default_timeout(90_000)
    page.on("request", lambda request: watched.asked.append(request.url))
    page.on("pageerror", lambda error: watched.said.append(str(error)))
    page.on("console", lambda message: watched.said.append(message.text))
    page.goto(report.as_uri())
    return watched


def choose(page, way) -> None:
    page.check(f"input[name=way][value={way}]", force=True)


@pytest.mark.parametrize(("width", "scheme", "lang"), SCREENS)
def test_a_report_is_searched_and_looked_at_without_a_network(
    browser, made_corpus, tmp_path, width, scheme, lang
):
    report = tmp_path / "report.html"
    words = ["report", str(made_corpus), "--out", str(report), "--lang", lang, "--workers", "1"]
    assert main([*words, "--pages", "60"]) == 0
    options = {"viewport": {"width": width, "height": 844}, "color_scheme": scheme}
    watched = opened(browser, report, **options)
    page = watched.page
    expect(page.locator("#hits")).to_contain_text("60")
    expect(page.locator("#pages > li")).to_have_count(10)
    page.click("#more")
    expect(page.locator("#pages > li")).to_have_count(20)
    page.fill("#find", "转载 zhuanzai")
    expect(page.locator("#pages mark").first).to_be_visible()
    expect(page.locator("#pages > li").first).to_contain_text("www.zhuanzai.cn")
    n_hits = page.locator("#pages > li").count()
    assert 0 < n_hits < 10
    page.locator("#pages a").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#viewer")).to_be_visible()
    expect(page.locator("#viewer")).to_be_focused()
    frame = page.frame_locator("#frame")
    run = frame.locator("qk-run[data-qk-fill]").first
    colors = set()
    for way in ("kinds", "map", "looks"):
        choose(page, way)
        expect(run).to_be_visible()
        colors.add(run.evaluate("one => getComputedStyle(one).backgroundColor"))
    assert len(colors) >= 2
    choose(page, "text")
    expect(page.locator("#text")).to_be_visible()
    expect(page.locator("#frame")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    page.reload()  # the address opens the page again
    expect(page.locator("#viewer")).to_be_visible()
    page.click("#close")
    expect(page.locator("#viewer")).to_be_hidden()
    page.fill("#find", "no such words anywhere")
    expect(page.locator("#pages > li")).to_have_count(0)
    assert page.evaluate("document.documentElement.lang")[:2] == lang
    assert page.locator(".funnel").count() >= 1
    assert page.locator(".plot").count() == 3  # sizes, and two of ranks
    assert {url for url in watched.asked if not url.startswith("about:")} == {report.as_uri()}
    assert watched.said == []
    page.context.close()


def test_hostile_pages_in_a_report_do_nothing(browser, outside, tmp_path):
    with CorpusWriter(tmp_path / "corpus") as writer:
        for number, name in enumerate(HOSTILE, 1):
            host = f"h{number}.cn"
            url, body = f"http://{host}/", page_of(name).encode()
            writer.append_page(make_item(number, host=host, url=url, body=body))
    report = tmp_path / "report.html"
    words = ["report", str(tmp_path / "corpus"), "--out", str(report), "--workers", "1"]
    assert main(words) == 0
    outside.seen.clear()
    watched = opened(browser, report)
    page = watched.page
    page.context.set_offline(False)  # so that whatever gets out is seen
    expect(page.locator("#hits")).to_contain_text(str(len(HOSTILE)))
    for number in range(len(HOSTILE)):
        page.evaluate("number => { location.hash = `page=${number}`; }", number)
        for way in WAYS:
            choose(page, way)
            if way == "text":
                expect(page.locator("#text")).to_contain_text("搜索引擎")
                continue
            run = page.frame_locator("#frame").locator("qk-run", has_text="搜索引擎").first
            expect(run).to_be_visible()
            run.click(force=True)
            links = page.frame_locator("#frame").locator("a")
            if links.count():
                links.first.evaluate("one => one.click()")
        frames = [frame for frame in page.frames if frame.parent_frame is not None]
        assert len(frames) == 1
    assert page.url.startswith(report.as_uri())
    assert not [text for text in watched.said if "RAN" in text]
    allowed = (*BLOCKED, "Not allowed to load local resource")
    others = [text for text in watched.said if not text.startswith(allowed)]
    assert sorted(set(others)) == []
    assert [text for text in outside.seen if "outside.example" in text] == []
    page.context.close()
