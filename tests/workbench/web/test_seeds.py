"""Why a site was dropped, and keeping it anyway, in a real browser; by mouse and by keyboard."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from quarkcrawl.cli import main
from quarkcrawl.select import (
    read_decisions,
    read_keep_list,
)
from quarkcrawl.workbench.web import create_app
from tests.select.selected import selected_work
from tests.workbench.web.conftest import TOKEN, Bench, served, watching

pytestmark = pytest.mark.full
SCREENS = [(1280, "light", "en-US"), (390, "dark", "zh-CN")]


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    return selected_work(tmp_path_factory.mktemp("selected") / "work", 1500)


@pytest.fixture(scope="module")
def bench(work, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    app = create_app(token=TOKEN, gold=folder / "g", templates=folder / "t.json", seeds=work.root)
    with served(app) as base:
        yield Bench(base)


def fits(watched) -> bool:
    return watched.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def press(page, link) -> None:
    """By keyboard only."""
    page.locator(link).first.focus()
    page.keyboard.press("Enter")


@pytest.mark.parametrize(("width", "scheme", "locale"), SCREENS)
def test_why_a_site_was_dropped_and_keeping_it_anyway(browser, bench, work, width, scheme, locale):
    options = {"viewport": {"width": width, "height": 844}, "color_scheme": scheme, "locale": locale}  # fmt: skip
    with watching(browser, bench.base, **options) as watched:
        page = watched.page
        go = press if width < 1280 else (lambda page, link: page.locator(link).first.click())
        go(page, 'a[href="/seeds"]')
        page.wait_for_url("**/seeds")
        expect(page.locator("#steps tbody tr")).to_have_count(9)
        assert fits(watched)
        go(page, '#steps a[href="/seeds/hosts?step=pages&state=dropped"]')
        page.wait_for_url("**/seeds/hosts?step=pages&state=dropped")
        expect(page.locator("#hosts tbody tr")).to_have_count(50)
        assert fits(watched)
        host = page.locator("#hosts tbody a").first.inner_text()
        go(page, "#hosts tbody a")
        page.wait_for_url("**/seeds/host?host=*")
        expect(page.locator("#step-pages")).to_have_class("ended")
        expect(page.locator("#outcome")).to_contain_text("few_pages")
        assert fits(watched)
        page.locator("#keepform input").focus()
        page.keyboard.type("天网")
        page.keyboard.press("Enter")
        expect(page.locator("#unkeep")).to_be_visible()
        expect(page.locator("#keep")).to_contain_text("天网")
        assert read_keep_list(work.path("keep.txt")) == {host: "天网"}
        assert main(["select", "filter", "--work", str(work.root)]) == 0
        page.reload()
        expect(page.locator("#step-pages")).to_have_class("doubted")
        watched.open("/seeds")
        expect(page.locator("#kept a")).to_have_text(host)
        go(page, "#kept a")
        page.wait_for_url("**/seeds/host?host=*")
        go(page, "#unkeep")
        expect(page.locator("#unkeep")).to_have_count(0)
        assert read_keep_list(work.path("keep.txt")) == {}
        assert main(["select", "filter", "--work", str(work.root)]) == 0
        page.reload()
        expect(page.locator("#step-pages")).to_have_class("ended")
        watched.assert_quiet()


@pytest.mark.parametrize(("width", "scheme", "locale"), SCREENS)
def test_families_are_looked_at_and_decided(browser, bench, work, width, scheme, locale):
    options = {"viewport": {"width": width, "height": 844}, "color_scheme": scheme, "locale": locale}  # fmt: skip
    with watching(browser, bench.base, **options) as watched:
        page = watched.page
        watched.open("/seeds/families")
        row = page.locator("#families tbody tr").first
        domain = row.get_attribute("data-domain")
        for word in ("accept", "?"):
            button = row.locator(f'button[data-word="{word}"]')
            button.focus()
            page.keyboard.press("Enter")
            expect(button).to_have_attribute("aria-pressed", "true")
            expect(row.locator('[aria-pressed="true"]')).to_have_count(1)
            expect(page.locator("#changed")).to_be_visible()
            assert read_decisions(work.path("proposals.tsv"))[domain] == word
        assert fits(watched)
        watched.open("/seeds/aliases")
        expect(page.locator("#elections tbody tr").first).to_be_visible()
        page.locator(".sorts a").nth(1).click()
        page.wait_for_url("**/seeds/aliases?rule=*")
        assert fits(watched)
        page.locator("#elections tbody a").first.click()
        page.wait_for_url("**/seeds/host?host=*")
        expect(page.locator("#step-aliases li").first).to_be_visible()
        watched.assert_quiet()


def test_who_has_no_token_reads_only(browser, bench):
    with watching(browser, bench.base, token="") as watched:
        watched.open("/seeds/families")
        expect(watched.page.locator("#families button").first).to_be_disabled()
        watched.open("/seeds/hosts?step=pages&state=dropped")
        watched.page.locator("#hosts tbody a").first.click()
        watched.page.wait_for_url("**/seeds/host?host=*")
        expect(watched.page.locator("#keepform button")).to_be_disabled()
        watched.assert_quiet()
