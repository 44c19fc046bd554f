"""Crawls and data sets that are started in a browser: written, watched, killed, resumed, edited, exported."""

from __future__ import annotations

import json
import os
import re
import signal
import time

import pytest
from playwright.sync_api import expect

from quarkcrawl.cli.runner import LocalCampaigns
from quarkcrawl.lab.mockweb import ServerProcess
from quarkcrawl.store import Corpus
from tests.crawl.harness import FAST, crawl, host_map
from tests.workbench.web.conftest import Bench, running, watching
from tests.workbench.web.hands import Keyboard, Mouse
from tests.workbench.web.sites import HOSTS, REPRINTS, pages_of_the_web

pytestmark = pytest.mark.full

WAYS = [(Mouse, 1280, "en-US"), (Keyboard, 390, "zh-CN")]
PATIENCE_MS = 240_000  # processes are started, and models loaded


@pytest.fixture(scope="module")
def web():
    with ServerProcess.for_pages(pages_of_the_web()) as server:
        yield server


@pytest.fixture(scope="module")
def whole(web, tmp_path_factory):
    """What the command line stores of the four hosts."""
    run = crawl(tmp_path_factory.mktemp("whole"), web, [*HOSTS, REPRINTS])
    assert run.code == 0, run.stderr
    return set(run.pages())


def settings(web, **more: str) -> str:
    values = FAST | {"host_map": host_map(web)} | more
    values.pop("delay_s", None)
    return "\n".join(f"{name} = {value}" for name, value in values.items())


def pid_of(folder) -> int:
    return json.loads((folder / "process.json").read_text())["pid"]


@pytest.mark.parametrize(("way", "width", "locale"), WAYS, ids=["mouse", "keyboard"])
def test_a_crawl_is_written_watched_killed_resumed_and_edited(
    browser, web, whole, tmp_path, way, width, locale
):
    folder = tmp_path / "crawls" / "news"
    options = {"viewport": {"width": width, "height": 844}, "locale": locale}
    with (
        running("--campaigns", str(tmp_path / "crawls")) as base,
        watching(browser, base, **options) as watched,
    ):
        page, hand = watched.page, way(watched.page)
        state = page.locator("#state")

        def expect_state(name: str) -> None:
            expect(state).to_have_attribute("data-is", name, timeout=PATIENCE_MS)

        watched.open("/campaigns")
        hand.press(page.locator("a[href='/campaigns/new']"))
        hand.write(page.locator("[name=name]"), "news")
        hand.write(page.locator("[name=seeds]"), "\n".join(HOSTS))
        hand.write(page.locator("[name=delay_s]"), "2")
        hand.write(page.locator("[name=settings]"), settings(web))
        hand.press(page.locator("[data-then=check]"))
        expect(page.locator("#checked pre").first).to_contain_text("quarkcrawl crawl")
        assert not folder.exists()
        hand.press(page.locator("[data-then=start]"))
        page.wait_for_url("**/campaigns/news")
        expect_state("running")
        expect(page.locator("#log")).to_contain_text("== crawl: quarkcrawl crawl")
        expect(page.locator("[data-step=crawl]")).to_have_attribute("data-is", "running")
        expect(page.locator("[data-figure=stored]")).not_to_have_text("0")
        hand.press(page.locator("[data-state=paused]"))
        expect_state("paused")
        hand.press(page.locator("[data-state=running]"))
        expect_state("running")

        os.killpg(pid_of(folder), signal.SIGKILL)
        expect_state("silent")
        expect(page.locator("[data-alert=silent]")).to_be_visible()
        expect(page.locator("[data-step=crawl]")).to_have_attribute("data-is", "failed")
        expect(page.locator("[data-state=stopped]")).to_be_disabled()
        stored = {row.url for row in Corpus.open(folder / "corpus").pages()}
        assert len(stored) < len(whole)
        hand.press(page.locator("[data-state=started]"))
        expect_state("running")
        expect(page.locator("[data-alert=silent]")).to_have_count(0)
        hand.press(page.locator("[data-state=stopped]"))
        expect_state("stopped")

        hand.press(page.locator("a[href='/campaigns/news/edit']"))
        hand.write(page.locator("[name=seeds]"), "\n".join([*HOSTS, REPRINTS]))
        toml = page.locator("[name=toml]").input_value()
        hand.write(page.locator("[name=toml]"), toml.replace('"2"', '"0"'))
        hand.press(page.locator("button[data-then='']"))
        page.wait_for_url("**/campaigns/news")
        expect_state("stopped")
        hand.press(page.locator("[data-state=started]"))
        expect_state("finished")
        expect(page.locator("[data-step=crawl]")).to_have_attribute("data-is", "done")
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        urls = [row.url for row in Corpus.open(folder / "corpus").pages()]
        assert len(urls) == len(set(urls))
        assert set(urls) == whole
        watched.open("/campaigns")
        expect(page.locator("tbody tr")).to_contain_text(str(len(urls)))
        watched.assert_quiet()


@pytest.mark.parametrize(("way", "width", "locale"), WAYS, ids=["mouse", "keyboard"])
def test_seeds_are_added_to_a_crawl_that_is_paused(
    browser, web, whole, tmp_path, way, width, locale
):
    root = tmp_path / "crawls"
    options = {"viewport": {"width": width, "height": 844}, "locale": locale}
    body = {
        "name": "news",
        "seeds": "\n".join(HOSTS),
        "settings": settings(web) + "\ndelay_s = 0.2",
    }
    with (
        running("--campaigns", str(root)) as base,
        watching(browser, base, **options) as watched,
    ):
        bench = Bench(base)
        bench.send("POST", "/api/campaigns", body)
        page, hand = watched.page, way(watched.page)
        watched.open("/campaigns/news")
        expect(page.locator("#more-seeds")).to_be_hidden()  # no crawl has begun
        hand.press(page.locator("[data-state=started]"))
        state = page.locator("#state")
        expect(state).to_have_attribute("data-is", "running", timeout=PATIENCE_MS)
        hand.press(page.locator("[data-state=paused]"))
        expect(state).to_have_attribute("data-is", "paused", timeout=PATIENCE_MS)
        hand.press(page.locator("#more-seeds summary"))
        hand.write(page.locator("#add-seeds textarea"), "http://10.0.0.1/\n")
        hand.press(page.locator("#add-seeds button"))
        expect(page.locator("#refused")).to_contain_text("private_address")
        (said,) = watched.said  # by the browser itself
        assert "400 (Bad Request)" in said
        watched.said.clear()
        hand.write(page.locator("#add-seeds textarea"), f"{REPRINTS}\n{HOSTS[0]}\n")
        hand.press(page.locator("#add-seeds button"))
        expect(page.locator("#refused")).to_be_hidden()
        expect(page.locator("#added")).not_to_be_empty()
        expect(page.locator("#hosts")).to_contain_text(REPRINTS)  # it is taken in while it waits
        expect(state).to_have_attribute("data-is", "paused")
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        hand.press(page.locator("[data-state=running]"))
        expect(state).to_have_attribute("data-is", "finished", timeout=PATIENCE_MS)
        expect(page.locator("[data-step=crawl]")).to_have_attribute(
            "data-is", "done", timeout=PATIENCE_MS
        )
        watched.assert_quiet()
    urls = [row.url for row in Corpus.open(root / "news" / "corpus").pages()]
    assert len(urls) == len(set(urls))
    assert set(urls) == whole


def test_a_crawl_lives_on_when_the_workbench_ends(web, tmp_path):
    root = tmp_path / "crawls"
    body = {"name": "news", "seeds": "\n".join(HOSTS), "settings": settings(web) + "\ndelay_s = 6"}
    runner = LocalCampaigns(root)

    def stored() -> int:
        found = runner.crawl("news", 0, 0)
        return 0 if found is None else found["stored"]

    def await_more(than: int) -> int:
        while (n := stored()) <= than:
            assert runner.is_running("news"), runner.log("news")
            time.sleep(0.1)
        return n

    with running("--campaigns", str(root)) as base:
        bench = Bench(base)
        bench.send("POST", "/api/campaigns", body)
        bench.send("PUT", "/api/campaigns/news/state", {"state": "started"})
        await_more(0)
    n = stored()
    assert runner.is_running("news")
    await_more(n)
    with running("--campaigns", str(root)) as base:
        found = Bench(base).get("/api/campaigns/news")
        assert found["is_running"]
        assert found["crawl"]["state"] == "running"
        Bench(base).send("PUT", "/api/campaigns/news/state", {"state": "stopped"})
        while Bench(base).get("/api/campaigns/news")["is_running"]:
            time.sleep(0.1)
        assert Bench(base).get("/api/campaigns/news")["crawl"]["state"] == "stopped"


def test_what_a_crawl_said_is_text(browser, tmp_path):
    """A log of lines that attack whoever looks at them; who has no token does not see it."""
    runner = LocalCampaigns(tmp_path)
    runner.add("news", runner.written("news", "", dataset=False), "a.cn\n")
    hostile = "<img src=x onerror=\"console.log('RAN')\"><script>console.log('RAN')</script>\x1b[2J"
    (tmp_path / "news" / "log.txt").write_text(f"{hostile}\nerror: {hostile}\n")
    with running("--campaigns", str(tmp_path)) as base:
        with watching(browser, base) as watched:
            watched.open("/campaigns/news")
            expect(watched.page.locator("#log")).to_contain_text("<img src=x")
            expect(watched.page.locator("#failure")).to_contain_text("<script>")
            expect(watched.page.locator("#log *")).to_have_count(0)
            expect(watched.page.locator("#state")).to_have_text("not started")
            watched.assert_quiet()
        with watching(browser, base, token="") as watched:
            watched.open("/campaigns/news")
            expect(watched.page.locator("#log")).to_contain_text("whoever has the token")
            for name in ("started", "stopped", "paused"):
                expect(watched.page.locator(f"[data-state={name}]")).to_be_disabled()
            watched.open("/campaigns/news/edit")
            expect(watched.page.locator("[name=toml]")).to_have_value("")
            expect(watched.page.locator("#form button").first).to_be_disabled()
            watched.assert_quiet()


def test_alerts_tell_of_hosts_and_errors(browser, web, tmp_path):
    """Three hosts that nobody answers for: robots.txt says so, they are given up."""
    runner = LocalCampaigns(tmp_path)
    quick = {"max_tries": "1", "late_tries": "0", "host_patience_s": "0", "timeout_s": "1"}
    text = settings(web, **quick).replace(host_map(web), "127.0.0.1:1:1")
    runner.add("dead", runner.written("dead", text, dataset=False), "\n".join(HOSTS))
    with running("--campaigns", str(tmp_path)) as base, watching(browser, base) as watched:
        watched.open("/campaigns/dead")
        watched.page.click("[data-state=started]")
        expect(watched.page.locator("[data-step=crawl]")).to_have_attribute(
            "data-is", "done", timeout=PATIENCE_MS
        )
        alert = watched.page.locator("[data-alert=given_up]")
        expect(alert).to_contain_text("3 hosts were given up")
        expect(alert).to_contain_text(re.compile("|".join(map(re.escape, HOSTS))))
        watched.page.click("[data-state=started]")  # of a campaign that is done: the crawl again
        again = re.compile("== crawl:.*== crawl:", re.DOTALL)
        expect(watched.page.locator("#log")).to_contain_text(again, timeout=PATIENCE_MS)
        expect(watched.page.locator("[data-step=crawl]")).to_have_attribute(
            "data-is", "done", timeout=PATIENCE_MS
        )
        watched.assert_quiet()
