"""Random crawls of random webs with random crashes: each item once, no request lost."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
import scrapy
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy.utils.request import RequestFingerprinter

from quarkcrawl.crawl.jobs import job_status
from quarkcrawl.crawl.jobs.job import SpiderJob
from quarkcrawl.crawl.jobs.opened import OpenRequest, OpenRequests, parsed_request
from quarkcrawl.crawl.jobs.requests import StoredRequestError
from quarkcrawl.crawl.jobs.waiting import WaitingRequest, WaitingRequests
from quarkcrawl.errors import StorageFullError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


@dataclass
class ListFeeds:
    """A feed that survives the job's process, and is cut back as files are."""

    items: list[str] = field(default_factory=list)
    is_full: bool = False

    def restore(self, states: Mapping[str, str], commit: Any, *, folder: Path) -> None:
        assert folder.is_dir()
        del self.items[int(states.get("list", 0)) :]
        self.commit = commit

    def write(self, items: Sequence[str]) -> None:
        """Where there is no room, a new file is announced, and then cannot be made."""
        if self.is_full:
            self.commit({})
            raise StorageFullError("no room")
        self.items += items

    def sync(self) -> dict[str, str]:
        return {"list": str(len(self.items))}


@dataclass
class Web:
    """Pages that link to pages; some links are not filtered (and lead down only, to end)."""

    links: dict[int, list[tuple[int, bool]]]

    @classmethod
    def drawn(cls, rng: random.Random) -> Web:
        n_pages = rng.randint(1, 12)
        links: dict[int, list[tuple[int, bool]]] = {}
        for page in range(n_pages):
            targets = [rng.randrange(n_pages) for _ in range(rng.randint(0, 4))]
            links[page] = [(to, to > page and rng.random() < 0.3) for to in targets]
        return cls(links)

    def visits(self) -> Counter[int]:
        """How often a crawl that nothing interrupts visits each page, breadth-first or not.

        A page that is first met by an unfiltered link may be met by a filtered one later, and is
        visited for each of the unfiltered ones and once for all of the others.
        """
        visits: Counter[int] = Counter()
        seen = {0}
        waiting = [0]
        while waiting:
            page = waiting.pop()
            visits[page] += 1
            for to, dont_filter in self.links[page]:
                if dont_filter or to not in seen:
                    waiting.append(to)
                if not dont_filter:
                    seen.add(to)
        return visits


class Run:
    """One process of the job, with the part of Scrapy's engine that the job sees."""

    def __init__(self, folder: Path, web: Web, feeds: ListFeeds, rng: random.Random) -> None:
        self.web, self.rng = web, rng
        self.out: dict[OpenRequest, list[Callable[[], None]]] = {}
        self.open = OpenRequests(
            lambda request: any(opened.request is request for opened in self.out),
            lambda opened: self.job.waiting.ended(opened.slot),
        )
        fingerprinter = RequestFingerprinter()
        self.job = SpiderJob(folder, scrapy.Spider("s"), fingerprinter, feeds)  # type: ignore[arg-type]
        self.job.bind(self.open)
        self.enqueue(0, dont_filter=True, is_start=True)

    def enqueue(self, page: int, *, dont_filter: bool, is_start: bool = False) -> None:
        request = scrapy.Request(f"http://a.cn/{page}", dont_filter=dont_filter)
        job = self.job
        fingerprint = job.request_fingerprint(request)
        if is_start:
            if not job.take_start(fingerprint):
                return
            request = request.replace(dont_filter=False)
        parent = parsed_request.get()
        if not request.dont_filter and job.is_duplicate(fingerprint, parent):
            return
        job.add(
            request,
            "a.cn",
            fingerprint=None if request.dont_filter else fingerprint,
            parent=parent,
            started=fingerprint if is_start else None,
        )

    def hand_out(self) -> None:
        opened = self.job.pop()
        if opened is None:
            return
        self.open.open(opened)
        assert opened.request is not None
        page = int(opened.request.url.rpartition("/")[2])
        steps: list[Callable[[], None]] = [lambda: self.job.note_item(opened, f"page {page}")]
        for to, dont_filter in self.web.links[page]:
            steps.append(lambda to=to, one=dont_filter: self.enqueue(to, dont_filter=one))
        self.rng.shuffle(steps)
        self.out[opened] = steps

    def step(self) -> bool:
        """Something happens; False if nothing can any more."""
        if self.out and self.rng.random() < 0.7:
            opened = self.rng.choice(list(self.out))
            if self.out[opened]:
                token = parsed_request.set(opened)
                self.out[opened].pop()()
                parsed_request.reset(token)
            else:
                del self.out[opened]
                self.job.note_done(self.open.finish())
        elif len(self.job.waiting):
            self.hand_out()
        elif not self.out:
            return False
        if self.rng.random() < 0.1:
            self.job.commit()
        return True


@settings(deadline=None)
@given(st.integers(0, 1 << 32))
def test_each_item_stands_once_whenever_the_process_dies(seed: int) -> None:
    rng = random.Random(seed)
    web, feeds = Web.drawn(rng), ListFeeds()
    with TemporaryDirectory() as name:
        for _ in range(rng.randint(0, 6)):
            run = Run(Path(name), web, feeds, rng)
            for _ in range(rng.randint(1, 40)):
                run.step()
            if rng.random() < 0.5:
                feeds.is_full = True
                with suppress(StorageFullError):
                    run.job.commit()
                feeds.is_full = False
            run.job.abandon()
        run = Run(Path(name), web, feeds, rng)
        while run.step():
            pass
        run.job.commit()
        assert not len(run.open)
        run.job.abandon()
    assert Counter(feeds.items) == {f"page {page}": n for page, n in web.visits().items()}


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(-2, 2)) | st.none(), max_size=60))
def test_the_next_request_is_that_of_the_naive_order(steps: list[tuple[str, int] | None]) -> None:
    """Pushes, and takings out; beside a list that is searched anew each time."""
    waiting = WaitingRequests({}, read=lambda *_: [], spilled=lambda _: None)
    naive: list[WaitingRequest] = []
    n_out: Counter[str] = Counter()
    for number, step in enumerate(steps):
        if step is not None:
            entry = WaitingRequest(number, step[0], step[1], -number, b"row")
            waiting.push(entry)
            naive.append(entry)
            continue
        taken = waiting.pop()
        if not naive:
            assert taken is None
            continue
        assert taken is not None
        fewest = min(n_out[entry.slot] for entry in naive)
        assert n_out[taken.slot] == fewest
        best = max((each for each in naive if each.slot == taken.slot), key=lambda each: each.order)
        assert taken is best
        naive.remove(taken)
        n_out[taken.slot] += 1
    assert len(waiting) == len(naive)


def test_what_does_not_fit_in_memory_comes_from_the_file_in_the_same_order(tmp_path: Path) -> None:
    rng = random.Random(1)
    job = SpiderJob(tmp_path, scrapy.Spider("s"), RequestFingerprinter())
    job.bind(OpenRequests(lambda _: False, lambda opened: job.waiting.ended(opened.slot)))
    expected = []
    for number in range(1, 2001):
        priority = rng.randint(-1, 1)
        request = scrapy.Request(f"http://a.cn/{number}", priority=priority)
        job.add(request, "a.cn")
        expected.append((-priority, -number))
    taken = []
    while (opened := job.pop()) is not None:
        assert opened.request is not None
        taken.append((-opened.request.priority, -opened.number))
        job.waiting.ended("a.cn")
        opened.is_done = True
        job.note_done([opened])
    assert taken == sorted(expected)
    job.abandon()


class _Pair:
    """Two requests that are out, of a job with a parent ``first`` and a parent ``second``."""

    def __init__(self, folder: Path) -> None:
        self.still_out: set[scrapy.Request] = set()
        self.open = OpenRequests(
            self.still_out.__contains__, lambda opened: self.job.waiting.ended(opened.slot)
        )
        self.job = SpiderJob(folder, scrapy.Spider("s"), RequestFingerprinter())
        self.job.bind(self.open)

    def give(self, url: str, parent: OpenRequest | None = None, **more: Any) -> bool:
        request = scrapy.Request(url, **more)
        fingerprint = self.job.request_fingerprint(request)
        if self.job.is_duplicate(fingerprint, parent):
            return False
        self.job.add(request, "a.cn", fingerprint=fingerprint, parent=parent)
        return True

    def take(self) -> OpenRequest:
        opened = self.job.pop()
        assert opened is not None
        self.still_out.add(self.open.open(opened))
        return opened

    def finish(self, opened: OpenRequest) -> None:
        assert opened.request is not None
        self.still_out.remove(opened.request)
        self.job.note_done(self.open.finish())

    def die(self, folder: Path) -> list[str]:
        """URLs that the next process has."""
        self.job.abandon()
        after = _Pair(folder)
        urls = [opened.request.url for opened in iter(after.job.pop, None) if opened.request]
        after.job.abandon()
        return sorted(urls)


def test_what_two_pages_gave_waits_when_one_of_them_is_done(tmp_path: Path) -> None:
    """The other may look different when it is asked again."""
    run = _Pair(tmp_path)
    run.give("http://a.cn/first")
    run.give("http://a.cn/second")
    second, first = run.take(), run.take()
    assert run.give("http://a.cn/common", first)
    assert not run.give("http://a.cn/common", second)
    run.finish(second)
    run.job.commit()
    assert run.die(tmp_path) == ["http://a.cn/common", "http://a.cn/first"]


def test_a_redirect_that_only_memory_has_is_not_read_from_the_file_as_well(tmp_path: Path) -> None:
    """Its row is what was redirected: that is asked again after a crash only."""
    run = _Pair(tmp_path)
    for number in range(250):
        run.give(f"http://a.cn/{number}")
    run.job.add(scrapy.Request("http://b.cn/"), "b.cn")
    run.job.commit()
    first = run.take()
    other = run.take()  # keeps its slot behind a.cn
    assert first.request is not None
    assert (first.slot, other.slot) == ("a.cn", "b.cn")
    run.open.withdraw(first)
    odd = first.request.replace(url="http://b.cn/target", meta={"odd": object()})
    run.job.put_back(first, odd, "b.cn", None)
    numbers = [first.number, other.number]
    for _ in range(249):
        opened = run.take()
        numbers.append(opened.number)
        run.finish(opened)
    assert len(set(numbers)) == 251
    assert run.take().number == first.number
    assert run.job.pop() is None
    run.job.abandon()


def test_requests_that_are_in_the_file_only_are_forgotten(tmp_path: Path) -> None:
    """Also while the callback that gives them goes on."""
    run = _Pair(tmp_path)
    run.give("http://a.cn/")
    parent = run.take()
    for number in range(1000):
        run.give(f"http://a.cn/{number}", parent)
    run.job.commit()
    assert len(run.job._provisional) <= 200
    assert not run.give("http://a.cn/7")  # given by nobody who runs again: it stays
    run.job.commit()
    assert run.die(tmp_path) == ["http://a.cn/", "http://a.cn/7"]


def test_a_number_is_given_once_whenever_a_feed_commits(tmp_path: Path) -> None:
    """Requests were written to be read back, then a feed announced a file, then the process died."""
    run = _Pair(tmp_path)
    run.give("http://a.cn/0")
    run.job.commit()
    run.job.abandon()
    run = _Pair(tmp_path)
    for number in range(1, 4):
        run.give(f"http://a.cn/{number}")
    run.take()  # reads the file, to which the others are written before
    run.job._commit_feeds({})
    run.job.abandon()
    run = _Pair(tmp_path)
    for number in range(4, 8):
        run.give(f"http://a.cn/{number}")
    run.job.commit()
    assert run.die(tmp_path) == [f"http://a.cn/{number}" for number in range(8)]


def test_what_one_page_gave_comes_again_with_it(tmp_path: Path) -> None:
    run = _Pair(tmp_path)
    run.give("http://a.cn/first")
    first = run.take()
    assert run.give("http://a.cn/child", first)
    run.job.commit()
    assert run.die(tmp_path) == ["http://a.cn/first"]
    run = _Pair(tmp_path)
    assert run.give("http://a.cn/child", run.take())
    run.job.abandon()


def test_a_request_that_only_memory_had_may_be_met_again(tmp_path: Path) -> None:
    run = _Pair(tmp_path)
    assert run.give("http://a.cn/memory", callback=lambda _: None)
    run.job.commit()
    assert run.die(tmp_path) == []
    run = _Pair(tmp_path)
    assert run.give("http://a.cn/memory")
    assert run.job.n_lost() == 1
    run.job.abandon()


def test_a_request_whose_callback_is_gone_stays_in_the_job(tmp_path: Path) -> None:
    class Old(scrapy.Spider):
        name = "s"

        def parse_book(self, response: object) -> None: ...

    def job_of(spider: scrapy.Spider) -> SpiderJob:
        job = SpiderJob(tmp_path, spider, RequestFingerprinter())
        job.bind(OpenRequests(lambda _: False, lambda opened: job.waiting.ended(opened.slot)))
        return job

    spider = Old()
    job = job_of(spider)
    job.add(scrapy.Request("http://a.cn/", spider.parse_book, priority=1 << 80), "a.cn")
    job.commit()
    job.abandon()
    job = job_of(scrapy.Spider("s"))
    with pytest.raises(StoredRequestError, match="parse_book"):
        job.pop()
    assert job.pop() is None
    asyncio.run(job.close(is_finished=True))
    assert not job_status(tmp_path)["finished"]
    job = job_of(spider)
    opened = job.pop()
    assert opened is not None
    assert opened.request is not None
    assert opened.request.callback == spider.parse_book
    job.abandon()
