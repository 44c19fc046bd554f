"""The corpus beside an earlier run of the same crawl."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quarkcrawl.corpus import RunComparison, compare_runs
from quarkcrawl.engines import parquet_files, source_path
from quarkcrawl.store import shard_roots
from quarkcrawl.store.tables import snapshot
from quarkcrawl.workbench.web.derived import Derived
from quarkcrawl.workbench.web.index import PAGE_ROWS, Rows

if TYPE_CHECKING:
    from pathlib import Path

    from quarkcrawl.engines import DuckEngine
    from quarkcrawl.workbench.web.index import CorpusIndex


@dataclass(frozen=True, slots=True)
class ComparedRuns:
    """Two runs, compared.

    Args:
        found: the numbers.
        files: the pages with what became of them, as Parquet.
        as_of: epoch seconds at which reading began.
    """

    found: RunComparison
    files: tuple[Path, ...]
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
        found = compare_runs(engine, self.before, self._index.root, folder / "work")
        made = folder / "changes"
        (folder / "work" / "changes").rename(made)
        return ComparedRuns(found, tuple(parquet_files(made)), as_of)

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
        asked = ["true", *(f"{name} = ?" for name, value in given.items() if value)]
        values: list[Any] = [value for value in given.values() if value]
        files = ", ".join(f"'{source_path(path)}'" for path in compared.files)
        source = f"read_parquet([{files}]) WHERE {' AND '.join(asked)}"
        total = self._index.row(f"SELECT count(*) AS n FROM {source}", values)["n"]  # noqa: S608
        rows = self._index.rows(
            f"""
            SELECT d.*, p.id, p.title
            FROM (SELECT * FROM {source} ORDER BY host, url
                  LIMIT {PAGE_ROWS} OFFSET {PAGE_ROWS * (page - 1)}) d
            LEFT JOIN (SELECT url, arg_max(id, number) AS id,
                              any_value(coalesce(nullif(content_title, ''), title)) AS title
                       FROM pages GROUP BY url) p ON d.url = p.url
            ORDER BY d.host, d.url
            """,  # noqa: S608 - own names and paths
            values,
        )
        return Rows(rows, total, page)

    def close(self) -> None:
        """Remove the temporary files."""
        self._derived.close()
