"""scrapy/scrapy#7978, "Support crash-tolerant crawls": a class for each thing it asks for.

Each shows in one run what Scrapy loses with JOBDIR alone and that the add-on does not. Where a
test says that Scrapy no longer loses it, the documentation must say so, too.
"""

from __future__ import annotations

import random
import signal
import time
from collections import Counter

import pytest
import scrapy

from .checks import assert_whole
from .runs import Job
from .site import Shop, ShopServer

pytestmark = [pytest.mark.full, pytest.mark.timeout(900)]
MENDED = f"Scrapy {scrapy.__version__} with JOBDIR alone does not lose this any more"
DICE = random.Random(7978)


@pytest.fixture(scope="module")
def server():
    with ShopServer(Shop(n_categories=8, n_lists=5)) as process:
        yield process


@pytest.fixture
def durable(tmp_path, server):
    """Makes a job of a spider with the add-on."""
    return lambda spider: Job(tmp_path, server, spider)


@pytest.fixture
def plain(tmp_path, server):
    """Makes a job of a spider with JOBDIR alone."""
    return lambda spider: Job(tmp_path, server, spider, is_durable=False)


def stopped_then_killed(job: Job, n_before: int, n_after: int) -> Job:
    """A clean stop, after which JOBDIR is complete, then a run that dies."""
    assert job.stop([signal.SIGTERM], n_before, DICE)
    assert job.kill(n_after, DICE)
    return job


class TestCrashSafeQueues:
    """Requests that waited when the process died are asked for by the next run."""

    def lost(self, job: Job) -> Counter[str]:
        stopped_then_killed(job, 150, 150)
        job.last_run()
        return job.server.shop.asked(job.spider) - job.server.counts()

    def test_scrapy_loses_them(self, plain):
        assert self.lost(plain("pages")), MENDED

    def test_the_add_on_loses_none(self, durable):
        assert not self.lost(durable("pages"))


class TestCrashSafeDuplicateFilter:
    """What was asked for before the process died is not asked for again."""

    def again(self, job: Job) -> set[str]:
        """Pages asked for twice, but those whose items were in flight when the process died."""
        process = job.start()
        while len(done := {sku for sku in job.logged() if sku.endswith("second")}) < 12 or (
            job.is_durable and job.n_kept("second") < 6  # what is written may still be in flight
        ):
            assert process.poll() is None, job.said()[-3000:]
            time.sleep(0.01)
        process.kill()
        process.wait(timeout=60)
        job.last_run()
        if job.is_durable:
            done -= job.in_flight()[0]
        assert done
        counts = job.server.counts()
        return {sku for sku in done if counts[f"GET /slow/{sku.removesuffix('-second')}"] > 1}

    def test_scrapy_forgets_them(self, plain):
        assert self.again(plain("slow")), MENDED

    def test_the_add_on_forgets_none(self, durable):
        assert not self.again(durable("slow"))


class TestDurableMetadata:
    """Priorities under which requests wait, which active.json holds: at a death they are kept."""

    def order_after_the_death(self, job: Job) -> tuple[list[int], set[str]]:
        """Priorities in which the last run asked, and the pages that were never asked for."""
        stopped_then_killed(job, 15, 15)
        before = len(job.server.order())
        job.last_run()
        asked = [key.split("/") for key in job.server.order()[before:] if key != "GET /"]
        order = [-int(number) - 1000 * (kind == "slow") for _, kind, number in asked]
        wanted = {f"GET /{kind}/{n}" for kind in ("stock", "slow") for n in range(40)}
        return order, wanted - set(job.server.order())

    def test_scrapy_loses_them(self, plain):
        order, lost = self.order_after_the_death(plain("ordered"))
        assert lost or order != sorted(order, reverse=True), MENDED

    def test_the_add_on_loses_none(self, durable):
        order, lost = self.order_after_the_death(durable("ordered"))
        assert not lost
        assert order == sorted(order, reverse=True)


class TestInFlightRequests:
    """Requests that were being downloaded, or parsed, are done by the next run."""

    def lost(self, job: Job) -> set[str]:
        assert job.stop([signal.SIGTERM], 4, DICE)
        process = job.start()
        rows_before = len(job.rows())
        while len({row["sku"] for row in job.rows()[rows_before:] if "sku" in row}) < 3:
            assert process.poll() is None, job.said()[-3000:]
            time.sleep(0.005)
        process.kill()  # while callbacks wait for their second item, and replies are on their way
        process.wait(timeout=60)
        skus = set(job.logged())
        assert {sku for sku in skus if sku.replace("first", "second") not in skus}, (
            "none in parsing"
        )
        asked = {key.rsplit("/")[-1] for key in job.server.order() if "slow" in key}
        assert asked - {sku.split("-")[0] for sku in skus}, "none in the downloader"
        job.last_run()
        return {f"{n}-{which}" for n in range(24) for which in ("first", "second")} - set(
            job.logged()
        )

    def test_scrapy_loses_them(self, plain):
        assert self.lost(plain("slow")), MENDED

    def test_the_add_on_loses_none(self, durable):
        assert not self.lost(durable("slow"))


class TestInFlightItems:
    """Items that came through the pipelines and were not yet in a file when the process died."""

    def lost(self, job: Job) -> dict[str, set[str]]:
        """Of each feed what the pipelines had before the death and it never got."""
        stopped_then_killed(job, 120, 120)
        given = set(job.logged())
        job.last_run()
        folder = job.folder / "feeds"
        texts = {
            "lines": (folder / "items.jsonl").read_text("utf-8"),
            "csv": (folder / "items.csv").read_text("utf-8").replace('""', '"'),
            "batches": "".join(path.read_text("utf-8") for path in folder.glob("batch-*")),
        }
        ends = {"lines": '"sku": "{}",', "csv": "\n{},", "batches": '"sku": "{}",'}
        return {
            name: {sku for sku in given if ends[name].format(sku) not in text.replace("\r", "")}
            for name, text in texts.items()
        }

    def test_scrapy_loses_them(self, plain):
        assert all(self.lost(plain("maps")).values()), MENDED

    def test_the_add_on_loses_none(self, durable):
        assert not any(self.lost(durable("maps")).values())


class TestResumableFeeds:
    """Numbers of batches go on, and what was written in part is cut back or continued."""

    def faults(self, job: Job) -> tuple[list[str], list[str]]:
        """Batches of a wrong size, and feeds with lines that nothing can read."""
        stopped_then_killed(job, 130, 130)
        folder = job.folder / "feeds"
        for path in (folder / "items.jsonl", max(folder.glob("batch-*"))):
            with path.open("ab") as file:  # a write of which a power cut left the beginning
                file.write(b'{"sku": "torn-1", "na')
        job.last_run()
        sizes, torn = {}, []
        for path in sorted(folder.glob("*.jsonl")):
            lines = path.read_bytes().splitlines()
            sizes[path.name] = len(lines)
            if not all(line.startswith(b"{") and line.endswith(b"}") for line in lines) or any(
                line.count(b'"sku"') != 1 for line in lines
            ):
                torn.append(path.name)
        del sizes["items.jsonl"]
        return [name for name, size in list(sizes.items())[:-1] if size != 500], torn

    def test_scrapy_begins_at_batch_1_again_and_leaves_torn_lines(self, plain):
        batches, torn = self.faults(plain("maps"))
        assert batches, MENDED
        assert torn, MENDED

    def test_the_add_on_goes_on(self, durable):
        job = durable("maps")
        assert self.faults(job) == ([], [])
        assert_whole(job)


class TestDurableState:
    """spider.state as it was when the last requests were finished for good."""

    def state_after_the_death(self, job: Job) -> dict:
        assert job.kill(350, DICE)
        job.last_run()
        return job.opened()[1]["state"]

    def test_scrapy_loses_it(self, plain):
        assert self.state_after_the_death(plain("stock")) == {}, MENDED

    def test_the_add_on_loses_nothing_of_it(self, durable):
        job = durable("stock")
        state = self.state_after_the_death(job)
        rows = job.rows()
        given = {row["sku"] for row in rows[1 : rows.index(job.opened()[1])]}
        kept = {sku.split("-")[0] for sku in given - job.in_flight()[0]}
        assert kept
        assert state["products"] >= len(kept)
        finished = job.rows()[-1]["state"]
        shop = job.server.shop
        assert len({url for urls in finished["lists"].values() for url in urls}) == len(shop.lists)
