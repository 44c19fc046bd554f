"""Requests that are being downloaded or parsed, with what they gave so far.

Scrapy parses each response in an asyncio task of its own, and the tasks in which its items go
through the pipelines descend from it. So a context variable says, wherever a request is enqueued
or an item has come through, which request it stems from.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response


HELD_FOR_PARENT: Final = 10_000
"""Finished requests and their items that wait for one callback that goes on."""

OPEN_KEY: Final = "quarkcrawl_open_request"
"""Key in ``request.meta`` under which a request carries its number while it is open."""

JOB_FAILED: Final = "job_failed"
"""Why Scrapy says it closed the spider, when the files of its job cannot be written."""

parsed_request: ContextVar[OpenRequest | None] = ContextVar("parsed_request", default=None)
"""The request whose callback or errback runs in this task."""


@dataclass(eq=False, slots=True)
class OpenRequest:
    """A request that was handed to the engine.

    It is *finished* when the engine has let go of it: then its callback or errback has ended and
    everything that it gave was enqueued or has gone through the pipelines. It is *done* when it is
    finished and the request that led to it is done.

    Args:
        number: under which the job knows it; 0 for an item of ``start()``, which has no request.
        request: what is out now; another one after a redirect or a retry.
        parent: the request whose callback gave it, if that is not done.
        slot: its download slot.
        rank: its place among waiting requests of one priority.
    """

    number: int
    request: Request | None
    parent: OpenRequest | None = None
    slot: str = ""
    rank: int = 0
    is_parsed: bool = False
    is_finished: bool = False
    is_done: bool = False
    has_written_children: bool = False
    items: list[object] = field(default_factory=list)
    wrote_early: bool = False
    """Some of its items were written before it was done: there were too many."""
    started: bytes = b""
    """Fingerprint of an item of ``start()``."""
    joined: list[int] = field(default_factory=list)
    """Numbers of requests of parents that are not done, which it has given, too."""
    finished_children: list[OpenRequest] = field(default_factory=list)
    n_held: int = 0
    """How many finished children there are, and items of theirs."""

    def living_parent(self) -> OpenRequest | None:
        """The parent, unless it is done meanwhile."""
        if self.parent is not None and self.parent.is_done:
            self.parent = None
        return self.parent


@dataclass(frozen=True, slots=True)
class Errback:
    """An errback that says whose it is when it is called: no middleware sees that.

    Args:
        errback: the spider's own.
        opened: the request that failed.
    """

    errback: Callable[..., Any]
    opened: OpenRequest

    def __call__(self, *values: Any, **named: Any) -> Any:
        """Call the spider's errback."""
        self.opened.is_parsed = True
        parsed_request.set(self.opened)
        without_wrapper(self.opened.request)
        return self.errback(*values, **named)


class OpenRequests:
    """All of them, by their numbers.

    Args:
        is_out: whether the engine still works on a request.
        ended: told each request that the engine let go of.
    """

    def __init__(
        self, is_out: Callable[[Request], bool], ended: Callable[[OpenRequest], None]
    ) -> None:
        self._is_out = is_out
        self._ended = ended
        self._open: dict[int, OpenRequest] = {}
        self._unfinished: dict[int, OpenRequest] = {}

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[OpenRequest]:
        return iter(self._open.values())

    def get(self, number: int) -> OpenRequest | None:
        """An open request."""
        return self._open.get(number)

    def open(self, opened: OpenRequest) -> Request:
        """The request as it is handed to the engine."""
        self._open[opened.number] = self._unfinished[opened.number] = opened
        request = cast("Request", opened.request)
        if OPEN_KEY in request.meta:  # a callback gave one object twice, and the other is out
            request = opened.request = request.copy()
            without_marks(request)
        request.meta[OPEN_KEY] = opened.number
        if request.errback is not None:
            request.errback = Errback(request.errback, opened)
        return request

    def replaced(self, request: Request) -> OpenRequest | None:
        """Whose redirect or retry a request of a downloader middleware is; None: nobody's.

        The number may have been copied by a callback, too, from the ``meta`` of its response.
        """
        number = request.meta.get(OPEN_KEY)
        opened = None if number is None else self._unfinished.get(number)
        return None if opened is None or opened.is_parsed else opened

    def withdraw(self, opened: OpenRequest) -> None:
        """It waits again, as a redirect or a retry."""
        del self._open[opened.number], self._unfinished[opened.number]
        self._ended(opened)

    def finish(self) -> list[OpenRequest]:
        """Requests that are done now, each after its parent."""
        done: list[OpenRequest] = []
        for opened in list(self._unfinished.values()):
            if self._is_out(cast("Request", opened.request)):
                continue
            del self._unfinished[opened.number]
            self._ended(opened)
            opened.is_finished = True
            if (parent := opened.living_parent()) is None:
                done += self.set_done(opened)
            else:
                parent.finished_children.append(opened)
                parent.n_held += 1 + len(opened.items)
                if parent.n_held > HELD_FOR_PARENT:
                    # If the process dies, the parent runs again and gives them again: those that
                    # are filtered are known by then.
                    children, parent.finished_children, parent.n_held = (
                        parent.finished_children,
                        [],
                        0,
                    )
                    for child in children:
                        done += self.let_go(child)
        return done

    def set_done(self, opened: OpenRequest) -> list[OpenRequest]:
        """A finished request, and those that waited for it."""
        done, waiting = [], [opened]
        while waiting:
            each = waiting.pop()
            if each.is_done:  # let go by another parent already
                continue
            each.is_done = True
            self._open.pop(each.number, None)
            done.append(each)
            waiting += [child for child in each.finished_children if child.parent is each]
            each.finished_children = []
            each.parent = None
        return done

    def let_go(self, opened: OpenRequest) -> list[OpenRequest]:
        """An open request need not wait for its parent any more."""
        opened.parent = None
        return self.set_done(opened) if opened.is_finished else []


def without_marks(request: Request) -> None:
    """Take from a request what was put on the one that it was copied from."""
    request.meta.pop(OPEN_KEY, None)
    without_wrapper(request)


def without_wrapper(request: Request | None) -> None:
    """Give a request the spider's own errback again."""
    if request is not None and isinstance(request.errback, Errback):
        request.errback = request.errback.errback


class JobScheduler(Protocol):
    """What the middleware asks of the scheduler of a job."""

    def opened(self, number: int) -> OpenRequest | None:
        """An open request, by its number."""

    def begin_start(self, output: object) -> OpenRequest | None:
        """For an item of ``start()`` what stands for its request.

        Raises:
            StartedBeforeError: an earlier run of the job has had the output.
        """


class StartedBeforeError(Exception):
    """An earlier run of the job has had this output of ``start()``."""


class ParsingMiddleware:
    """Spider middleware: notes which request is parsed, and what ``start()`` gives.

    Args:
        crawler: whose scheduler is asked; it is opened later.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ParsingMiddleware:
        """Build for a crawler."""
        return cls(crawler)

    def process_spider_input(self, response: Response) -> None:
        """Its callback is called next, in this task."""
        number = response.meta.get(OPEN_KEY)
        opened = None if number is None else self._scheduler().opened(number)
        if opened is not None:
            opened.is_parsed = True
            # This task is known from now on; the callback may keep its request, in `meta` say.
            without_wrapper(opened.request)
            without_wrapper(response.request)
        parsed_request.set(opened)

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """What ``start()`` gives, but for what an earlier run of the job has taken."""
        async for output in start:
            try:
                # An item goes through the pipelines in a task that inherits this.
                parsed_request.set(self._scheduler().begin_start(output))
            except StartedBeforeError:
                continue
            yield output

    def _scheduler(self) -> JobScheduler:
        assert self._crawler.engine is not None
        return cast("JobScheduler", self._crawler.engine.scheduler)
