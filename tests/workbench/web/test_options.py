"""Options of a method in the view of a page: shown, changed, in the address, taken back."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.content.test_methodfile import NEAR, PAGE
from tests.workbench.web.conftest import Bench, running, watching
from tests.workbench.web.sites import HOSTS

pytestmark = pytest.mark.full

THESIS = "method = 'quark'\n[options]\nsimilarity_threshold = 1\n"


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A workbench without a corpus that knows the method of a file."""
    path = tmp_path_factory.mktemp("own") / "thesis.toml"
    path.write_text(THESIS)
    with running("--method", str(path)) as base:
        yield Bench(base)


def test_options_are_changed_stand_in_the_address_and_are_taken_back(own, browser):
    with watching(browser, own.base) as watched:
        page = watched.page
        watched.open(f"/page/{own.add(PAGE)}")
        expect(page.locator("#sheet-text")).to_contain_text("天网")
        expect(page.locator("#method-options")).to_be_hidden()  # of "default" there are none
        page.select_option("#method", "quark")
        expect(page.locator("#method-options")).to_be_visible()
        expect(page.locator("#sheet-text")).to_contain_text(NEAR)
        page.locator("#method-options summary").click()
        text = page.locator("#options")
        expect(text).to_have_value(re.compile("similarity_threshold = 0.02"))
        text.fill(
            text.input_value().replace("similarity_threshold = 0.02", "similarity_threshold = 1")
        )
        page.click("#apply-options")
        expect(page.locator("#sheet-text")).not_to_contain_text(NEAR)
        expect(page.locator("#options-changed")).to_be_visible()
        shown = page.evaluate("new URLSearchParams(location.search).get('options')")
        assert shown == "[options]\nsimilarity_threshold = 1"
        address = page.url
        with watching(browser, own.base) as other:
            other.page.goto(address)
            expect(other.page.locator("#sheet-text")).not_to_contain_text(NEAR)
            expect(other.page.locator("#sheet-text")).to_contain_text("天网")
            expect(other.page.locator("#options")).to_have_value(
                re.compile(r"\[options\]\n(.*\n)*similarity_threshold = 1\n\n\[blocks\]\n")
            )
            other.assert_quiet()
        page.click("#reset-options")
        expect(page.locator("#sheet-text")).to_contain_text(NEAR)
        assert "options" not in page.url
        watched.assert_quiet()


def test_the_method_of_a_file_is_chosen_by_its_name_and_wrong_options_say_why(own, browser):
    with watching(browser, own.base) as watched:
        page = watched.page
        watched.open(f"/page/{own.add(PAGE)}?method=thesis")
        expect(page.locator("#method")).to_have_value("thesis")
        expect(page.locator("#sheet-text")).to_contain_text("天网")
        expect(page.locator("#sheet-text")).not_to_contain_text(NEAR)
        page.locator("#method-options summary").click()
        expect(page.locator("#options")).to_have_value(re.compile("similarity_threshold = 1\n"))
        page.locator("#options").fill("[options]\nthreshold = 1\n")
        page.click("#apply-options")
        expect(page.locator("#gone")).to_contain_text("unknown setting 'threshold'")
        expect(page.locator("#options")).to_be_visible()
        page.click("#reset-options")
        expect(page.locator("#sheet-text")).to_contain_text("天网")
        expect(page.locator("#gone")).to_have_count(0)


def test_the_sheet_of_the_template_says_how_templates_were_made(watched, bench):
    name = bench.get(f"/api/pages?host={HOSTS[0]}&sort=longest")["rows"][0]["id"]
    watched.open(f"/page/{name}?tab=template")
    expect(watched.page.locator("#made-by")).to_contain_text("inverse")
    expect(watched.page.locator("#made-by")).to_contain_text("lcs")
    watched.open(f"/page/{name}?tab=history")
    expect(watched.page.locator("#sheet-history")).to_contain_text("default")
