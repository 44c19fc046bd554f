"""The parent's side of one worker process."""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from quarkcrawl.corpus.extraction.worker import READY, serve
from quarkcrawl.errors import QuarkError

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkServerProcess


_GRACE_S = 10.0  # beyond the worker's own alarm, in case a page blocks it


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """What a worker is started with; see `quarkcrawl.corpus.extraction.worker.serve`."""

    function: Callable[[Any], Any]
    timeout_s: float
    memory_bytes: int

    def preload(self) -> None:
        """Let the fork server, if it is not running yet, import the function for all workers."""
        function = self.function
        while isinstance(function, partial):
            function = function.func
        module = getattr(function, "__module__", None) or __name__
        wanted = [name for name in (serve.__module__, module) if name != "__main__"]
        multiprocessing.get_context("forkserver").set_forkserver_preload(wanted)

    @property
    def patience_s(self) -> float | None:
        """How long a worker may be silent before it is killed; None: for ever."""
        return self.timeout_s + _GRACE_S if self.timeout_s else None


@dataclass(slots=True)
class Task:
    """One input and its place in the order; a suspect was being done when a worker died."""

    ordinal: int
    input: Any
    is_suspect: bool = False


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

    def __init__(self, settings: WorkerSettings, first: list[Task]) -> None:
        context = multiprocessing.get_context("forkserver")
        self.connection: Connection[Any, Any]
        self.connection, theirs = context.Pipe()
        words = (theirs, settings.function, settings.timeout_s, settings.memory_bytes)
        self._process: ForkServerProcess = context.Process(target=serve, args=words, daemon=True)
        try:
            self._process.start()
        except (OSError, EOFError) as error:  # also of a fork server that did not start
            raise QuarkError(f"a worker process cannot be started ({error!r})") from error
        theirs.close()
        self.is_ready = False
        self.tasks: deque[Task] = deque(first)
        self._heard_at = time.monotonic()

    def give(self, tasks: list[Task]) -> None:
        """Hand out work to an idle worker."""
        self.tasks.extend(tasks)
        self._send()

    def _send(self) -> None:
        self._heard_at = time.monotonic()
        with suppress(BrokenPipeError, ConnectionResetError):  # dead: the next wait says so
            self.connection.send([task.input for task in self.tasks])

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
            self._send()
            return None
        value, failure = message
        return self.tasks.popleft(), value, failure

    def is_overdue(self, patience_s: float) -> bool:
        """Whether it has work and has been silent for so long."""
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
        if code == -signal.SIGALRM:
            return "timeout"
        return f"crash: {signal.Signals(-code).name if code < 0 else f'exit code {code}'}"
