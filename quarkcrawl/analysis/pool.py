"""Per-page work in processes that a page may kill.

Each worker has a pipe of its own and answers after every page. When it dies, the answers before
are there, and the page that was next is the suspect: it is tried once more, alone in a fresh
process, and reported as failed if that dies too. So a page that crashes costs one repetition, and
pages that share a process with it cost none. (Shared queues do not allow this: a pool on pebble
gave up after 36 quick crashes, ``docs/decisions.md``.)
"""

from __future__ import annotations

import itertools
import os
from collections import deque
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast

from quarkcrawl.analysis.handle import STALLED, Task, WorkerHandle, WorkerSettings
from quarkcrawl.analysis.worker import failure_of
from quarkcrawl.errors import QuarkError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable


I = TypeVar("I")  # noqa: E741
R = TypeVar("R")

_WINDOW_CHUNKS: Final = 4  # per worker: how far the others may run ahead of a slow page
_CHUNK_BYTES: Final = 8 << 20  # handed out at once, where the size of inputs is known
_START_TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class Outcome(Generic[I, R]):
    """What became of one input.

    Args:
        input: what the function was called with.
        value: what the function returned; None after a failure.
        failure: None, ``"timeout"``, ``"crash: SIGSEGV"`` (or ``"crash: exit code 3"``), or
            ``"error: ValueError: message"``.
    """

    input: I
    value: R | None
    failure: str | None = None

    @property
    def reason(self) -> str:
        """The failure without its details, for counting; "" if there is none.

        >>> Outcome("page", None, "error: ValueError: bad").reason
        'error'
        """
        return (self.failure or "").partition(":")[0]


@dataclass(frozen=True, slots=True)
class PoolOptions:
    """Number and bounds of the processes, see `map_pages`.

    Args:
        workers: number of processes; 0: one per core.
        timeout_s: longest time for one page; 0: no limit.
        memory_bytes: most memory for the data of one worker; 0: no limit.
        in_process: work in this process, without bounds, for debugging.
    """

    workers: int = 0
    timeout_s: float = 60.0
    memory_bytes: int = 2 << 30
    in_process: bool = False


def map_pages(
    function: Callable[[I], R],
    inputs: Iterable[I],
    *,
    workers: int = 0,
    timeout_s: float = 60.0,
    chunk_pages: int = 16,
    memory_bytes: int = 0,
    input_bytes: Callable[[I], int] | None = None,
    in_process: bool = False,
) -> Generator[Outcome[I, R], None, None]:
    """Apply a function to every input in other processes; one outcome each, in order.

    A page that raises, runs too long, runs out of memory or kills its process is an outcome with
    a failure and harms no other page. Inputs are taken as they are needed, so that neither they
    nor the outcomes pile up. Closing the iterator ends the processes.

    Args:
        function: importable by name (or a `functools.partial` of such a function); its result
            must be picklable.
        inputs: picklable values.
        workers: number of processes; 0: one per core. One also works in a process of its own.
        timeout_s: longest time for one input; 0: no limit.
        chunk_pages: inputs that a worker is given at once.
        memory_bytes: most memory for the data of one worker; 0: no limit.
        input_bytes: size of an input, for inputs that may be large: about 8 MiB of them at most
            are then given at once, and 32 MiB a worker are in memory.
        in_process: work in this process, without bounds, for debugging; only what raises is a
            failure then.

    Yields:
        The outcomes.

    Raises:
        QuarkError: workers cannot be started.
        ValueError: a number is out of range.
    """
    if workers < 0 or timeout_s < 0 or chunk_pages < 1 or memory_bytes < 0:
        raise ValueError("workers, timeout_s, memory_bytes must be ≥ 0 and chunk_pages ≥ 1")
    if in_process:
        return _here(function, inputs)
    settings = WorkerSettings(function, timeout_s, memory_bytes)
    pool = _Pool(inputs, settings, workers or n_cores(), chunk_pages, input_bytes or _nothing)
    return cast("Generator[Outcome[I, R], None, None]", pool.run())


def _here(function: Callable[[I], R], inputs: Iterable[I]) -> Generator[Outcome[I, R], None, None]:
    for one in inputs:
        value, failure = None, None
        try:
            value = function(one)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - as in a worker
            failure = failure_of(error)
        yield Outcome(one, value, failure)


def _nothing(_: object) -> int:
    return 0


def n_cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Pool:
    """The state of one `map_pages`."""

    def __init__(
        self,
        inputs: Iterable[Any],
        settings: WorkerSettings,
        n_workers: int,
        chunk_pages: int,
        input_bytes: Callable[[Any], int],
    ) -> None:
        self._inputs = iter(inputs)
        self._input_bytes = input_bytes
        self._settings = settings
        self._n_workers = n_workers
        self._chunk_pages = chunk_pages
        self._window = _WINDOW_CHUNKS * n_workers * chunk_pages
        self._window_bytes = _WINDOW_CHUNKS * n_workers * _CHUNK_BYTES
        self._workers: list[WorkerHandle] = []
        self._again: deque[list[Task]] = deque()
        self._done: dict[int, Outcome[Any, Any]] = {}
        self._n_taken = self._n_yielded = self._n_failed_starts = 0
        self._held_bytes = 0  # of inputs taken and not yielded

    def run(self) -> Generator[Outcome[Any, Any], None, None]:
        """The outcomes in order; ends all processes however it is left."""
        self._settings.preload()
        try:
            while self._feed() or self._done:
                self._listen(block=self._n_yielded not in self._done)
                while self._n_yielded in self._done:
                    outcome = self._done.pop(self._n_yielded)
                    self._n_yielded += 1
                    self._held_bytes -= self._input_bytes(outcome.input)
                    yield outcome
        finally:
            for worker in self._workers:
                worker.kill()
            for worker in self._workers:
                worker.end()

    def _feed(self) -> bool:
        """Give work to idle workers; whether any is at work."""
        for worker in self._workers:
            if not worker.tasks and (tasks := self._next_chunk()):
                worker.give(tasks)
        while len(self._workers) < self._n_workers and (tasks := self._next_chunk()):
            self._workers.append(WorkerHandle(self._settings, tasks))
        return any(worker.tasks for worker in self._workers)

    def _next_chunk(self) -> list[Task]:
        if self._again:
            return self._again.popleft()
        room = min(self._chunk_pages, self._n_yielded + self._window - self._n_taken)
        tasks: list[Task] = []
        n_bytes = 0
        if self._held_bytes >= self._window_bytes:
            room = 0
        for value in itertools.islice(self._inputs, max(room, 0)):
            tasks.append(Task(self._n_taken, value))
            self._n_taken += 1
            n_bytes += self._input_bytes(value)
            if n_bytes >= _CHUNK_BYTES:
                break
        self._held_bytes += n_bytes
        return tasks

    def _listen(self, *, block: bool) -> None:
        """Take what the workers say; wait for it unless an outcome could be passed on."""
        busy = {worker.connection: worker for worker in self._workers if worker.tasks}
        patience_s = self._settings.patience_s
        heard = wait(list(busy), patience_s if block else 0)
        for connection in heard:
            worker = busy[cast("Any", connection)]
            try:
                self._take(worker.receive())
            except EOFError:
                self._replace(worker, worker.end())
        if block and not heard and patience_s is not None:
            self._stop_overdue(patience_s)

    def _take(self, answer: tuple[Task, Any, str | None] | None) -> None:
        self._n_failed_starts = 0
        if answer is not None:
            task, value, failure = answer
            self._done[task.ordinal] = Outcome(task.input, value, failure)

    def _stop_overdue(self, patience_s: float) -> None:
        """Kill workers whose page has switched its alarm off."""
        for worker in [w for w in self._workers if w.is_overdue(patience_s)]:
            worker.kill()
            worker.end()
            self._replace(worker, STALLED)

    def _replace(self, worker: WorkerHandle, cause: str) -> None:
        """Settle or repeat the page a dead worker was at; the others go back."""
        self._workers.remove(worker)
        suspect, *others = worker.tasks
        if not worker.is_ready:
            self._count_failed_start(cause)
            self._again.appendleft([suspect, *others])
            return
        if others:
            self._again.append(others)
        if suspect.is_suspect or cause == STALLED:
            self._done[suspect.ordinal] = Outcome(suspect.input, None, cause)
        else:
            suspect.is_suspect = True
            self._workers.append(WorkerHandle(self._settings, [suspect]))

    def _count_failed_start(self, cause: str) -> None:
        self._n_failed_starts += 1
        if self._n_failed_starts >= _START_TRIES * self._n_workers:
            raise QuarkError(
                f"worker processes do not start ({cause}); a script that uses them needs "
                'its main part under: if __name__ == "__main__"',
                where=getattr(self._settings.function, "__qualname__", None),
            )
