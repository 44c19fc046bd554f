"""The parent's side of one worker process."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.analysis.plan import AnalysisPlan
from quarkcrawl.analysis.worker import READY, RETIRED_CODE, send_whole, serve, serve_in
from quarkcrawl.errors import QuarkError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkServerProcess


RETIRED: Final = "retired"
"""What a worker ended of that had grown; nothing was wrong with its pages."""

STALLED: Final = "timeout"
"""What a worker ended of that took too long by the clock: its page waits, or the machine had no
time for it."""

SPENT: Final = "timeout: CPU time"
"""What a worker ended of that took too much CPU time."""

_VARIABLES: Final = ("AWS_", "QUARKCRAWL_STORAGE_")
"""What the names of variables begin with that say how object stores are reached."""

_GRACE_S = 10.0  # beyond the worker's own alarm, in case a page blocks it


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """What a worker is started with; see `quarkcrawl.analysis.worker.serve`."""

    function: Callable[[Any], Any]
    timeout_s: float
    memory_bytes: int
    cpu_s: float = 0.0
    rehearsal: Any = None

    def preload(self) -> None:
        """Let the fork server, if it is not running yet, import for all workers what they need."""
        function = self.function
        wanted = {serve.__module__}
        while isinstance(function, partial):
            plans = [
                value for value in function.keywords.values() if isinstance(value, AnalysisPlan)
            ]
            wanted = wanted.union(*(plan.modules for plan in plans))
            function = function.func
        wanted.add(getattr(function, "__module__", None) or __name__)
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(sorted(wanted - {"__main__"}))

    @property
    def patience_s(self) -> float | None:
        """How long a worker may be silent before it is killed; None: for ever."""
        return self.timeout_s + _GRACE_S if self.timeout_s else None


@dataclass(slots=True)
class Task:
    """One input and its place in the order; a suspect was being done when a worker died.

    One that is elsewhere was given to another worker too, because this one is held up.
    """

    ordinal: int
    input: Any
    is_suspect: bool = False
    is_elsewhere: bool = False


class WorkerHandle:
    """One process with a pipe of its own, so that its death is seen at once as its own.

    The process comes from a fork server, which has no threads and none of our open files:
    no other worker keeps its pipe open.

    Raises:
        QuarkError: the process cannot be started.

    Attributes:
        connection: our end of the pipe.
        tasks: what it was given and has not answered, in order.
        is_ready: whether it has started.
    """

    def __init__(
        self,
        settings: WorkerSettings,
        first: list[Task],
        *,
        input_of: Callable[[Any], Any] = lambda value: value,
    ) -> None:
        self._input_of = input_of
        context = multiprocessing.get_context("forkserver")
        self.connection: Connection[Any, Any]
        self.connection, theirs = context.Pipe()
        limits = (settings.timeout_s, settings.memory_bytes, settings.cpu_s)
        variables = {name: os.environ[name] for name in os.environ if name.startswith(_VARIABLES)}
        words = (variables, theirs, settings.function, *limits, settings.rehearsal)
        self._process: ForkServerProcess = context.Process(target=serve_in, args=words, daemon=True)
        try:
            self._process.start()
        except (OSError, EOFError) as error:  # also of a fork server that did not start
            raise QuarkError(f"a worker process cannot be started ({error!r})") from error
        theirs.close()
        self.is_ready = False
        self.tasks: deque[Task] = deque(first)
        self._heard_at = time.monotonic()

    def give(self, tasks: list[Task]) -> None:
        """Hand out work; to a busy worker no more than its pipe holds.

        Args:
            tasks: what is added to its work.
        """
        if not self.tasks:
            self._heard_at = time.monotonic()
        self.tasks.extend(tasks)
        if self.is_ready:
            self._send(tasks)

    def _send(self, tasks: Iterable[Task]) -> None:
        inputs = [self._input_of(task.input) for task in tasks]
        with suppress(BrokenPipeError, ConnectionResetError):  # dead: the next wait says so
            send_whole(self.connection, pickle.dumps(inputs, pickle.HIGHEST_PROTOCOL))

    def receive(self) -> tuple[Task, Any, str | None] | None:
        """The next answer; None for the word that it has started.

        Raises:
            EOFError: the process is dead.
        """
        try:
            message = self.connection.recv()
        except OSError as error:  # it died within a message
            raise EOFError from error
        except EOFError:
            raise
        except Exception as error:  # noqa: BLE001 - a result that cannot be unpickled
            message = None, f"error: {type(error).__name__}: unreadable result ({error})"
        self._heard_at = time.monotonic()
        if message == READY:
            self.is_ready = True
            self._send(self.tasks)
            return None
        value, failure = message
        return self.tasks.popleft(), value, failure

    def is_overdue(self, patience_s: float) -> bool:
        """Whether it has work and has been silent for so long.

        Args:
            patience_s: how long it may be.
        """
        return bool(self.tasks) and time.monotonic() - self._heard_at > patience_s

    def kill(self) -> None:
        """Stop the process at once."""
        self._process.kill()

    def end(self) -> str:
        """Wait for the end of the process; what it died of."""
        self.connection.close()
        self._process.join(1)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        code = self._process.exitcode or 0
        self._process.close()
        if code == -signal.SIGPROF:
            return SPENT
        if code == -signal.SIGALRM:
            return STALLED
        if code == RETIRED_CODE:
            return RETIRED
        return f"crash: {signal.Signals(-code).name if code < 0 else f'exit code {code}'}"
