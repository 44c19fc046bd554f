"""Faults in the middle of a run: it closes by itself, and nothing is lost or stored twice."""

import signal
import subprocess
import time

import pytest

from quarkcrawl.lab.mockweb import ServerProcess
from quarkcrawl.store.corpus import Corpus
from quarkcrawl.store.repair.verify import verify

from .harness import FAST, command, crawl, endings, environment, host_map, scrapy_crawl, write_hosts

HOST = "www.fault.example"
HOME = f"http://{HOST}/"


def page(*hrefs: str, text: str = "") -> str:
    return f"<title>{text}</title><p>{text}" + "".join(f"<a href='{h}'>{h}</a>" for h in hrefs)


SITE = {HOME: page("/a", "/b", text="home")}
SITE |= {f"{HOME}{p}": page(text=p) for p in "ab"}


def assert_resumes(folder, server, expected: int) -> None:
    """The same crawl again ends with every page, each once."""
    run = crawl(folder, server, [HOST])
    assert run.code == 0, run.stderr
    run.assert_settled()
    urls = [row.url for row in Corpus.open(run.out).pages()]
    assert len(urls) == len(set(urls)) == expected
    assert list(verify(run.out)) == []


SLOW_START = """
import time


class Slow:
    def open_spider(self):
        time.sleep(0.7)

    def process_item(self, item):
        return item


class SlowAsync:
    async def open_spider(self):
        import asyncio

        await asyncio.sleep(0.7)

    def process_item(self, item):
        return item
"""


@pytest.mark.full
@pytest.mark.parametrize("name", ["Slow", "SlowAsync"])
def test_a_stage_that_takes_its_time_to_open_does_not_stop_the_run(tmp_path, name):
    settings = {"ITEM_PIPELINES": f'{{"pipelines.extra.{name}": 150}}'}
    with ServerProcess.for_pages(SITE) as server:
        run = scrapy_crawl(tmp_path, server, "cwt", [HOST], pipelines=SLOW_START,
                           settings=settings, limit_s=150)  # fmt: skip
    run.assert_settled()
    assert endings(run) == {"stored": 3}


HANGING = """
import asyncio

from pipelines.dedup import DedupPipeline


class Hanging(DedupPipeline):
    "Holds the first answer of /a back for longer than its lease."

    held = False

    async def process_item(self, item):
        if item.url.endswith("/a") and not self.held:
            self.held = True
            await asyncio.sleep(4)
        return item
"""


@pytest.mark.full
@pytest.mark.parametrize(
    ("tries", "ended"), [("3", {"stored": 3}), ("1", {"stored": 2, "lease_expired": 1})]
)
def test_a_page_whose_lease_expires_on_the_way_is_stored_once_or_listed(tmp_path, tries, ended):
    settings = {"ITEM_PIPELINES": '{"pipelines.extra.Hanging": 150}'}
    settings |= {"QUARKCRAWL_TIMEOUT_S": "1", "QUARKCRAWL_LEASE_S": "2"}
    settings |= {"QUARKCRAWL_MAX_TRIES": tries, "QUARKCRAWL_LATE_TRIES": "0"}
    with ServerProcess.for_pages(SITE) as server:
        run = scrapy_crawl(tmp_path, server, "cwt", [HOST], pipelines=HANGING, settings=settings,
                           limit_s=150)  # fmt: skip
    run.assert_settled()
    assert endings(run) == ended
    assert run.reasons == ended
    rows = [row.url for row in Corpus.open(run.out).pages()]
    assert len(rows) == len(set(rows)) == ended["stored"]
    listed = {f"{HOME}a": "lease_expired"} if tries == "1" else {}
    assert run.drops() == listed
    assert list(verify(run.out)) == []


@pytest.mark.full
def test_a_process_that_slept_longer_than_a_lease_stores_nothing_twice(tmp_path):
    names = [f"p{i}" for i in range(40)]
    pages = {HOME: page(*names, text="home")}
    pages |= {f"{HOME}{n}": {"html": page(text=n), "delay_s": 0.1} for n in names}
    settings = {**FAST, "timeout_s": "1", "lease_s": "1.1", "max_tries": "9"}
    settings |= {"commit_interval_s": "30", "commit_pages": "1000"}
    with ServerProcess.for_pages(pages) as server:
        words = command(write_hosts(tmp_path, [HOST]), tmp_path / "corpus",
                        {**settings, "host_map": host_map(server), "host_concurrency": "4"})  # fmt: skip
        process = subprocess.Popen(words, env=environment(), cwd=tmp_path,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
        while len(server.log()) < 12:
            time.sleep(0.02)
        process.send_signal(signal.SIGSTOP)
        time.sleep(1.5)
        process.send_signal(signal.SIGCONT)
        _, stderr = process.communicate(timeout=300)
    assert process.returncode == 0, stderr.decode()
    rows = [row.url for row in Corpus.open(tmp_path / "corpus").pages()]
    assert sorted(rows) == sorted(pages)


@pytest.mark.full
def test_interrupt_twice_stops_at_once_and_the_run_can_go_on(tmp_path):
    names = [f"p{i}" for i in range(20)]
    pages = {HOME: page(*names, text="home")}
    pages |= {f"{HOME}{n}": page(text=n) for n in names}
    slow = pages | {f"{HOME}p19": {"html": "late", "delay_s": 100}}
    with ServerProcess.for_pages(slow) as server:
        words = command(write_hosts(tmp_path, [HOST]), tmp_path / "corpus",
                        {**FAST, "timeout_s": "120", "host_map": host_map(server)})  # fmt: skip
        process = subprocess.Popen(words, env=environment(), cwd=tmp_path,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
        while len(server.log()) < len(pages):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=80)  # less than the page would take
    assert process.returncode == 130, stderr.decode()
    assert b"Traceback" not in stderr, stderr.decode()
    with ServerProcess.for_pages(pages) as server:
        assert_resumes(tmp_path, server, len(pages))


FULL_DISK = """
import errno
import os

_write = os.write


class Full:
    "From the home page on there is no room in the journal."

    def process_item(self, item):
        os.write = self.write
        return item

    def write(self, fd, data):
        if os.readlink(f"/proc/self/fd/{fd}").endswith(".jsonl"):
            raise OSError(errno.ENOSPC, "No space left on device")
        return _write(fd, data)
"""

SYNC_FAILS = """
import errno
import os


class Failing:
    def process_item(self, item):
        os.fdatasync = self.sync
        return item

    def sync(self, fd):
        raise OSError(errno.EIO, "Input/output error")
"""

FRONTIER_FAILS = """
from quarkcrawl.crawl import CampaignStage


class Broken(CampaignStage):
    "A damaged file: the frontier closes itself at the first error."

    def process_item(self, item):
        if item.url.endswith("/a"):
            self.campaign.frontier._database.abandon()
        return item
"""


@pytest.mark.full
@pytest.mark.parametrize(
    ("stage", "code"),
    [("Full", FULL_DISK), ("Failing", SYNC_FAILS), ("Broken", FRONTIER_FAILS)],
)
def test_storage_that_fails_under_way_closes_the_run(tmp_path, stage, code):
    settings = {"ITEM_PIPELINES": f'{{"pipelines.extra.{stage}": 950}}'}
    with ServerProcess.for_pages(SITE) as server:
        run = scrapy_crawl(tmp_path, server, "cwt", [HOST], pipelines=code, settings=settings,
                           limit_s=150)  # fmt: skip
        assert run.summary.get("finish_reason") == "storage_failed", run.stderr
        assert_resumes(tmp_path, server, 3)


@pytest.mark.full
def test_a_full_disk_where_only_errors_are_met_closes_the_run(tmp_path):
    pages = {HOME: page(*(f"/gone{i}" for i in range(30)), text="home")}
    settings = {"ITEM_PIPELINES": '{"pipelines.extra.Full": 950}'}
    with ServerProcess.for_pages(pages) as server:
        run = scrapy_crawl(tmp_path, server, "cwt", [HOST], pipelines=FULL_DISK,
                           settings=settings, limit_s=150)  # fmt: skip
        assert run.summary.get("finish_reason") == "storage_failed", run.stderr
        assert_resumes(tmp_path, server, 1)


BUSY_THREADS = """
import asyncio
import threading

from scrapy import signals
from spiders.cwt import CwtSpider


class Busy(CwtSpider):
    name = "busy"

    async def start(self):
        loop, over = asyncio.get_running_loop(), threading.Event()
        self.crawler.signals.connect(over.set, signals.spider_closed, weak=False)
        for _ in range(40):
            loop.run_in_executor(None, over.wait, 300)
        async for thing in super().start():
            yield thing
"""


@pytest.mark.full
def test_slow_name_look_ups_in_the_shared_threads_do_not_hold_commits_back(tmp_path):
    slow = SITE | {f"{HOME}a": {"html": page(text="a"), "delay_s": 1.0}}
    with ServerProcess.for_pages(slow) as server:
        settings = {"QUARKCRAWL_COMMIT_INTERVAL_S": "0.05"}
        run = scrapy_crawl(tmp_path, server, "busy", [HOST], spiders=BUSY_THREADS,
                           settings=settings)  # fmt: skip
    run.assert_settled()
    assert (
        run.summary["elapsed_s"] < 200
    )  # the threads are blocked for five minutes, or till the end


def test_recovery_keeps_the_way_of_redirects(tmp_path):
    from quarkcrawl.config import CrawlConfig
    from quarkcrawl.crawl.campaign.recovery import recover
    from quarkcrawl.crawl.campaign.scope import Scope
    from quarkcrawl.frontier import Candidate, FrontierOptions, SqliteFrontier
    from quarkcrawl.store import CorpusWriter, RedirectRow

    chain = [f"http://{HOST}/{name}" for name in ("", "b", "c")]
    frontier = SqliteFrontier(tmp_path / "f.sqlite", FrontierOptions())
    frontier.push([Candidate(chain[0], HOST, 1)])
    writer = CorpusWriter(tmp_path / "corpus")
    for url, target in zip(chain, chain[1:], strict=False):
        writer.append_row(RedirectRow(url, target, 302, 1, time.time(), in_scope=True))
    recover(tmp_path / "corpus", frontier, Scope(CrawlConfig()))
    (found,) = frontier.find(chain[2:])
    assert found == Candidate(chain[2], HOST, 1, origin=chain[0], hops=2)
    frontier.close()
    writer.close()


@pytest.mark.full
def test_a_spam_page_does_not_make_the_same_page_elsewhere_a_duplicate(tmp_path):
    same = page("/a", text="copied by a spammer")
    pages = {
        "http://x.spam.example/": same,
        f"{HOME}": {"html": same, "delay_s": 0.5},
        f"{HOME}a": page(text="a"),
    }
    spam = tmp_path / "spam.txt"
    spam.write_text("spam.example\n", encoding="utf-8")
    with ServerProcess.for_pages(pages) as server:
        run = crawl(tmp_path, server, ["x.spam.example", HOST], spam_list=str(spam))
    run.assert_settled()
    assert set(run.pages()) == {HOME, f"{HOME}a"}
    assert endings(run) == {"stored": 2, "spam_host": 1}  # whose links nobody has read


@pytest.mark.full
def test_a_frontier_that_cannot_be_opened_leaves_what_is_to_be_recovered(tmp_path):
    names = [f"p{i}" for i in range(20)]
    pages = {HOME: page(*names, text="home")}
    pages |= {f"{HOME}{n}": {"html": page(text=n), "delay_s": 0.1} for n in names}
    corpus = tmp_path / "corpus"
    never = {"commit_interval_s": "60", "commit_pages": "1000", "host_concurrency": "2"}
    with ServerProcess.for_pages(pages) as server:
        settings = {**FAST, **never, "host_map": host_map(server)}
        process = subprocess.Popen(command(write_hosts(tmp_path, [HOST]), corpus, settings),
                                   env=environment(), cwd=tmp_path, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)  # fmt: skip
        while len(server.log()) < 12:
            time.sleep(0.02)
        process.kill()
        process.wait()
        files = {path: path.read_bytes() for path in corpus.glob("frontier.sqlite*")}
        for path in files:
            path.unlink()
        (corpus / "frontier.sqlite").write_bytes(b"no database" * 1000)
        failed = crawl(tmp_path, server, [HOST])
        assert failed.code == 1
        assert "quarkcrawl: " in failed.stderr
        assert "frontier.sqlite" in failed.stderr
        assert "Traceback" not in failed.stderr, failed.stderr
        for path, data in files.items():
            path.write_bytes(data)
        assert_resumes(tmp_path, server, len(pages))


CHOKING = """
class Choking:
    def process_item(self, item):
        raise ValueError("this stage broke")
"""


@pytest.mark.full
def test_a_stage_that_chokes_before_dedup_brings_no_body_in_twice(tmp_path):
    pages = SITE | {f"{HOME}{p}": page(text="the same") for p in "ab"}
    settings = {"ITEM_PIPELINES": '{"pipelines.extra.Choking": 50}'}
    with ServerProcess.for_pages(pages) as server:
        run = scrapy_crawl(tmp_path, server, "cwt", [HOST], pipelines=CHOKING, settings=settings)
    run.assert_settled()
    assert endings(run) == {"stored": 2, "duplicate": 1}
    assert {row.flags for row in run.pages().values()} == {("failed:extra",)}
