"""Teaching in a real browser: from a block to a rule, its gallery, accepted and taken back."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from quarkcrawl.template.site import read_rules
from tests.corpus.sitepages import NOTICE
from tests.corpus.taughtpages import N_PAGES, TAUGHT, store_site
from tests.workbench.web.conftest import Bench, running, watching

pytestmark = pytest.mark.full

PLAIN = NOTICE.partition("，")[0]
"""Signs are in compatibility form where texts are compared."""

SIZES = [(1280, "en-US", "light"), (390, "zh-CN", "dark")]


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A workbench on a corpus of its own, which these tests may teach."""
    corpus = tmp_path_factory.mktemp("teach") / "corpus"
    store_site(corpus)
    with running(str(corpus)) as base:
        yield Bench(base, corpus=corpus)


@pytest.fixture(params=SIZES, ids=["1280-en", "390-zh"])
def sized(request, browser, own):
    """The browser in two sizes and languages; nobody has taught anything yet."""
    (own.corpus / "rules.toml").unlink(missing_ok=True)
    width, locale, scheme = request.param
    options = {
        "viewport": {"width": width, "height": 844},
        "locale": locale,
        "color_scheme": scheme,
    }
    with watching(browser, own.base, **options) as watched:
        yield watched
        assert watched.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        watched.assert_quiet()


def page_of(own, number: int) -> str:
    return own.get(f"/api/pages?q={TAUGHT}/{number}.html")["rows"][0]["id"]


def noted_block(own, page: str) -> int:
    blocks = own.get(f"/api/pages/{page}/blocks?count=50")["blocks"]
    return next(block["number"] for block in blocks if NOTICE[:9] in block["text"])


def n_rules(own) -> int:
    file = own.corpus / "rules.toml"
    return len(read_rules(file)) if file.exists() else 0


def tab_to(page, selector: str, most: int = 90) -> None:
    """Go there by the Tab key alone."""
    for _ in range(most):
        if page.evaluate("s => document.activeElement.matches(s)", selector):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"the keyboard does not get to {selector}")


def expect_tried(page) -> None:
    expect(page.locator("#gallery > .card")).to_have_count(N_PAGES)
    expect(page.locator("#progress")).to_contain_text(str(N_PAGES))
    expect(page.locator("#totals")).to_contain_text(str(N_PAGES * len(NOTICE)))


def test_a_block_is_taught_and_taken_back_by_mouse(sized, own):
    page, name = sized.page, page_of(own, 3)
    sized.open(f"/page/{name}")
    frame = page.frame_locator("#blocks")
    frame.locator("qk-run", has_text=NOTICE[:9]).click()
    link = page.locator("#facts-of-block .teach a").last
    link.click()
    page.wait_for_url("**/teach?*")
    expect_tried(page)
    expect(page.locator("#gallery > .card del").filter(has_text=NOTICE)).to_have_count(N_PAGES)
    assert n_rules(own) == 0
    assert NOTICE in own.get(f"/api/pages/{name}/text?model=site")["text"]

    page.locator("#accept").click()
    expect(page.locator("#accepted")).to_be_visible()
    expect(page.locator("#accept")).to_be_hidden()
    assert n_rules(own) == 1
    page.locator("#accepted a").click()
    page.wait_for_url("**/page/*")
    expect(page.locator("#sheet-text")).to_contain_text("第3次实验")
    expect(page.locator("#sheet-text")).not_to_contain_text(NOTICE)

    sized.open(f"/trace?url=http://{TAUGHT}/3.html")
    station = page.locator("#step-rules")
    expect(station).to_contain_text("div.note")
    expect(station).to_contain_text(str(len(NOTICE)))
    station.locator("a[href*='block=']").click()
    page.wait_for_url("**/page/*block=*")
    expect(page.locator("#facts-of-block")).to_contain_text(NOTICE[:9])

    sized.open("/rules")
    expect(page.locator("#rules tbody tr[data-key]")).to_have_count(1)
    page.locator("#rules code").click()
    page.wait_for_url("**/teach?*")
    expect_tried(page)
    page.locator("#undo").click()
    expect(page.locator("#accept")).to_be_visible()
    expect(page.locator("#accepted")).to_be_hidden()
    assert n_rules(own) == 0


def test_a_block_is_taught_and_taken_back_by_keyboard(sized, own):
    page, name = sized.page, page_of(own, 4)
    block = noted_block(own, name)
    sized.open(f"/page/{name}?block={block}")
    expect(page.locator("#facts-of-block .teach a")).to_have_count(2)
    tab_to(page, "#facts-of-block .teach a:last-child")
    page.keyboard.press("Enter")
    page.wait_for_url("**/teach?*")
    expect_tried(page)
    expect(page.locator("#accept")).to_be_enabled()
    tab_to(page, "#accept")
    page.keyboard.press("Enter")
    expect(page.locator("#undo")).to_be_focused()
    assert n_rules(own) == 1
    page.keyboard.press("Enter")
    expect(page.locator("#accept")).to_be_focused()
    assert n_rules(own) == 0


def test_what_is_proposed_for_one_page_can_be_tried_and_taught_on_all(sized, own):
    page, name = sized.page, page_of(own, 4)
    blocks = own.get(f"/api/pages/{name}/blocks?count=50")["blocks"]
    block = next(one["number"] for one in blocks if "第4次实验" in one["text"])
    sized.open(f"/teach?page={name}&block={block}&kind=noise")
    expect(page.locator("#reach")).to_be_visible()
    expect(page.locator("select[name=page_only]")).to_have_value("yes")
    page.fill("#select", "div.note")
    page.locator("form.sql button").click()
    page.wait_for_url("**page_only=yes**")
    expect(page.locator("#gallery > .card")).to_have_count(1)
    expect(page.locator("#progress")).to_contain_text(str(N_PAGES))
    page.locator("#accept").click()
    expect(page.locator("#undo")).to_be_visible()
    [rule] = read_rules(own.corpus / "rules.toml").rules
    assert (rule.page_only, rule.page) == (True, f"http://{TAUGHT}/4.html")

    sized.open("/rules")
    page.locator("#rules code").click()
    page.wait_for_url("**/teach?*page_only=yes**")
    expect(page.locator("#undo")).to_be_visible()
    page.locator("select[name=page_only]").select_option("no")
    page.locator("form.sql button").click()
    page.wait_for_url("**page_only=no**")
    expect(page.locator("#gallery > .card")).to_have_count(N_PAGES - 1)  # one is so already
    expect(page.locator("#progress")).to_contain_text(str(N_PAGES))
    expect(page.locator("#reach")).to_have_count(0)
    page.locator("#accept").click()
    expect(page.locator("#undo")).to_be_visible()
    assert n_rules(own) == 2


def test_the_address_is_the_rule_and_opens_it_again(sized, own):
    page, name = sized.page, page_of(own, 5)
    sized.open(f"/teach?page={name}&block={noted_block(own, name)}&kind=noise")
    expect_tried(page)
    page.locator(f"#gallery [data-id='{name}'] button").click()
    compared = page.locator("#compared .text")
    expect(compared.first.locator("del")).to_contain_text(PLAIN)
    expect(compared.last).to_contain_text("第5次实验")
    expect(compared.last).not_to_contain_text(PLAIN)
    query = parse_qs(urlsplit(page.url).query)
    assert query["select"] == ["div.note"]
    assert (query["host"], query["kind"], query["own"], query["show"]) == (
        [TAUGHT],
        ["noise"],
        ["no"],
        [name],
    )
    page.reload()
    expect_tried(page)
    expect(compared.first.locator("del")).to_contain_text(PLAIN)
    before = page.locator("html").get_attribute("lang")
    page.locator(".tools a[lang]").click()
    expect(page.locator("html")).not_to_have_attribute("lang", before)
    expect_tried(page)
    expect(compared.first.locator("del")).to_contain_text(PLAIN)


def test_another_selector_is_tried_and_a_wrong_one_is_told(sized, own):
    page, name = sized.page, page_of(own, 6)
    sized.open(f"/teach?page={name}&block={noted_block(own, name)}&kind=noise")
    expect_tried(page)
    page.fill("#select", "div.none")
    page.locator("form.sql button").click()
    page.wait_for_url("**select=div.none**")
    expect(page.locator("#gallery .none")).to_be_visible()
    sized.open(f"/teach?host={TAUGHT}&kind=noise&select=div%5B")
    expect(page.locator("#said")).to_contain_text("invalid CSS selector")
    expect(page.locator("#accept")).to_be_disabled()
    sized.said[:] = [text for text in sized.said if "409" not in text]  # the browser tells it, too


def test_who_has_no_token_may_look_and_not_teach(browser, own):
    (own.corpus / "rules.toml").unlink(missing_ok=True)
    own.send("POST", "/api/rules", {"host": TAUGHT, "kind": "noise", "select": "div.note"})
    with watching(browser, own.base, token="") as watched:
        watched.open(f"/teach?host={TAUGHT}&kind=content&select=div.note")
        expect(watched.page.locator("#progress")).to_contain_text(str(N_PAGES))
        expect(watched.page.locator("#accept")).to_be_disabled()
        watched.open("/rules")
        expect(watched.page.locator("[data-undo]")).to_be_disabled()
        watched.assert_quiet()
    with watching(browser, own.base) as watched:
        watched.open("/rules")
        watched.page.locator("[data-undo]").click()
        expect(watched.page.locator("#rules tbody tr[data-key]")).to_have_count(0)
        assert n_rules(own) == 0
        watched.assert_quiet()
