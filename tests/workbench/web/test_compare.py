"""Methods side by side in a real browser: aligned, folded, from difference to difference, peers."""

from __future__ import annotations

import urllib.error

import pytest
from playwright.sync_api import expect

from quarkcrawl.lab.evaluate import extractor
from quarkcrawl.workbench.web.api import PEERS
from tests.workbench.web.conftest import watching

pytestmark = pytest.mark.full
TEXT = "".join(
    f"北京大学网络实验室第{n}次发布搜索引擎的测试结果，读者可以在网上查到。" for n in range(12)
)
HTML = (
    "<title>天网发布结果</title><div class=nav><a href=/a>首页</a> <a href=/b>新闻</a></div>"
    f"<div class=main><h1>天网发布结果</h1><p>{TEXT}</p><p>{TEXT[::-1]}</p></div>"
    "<div class=foot>版权所有，未经许可不得转载本站的任何内容</div>"
)


@pytest.mark.parametrize(("width", "locale"), [(1280, "en-US"), (390, "zh-CN")])
def test_a_peer_beside_a_method(browser, bench, width, locale):
    page_id = bench.add(HTML)
    size = {"width": width, "height": 844}
    with watching(browser, bench.base, viewport=size, locale=locale) as watched:
        page = watched.page
        watched.open(f"/page/{page_id}?tab=compare&second=turbohtml")
        same = page.locator("#compared .same")
        expect(same.first).to_be_visible()
        expect(page.locator("#second")).to_have_value("turbohtml")
        names = page.locator("#second option").all_inner_texts()
        assert [name for name in PEERS if extractor(name).is_installed] == names[4:]
        folded = same.locator("details").first
        summary = folded.locator("summary")
        expect(summary).to_be_visible()
        assert folded.get_attribute("open") is None
        summary.focus()
        page.keyboard.press("Enter")
        assert folded.get_attribute("open") is not None
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.select_option("#first", "default")
        page.select_option("#second", "ibdom")
        expect(page.locator("#second")).to_have_value("ibdom")
        watched.assert_quiet()


def test_from_difference_to_difference_and_round(browser, bench):
    page_id = bench.add(HTML)
    found = bench.get(f"/api/pages/{page_id}/compare?first=rules&second=turbohtml")
    with watching(browser, bench.base) as watched:
        page = watched.page
        watched.open(f"/page/{page_id}?tab=compare&first=rules&second=turbohtml")
        expect(page.locator("#compared .aligned")).to_be_visible()
        differences = page.locator("#compared .aligned > section:not(.same)")
        button = page.locator("#next-difference")
        n_rows = differences.count() // 2
        assert bool(n_rows) == any(one["who"] != "common" for one in found["stretches"])
        if not n_rows:
            expect(button).to_be_disabled()
            pytest.fail("the page was made so that the two differ")
        for step in range(n_rows + 1):
            button.focus()
            page.keyboard.press("Enter")
            expect(page.locator("#compared [role=status]")).to_have_text(
                f"Difference {step % n_rows + 1} of {n_rows}"
            )
            expect(page.locator("#compared .here")).to_have_count(2)
        watched.assert_quiet()


def test_a_peer_that_is_absent_is_named(bench):
    page_id = bench.add(HTML)
    absent = [name for name in PEERS if not extractor(name).is_installed]
    if not absent:
        pytest.skip("all peers are installed here")
    with pytest.raises(urllib.error.HTTPError) as refused:
        bench.get(f"/api/pages/{page_id}/compare?first=default&second={absent[0]}")
    assert refused.value.code == 409
    assert b"pip install" in refused.value.read()
