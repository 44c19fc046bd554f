"""Worker processes that analyze pages for an event loop that must not wait.

The loop gives a page and awaits what came of it. A worker that a page kills, that hangs or that
takes more memory than it may is replaced, and its page is known: it is tried once more alone, then
for its links only, and then it comes back without anything but a flag. Pages that shared the
worker's queue go to another and have lost nothing but time.

Large pages never hold all workers: one is left, at which small pages pass them by. For a worker
that is long at one page another stands in until it is done, so that neither small pages nor other
large ones wait for it. Of a page that takes long, another worker finds the links meanwhile, so that
what waits for them can go on, and pages behind it go to another worker, too.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections import deque
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.analysis.handle import RETIRED, STALLED, Task, WorkerHandle, WorkerSettings
from quarkcrawl.analysis.page import PageAnalysis, PageInput, analyze
from quarkcrawl.analysis.pool import n_cores

if TYPE_CHECKING:
    from collections.abc import Callable

    from quarkcrawl.analysis.plan import AnalysisPlan


LARGE_BYTES: Final = 1 << 20
_AHEAD_BYTES: Final = 96 << 10
"""Most bytes of pages that wait behind the one that a worker is at: enough to keep it busy, the
others go to whoever is free first."""

_AHEAD_PAGES: Final = 4
_LOOK_S: Final = 1.0
_SLOW_S: Final = 2.0
"""Time at work after which the links of a page are looked for apart."""

_STUCK_S: Final = 3.0
"""Time at one page after which another worker stands in."""

_REHEARSAL: Final = PageInput(
    "http://www.example.com/2008/0305/1.htm",
    (
        "<title>天网</title><ul>"
        + "<li><a href=/2008/>网页的结构和排序</a>" * 9
        + "</ul><h1>天网的网页</h1>"
        "<p>2008年3月5日 来源：样例" + "<p>天网搜集系统从一九九七年开始运行，收集了中国的网页。" * 9
    ).encode(),
    "text/html; charset=utf-8",
)


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """Number and bounds of the workers.

    Args:
        workers: number of processes; 0: one a core.
        cpu_s: most CPU time for one page.
        timeout_s: longest time for one page, for one that waits without working.
        memory_bytes: most memory for the data of one worker.
    """

    workers: int = 0
    cpu_s: float = 10.0
    timeout_s: float = 60.0
    memory_bytes: int = 768 << 20


@dataclass(slots=True)
class _Job:
    source: PageInput
    future: asyncio.Future[PageAnalysis]
    is_suspect: bool = False
    on_slow: Callable[[PageAnalysis | None], None] | None = None
    deaths: list[str] = field(default_factory=list)
    is_slow: bool = False
    links: PageAnalysis | None = None

    @property
    def is_large(self) -> bool:
        return len(self.source.body) > LARGE_BYTES

    @property
    def flag(self) -> str:
        """Reason code of what ended its workers; a stall says least, busy machines have them."""
        causes = [STALLED, *(cause for cause in self.deaths if cause != STALLED)]
        return f"failed:{causes[-1].partition(':')[0]}"


class AnalysisEngine:
    """Analyses pages in processes; used from one event loop.

    Args:
        plan: what is done with each page.
        options: number and bounds of the workers.
    """

    def __init__(self, plan: AnalysisPlan, options: EngineOptions | None = None) -> None:
        options = options or EngineOptions()
        self.plan = plan
        self._options = options
        self._n_workers = options.workers or n_cores()
        function = partial(analyze, plan=plan)
        self._settings = WorkerSettings(
            function, options.timeout_s, options.memory_bytes, options.cpu_s, _REHEARSAL
        )
        self._workers: list[WorkerHandle] = []
        self._small: deque[_Job] = deque()
        self._large: deque[_Job] = deque()
        self._watch: asyncio.TimerHandle | None = None
        self._closed = False

    @property
    def n_waiting(self) -> int:
        """Pages that are analyzed or wait for it."""
        out = sum(len(worker.tasks) for worker in self._workers)
        return out + len(self._small) + len(self._large)

    def start(self) -> None:
        """Start the workers, so that the first pages need not wait for them.

        Raises:
            QuarkError: they cannot be started.
        """
        self._settings.preload()
        while len(self._workers) < self._n_workers:
            self._add_worker([])

    async def analyze(
        self,
        source: PageInput,
        *,
        is_suspect: bool = False,
        on_slow: Callable[[PageAnalysis | None], None] | None = None,
    ) -> PageAnalysis:
        """What comes of a page; never raises for what the page does.

        Args:
            source: the page.
            is_suspect: True to have the page in a worker without others behind it.
            on_slow: told of a page that takes long, first None, then its links if they are found.
        """
        future: asyncio.Future[PageAnalysis] = asyncio.get_running_loop().create_future()
        self._put(_Job(source, future, is_suspect, on_slow))
        self._feed()
        return await future

    def close(self) -> None:
        """End the workers; what was not answered is canceled."""
        self._closed = True
        if self._watch is not None:
            self._watch.cancel()
        jobs = [*self._small, *self._large]
        for worker in self._workers:
            jobs += [task.input for task in worker.tasks]
            self._forget(worker)
            worker.kill()
        for worker in self._workers:
            worker.end()
        self._workers.clear()
        for job in jobs:
            job.future.cancel()

    # -- giving --------------------------------------------------------------------------------

    def _put(self, job: _Job, *, first: bool = False) -> None:
        queue = self._large if job.is_large else self._small
        if first:
            queue.appendleft(job)
        else:
            queue.append(job)

    def _feed(self) -> None:
        """Give what waits to workers that have room."""
        if self._watch is None and not self._closed:
            self._watch = asyncio.get_running_loop().call_later(_LOOK_S, self._look)
        for worker in sorted(self._workers, key=lambda worker: len(worker.tasks)):
            while (job := self._next_job(worker)) is not None:
                worker.give([Task(0, job, is_suspect=job.is_suspect)])

    def _next_job(self, worker: WorkerHandle) -> _Job | None:
        """A job for which the worker has room; a large one or a suspect has a worker alone."""
        for queue in (self._small, self._large):
            while queue and queue[0].future.done():  # by another worker meanwhile
                queue.popleft()
        if worker.tasks:
            return self._next_behind(worker)
        n_large = sum(other.tasks[0].input.is_large for other in self._workers if other.tasks)
        if self._large and n_large < max(1, len(self._workers) - 1):
            return self._large.popleft()
        return self._small.popleft() if self._small else None

    def _next_behind(self, worker: WorkerHandle) -> _Job | None:
        if not self._small or self._small[0].is_suspect or len(worker.tasks) >= _AHEAD_PAGES:
            return None
        head = worker.tasks[0]
        if head.is_suspect or head.input.is_large or head.input.is_slow:
            return None
        ahead = [task.input for task in worker.tasks][0 if not worker.is_ready else 1 :]
        bytes_ahead = sum(len(job.source.body) for job in ahead)
        if bytes_ahead + len(self._small[0].source.body) > _AHEAD_BYTES:
            return None
        return self._small.popleft()

    # -- hearing -------------------------------------------------------------------------------

    def _add_worker(self, tasks: list[Task]) -> None:
        worker = WorkerHandle(self._settings, tasks, input_of=_source_of, on_full=self._send_later)
        self._workers.append(worker)
        pipe = worker.connection.fileno()
        asyncio.get_running_loop().add_reader(pipe, self._hear, worker)
        os.set_blocking(pipe, True)  # uvloop makes it otherwise, and an answer would be cut

    def _send_later(self, worker: WorkerHandle) -> None:
        """Go on sending when the pipe has room; a worker that is waited for may wait for us."""
        pipe = worker.connection.fileno()
        asyncio.get_running_loop().add_writer(pipe, self._send_rest, worker)
        os.set_blocking(pipe, True)

    def _send_rest(self, worker: WorkerHandle) -> None:
        if worker.flush():
            asyncio.get_running_loop().remove_writer(worker.connection.fileno())

    def _forget(self, worker: WorkerHandle) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop, pipe = asyncio.get_running_loop(), worker.connection.fileno()
            loop.remove_reader(pipe)
            loop.remove_writer(pipe)

    def _hear(self, worker: WorkerHandle) -> None:
        try:
            answer = worker.receive()
        except EOFError:
            self._forget(worker)
            self._replace(worker, worker.end())
        else:
            if answer is not None:
                task, value, failure = answer
                self._answered(task.input, value, failure)
        self._feed()

    def _answered(self, job: _Job, value: PageAnalysis | None, failure: str | None) -> None:
        if value is None:
            job.deaths.append("memory" if "MemoryError" in (failure or "") else "crash")
            self._again(job)
            return
        if job.deaths:
            value.flags += (job.flag,)
        if not job.future.done():
            job.future.set_result(value)

    def _replace(self, worker: WorkerHandle, cause: str) -> None:
        """A worker is dead: another takes its place, and the page it was at is dealt with."""
        self._workers.remove(worker)
        tasks = list(worker.tasks)
        for task in reversed(tasks[1:]):
            if not task.is_elsewhere:
                self._put(task.input, first=True)
        if tasks and (cause == RETIRED or not worker.is_ready):
            self._put(tasks[0].input, first=True)
        elif tasks:
            tasks[0].input.deaths.append("crash" if cause.startswith("crash") else cause)
            self._again(tasks[0].input)
        self._add_worker([])

    def _again(self, job: _Job) -> None:
        """Try a page once more, then its links only, then give it up."""
        job.is_suspect = True
        # CPU time and memory are used up again; a crash or a stall may have come from elsewhere.
        is_hopeless = len(job.deaths) > 1 or job.deaths[0] not in {"crash", STALLED}
        if (job.links is not None and is_hopeless) or (
            job.source.links_only and len(job.deaths) > 1
        ):
            analysis = job.links or PageAnalysis()
            analysis.flags += (job.flag,)
            if not job.future.done():
                job.future.set_result(analysis)
            return
        if is_hopeless:
            job.source = replace(job.source, links_only=True)
        self._put(job)

    def _look(self) -> None:
        """Kill workers whose page has switched its alarms off."""
        self._watch = None
        patience_s = self._settings.patience_s
        for worker in list(self._workers):
            if patience_s is not None and worker.is_overdue(patience_s):
                self._forget(worker)
                worker.kill()
                worker.end()
                self._replace(worker, STALLED)
            elif worker.is_overdue(_SLOW_S) and not (job := worker.tasks[0].input).is_slow:
                job.is_slow = True
                self._note_slow(job)
                self._pass_by(worker)
        self._stand_in()
        if self.n_waiting:
            self._feed()

    def _stand_in(self) -> None:
        """Have as many more workers as are long at one page, at most twice the number asked for."""
        n_stuck = sum(worker.is_overdue(_STUCK_S) for worker in self._workers)
        n_wanted = self._n_workers + min(n_stuck, self._n_workers)
        while len(self._workers) < n_wanted:
            self._add_worker([])
        for worker in [worker for worker in self._workers if not worker.tasks]:
            if len(self._workers) > n_wanted:
                self._workers.remove(worker)
                self._forget(worker)
                worker.kill()
                worker.end()

    def _pass_by(self, worker: WorkerHandle) -> None:
        """Have what waits behind a slow page done by others; whoever is first is heard."""
        for task in reversed(list(worker.tasks)[1:]):
            if not task.is_elsewhere:
                task.is_elsewhere = True
                self._put(task.input, first=True)

    def _note_slow(self, job: _Job) -> None:
        """Say so, and have the links of the page found by another worker."""
        if job.on_slow is None or job.source.links_only:
            return
        job.on_slow(None)
        future = asyncio.get_running_loop().create_future()
        links = _Job(replace(job.source, links_only=True), future, is_suspect=True, is_slow=True)
        future.add_done_callback(partial(self._have_links, job))
        job.future.add_done_callback(lambda _: future.cancel())  # nobody wants them any more
        self._put(links, first=True)

    def _have_links(self, job: _Job, future: asyncio.Future[PageAnalysis]) -> None:
        if not future.cancelled() and not job.future.done() and future.result().encoding:
            job.links = future.result()
            if job.on_slow is not None:
                job.on_slow(job.links)


def _source_of(job: _Job) -> Any:
    return job.source
