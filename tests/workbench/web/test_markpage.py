"""Marking in a real browser: parts of blocks, undo, skip, flag, what comes next; by keyboard and by mouse."""

from __future__ import annotations

import json
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from quarkcrawl.lab.evaluate import extractor
from quarkcrawl.workbench.web.api import PEERS
from tests.workbench.web.conftest import watching

pytestmark = pytest.mark.full

HEAD = "新华网 2003-10-26 电"
TEXT = "天网搜索引擎。北京大学网络实验室；未名湖。"
PAGE = (
    f"<title>x</title><h1>标题甲</h1><hr><div><p>{HEAD}</p></div><hr>"
    f"<div><p><a href='/a'>{TEXT * 9}</a></p><p>点击：20次</p></div>"
)
SKELETON = (
    "(body) => [...body.querySelectorAll('*')].map((one) => one.localName + one.childNodes.length)"
)


@contextmanager
def marking(browser, bench, page: str, marker: str, query: str = "", **options):
    """A page to be marked, opened by somebody, when its marks have come."""
    with watching(browser, bench.base, **options) as watched:
        open_page(watched, page, marker, query)
        yield watched, watched.page.frame_locator("#frame")
        watched.assert_quiet()


def open_page(watched, page: str, marker: str, query: str = "") -> None:
    watched.open("/inspect")
    watched.page.evaluate("(name) => localStorage.setItem('quarkcrawl-marker', name)", marker)
    watched.open(f"/marking/{page}{query}")
    expect(watched.page.locator("#state")).not_to_be_empty()
    watched.page.frame_locator("#frame").locator("qk-run").first.wait_for()


def kept(bench, page: str, marker: str) -> dict:
    return bench.get(f"/api/marking/{marker}/{page}")


def texts(found: dict, frame, kind: str) -> list[str]:
    """What is marked as a kind inside of blocks."""
    told = []
    for one in found["passages"]:
        if one["kind"] == kind:
            run = frame.locator(f"qk-run[data-qk-run='{one['run']}']")
            n_cut = int(run.get_attribute("data-qk-cut") or 0)
            told.append(run.inner_text()[one["start"] - n_cut : one["end"] - n_cut])
    return told


def painted(frame) -> dict[str, list[str]]:
    """Texts that the frame paints as passages, by kind."""
    found = frame.locator("body").evaluate(
        "() => Object.fromEntries([...CSS.highlights].map(([name, some]) => [name, [...some].map(String)]))"
    )
    return {name.removeprefix("qk-"): texts for name, texts in found.items()}


def await_painted(frame, wanted: dict[str, list[str]]) -> None:
    """Until the frame has been told and has painted."""
    for _ in range(600):
        found = painted(frame)
        if found == wanted:
            return
        frame.locator("body").evaluate("() => new Promise((go) => setTimeout(go, 50))")
    assert found == wanted


def saved(watched) -> None:
    expect(watched.page.locator("#state")).to_contain_text("saved,")


def block_with(bench, page: str, text: str) -> int:
    blocks = bench.get(f"/api/pages/{page}/blocks?count=200")["blocks"]
    return next(one["number"] for one in blocks if text in one["text"])


def drag(watched, run, start: int, end: int) -> None:
    """Draw with the mouse over some characters of a text in the frame, until they are marked."""
    state = watched.page.locator("#state")
    version = state.get_attribute("data-version")
    boxes = run.evaluate(
        """(run, [start, end]) => [start, end].map((n) => {
            const range = document.createRange();
            range.setStart(run.firstChild, n);
            range.setEnd(run.firstChild, n);
            const box = range.getBoundingClientRect();
            return [box.x, box.y + box.height / 2];
        })""",
        [start, end],
    )
    frame = watched.page.locator("#frame").bounding_box()
    places = [(frame["x"] + 1 + x, frame["y"] + 1 + y) for x, y in boxes]
    watched.page.mouse.move(*places[0])
    watched.page.mouse.down()
    watched.page.mouse.move(*places[1], steps=4)
    watched.page.mouse.up()
    expect(state).not_to_have_attribute("data-version", version)


@pytest.mark.parametrize("n_more", [0, 9000])
def test_a_part_of_a_block_is_marked_by_keyboard_only(browser, bench, n_more):
    """Also on a page that is shown in parts, without the white space around its texts."""
    page = bench.add(PAGE + "<i>x</i>" * n_more)
    block = block_with(bench, page, HEAD)
    with marking(browser, bench, page, f"keys{n_more}") as (watched, frame):
        press = watched.page.keyboard.press
        state, picked = watched.page.locator("#state"), watched.page.locator("#picked")
        for _ in range(block + 1):
            press("j")
        press("1")
        expect(state).to_have_text("not saved")
        press("i")
        expect(picked).to_have_text(f"picked: {HEAD}")
        for key in (",", ",", ">", ">", ">", ">"):
            press(key)
        expect(picked).to_have_text("picked: 2003-10-26")
        press("5")
        press("Escape")
        expect(picked).to_have_text("")
        press("s")
        saved(watched)
        found = kept(bench, page, f"keys{n_more}")
        assert texts(found, frame, "date") == ["2003-10-26"]
        assert found["kinds"][block] == "content"
        watched.page.reload()
        expect(state).to_have_text("marked before")
        frame.locator("qk-run").first.wait_for()
        press("j")
        press("s")
        saved(watched)
        assert kept(bench, page, f"keys{n_more}") == found


def test_pieces_of_a_block_are_stepped_through(browser, bench):
    page = bench.add(PAGE)
    block = block_with(bench, page, TEXT)
    with marking(browser, bench, page, "pieces") as (watched, frame):
        press, picked = watched.page.keyboard.press, watched.page.locator("#picked")
        for _ in range(block + 1):
            press("j")
        press("i")
        for key, text in (("", "天网搜索引擎。"), ("j", "北京大学网络实验室；"), ("Shift+J", "北京大学网络实验室；未名湖。"),
                          ("Shift+K", "北京大学网络实验室；"), ("k", "天网搜索引擎。"), ("k", "天网搜索引擎。")):  # fmt: skip
            if key:
                press(key)
            expect(picked).to_have_text(f"picked: {text}")
        press("8")
        press("j")
        press("4")
        press("o")
        press("s")
        saved(watched)
        found = kept(bench, page, "pieces")
        assert texts(found, frame, "comment") == ["天网搜索引擎。"]
        assert texts(found, frame, "headline") == ["北京大学网络实验室；"]


def test_the_mouse_marks_what_it_draws_over_and_undo_takes_it_back(browser, bench):
    page = bench.add(PAGE)
    with marking(browser, bench, page, "mouse") as (watched, frame):
        state = watched.page.locator("#state")
        head = frame.locator("qk-run", has_text=HEAD)
        head.click()  # a click marks the whole block
        expect(head).to_have_attribute("data-qk-fill", "content")
        watched.page.locator("#brush label", has_text="date").click()
        drag(watched, head, 4, 14)
        expect(state).to_have_text("not saved")
        watched.page.locator("#brush label", has_text="comment").click()
        link = frame.locator("a qk-run")
        drag(watched, link, 0, 7)  # in a link, too
        watched.page.click("#save")
        saved(watched)
        found = kept(bench, page, "mouse")
        assert texts(found, frame, "date") == ["2003-10-26"]
        assert texts(found, frame, "comment") == ["天网搜索引擎。"]
        await_painted(frame, {"date": ["2003-10-26"], "comment": ["天网搜索引擎。"]})

        watched.page.keyboard.press("Control+z")  # the focus is outside of the frame
        expect(state).to_have_text("undone, not saved")
        await_painted(frame, {"date": ["2003-10-26"]})
        frame.locator("body").press("Control+z")  # and inside
        expect(head).to_have_attribute("data-qk-fill", "content")
        await_painted(frame, {})
        watched.page.click("#undo")
        expect(head).to_have_attribute("data-qk-fill", "noise")
        expect(watched.page.locator("#undo")).to_be_disabled()
        for key in ("Control+y", "Control+Shift+Z", "Control+y"):
            watched.page.keyboard.press(key)
        expect(state).to_have_text("as it was saved")
        expect(watched.page.locator("#redo")).to_be_disabled()
        await_painted(frame, {"date": ["2003-10-26"], "comment": ["天网搜索引擎。"]})
        head.click()  # the block as a whole again: its passages are gone
        assert kept(bench, page, "mouse") == found  # nothing is saved by itself
        expect(state).to_have_text("not saved")
        await_painted(frame, {"comment": ["天网搜索引擎。"]})
        watched.page.click("#undo")
        expect(state).to_have_text("as it was saved")


def test_a_proposal_can_be_undone_with_its_origin(browser, bench):
    page = bench.add(PAGE)
    with marking(browser, bench, page, "undoer") as (watched, _):
        origin = watched.page.locator("#origin")
        watched.page.click("#propose")
        expect(origin).to_have_attribute("data-origin", "default")
        watched.page.keyboard.press("Control+z")
        expect(origin).to_have_attribute("data-origin", "blank")
        watched.page.keyboard.press("Control+y")
        expect(origin).to_have_attribute("data-origin", "default")
        watched.page.keyboard.press("Control+z")
        expect(watched.page.locator("#state")).to_have_text("as it was saved")


def sample(bench, n: int) -> list[str]:
    return bench.send("POST", "/api/marking/sample", {"size": n, "seed": 5, "topic": True})["ids"]


def test_skip_flag_save_and_next_by_keyboard(browser, bench):
    first, second, third = sample(bench, 3)
    with watching(browser, bench.base) as watched:
        page, press = watched.page, watched.page.keyboard.press
        open_page(watched, first, "walker", "?order=blind")
        press("x")
        page.wait_for_url(f"**/marking/{second}?order=blind")
        expect(page.locator("#state")).not_to_be_empty()
        press("n")  # untouched: not saved as a page without content
        page.wait_for_url(f"**/marking/{third}?order=blind")
        expect(page.locator("#state")).not_to_be_empty()
        press("f")
        expect(page.locator("#note")).to_be_focused()
        page.keyboard.type("两篇文章 njk")  # letters are no keys in a field
        press("Enter")
        expect(page.locator("#flag")).to_have_attribute("aria-pressed", "true")
        page.locator("h1").click()
        press("j")
        press("1")
        expect(page.locator("#state")).to_have_text("not saved")
        press("n")
        page.wait_for_url(f"**/marking/{second}?order=blind")
        assert kept(bench, third, "walker")["is_saved"]
        assert kept(bench, third, "walker")["note"] == "两篇文章 njk"
        assert not kept(bench, second, "walker")["is_saved"]
        expect(page.locator("#state")).not_to_be_empty()
        press("j")
        press("1")
        press("n")
        page.wait_for_url(f"**/marking/{first}?order=blind")  # what was skipped comes last
        expect(page.locator("#skipped")).to_be_visible()
        press("j")
        press("3")
        press("s")  # noise: as it is, a page without content
        saved(watched)
        expect(page.locator("#skipped")).to_be_hidden()
        press("n")
        expect(page.locator("#said")).to_contain_text("Nothing is left")
        watched.open("/marking")
        row = page.locator(".todo tr", has=page.locator(f"a[href*='{third}']"))
        expect(row).to_contain_text("⚑ walker")
        expect(row).to_contain_text("两篇文章 njk")
        watched.assert_quiet()


def test_the_list_puts_disagreement_first_and_leads_to_it(browser, bench):
    ids = sample(bench, 10)
    with watching(browser, bench.base) as watched:
        watched.open("/inspect")
        watched.page.evaluate("() => localStorage.setItem('quarkcrawl-marker', 'divided')")
        watched.open("/marking")
        links = watched.page.locator(".todo a.page")
        assert [link.get_attribute("href") for link in links.all()] == [
            f"/marking/{one}?order=blind" for one in ids
        ]
        watched.page.get_by_role("link", name="most disagreement first").click()
        values = watched.page.locator(".todo td:last-child")
        expect(watched.page.locator("#queue")).to_have_attribute("data-left", "0")
        numbers = [float(text) for text in values.all_inner_texts()]
        assert len(numbers) == 10
        assert numbers == sorted(numbers, reverse=True)
        assert numbers[0] > 0
        first = links.first.get_attribute("href")
        watched.page.locator("h1").click()
        watched.page.keyboard.press("n")
        watched.page.wait_for_url(f"**{first}")
        expect(watched.page.locator(".crumbs")).to_contain_text("page 1 of 10")
        watched.assert_quiet()


@pytest.mark.parametrize(("width", "locale"), [(1280, "en-US"), (390, "zh-CN")])
def test_peers_take_part_in_the_order_and_absent_ones_are_told(browser, bench, width, locale):
    ids = sample(bench, 5)
    absent = [name for name in PEERS if not extractor(name).is_installed]
    with watching(
        browser, bench.base, viewport={"width": width, "height": 844}, locale=locale
    ) as watched:
        page = watched.page
        watched.open("/inspect")
        page.evaluate("() => localStorage.setItem('quarkcrawl-marker', 'peering')")
        watched.open("/marking?order=disagreement")
        expect(page.locator("#queue")).to_have_attribute("data-left", "0")
        for name in absent:
            expect(page.locator("#peers")).to_contain_text(name)
            expect(page.get_by_role("link", name=name)).to_have_count(0)
        page.locator("#peers").get_by_role("link", name="turbohtml").click()
        page.wait_for_url("**peers=turbohtml*")
        expect(page.locator("#queue")).to_have_attribute("data-left", "0")
        told = bench.get("/api/marking?order=disagreement&peers=turbohtml")
        numbers = [float(text) for text in page.locator(".todo td:last-child").all_inner_texts()]
        expected = [told["disagreement"][one] for one in told["ids"]]
        assert numbers == pytest.approx(expected, abs=0.006)
        assert len(numbers) == len(ids)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.locator("h1").click()
        page.keyboard.press("n")
        page.wait_for_url(f"**/marking/{told['ids'][0]}?order=disagreement&peers=turbohtml")
        expect(page.locator(".crumbs")).to_contain_text("turbohtml")
        page.locator("h1").click()
        page.keyboard.press("n")  # nothing was marked: the next page that is left
        page.wait_for_url(f"**/marking/{told['ids'][1]}?order=disagreement&peers=turbohtml")
        page.locator(".crumbs a").click()
        expect(page.locator("#peers [aria-current]")).to_have_text("turbohtml")
        page.locator("#peers [aria-current]").click()  # and without it again
        expect(page.locator("#peers [aria-current]")).to_have_count(0)
        watched.assert_quiet()


def mark_whole(bench, marker: str, page: str) -> None:
    found = bench.get(f"/api/pages/{page}/proposal?method=ibdom")
    bench.send("PUT", f"/api/marking/{marker}/{page}", {**found, "origin": "blank"})


def test_intervals_come_and_change_while_somebody_marks(browser, bench):
    ids = sample(bench, 12)
    for one in ids[:6]:
        mark_whole(bench, "steady", one)
    with watching(browser, bench.base) as watched:
        watched.open("/marking?marker=steady")
        row = watched.page.locator("#score-table tr[data-method=quark]")
        expect(row.locator("td").first).to_have_text("6")
        before = row.locator(".interval").inner_text()
        low, high = map(float, before.split("–"))
        assert 0 <= low < high <= 1
        for one in ids[6:]:
            mark_whole(bench, "steady", one)
        expect(row.locator("td").first).to_have_text(
            "12"
        )  # by itself, the view is not loaded again
        expect(row.locator(".interval")).not_to_have_text(before)
        expect(watched.page.locator("[data-band=quark]")).to_contain_text("wide after 5 pages")
        found = bench.get("/api/marking/steady/scores")["methods"]
        quark = next(one for one in found if one["method"] == "quark")
        expect(row.locator(".interval")).to_have_text(f"{quark['low']:.3f}–{quark['high']:.3f}")

        open_page(watched, ids[0], "steady")
        watched.page.locator("#sure summary").click()
        told = watched.page.locator("#widths")
        expect(told).to_contain_text("12 pages are marked")
        for name in (
            "quark",
            "Quark",
            "ibdom",
            "IB-DOM",
        ):  # whoever marks does not see who is ahead
            expect(told).not_to_contain_text(name)
        watched.assert_quiet()


def test_marks_do_not_leave_the_page_as_the_frame_shows_it(browser, bench):
    """What is painted is no part of the document, and a page cannot mark itself."""
    hostile = (
        PAGE
        + "<script>parent.postMessage({quark: 'picked', spans: [], isByMouse: true}, '*')</script>"
    )
    page = bench.add(hostile)
    with marking(browser, bench, page, "calm") as (watched, frame):
        before = frame.locator("body").evaluate(SKELETON)
        drag(watched, frame.locator("qk-run", has_text=HEAD), 0, 3)
        expect(watched.page.locator("#state")).to_have_text("not saved")
        await_painted(frame, {"content": ["新华网"]})
        assert frame.locator("body").evaluate(SKELETON) == before
        watched.page.keyboard.press("s")
        saved(watched)
        file = bench.corpus / "gold/calm/marks.json"
        assert json.loads(file.read_text())[page]["pieces"]
