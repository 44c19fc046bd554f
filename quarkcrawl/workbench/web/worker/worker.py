"""The process that reads pages: one page may crash it or take too long, and nothing else stops.

Parsers are native code and pages are hostile. So no page is parsed in the server itself: requests
go through a pipe to a process with a time limit set by the kernel. When it dies, the request that
killed it is answered with the reason, and the next one finds a new process.
"""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.analysis import WorkerSettings
from quarkcrawl.workbench.web.http import ApiError, PagePendingError
from quarkcrawl.workbench.web.worker.answers import answer_page
from quarkcrawl.workbench.web.worker.process import AnsweringProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from quarkcrawl.workbench.web.documents import DocumentSource


TIMEOUT_S: Final = 20.0
MEMORY_BYTES: Final = 4 << 30
_PAUSE_S: Final = 0.02
_METHOD_VALUES: Final = ("method", "first", "second")

LAST_STEP: Final = "spans"

NEEDED: Final = {
    **dict.fromkeys(("summary", "text", "items", "compare", "frame", "proposal"), "content"),
    "blocks": "facts",
    "source": LAST_STEP,
}
"""How far a large page is read for each question, see
`quarkcrawl.workbench.web.worker.reading.STEPS`; those that are not here need less, or tell
themselves."""

PATIENCE_S: Final = 0.4
"""How long one waits for a large page to be read, before one is told to ask again."""

TURN_S: Final = 0.2
"""How long a question about a large page then waits for the question before it."""


class PageWorker:
    """Answers questions about pages, one at a time.

    Args:
        timeout_s: longest time for one question.
    """

    def __init__(self, timeout_s: float = TIMEOUT_S) -> None:
        self._settings = WorkerSettings(answer_page, timeout_s, MEMORY_BYTES)
        self._process = AnsweringProcess(self._settings)
        self._lock = threading.Lock()
        self._count_lock = threading.Lock()
        self._n_waiting = 0
        self._readers: dict[tuple[str, str, str, str], threading.Thread] = {}
        self._is_closed = False

    def ask(
        self,
        question: str,
        document: DocumentSource | None = None,
        *,
        refusal: int = 400,
        **values: Any,
    ) -> Any:
        """Ask something about a page.

        Args:
            question: name of one of `quarkcrawl.workbench.web.worker.answers.ANSWERS`.
            document: the page.
            refusal: status of HTTP for values that do not fit the page.
            values: what else the question needs.

        Raises:
            ApiError: the page cannot be read, takes too long, or crashed the process.
            PagePendingError: it is large and was not read far enough yet; ask again.
        """
        if document is not None and document.is_read_in_steps:
            upto, templates = NEEDED.get(question, ""), values.get("templates", "")
            for method in {values[name] for name in _METHOD_VALUES if upto and name in values}:
                if not self.is_read(document, method, templates, upto):
                    raise PagePendingError(document.id)
        return self._ask(question, document, refusal, values)

    def _ask(
        self, question: str, document: DocumentSource | None, refusal: int, values: dict[str, Any]
    ) -> Any:
        with self._turn(document, question):
            if self._is_closed:  # else a process would be started that nobody ends
                raise ApiError(503, "the workbench is being closed")
            value, failure = self._process.answer((question, document, values))
        if failure is None:
            return value
        kind, _, words = failure.partition(": ")
        if kind == "timeout":
            raise ApiError(503, f"this page takes longer than {self._settings.timeout_s:g} s")
        if kind == "crash":
            raise ApiError(503, f"this page crashed the process that read it ({words})")
        name, _, detail = words.partition(": ")
        if name == PagePendingError.__name__:
            raise PagePendingError(detail.partition(":")[0])
        status = {"ApiError": 404, "InputError": refusal}.get(name, 503)
        raise ApiError(status, detail or words)

    @contextmanager
    def _turn(self, document: DocumentSource | None, question: str) -> Iterator[None]:
        """Wait until the process is free; not long for a large page: one asks again."""
        is_patient = document is None or not document.is_read_in_steps or question == "read"
        with self._count_lock:
            self._n_waiting += 1
        try:
            has_turn = self._lock.acquire(timeout=-1 if is_patient else TURN_S)
        finally:
            with self._count_lock:
                self._n_waiting -= 1
        if not has_turn:
            assert document is not None  # else there is no limit
            raise PagePendingError(document.id)
        try:
            yield
        finally:
            self._lock.release()

    def warm(self) -> threading.Thread:
        """Start the process and have it load its dictionaries and models, in a thread."""

        def load() -> None:
            while self.ask("warm"):  # one method at a time: each has the whole time limit
                pass

        return self._behind(load)

    def prepare(
        self,
        document: DocumentSource,
        method: str = "default",
        templates: str = "",
        upto: str = LAST_STEP,
    ) -> threading.Thread:
        """Read a large page step by step in a thread; in the one that does it already, if any.

        Questions of people go first: they wait for one step at most.

        Args:
            document: the page.
            method: name of the method that finds the content.
            templates: file of templates, for the site model; "": the page alone.
            upto: name of the last one of `quarkcrawl.workbench.web.worker.reading.STEPS` that is
            wanted.
        """
        key = document.id, method, templates, upto
        with self._count_lock:
            thread = self._readers.get(key)
            if thread is None or not thread.is_alive():
                values = {"method": method, "templates": templates, "upto": upto}
                thread = self._behind(partial(self._read_on, document, values))
                self._readers = {k: one for k, one in self._readers.items() if one.is_alive()}
                self._readers[key] = thread
        return thread

    def is_read(
        self, document: DocumentSource, method: str, templates: str, upto: str = LAST_STEP
    ) -> bool:
        """Whether a page has been read, or cannot be read; if neither, it is being read.

        Args:
            document: the page.
            method: name of the method that finds the content.
            templates: file of templates, for the site model; "": the page alone.
            upto: name of the last one of `quarkcrawl.workbench.web.worker.reading.STEPS` that is
            wanted.
        """
        thread = self.prepare(document, method, templates, upto)
        thread.join(PATIENCE_S)
        return not thread.is_alive()

    @staticmethod
    def _behind(work: Callable[[], object]) -> threading.Thread:
        def run() -> None:
            with suppress(ApiError):  # whoever asks is told
                work()

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        return thread

    def _read_on(self, document: DocumentSource, values: dict[str, Any]) -> None:
        while not self._is_closed:
            with suppress(PagePendingError):
                self._ask("read", document, 400, values)
                return
            while self._n_waiting:
                time.sleep(_PAUSE_S)

    def close(self) -> None:
        """End the process."""
        self._is_closed = True
        with self._lock:
            self._process.end()
