"""What marks began from, in a real browser: kept, shown, and told apart where methods are scored."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.crawl.harness import environment
from tests.workbench.web.conftest import watching
from tests.workbench.web.sites import HOSTS

pytestmark = pytest.mark.full


def long_pages(bench, host: str, n: int) -> list[str]:
    return [row["id"] for row in bench.get(f"/api/pages?host={host}&sort=longest")["rows"]][:n]


def begin(watched, page: str, marker: str) -> None:
    watched.open(f"/marking/{page}")
    watched.page.fill("#marker", marker)
    watched.page.locator(".crumbs").click()
    expect(watched.page.locator("#state")).not_to_be_empty()


def save(watched) -> None:
    watched.page.click("#save")
    expect(watched.page.locator("#state")).to_contain_text("saved,")


def final_scores(bench, marker: str) -> dict[str, dict]:
    while True:
        methods = bench.get(f"/api/marking/{marker}/scores")["methods"]
        if not any(one["n_waiting"] + one["own"]["n_waiting"] for one in methods):
            return {one["method"]: one for one in methods}


def printed_commands(watched) -> list[str]:
    watched.open("/marking")
    return watched.page.inner_text("#evaluate").splitlines()


def pasted(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """What a shell in another folder says to a command."""
    env = environment()
    env["PATH"] = f"{Path(sys.executable).parent}:{env['PATH']}"
    return subprocess.run(
        ["/bin/sh", "-c", command], cwd=folder, env=env, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip


def test_marks_know_what_they_began_from_and_evaluate_tells_them_apart(watched, bench, tmp_path):
    """At db60640 no origin was kept: a page marked from its proposal gave `default` .99 and more.

    There the printed command ended with "give --run FILE or --method NAME, or both".
    """
    first, second, third = long_pages(bench, HOSTS[0], 3)
    page = watched.page
    for one, method in ((first, "default"), (second, "quark")):
        begin(watched, one, "origins")
        expect(page.locator("#origin")).to_have_attribute("data-origin", "blank")
        page.select_option("#method", method)
        page.click("#propose")
        expect(page.locator("#origin")).to_have_attribute("data-origin", method)
        save(watched)
    begin(watched, third, "origins")
    page.click("#propose")
    expect(page.locator("#origin")).to_have_attribute("data-origin", "default")
    page.click("#clear")  # a neutral start is offered, also afterwards
    expect(page.locator("#origin")).to_have_text("began from nothing: no method's proposal")
    page.frame_locator("#frame").locator("qk-run").nth(8).click()
    save(watched)
    kept = json.loads((bench.corpus / "gold/origins/marks.json").read_text())
    assert [kept[one]["origin"] for one in (first, second, third)] == ["default", "quark", "blank"]
    begin(watched, first, "origins")  # as somebody sees it who comes back
    expect(page.locator("#origin")).to_contain_text("from the proposal of: default")

    scores = final_scores(bench, "origins")
    assert [(scores[one]["n_scored"], scores[one]["own"]["n_scored"])
            for one in ("default", "quark", "ibdom")] == [(2, 1), (2, 1), (3, 0)]  # fmt: skip
    assert scores["default"]["own"]["f1"] > 0.95
    [command] = [one for one in printed_commands(watched) if "gold/origins" in one]
    page.select_option("#score-marker", "origins")  # other tests mark, too
    expect(page.locator("#score-table [data-own=default]")).to_contain_text("1 page")
    done = pasted(command, tmp_path)
    assert done.returncode == 0, done.stderr
    cells = [re.split(r"\s{2,}", line.strip("│|┃ ")) for line in done.stdout.splitlines()]
    rows = {name.strip(): values for name, *values in cells}
    assert rows["default"][3] == "2"
    assert rows["default, marks from its proposal"][3] == "1"
    assert rows["ibdom"][3] == "3"
    assert float(rows["quark"][2]) == pytest.approx(scores["quark"]["f1"], abs=0.02)


def test_marks_of_older_versions_are_read_and_their_origin_is_not_known(watched, bench, tmp_path):
    one = long_pages(bench, HOSTS[1], 1)[0]
    begin(watched, one, "older")
    watched.page.click("#propose")
    expect(watched.page.locator("#origin")).to_have_attribute("data-origin", "default")
    save(watched)
    file = bench.corpus / "gold/older/marks.json"
    marks = json.loads(file.read_text())
    del marks[one]["origin"]
    file.write_text(json.dumps(marks))
    begin(watched, one, "older")
    expect(watched.page.locator("#state")).to_have_text("marked before")
    expect(watched.page.locator("#origin")).to_contain_text("not known")
    assert final_scores(bench, "older")["default"]["n_scored"] == 1
    [command] = [one for one in printed_commands(watched) if "gold/older" in one]
    done = pasted(command, tmp_path)
    assert done.returncode == 0
    assert "what the marks of 1 pages began from is not known" in done.stderr
    file.write_text("[1")
    done = pasted(command, tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert "marks.json" in done.stderr


def test_nothing_of_a_proposal_is_seen_before_it_is_asked_for(watched, bench):
    """At db60640 the page came in the colors of the default method's content."""
    one = long_pages(bench, HOSTS[0], 4)[3]
    with watched.page.expect_response(lambda reply: "/frames/" in reply.url) as told:
        watched.open(f"/marking/{one}")
    text = told.value.text()
    assert set(re.findall(r'<qk-run[^>]* data-qk-fill="(\w+)"', text)) == {"none"}


@pytest.mark.parametrize(("width", "locale"), [(1280, "en-US"), (1100, "zh-CN"), (390, "zh-CN")])
def test_saving_moves_nothing_and_keeps_what_is_chosen(browser, bench, width, locale):
    """At db60640 Save went from 200 to 24 pixels from the left (1280, English) when a block was
    clicked, at 1100 the page went 44 pixels up and down, and a click chose no block."""
    one = long_pages(bench, HOSTS[1], 2)[1]
    with watching(
        browser, bench.base, viewport={"width": width, "height": 800}, locale=locale
    ) as w:
        w.open(f"/marking/{one}")
        page, frame = w.page, w.page.frame_locator("#frame")
        page.fill("#marker", f"still{width}")
        frame.locator("qk-run").first.wait_for()
        places = "['#frame', '#save'].map((name) => document.querySelector(name).getBoundingClientRect()).flatMap((box) => [box.x, box.y + scrollY])"
        before = page.evaluate(places)
        frame.locator("qk-run").nth(9).click()
        chosen = frame.locator(".qk-chosen").first
        chosen.wait_for()
        text, inside = chosen.inner_text(), frame.locator("body").evaluate("() => scrollY")
        page.click("#save")
        expect(page.locator("#state")).to_contain_text("1")
        assert page.evaluate(places) == before
        page.evaluate("scrollTo(0, 90)")
        page.keyboard.press("s")
        expect(page.locator("#state")).to_contain_text("1")
        assert page.evaluate("scrollY") == min(
            90, page.evaluate("document.documentElement.scrollHeight - innerHeight")
        )
        assert chosen.inner_text() == text
        assert frame.locator("body").evaluate("() => scrollY") == inside
        outside = page.evaluate("scrollY")
        page.keyboard.press("j")  # at db60640 the step moved the page around the frame, too
        page.keyboard.press("j")
        assert page.evaluate("scrollY") == outside
        w.assert_quiet()
