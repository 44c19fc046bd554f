"""Facets, search, hits in a page and links in a real browser, by mouse and by keyboard."""

from __future__ import annotations

import csv
import re
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.workbench.web.conftest import watching
from tests.workbench.web.sites import HOSTS

pytestmark = pytest.mark.full

WORD, TRADITIONAL = "增长", "增長"


def total(bench, path: str) -> int:
    return bench.get(path)["total"]


def shown_total(page) -> str:
    return page.locator("h1 small").inner_text()


def query(page) -> dict[str, str]:
    return page.evaluate("Object.fromEntries(new URLSearchParams(location.search))")


def marked(page) -> list[str]:
    """Texts of all hits that the colored view marks, then that of the one whose turn it is."""
    expect(page.locator("#find")).not_to_have_attribute("aria-busy", "true")
    return page.frame_locator("#blocks").locator("body").evaluate(
        "() => ['qk-hits', 'qk-hit'].flatMap((name) => [...CSS.highlights.get(name)].map(String))"
    )  # fmt: skip


def page_with_hits(bench, least: int) -> tuple[str, int]:
    for row in bench.get(f"/api/search?text={quote(WORD)}")["rows"]:
        n = bench.get(f"/api/pages/{row['id']}/find?find={quote(WORD)}")["n_hits"]
        if n >= least:
            return row["id"], n
    pytest.fail("no page has so many hits")


def test_facets_narrow_a_list_down_by_mouse(watched, bench):
    page = watched.page
    watched.open("/pages")
    facets = page.locator("#facets")
    facets.get_by_role("link", name=HOSTS[0]).click()
    page.wait_for_url(f"**/pages?host={HOSTS[0]}")
    assert shown_total(page) == f"{total(bench, f'/api/pages?host={HOSTS[0]}'):,}"
    facets.get_by_role("link", name=HOSTS[1]).click()
    both = f"host={HOSTS[0]}%7C{HOSTS[1]}"
    page.wait_for_url(f"**/pages?{both}")
    assert shown_total(page) == f"{total(bench, f'/api/pages?{both}'):,}"
    expect(facets.locator("[aria-current]")).to_have_count(2)
    year = facets.locator("section", has_text="Date").locator("a").first
    name = year.locator("span").inner_text()
    year.click()
    page.wait_for_url(f"**&date={name}")
    facets.locator(".month a").first.click()  # takes the place of its year
    page.wait_for_url(f"**&date={name}-*")
    n = facets.locator(".month [aria-current] b").inner_text()
    assert shown_total(page) == re.match(r"[\d,]+", n)[0]
    page.get_by_role("link", name="Remove all conditions").click()
    page.wait_for_url(re.compile(r"/pages\??$"))
    assert shown_total(page) == f"{total(bench, '/api/pages'):,}"


def test_facets_and_search_by_keyboard_alone(watched, bench):
    page = watched.page
    watched.open("/pages")
    page.locator("input[name=text]").focus()
    page.keyboard.type(f'"{TRADITIONAL}"')
    page.keyboard.press("Enter")
    page.wait_for_url("**/pages?text=*")
    n = total(bench, f"/api/search?text={quote(WORD)}")
    assert shown_total(page) == f"{n:,}"
    page.locator("#facets").get_by_role("link", name="topic page", exact=False).first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**&topic=yes")
    assert query(page)["text"] == f'"{TRADITIONAL}"'
    expect(page.locator("#facets [aria-current]")).to_be_visible()
    expect(page.locator(".sorts [aria-current]")).to_have_text("relevance")
    page.locator("#facets summary").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#facets ul").first).to_be_hidden()


def test_hits_of_a_list_are_shown_in_the_page_one_after_the_other(watched, bench):
    name, n = page_with_hits(bench, 3)
    page = watched.page
    watched.open(f"/pages?text={quote(TRADITIONAL)}")
    assert set(page.locator(".snippet mark").all_inner_texts()) == {WORD}
    page.locator(f'a[href^="/page/{name}?find="]').click()
    count = page.locator("#find-count")
    expect(count).to_have_text(f"1 of {n}")
    assert marked(page) == [WORD] * (n + 1)
    page.keyboard.press("n")
    expect(count).to_have_text(f"2 of {n}")
    page.click("#find-after")
    expect(count).to_have_text(f"3 of {n}")
    page.frame_locator("#blocks").locator("qk-run").first.click()  # keys work in there, too
    page.keyboard.press("p")
    expect(count).to_have_text(f"2 of {n}")
    page.click("#find-before")
    page.click("#find-before")
    expect(count).to_have_text(f"{n} of {n}")  # round the end
    assert query(page)["find"] == TRADITIONAL
    assert query(page)["hit"] == str(n - 1)
    page.reload()
    expect(count).to_have_text(f"{n} of {n}")
    assert marked(page) == [WORD] * (n + 1)
    page.select_option("#method", "quark")  # another frame: marked again
    expect(page.locator("#facts")).to_contain_text("Encoding")
    assert marked(page) == [WORD] * (n + 1)


def test_words_are_looked_for_in_an_open_page(watched, bench):
    name, n = page_with_hits(bench, 2)
    page = watched.page
    watched.open(f"/page/{name}")
    expect(page.locator("#find-after")).to_be_disabled()
    page.fill("#find-words", "没有这些词")
    page.keyboard.press("Enter")
    expect(page.locator("#find-count")).to_have_text("not in this page")
    assert marked(page) == []
    page.fill("#find-words", WORD)
    page.click("#find button >> nth=0")
    expect(page.locator("#find-count")).to_have_text(f"1 of {n}")
    assert marked(page) == [WORD] * (n + 1)
    page.fill("#find-words", "")
    page.keyboard.press("Enter")
    expect(page.locator("#find-count")).to_have_text("")
    assert marked(page) == []
    assert query(page).keys().isdisjoint({"find", "hit"})


def test_links_of_a_page_lead_to_pages_and_back(watched, bench):
    home = bench.get(f"/api/pages?host={HOSTS[1]}&sort=level")["rows"][0]
    page = watched.page
    watched.open(f"/page/{home['id']}")
    page.click("#tab-links")
    out = page.locator("[data-direction=out]")
    wanted = bench.get(f"/api/pages/{home['id']}/links?direction=out")
    expect(out.locator("h2")).to_contain_text(f"{wanted['total']}")
    assert out.locator("tbody tr").count() == len(wanted["rows"])
    row = next(one for one in wanted["rows"] if one["id"] and one["id"] != home["id"])
    assert query(page) == {"tab": "links"}
    out.locator(f'a[href="/page/{row["id"]}?tab=links"]').first.click()
    page.wait_for_url(f"**/page/{row['id']}?tab=links")
    back = page.locator(f'[data-direction=in] tr:has(a[href="/page/{home["id"]}?tab=links"])')
    expect(back.first).to_contain_text(row["text"])
    outside = next((one for one in wanted["rows"] if not one["id"]), None)
    if outside is not None:
        watched.open(f"/page/{home['id']}?tab=links")
        page.locator("[data-direction=out] a[href^='/trace?url=']").first.click()
        page.wait_for_url("**/trace?url=*")


def test_a_result_goes_out_as_csv_and_sql(watched, bench, tmp_path):
    page = watched.page
    watched.open(f"/pages?text={quote(WORD)}&topic=yes&sort=longest")
    wanted = bench.get(f"/api/results?text={quote(WORD)}&topic=yes&sort=longest")["rows"]
    with page.expect_download() as download:
        page.locator(".exports").get_by_role("link", name="CSV").click()
    download.value.save_as(tmp_path / "pages.csv")
    with (tmp_path / "pages.csv").open(encoding="utf-8", newline="") as file:
        assert [row["id"] for row in csv.DictReader(file)] == [row["id"] for row in wanted]
    page.locator(".exports").get_by_role("link", name="SQL").click()
    page.wait_for_url("**/sql?q=*")
    expect(page.locator("#result")).to_contain_text(f"{len(wanted)}")
    assert page.locator(".cells tbody tr").count() == min(200, len(wanted))


def test_on_a_telephone_facets_are_folded_until_they_are_wanted(browser, bench):
    options = {"viewport": {"width": 390, "height": 844}, "locale": "zh-CN", "color_scheme": "dark"}
    name, n = page_with_hits(bench, 2)
    with watching(browser, bench.base, **options) as watched:
        page = watched.page
        watched.open(f"/pages?text={quote(TRADITIONAL)}")
        first = page.locator("#facets ul a").first
        expect(first).to_be_hidden()
        page.click("#facets summary")
        first.click()
        page.wait_for_url("**&host=*")
        expect(page.locator(".chips a")).to_have_count(1)
        for path in (page.url, f"{bench.base}/page/{name}?find={quote(WORD)}&tab=links"):
            page.goto(path)
            over = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert over <= 0, (path, over)
        expect(page.locator("#find-count")).to_have_text(f"第 1 处，共 {n} 处")
        expect(page.locator("[data-direction=in] h2")).to_be_visible()
        watched.assert_quiet()
