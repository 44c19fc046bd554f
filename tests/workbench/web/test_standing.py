"""What a crawl does, in a browser: it runs, dies, is stopped, ends, is silent; the server goes away.

On db60640 the page said "running" of each of these for ever, and its figures stayed as they were,
unmarked, when the server had gone; the rate jumped between 0 and what a group has with each commit.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from quarkcrawl.cli import main
from quarkcrawl.cli.serve import campaign_service
from quarkcrawl.frontier import Candidate, FrontierOptions, SqliteFrontier
from quarkcrawl.lab.mockweb import ServerProcess
from quarkcrawl.store import Corpus, CorpusLock
from quarkcrawl.workbench.web import Services, create_app
from tests.crawl.harness import FAST, command, environment, host_map, write_hosts
from tests.workbench.web.conftest import TOKEN, served, watching
from tests.workbench.web.sites import HOSTS, pages_of_the_web

pytestmark = pytest.mark.full

SLOW = FAST | {"delay_s": "0.5", "host_concurrency": "1"}


@contextmanager
def watched_campaign(browser, root, **options):
    """The campaign of a corpus, in a browser."""
    services = Services(campaign=campaign_service(str(root), None))
    folder = root.parent
    app = create_app(services=services, token=TOKEN, gold=folder, templates=folder / "t.json")
    try:
        with (
            served(app, lifespan="off") as base,  # no page is read here
            watching(browser, base, **options) as watched,
        ):
            watched.open("/campaign")
            yield watched
    finally:
        app.state.bench.close()


def reported(root) -> dict:
    path = root / "frontier.report"
    return json.loads(path.read_text()) if path.exists() else {}


@pytest.fixture
def waiting(tmp_path):
    """A corpus whose crawl has ended with 40 hosts waiting, the one with most URLs first."""
    root = tmp_path / "corpus"
    Corpus.create(root)
    frontier = SqliteFrontier(root / "frontier.sqlite", FrontierOptions(delay_s=2.0, robots=False))
    for number in range(40):
        host = f"h{number:02}.cn"
        frontier.push([Candidate(f"http://{host}/{n}", host, 1) for n in range(41 - number)])
    (lease,) = frontier.lease(1, now=time.time())
    frontier.finish(lease.url, reason="timeout")
    frontier.close()
    return root


def test_a_crawl_that_dies_stops_and_ends_says_so(browser, tmp_path, capsys):
    """The view says so, and so does the command line."""
    root = tmp_path / "corpus"

    def printed() -> str:
        assert main(["frontier", "status", str(root)]) == 0
        return " ".join(capsys.readouterr().out.partition("\nseen")[0].split())

    with ServerProcess.for_pages(pages_of_the_web()) as web:
        words = command(write_hosts(tmp_path, HOSTS), root, SLOW | {"host_map": host_map(web)})

        def start() -> subprocess.Popen:
            process = subprocess.Popen(words, env=environment(), stdout=subprocess.DEVNULL)
            while process.poll() is None:  # Ctrl-C ends it in good order once it is at work
                time.sleep(0.05)
                report = reported(root)
                if report.get("pid") == process.pid and report["pages"]:
                    break
            return process

        crawl = start()
        with watched_campaign(browser, root) as watched:
            page = watched.page
            state = page.locator("#state")
            expect(state).to_have_text("running")
            expect(page.locator("#workers tbody tr")).to_contain_text("yes")
            expect(page.locator("[data-figure='rate.mean']")).not_to_have_text("–")
            expect(page.locator("[data-figure=eta]")).to_contain_text("≥")
            crawl.kill()
            crawl.wait()
            expect(state).to_contain_text("no worker heard since")
            expect(page.locator("#workers tbody tr")).to_contain_text("no, not since")
            expect(page.locator("[data-figure='rate.now']")).to_have_text("–")
            assert "no worker heard since 20" in printed()
            crawl = start()
            expect(state).to_have_text("running")
            crawl.send_signal(signal.SIGINT)
            crawl.wait()
            expect(state).to_contain_text("stopped with")
            expect(page.locator("#workers-part")).to_be_hidden()
            assert "stopped with" in printed()
            words[words.index("delay_s=0.5")] = "delay_s=0"
            subprocess.run(words, check=True, env=environment(), capture_output=True)
            expect(state).to_have_text("finished")
            assert "finished; last heard of 20" in printed()
            expect(page.locator("[data-figure=pending]")).to_have_text("0")
            expect(page.locator("#heard")).to_contain_text("last heard of")
            watched.assert_quiet()


def test_a_suspended_worker_and_a_job_that_holds_the_corpus(browser, waiting):
    report = {"pid": os.getpid(), "pages": 3, "pages_per_s": 0.5, "seen_at": time.time() - 90}
    with CorpusLock(waiting), watched_campaign(browser, waiting) as watched:
        state = watched.page.locator("#state")
        expect(state).to_contain_text("another process holds the corpus")
        (waiting / "frontier.report").write_text(json.dumps(report))
        expect(state).to_contain_text("no worker heard since")
        expect(state).to_contain_text("859 left")
        report |= {"seen_at": time.time() + 600}
        (waiting / "frontier.report").write_text(json.dumps(report))
        expect(state).to_have_text("running")
        watched.page.click("[data-state=paused]")
        expect(state).to_have_text("paused")
        (waiting / "frontier.report").write_text(json.dumps(report | {"seen_at": 1.0}))
        expect(state).to_contain_text("ordered: pause")
        watched.assert_quiet()


def test_rates_are_those_of_the_worker_and_not_of_its_groups(browser, waiting):
    """Nothing is committed here, and the rate is that of the reports: 4 a second."""
    start = time.time()

    def report() -> None:
        pages = int((time.time() - start) * 4)
        found = {"pid": 1, "pages": pages, "endings": pages, "uptime_s": time.time() - start + 1}
        found |= {"pages_per_s": 4.0, "seen_at": time.time()}
        new = waiting / "new"
        new.write_text(json.dumps(found))
        new.replace(waiting / "frontier.report")

    with CorpusLock(waiting):
        report()
        with watched_campaign(browser, waiting) as watched:
            shown = watched.page.locator("[data-figure='rate.now']")
            rates: list[str] = []
            while len(rates) < 8:
                report()
                watched.page.wait_for_timeout(250)
                text = shown.inner_text() if shown.count() else "–"
                if text != "–" and text not in rates[-1:]:
                    rates.append(text)
                if time.time() - start > 40:
                    break
            assert rates
            assert all(2.5 <= float(rate) <= 5.5 for rate in rates), rates
            expect(watched.page.locator("[data-figure='rate.mean']")).to_have_text("4.0")
            watched.assert_quiet()


def test_all_hosts_can_be_reached(browser, waiting):
    """On db60640 thirty hosts were all that could be seen."""
    size = {"width": 390, "height": 844}
    with watched_campaign(browser, waiting, viewport=size) as watched:
        page = watched.page
        expect(page.locator("#hosts tbody tr")).to_have_count(30)
        expect(page.locator("#host-pages .where")).to_have_text("1–30 of 40")
        page.get_by_role("button", name="Further hosts").click()
        expect(page.locator("#hosts tbody tr")).to_have_count(10)
        expect(page.locator("#hosts tbody tr").last).to_contain_text("h39.cn")
        page.reload()
        expect(page.locator("#host-pages .where")).to_have_text("31–40 of 40")
        page.get_by_role("button", name="Busier hosts").click()
        expect(page.locator("#hosts tbody tr").first).to_contain_text("h00.cn")
        watched.assert_quiet()


def test_lost_contact_is_grey_and_comes_back(browser, waiting, tmp_path):
    with watched_campaign(browser, waiting) as watched:
        page = watched.page
        expect(page.locator("#state")).to_contain_text("stopped with 859 left")
        page.context.set_offline(True)
        expect(page.locator("#contact")).to_contain_text("No contact with the workbench since")
        expect(page.locator("#campaign")).to_have_class("lost")
        page.context.set_offline(False)
        expect(page.locator("#contact")).to_be_hidden()
        expect(page.locator("#campaign")).not_to_have_class("lost")
        file = (waiting / "frontier.sqlite").rename(tmp_path / "away")
        expect(page.locator("#contact")).to_contain_text("no such frontier file")
        file.rename(waiting / "frontier.sqlite")
        expect(page.locator("#contact")).to_be_hidden()
