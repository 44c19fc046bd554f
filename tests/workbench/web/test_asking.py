"""SQL and the way of a URL in a real browser, by mouse and by keyboard."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from quarkcrawl.dataset import WAY_STEPS
from quarkcrawl.store import Corpus
from tests.workbench.web.conftest import TOKEN, watching
from tests.workbench.web.sites import HOSTS

pytestmark = pytest.mark.full

SIZES = [(1280, "en-US", "light"), (390, "zh-CN", "dark")]


@pytest.fixture(params=SIZES, ids=["1280-en", "390-zh"])
def sized(request, browser, bench):
    width, locale, scheme = request.param
    options = {
        "viewport": {"width": width, "height": 844},
        "locale": locale,
        "color_scheme": scheme,
    }
    with watching(browser, bench.base, **options) as watched:
        yield watched
        over = watched.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert over <= 0
        watched.assert_quiet()


def tab_to(page, selector: str, most: int = 60) -> None:
    """Go there by the Tab key alone."""
    for _ in range(most):
        if page.evaluate("s => document.activeElement.matches(s)", selector):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"the keyboard does not get to {selector}")


def rows(page) -> list[list[str]]:
    return [row.locator("td").all_inner_texts() for row in page.locator(".cells tbody tr").all()]


def test_sql_is_asked_by_keyboard_alone(sized, bench):
    page = sized.page
    sized.open("/sql")
    tab_to(page, "#q")
    page.keyboard.type("SELECT host, pages FROM hosts ORDER BY pages DESC, host")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/sql?q=*")
    expected = bench.get("/api/hosts")["rows"]
    assert rows(page) == [[row["host"], str(row["pages"])] for row in expected]
    tab_to(page, ".cells a")
    page.keyboard.press("Enter")
    page.wait_for_url("**/pages?host=*")


def test_sql_is_asked_by_mouse_and_leads_to_pages(sized, bench):
    page = sized.page
    sized.open("/")
    page.click('.tabs a[href="/sql"]')
    page.click(".examples a >> nth=0")
    assert rows(page)[0][0] == bench.get("/api/overview")["reasons"][0]["name"]
    page.click("details.table summary >> nth=0")
    page.fill("#q", "SELECT id,  FROM pages ORDER BY content_chars DESC LIMIT 3")
    page.evaluate("document.getElementById('q').setSelectionRange(11, 11)")
    page.click('[data-insert="url"] >> nth=0')
    assert page.input_value("#q").startswith("SELECT id, url FROM pages")
    page.click("form.sql button")
    page.locator('.cells a[href^="/page/"]').first.wait_for()
    address = page.url
    page.locator('.cells a[href^="/trace"]').first.click()
    page.wait_for_url("**/trace?url=*")
    page.go_back()
    assert page.url == address
    page.locator('.cells a[href^="/page/"]').first.click()
    page.wait_for_url("**/page/*")
    page.locator("#sheet-text > div").wait_for()


def test_a_wrong_query_says_so_in_one_line_and_is_kept(sized):
    page = sized.page
    sized.open("/sql?q=" + quote("SELECT nope FROM pages"))
    expect(page.locator("[role=alert]")).to_contain_text("nope")
    assert page.input_value("#q") == "SELECT nope FROM pages"
    for sql in ("COPY pages TO '/tmp/x'", "SELECT * FROM read_text('/etc/passwd')"):
        sized.open("/sql?q=" + quote(sql))
        expect(page.locator("[role=alert]")).to_be_visible()
        assert "root:" not in page.inner_text("main")


def test_the_result_is_had_as_csv_and_json(watched, bench):
    watched.open("/sql?q=" + quote("SELECT count(*) AS n FROM pages"))
    with watched.page.expect_download() as told:
        watched.page.click("text=CSV")
    n = bench.get("/api/overview")["totals"]["pages"]
    assert told.value.path().read_text().split() == ["n", str(n)]
    watched.page.click("text=JSON")
    assert json.loads(watched.page.inner_text("pre"))["rows"] == [[n]]


def test_a_link_from_elsewhere_shows_its_query_and_runs_nothing(browser, bench):
    """Whoever follows it from another site reads it first."""
    path = "/sql?q=" + quote("SELECT 'r' || 'an'")
    with watching(browser, bench.base) as watched:
        page = watched.page
        page.route("http://elsewhere.example/*", lambda route: route.fulfill(
            content_type="text/html", body=f'<a href="{bench.base}{path}">look</a>'))  # fmt: skip
        page.goto("http://elsewhere.example/")
        page.click("text=look")
        page.wait_for_url("**/sql?q=*")
        assert page.locator(".cells").count() == 0
        expect(page.locator(".notice")).to_be_visible()
        page.click("form.sql button")
        page.locator(".cells td", has_text="ran").wait_for()


def test_without_the_token_nothing_is_run(browser, bench):
    with watching(browser, bench.base, token="") as watched:
        watched.open("/sql?q=" + quote("SELECT 1"))
        watched.page.click("form.sql button")
        watched.page.wait_for_load_state("load")
        assert watched.page.locator(".cells").count() == 0
        expect(watched.page.locator(".notice")).to_contain_text("token")
        watched.assert_quiet()


def test_the_way_of_a_url_by_keyboard_alone(sized, bench):
    page = sized.page
    row = bench.get(f"/api/pages?host={HOSTS[0]}&sort=longest")["rows"][0]
    sized.open("/trace")
    tab_to(page, "input[name=url]")
    page.keyboard.type(row["url"])
    page.keyboard.press("Enter")
    page.wait_for_url("**/trace?url=*")
    assert page.locator(".way > li").count() == len(WAY_STEPS)
    expect(page.locator("#step-fetch")).to_have_class("passed")
    tab_to(page, f'#step-blocks a[href="/page/{row["id"]}"]')
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/page/{row['id']}")
    page.locator("#sheet-text > div").wait_for()


def test_why_a_url_was_not_stored_by_mouse(sized, bench):
    page = sized.page
    sized.open("/drops")
    page.locator("td.address a").first.click()
    page.wait_for_url("**/trace?url=*")
    url = page.input_value("input[name=url]")
    reason = next(row.reason for row in Corpus.open(bench.corpus).drops() if row.url == url)
    expect(page.locator("#step-fetch")).to_contain_text(reason)
    expect(page.locator("#step-fetch")).to_have_class("ended")
    page.click("text=JSON")
    found = json.loads(page.inner_text("pre"))
    assert reason in {point["finding"] for point in found["points"]}


def test_an_unknown_address_leads_to_one_like_it(sized, bench):
    page = sized.page
    url = bench.get(f"/api/pages?host={HOSTS[0]}&sort=longest")["rows"][0]["url"]
    sized.open("/trace?url=" + quote(url[:-1], safe=""))
    expect(page.locator(".notice")).to_be_visible()
    page.locator(f'main a[href="/trace?url={quote(url, safe="")}"]').click()
    expect(page.locator("#step-fetch")).to_have_class("passed")


def test_the_view_answers_while_a_query_runs(bench):
    """A query that takes its whole time holds nobody up."""
    sql = "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r) SELECT max(i) FROM r"
    request = urllib.request.Request(
        f"{bench.base}/api/sql?q={quote(sql)}", headers={"Authorization": f"Bearer {TOKEN}"}
    )

    answers = []

    def long():
        try:
            urllib.request.urlopen(request, timeout=60)
        except urllib.error.HTTPError as error:
            answers.append((error.code, json.load(error)["detail"]))

    thread = threading.Thread(target=long)
    thread.start()
    n_answered = 0
    while thread.is_alive():
        bench.get("/api/overview")
        n_answered += 1
    thread.join()
    assert answers == [(409, "the query takes longer than 5 s")]
    assert n_answered > 3
