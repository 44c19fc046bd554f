"""What is missing or broken below a corpus is named, and the rest is shown; counts that grow say so.

On db60640 the view of a page whose page.dat was gone said "Reading …" for ever; one damaged Parquet
file of a small table kept every view of the corpus at 503; no view said as of when its counts were.
"""

from __future__ import annotations

import shutil
import subprocess
import time
import urllib.error

import pytest
from playwright.sync_api import expect

from quarkcrawl.lab.mockweb import ServerProcess
from quarkcrawl.store import CorpusLock, page_dat_path
from tests.crawl.harness import FAST, command, environment, host_map, write_hosts
from tests.workbench.web.conftest import Bench, running, watching
from tests.workbench.web.sites import HOSTS, pages_of_the_web

pytestmark = pytest.mark.full


@pytest.fixture
def corpus(made_corpus, tmp_path):
    return shutil.copytree(made_corpus, tmp_path / "corpus")


def broken(path):
    """Half of a file is left."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    return path


def test_a_page_whose_bytes_are_gone_says_what_is_missing(browser, corpus):
    with running(str(corpus)) as base:
        bench = Bench(base)
        gone, whole = bench.get("/api/hosts?sort=host")["rows"][:2]
        (first, *_) = bench.get(f"/api/pages?host={gone['host']}")["rows"]
        (other, *_) = bench.get(f"/api/pages?host={whole['host']}")["rows"]
        file = page_dat_path(corpus, gone["host"])
        offset = bench.get(f"/api/pages/{first['id']}")["page"]["offset"]
        shutil.move(file, file.with_suffix(".away"))
        with watching(browser, base) as watched:
            page = watched.page
            watched.open(f"/page/{first['id']}")
            expect(page.locator("#gone")).to_contain_text(f"{file}@{offset}")
            expect(page.locator("#facts")).not_to_contain_text("Reading")
            expect(page.locator(".panes")).to_be_hidden()
            expect(page.locator("#sheet-text")).to_contain_text("page.dat")
            page.click("#tab-history")
            expect(page.locator("#sheet-history")).to_contain_text(gone["host"])
            watched.open(f"/marking/{first['id']}")
            expect(page.frame_locator("#frame").locator("p")).to_contain_text("page.dat")
            watched.open(f"/page/{other['id']}")
            expect(page.locator("#facts")).to_contain_text("Encoding")
            expect(page.locator(".panes")).to_be_visible()
            shutil.move(file.with_suffix(".away"), file)
            file.write_bytes(file.read_bytes()[: offset + 10])
            watched.open(f"/page/{first['id']}")
            expect(page.locator("#gone")).to_contain_text(f"{file}@{offset}")
            watched.said.clear()  # the browser tells of each 503, as it should


@pytest.mark.parametrize(("width", "locale"), [(1280, "en-US"), (390, "zh-CN")])
def test_a_broken_table_is_missed_where_it_is_needed_only(browser, corpus, width, locale):
    drops = broken(next((corpus / "analysis" / "drops").rglob("*.parquet")))
    rank = broken(corpus / "analysis" / "ranks" / "quarkrank.parquet")
    options = {"viewport": {"width": width, "height": 844}, "locale": locale}
    with running(str(corpus)) as base, watching(browser, base, **options) as watched:
        notice = watched.page.locator(".notice.bad")
        for path, names in (("/", [drops.name]), ("/drops", [drops.name]),
                            ("/ranks", [rank.name]), ("/hosts", []), ("/pages", [])):  # fmt: skip
            watched.open(path)
            expect(notice).to_have_count(len(names))
            for place, name in enumerate(names):
                expect(notice.nth(place)).to_contain_text(name)
            assert watched.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        watched.open("/ranks")
        expect(watched.page.locator(".sorts a")).to_have_text(["blpr", "pagerank"])
        watched.open("/hosts")
        expect(watched.page.locator("tbody tr").first).to_be_visible()
        faults = Bench(base).get("/api/tables")["faults"]
        assert [one["table"] for one in faults] == ["drop", "found_rank"]
        watched.assert_quiet()


def test_a_broken_part_of_the_pages_costs_its_own_rows_only(browser, corpus):
    parts = sorted((corpus / "analysis" / "pages").rglob("*.parquet"))
    part = broken(parts[0])
    with running(str(corpus)) as base, watching(browser, base) as watched:
        watched.open("/hosts")
        expect(watched.page.locator(".notice.bad")).to_contain_text(part.name)
        n_hosts = watched.page.locator("tbody th").count()
        assert n_hosts == len(parts) - 1 > 0  # each host has a bucket, and so a part, of its own
        watched.assert_quiet()


def test_counts_say_as_of_when_they_are_and_that_they_grow(browser, corpus):
    with running(str(corpus)) as base, watching(browser, base) as watched:
        told = watched.page.locator(".asof")
        watched.open("/")
        expect(told).to_contain_text("as of 20")
        expect(told).not_to_contain_text("grow")
        with CorpusLock(corpus):  # as a crawl has it
            for path in ("/", "/hosts", "/drops"):
                watched.open(path)
                expect(told).to_contain_text("counts grow")
            assert Bench(base).get("/api/tables")["is_growing"]
        watched.open("/hosts")
        expect(told).not_to_contain_text("grow")
        watched.assert_quiet()


def test_counts_of_a_running_crawl_say_as_of_when_they_are(browser, tmp_path):
    """At db60640 four views of a running crawl said 23, 23, 41 and 41 pages; no time stood at any."""
    root = tmp_path / "corpus"
    with ServerProcess.for_pages(pages_of_the_web()) as web:
        slow = FAST | {"delay_s": "1", "host_concurrency": "1", "host_map": host_map(web)}
        words = command(write_hosts(tmp_path, HOSTS), root, slow)
        crawl = subprocess.Popen(words, env=environment(), stdout=subprocess.DEVNULL)
        try:
            while len(web.log()) < 12:
                assert crawl.poll() is None
                time.sleep(0.1)
            with running(str(root)) as base, watching(browser, base) as watched:
                told = watched.page.locator(".asof")
                for path in ("/", "/hosts", "/drops"):
                    watched.open(path)
                    expect(told).to_contain_text("as of 20")
                    expect(told).to_contain_text("counts grow")
                    assert crawl.poll() is None
                watched.open("/pages")
                expect(told).to_contain_text("counts grow")
                watched.open("/campaign")
                expect(watched.page.locator("#when")).to_contain_text("as of")
                crawl.kill()
                crawl.wait()
                watched.open("/")
                expect(told).to_contain_text("as of 20")
                expect(told).not_to_contain_text("grow")
                watched.assert_quiet()
        finally:
            crawl.kill()
            crawl.wait()


def test_frames_and_the_api_say_the_same_of_a_page_that_is_gone(corpus):
    with running(str(corpus)) as base:
        bench = Bench(base)
        row = bench.get("/api/pages")["rows"][0]
        page_dat_path(corpus, row["host"]).unlink()
        with pytest.raises(urllib.error.HTTPError) as caught:
            bench.get(f"/api/pages/{row['id']}/summary")
        assert caught.value.code == 503
        assert b"page.dat@" in caught.value.read()
