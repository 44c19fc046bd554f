"""Ranks beside each other and what the labels leave, in a real browser; by mouse and by keyboard."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from tests.crawl.harness import environment
from tests.workbench.web.conftest import Bench, running, watching
from tests.workbench.web.views.test_runs import earlier_run

pytestmark = pytest.mark.full
SCREENS = [(1280, "light", "en-US"), (390, "dark", "zh-CN")]


@pytest.fixture(scope="module")
def bench(made_corpus, tmp_path_factory):
    root = shutil.copytree(made_corpus, tmp_path_factory.mktemp("refined") / "corpus")
    command = [sys.executable, "-m", "quarkcrawl", "refine", str(root), "--workers", "1"]
    subprocess.run(command, env=environment(), check=True, capture_output=True, timeout=300)
    with running(str(root)) as base:
        yield Bench(base, corpus=root)


def fits(watched) -> bool:
    return watched.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.mark.parametrize(("width", "scheme", "locale"), SCREENS)
def test_two_rankings_are_chosen_and_a_mover_opened(browser, bench, width, scheme, locale):
    options = {"viewport": {"width": width, "height": 844}, "color_scheme": scheme, "locale": locale}  # fmt: skip
    found = bench.get("/api/ranks/compare?first=pagerank&second=quarkrank&movers=10")
    with watching(browser, bench.base, **options) as watched:
        page = watched.page
        watched.open("/ranks?method=pagerank")
        page.click('a[href^="/ranks/compare"]')
        expect(page.locator("select[name=first]")).to_have_value("pagerank")
        page.select_option("select[name=second]", "quarkrank")
        page.locator("select[name=movers]").focus()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")  # the button comes next
        page.wait_for_url("**/ranks/compare?first=pagerank&second=quarkrank&movers=10")
        expect(page.locator(".plot .dot")).to_have_count(found["pages"])
        expect(page.locator(".plot polyline")).to_have_count(2)
        expect(page.locator("#gained tbody tr")).to_have_count(len(found["gained"]))
        expect(page.locator("#lost tbody tr")).to_have_count(len(found["lost"]))
        assert fits(watched)
        page.locator("#gained tbody a").first.click()
        page.wait_for_url("**/page/*")
        expect(page.locator("[aria-busy]")).to_have_count(0)
        watched.assert_quiet()


@pytest.mark.parametrize(("width", "scheme", "locale"), SCREENS)
def test_from_a_step_of_the_funnel_to_a_page_it_left_out(browser, bench, width, scheme, locale):
    options = {"viewport": {"width": width, "height": 844}, "color_scheme": scheme, "locale": locale}  # fmt: skip
    with watching(browser, bench.base, **options) as watched:
        page = watched.page
        watched.open("/labels")
        expect(page.locator("#funnel tbody tr")).to_have_count(12)
        found = bench.get("/api/labels")
        dropped = next(step["dropped"] for step in found["steps"] if step["reason"] == "short")
        assert fits(watched)
        link = page.locator('#funnel a[href="/labels/documents?reason=short"]')
        expect(link).to_have_text(f"−{dropped}")
        link.focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/labels/documents?reason=short")
        expect(page.locator(".results > li")).to_have_count(dropped)
        expect(page.locator(".sorts [aria-current]")).to_have_text("short")
        assert fits(watched)
        page.go_back()
        page.locator(".masonry .bars a").first.click()
        page.wait_for_url(re.compile(r"/labels/documents\?label=language&value=zh"))
        page.locator(".results .page").first.click()
        page.wait_for_url("**/page/*")
        expect(page.locator("[aria-busy]")).to_have_count(0)
        watched.assert_quiet()


@pytest.mark.parametrize(("width", "scheme", "locale"), SCREENS)
def test_from_a_change_between_two_runs_to_its_page(
    browser, made_corpus, tmp_path, width, scheme, locale
):
    options = {"viewport": {"width": width, "height": 844}, "color_scheme": scheme, "locale": locale}  # fmt: skip
    before = earlier_run(made_corpus, tmp_path / "before")
    with (
        running(str(made_corpus), "--before", str(before), "--gold", str(tmp_path)) as base,
        watching(browser, base, **options) as watched,
    ):
        page = watched.page
        watched.open("/hosts")
        page.locator('.tabs a[href="/runs"]').focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/runs")
        expect(page.locator("#reasons tbody tr").first).to_be_visible()
        assert fits(watched)
        page.locator('.figures a[href="/runs/pages?change=went"]').click()
        page.wait_for_url("**/runs/pages?change=went")
        expect(page.locator("#pages tbody tr")).to_have_count(7)
        page.locator('.sorts a[href*="change=came"]').click()
        page.wait_for_url("**/runs/pages?change=came")
        expect(page.locator("#pages tbody tr").first).to_contain_text("timeout")
        assert fits(watched)
        page.locator("#pages .page").first.click()
        page.wait_for_url("**/page/*")
        expect(page.locator("[aria-busy]")).to_have_count(0)
        watched.assert_quiet()
