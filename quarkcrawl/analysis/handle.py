"""The parent's side of one worker process."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import socket
import time
from collections import deque
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.analysis.plan import AnalysisPlan
from quarkcrawl.analysis.worker import READY, RETIRED_CODE, framed, serve, serve_in
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
        modules = {serve.__module__}
        while isinstance(function, partial):
            plans = [
                value for value in function.keywords.values() if isinstance(value, AnalysisPlan)
            ]
            modules = modules.union(*(plan.modules for plan in plans))
            function = function.func
        modules.add(getattr(function, "__module__", None) or __name__)
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(sorted(modules - {"__main__"}))

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

    Args:
        settings: what the process is started with.
        first: what it does first.
        input_of: what is sent of the input of a task.
        on_full: called where the pipe takes no more now: `flush` is to be called when it does, and
            answers can be heard meanwhile. None: wait for the worker, which must be idle then.

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
        on_full: Callable[[WorkerHandle], None] | None = None,
    ) -> None:
        self._input_of = input_of
        self._on_full = on_full
        self._unsent: deque[memoryview] = deque()
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
        # The same pipe: only a socket can be written to without waiting and read with waiting.
        self._socket = socket.socket(fileno=os.dup(self.connection.fileno()))
        self._socket.settimeout(None)
        self.is_ready = False
        self.tasks: deque[Task] = deque(first)
        self._heard_at = time.monotonic()

    def give(self, tasks: list[Task]) -> None:
        """Hand out work.

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
        is_behind = bool(self._unsent)
        self._unsent.extend(framed(pickle.dumps(inputs, pickle.HIGHEST_PROTOCOL)))
        if not is_behind and not self.flush() and self._on_full is not None:
            self._on_full(self)

    def flush(self) -> bool:
        """Send what the pipe takes of what is still to be sent; whether that was all."""
        flags = 0 if self._on_full is None else socket.MSG_DONTWAIT
        try:
            while self._unsent:
                rest = self._unsent[0][self._socket.send(self._unsent[0], flags) :]
                if rest:
                    self._unsent[0] = rest
                else:
                    self._unsent.popleft()
        except BlockingIOError:
            return False
        except (BrokenPipeError, ConnectionResetError):  # dead: the next wait says so
            self._unsent.clear()
        return True

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
        self._socket.close()
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
