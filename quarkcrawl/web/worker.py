"""The process that reads pages: one page may crash it or take too long, and nothing else stops.

Parsers are native code and pages are hostile. So no page is parsed in the server itself: requests
go through a pipe to a process with a time limit set by the kernel. When it dies, the request that
killed it is answered with the reason, and the next one finds a new process.
"""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from functools import partial
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.corpus.workerhandle import Task, WorkerHandle, WorkerSettings
from quarkcrawl.web.endpoint import ApiError

if TYPE_CHECKING:
    from collections.abc import Callable

    from quarkcrawl.web.documents import Document

__all__ = ["LARGE_BYTES", "STEPS", "PageWorker"]

LARGE_BYTES: Final = 1 << 20
"""Pages from this size on are read before somebody asks."""

STEPS: Final = ("tree", "blocks", "content", "facts", "spans")
"""What is found out about a large page, in this order."""

TIMEOUT_S: Final = 20.0
MEMORY_BYTES: Final = 4 << 30
_START_S: Final = 60.0
_PAUSE_S: Final = 0.02


class PageWorker:
    """Answers questions about pages, one at a time.

    Args:
        timeout_s: longest time for one question.
    """

    def __init__(self, timeout_s: float = TIMEOUT_S) -> None:
        from quarkcrawl.web.pagework import answer_page  # noqa: PLC0415 - only to name it

        self._settings = WorkerSettings(answer_page, timeout_s, MEMORY_BYTES)
        self._worker: WorkerHandle | None = None
        self._lock = threading.Lock()
        self._count_lock = threading.Lock()
        self._n_waiting = 0
        self._n_asked = 0
        self._is_closed = False

    def ask(
        self, question: str, document: Document | None = None, *, refusal: int = 400, **values: Any
    ) -> Any:
        """Ask something about a page.

        Args:
            question: name of one of `quarkcrawl.web.pagework.ANSWERS`.
            document: the page.
            refusal: status of HTTP for values that do not fit the page.
            values: what else the question needs.

        Raises:
            ApiError: the page cannot be read, takes too long, or crashed the process.
        """
        with self._count_lock:
            self._n_waiting += 1
        with self._lock:
            with self._count_lock:
                self._n_waiting -= 1
            value, failure = self._answer((question, document, values))
        if failure is None:
            return value
        kind, _, words = failure.partition(": ")
        if kind == "timeout":
            raise ApiError(503, f"this page takes longer than {self._settings.timeout_s:g} s")
        if kind == "crash":
            raise ApiError(503, f"this page crashed the process that read it ({words})")
        name, _, detail = words.partition(": ")
        status = {"ApiError": 404, "InputError": refusal}.get(name, 503)
        raise ApiError(status, detail or words)

    def warm(self) -> threading.Thread:
        """Start the process and have it load its dictionaries and models, in a thread."""

        def load() -> None:
            while self.ask("warm"):  # one method at a time: each has the whole time limit
                pass

        return self._behind(load)

    def prepare(self, document: Document) -> threading.Thread:
        """Read a large page before somebody asks what is on it, step by step, in a thread.

        Questions of people go first: they wait for one step at most.

        Args:
            document: the page.
        """
        return self._behind(partial(self._prepare, document))

    @staticmethod
    def _behind(work: Callable[[], object]) -> threading.Thread:
        def run() -> None:
            with suppress(ApiError):  # whoever asks is told
                work()

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        return thread

    def _prepare(self, document: Document) -> None:
        for step in STEPS:
            while self._n_waiting:
                time.sleep(_PAUSE_S)
            if self._is_closed:
                return
            self.ask("prepare", document, step=step)

    def close(self) -> None:
        """End the process."""
        self._is_closed = True
        with self._lock:
            self._drop()

    def _answer(self, question: Any) -> tuple[Any, str | None]:
        self._n_asked += 1
        task = Task(self._n_asked, question)
        if self._worker is None:
            self._settings.preload()
            self._worker = WorkerHandle(self._settings, [task])
        else:
            self._worker.give([task])
        patience_s = (self._settings.patience_s or _START_S) + _START_S
        try:
            while wait([self._worker.connection], patience_s):
                answer = self._worker.receive()
                if answer is not None:
                    return answer[1], answer[2]
        except EOFError:
            return None, self._drop()
        self._worker.kill()
        self._drop()
        return None, "timeout"

    def _drop(self) -> str:
        worker, self._worker = self._worker, None
        return worker.end() if worker is not None else ""
