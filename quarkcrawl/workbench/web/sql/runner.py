"""Queries of people: one at a time, in a process that is killed if it does not end."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.analysis import WorkerSettings
from quarkcrawl.errors import InputError
from quarkcrawl.workbench.web.http import ApiError, PendingError
from quarkcrawl.workbench.web.sql.query import SqlQuestion, answer_sql
from quarkcrawl.workbench.web.worker import AnsweringProcess

if TYPE_CHECKING:
    from pathlib import Path


LIMIT_S: Final = 5.0
"""Longest time of a query."""

MEMORY_BYTES: Final = 512 << 20
"""Most memory that a query may have."""

_KILL_S: Final = 8.0  # a function of SQL that does not look up ends with its process
_UNCOUNTED_BYTES: Final = 512 << 20  # what DuckDB does not count, and the rows on their way
_TURN_S: Final = 6.0  # a query before it ends in this time


class QueryPendingError(PendingError):
    """Another query is being answered."""

    def __init__(self) -> None:
        super().__init__("another query is being answered; ask again in a moment")


class SqlRunner:
    """Answers SQL on the tables of a corpus."""

    def __init__(
        self, limit_s: float = LIMIT_S, kill_s: float = _KILL_S, memory_bytes: int = MEMORY_BYTES
    ) -> None:
        self._limit_s = limit_s
        self._memory_bytes = memory_bytes
        most_bytes = memory_bytes + _UNCOUNTED_BYTES
        self._process = AnsweringProcess(WorkerSettings(answer_sql, kill_s, most_bytes))
        self._lock = threading.Lock()
        self._warming: threading.Thread | None = None
        self._is_closed = False

    def rows(self, database: Path, sql: str, most_rows: int) -> dict[str, Any]:
        """The result of a query: ``columns``, ``rows``, and whether more rows were left out.

        Args:
            database: file of the tables.
            sql: one SELECT.
            most_rows: rows behind these are left out.

        Raises:
            ApiError: it cannot be answered, or wants more time or memory than it gets.
            QueryPendingError: another one is being answered.
        """
        if self._warming is not None:
            self._warming.join()  # of a start nobody is told that it is another query
        return self._asked(SqlQuestion(str(database), sql, most_rows, *self._bounds))

    def warm(self, database: Path) -> None:
        """Start the process in a thread, before somebody waits for it.

        Args:
            database: file of the tables.
        """
        if self._process.worker is None and (self._warming is None or not self._warming.is_alive()):
            question = SqlQuestion(str(database), "", 0, *self._bounds)
            self._warming = threading.Thread(target=self._warm, args=(question,), daemon=True)
            self._warming.start()

    def _warm(self, question: SqlQuestion) -> None:
        with suppress(ApiError, QueryPendingError):  # whoever asks is told
            self._asked(question)

    @property
    def _bounds(self) -> tuple[float, int]:
        return self._limit_s, self._memory_bytes

    def _asked(self, question: SqlQuestion) -> dict[str, Any]:
        if not self._lock.acquire(timeout=_TURN_S):
            raise QueryPendingError
        try:
            if self._is_closed:  # else a process would be started that nobody ends
                raise ApiError(503, "the workbench is being closed")
            value, failure = self._process.answer(question)
            name, _, words = (failure or "").removeprefix("error: ").partition(": ")
            if failure is not None and name != InputError.__name__:
                self._process.end()  # what it has left in memory goes with it
        finally:
            self._lock.release()
        if failure is None:
            reply: dict[str, Any] = value
            return reply
        if name in {"timeout", "TimeoutError"}:
            raise ApiError(409, f"the query takes longer than {self._limit_s:g} s")
        if name == "MemoryError":
            memory = f"{self._memory_bytes >> 20} MiB"
            raise ApiError(409, f"the query takes more memory than {memory}")
        if name == "InputError":
            raise ApiError(409, words)
        raise ApiError(409, f"the query ended its process ({' '.join(failure.split())})")

    def close(self) -> None:
        """End the process."""
        self._is_closed = True
        with self._lock:
            self._process.end()
