"""The corpus beside an earlier run of the same crawl."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.corpus import RunComparison, compare_runs
from quarkcrawl.engines import parquet_files
from quarkcrawl.store import shard_roots
from quarkcrawl.store.tables import snapshot
from quarkcrawl.workbench.web.derived import Derived
from quarkcrawl.workbench.web.index import Rows, queries

if TYPE_CHECKING:
    from pathlib import Path

    from quarkcrawl.engines import DuckEngine
    from quarkcrawl.workbench.web.index import CorpusIndex


_COLUMNS: Final = "url, host, change, first_bytes, second_bytes, elsewhere"


@dataclass(frozen=True, slots=True)
class ComparedRuns:
    """Two runs, compared.

    Args:
        comparison: the numbers.
        path: the pages with what became of them, as Parquet, by host and URL.
        as_of: epoch seconds at which reading began.
    """

    comparison: RunComparison
    path: Path
    as_of: float


class TwoRuns:
    """A corpus and an earlier run.

    Args:
        index: tables of the corpus.
        before: the earlier run, a corpus or shards.
    """

    def __init__(self, index: CorpusIndex, before: Path) -> None:
        shard_roots(before)  # says that it is no corpus
        self.before = before
        self._index = index
        self._derived = Derived("the comparison of runs", self._state, self._compare)

    def compared(self) -> ComparedRuns:
        """The two runs, compared.

        Raises:
            PendingError: they are being compared.
            EngineError: they cannot be compared.
        """
        return self._derived.value()

    def _compare(self, engine: DuckEngine, folder: Path) -> ComparedRuns:
        as_of = time.time()
        comparison = compare_runs(engine, self.before, self._index.root, folder / "work")
        changes = folder / "changes"
        (folder / "work" / "changes").rename(changes)
        (path,) = parquet_files(changes)
        return ComparedRuns(comparison, path, as_of)

    def _state(self) -> object:
        """What the comparison is made of at this moment."""
        return [
            [part.path for part in snapshot(shard, kind).parts]
            for root in (self.before, self._index.root)
            for shard in shard_roots(root)
            for kind in ("page", "drop", "redirect", "duplicate")
        ]

    def pages(self, change: str, elsewhere: str, host: str, page: int) -> Rows:
        """Pages by what became of them, by host and URL; one page of the list.

        Args:
            change: one of `quarkcrawl.corpus.CHANGES`; "": any.
            elsewhere: only pages of which the other run says this; "": any.
            host: only pages of this host; "": any.
            page: which fifty rows, counted from 1.

        Raises:
            PendingError, EngineError: see `compared`.
        """
        compared = self.compared()
        given = {"change": change, "elsewhere": elsewhere, "host": host}
        conditions = [f"{name} = ?" for name, value in given.items() if value]
        values: list[Any] = [value for value in given.values() if value]
        index = self._index
        pages = queries.stored_rows(index, compared.path, _COLUMNS, conditions, values, page)
        return queries.with_pages(index, pages, "url")

    def close(self) -> None:
        """Remove the temporary files."""
        self._derived.close()
