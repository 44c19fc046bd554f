"""A view is its address: links open what was seen, Back leaves in one step, keys work after clicks."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.workbench.web.sites import HOSTS

pytestmark = pytest.mark.full


def longest(bench, host: str = HOSTS[0]) -> str:
    return bench.get(f"/api/pages?host={host}&sort=longest")["rows"][0]["id"]


def query(watched) -> dict[str, str]:
    return watched.page.evaluate("Object.fromEntries(new URLSearchParams(location.search))")


def change_all(page) -> None:
    page.select_option("#method", "quark")
    page.frame_locator("#blocks").locator("qk-run").first.wait_for()
    page.locator("#colours input[value=map]").check(force=True)
    page.click("#tab-compare")
    page.select_option("#second", "ibdom")
    page.locator("#compared .columns").wait_for()
    page.click("#after")
    page.click("#after")


def test_back_leaves_a_page_in_one_step_and_on_shows_it_as_it_was(watched, bench):
    """At db60640 the documents of the frames were steps of their own: three and more to leave."""
    name = longest(bench)
    page = watched.page
    watched.open(f"/pages?host={HOSTS[0]}&sort=longest")
    page.locator(f'a[href="/page/{name}"]').click()
    page.locator("#sheet-text > div").wait_for()
    change_all(page)
    page.go_back()
    page.wait_for_url("**/pages?host=*")
    assert page.locator(f'a[href="/page/{name}"]').count() == 1
    page.go_forward()
    page.wait_for_url(f"**/page/{name}?*")
    expect(page.locator("#method")).to_have_value("quark")
    expect(page.locator("#tab-compare")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#facts-of-block h2")).to_contain_text("Block 1")


def test_a_pasted_link_opens_tab_block_method_and_colors(watched, bench, browser):
    """At db60640 nothing of these was in the address: the link opened the first of each."""
    name = longest(bench)
    page = watched.page
    watched.open(f"/page/{name}")
    page.locator("#sheet-text > div").wait_for()
    assert query(watched) == {}  # as it opens
    change_all(page)
    expect(page.locator("#facts-of-block h2")).to_contain_text("Block 1")
    assert query(watched) == {
        "method": "quark", "colours": "map", "tab": "compare", "second": "ibdom", "block": "1",
    }  # fmt: skip
    chosen = page.frame_locator("#blocks").locator(".qk-chosen").first.inner_text()
    link = page.url
    other = page.context.new_page()
    other.goto(link)
    expect(other.locator("#method")).to_have_value("quark")
    assert other.locator("#colours input:checked").get_attribute("value") == "map"
    expect(other.locator("#sheet-compare .columns")).to_be_visible()
    expect(other.locator("#second")).to_have_value("ibdom")
    expect(other.locator("#facts-of-block h2")).to_contain_text("Block 1")
    frame = other.frame_locator("#blocks")
    assert frame.locator(".qk-chosen").first.inner_text() == chosen
    expect(frame.locator("qk-run").first).to_have_attribute("data-qk-fill", re.compile(r"^\d$"))
    other.click("text=中文")  # the other language shows the same
    expect(other.locator("#tab-compare")).to_have_attribute("aria-selected", "true")
    expect(other.locator("#facts-of-block h2")).to_contain_text("1")
    other.close()


def test_what_an_address_says_wrongly_is_passed_over(watched, bench):
    watched.open(f"/page/{longest(bench)}?method=x&tab=y&colours=z&block=99999&part=7&second=-")
    page = watched.page
    page.locator("#sheet-text > div").wait_for()
    expect(page.locator("#method")).to_have_value("default")
    page.frame_locator("#blocks").locator("qk-run").first.wait_for()
    page.keyboard.press("j")
    expect(page.locator("#facts-of-block h2")).to_contain_text("Block 0")


def test_keys_work_after_a_click_on_a_list_or_a_radio(watched, bench):
    """At db60640 J did nothing after such a click: the focus was in a field."""
    watched.open(f"/page/{longest(bench)}")
    page, heading = watched.page, watched.page.locator("#facts-of-block h2")
    page.locator("#sheet-text > div").wait_for()
    page.locator("#colours label:has([value=map])").click()
    page.keyboard.press("j")
    expect(heading).to_contain_text("Block 0")
    page.locator("#method").click()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#method")).to_have_value("quark")
    page.keyboard.press("j")
    expect(heading).to_contain_text("Block 1")
    expect(page.locator("#method")).to_have_value("quark")  # no letter was sought in the list


def test_a_list_that_the_keyboard_came_to_takes_letters_itself(watched, bench):
    watched.open(f"/page/{longest(bench)}")
    page = watched.page
    page.locator("#sheet-text > div").wait_for()
    page.locator("#method").press("Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.type("R")
    expect(page.locator("#method")).to_have_value("rules")
    expect(page.locator("#facts-of-block h2")).to_have_text("Block")  # none was chosen


def test_keys_mark_after_a_click_on_the_brush(watched, bench):
    """At db60640 1, 2, 3, J and S did nothing once a brush was clicked."""
    watched.open(f"/marking/{longest(bench, HOSTS[1])}")
    page = watched.page
    page.fill("#marker", "keys")
    page.locator("#brush label:has([value=rel_link])").click()
    expect(page.locator("#state")).not_to_be_empty()
    page.keyboard.press("j")
    page.keyboard.press("1")
    expect(page.locator("#brush input[value=content]")).to_be_checked()
    chosen = page.frame_locator("#frame").locator(".qk-chosen").first
    expect(chosen).to_have_attribute("data-qk-fill", "content")
    page.keyboard.press("s")
    expect(page.locator("#state")).to_contain_text("saved,")
    assert query(watched) == {"block": "0"}
    page.reload()
    expect(chosen).to_be_visible()
