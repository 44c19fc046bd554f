"""A table with a row for each page of a corpus: made by one run, or by tasks on many machines.

    analysis/classes/topics.parquet                       one run writes a file
    analysis/classes/topics.parquet/part-000001.parquet   tasks write parts
    analysis/classes/topics.tasks/_tasks/…                while they are at it (tasks)

Each takes the place of what was there when it is whole, at one moment. A page that could not be
done has a row, too, with the reason.
"""

from __future__ import annotations

import json
import uuid
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from quarkcrawl.analysis import map_pages
from quarkcrawl.corpus.growingtable import GrowingTable
from quarkcrawl.corpus.pagerows import PageRows, corpus_identity
from quarkcrawl.corpus.tasks import (
    TaskFolder,
    TaskOrder,
    TaskReport,
    do_task,
    number_of,
    pool_of,
    put_in_place,
    remove,
    run_task,
)
from quarkcrawl.engines import parquet_files
from quarkcrawl.errors import ConfigError, NotStoredError, StoreError
from quarkcrawl.progress import no_progress, reported
from quarkcrawl.store import Corpus, folder_here, storage_errors, write_whole
from quarkcrawl.store.tables import columns_of, count_table, total_rows
from quarkcrawl.template import PagePlace

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping
    from pathlib import Path

    from quarkcrawl.analysis import Outcome, PoolOptions
    from quarkcrawl.corpus.tasks import Task, TaskInputs, TaskTotals
    from quarkcrawl.progress import Progress


_TRIES: Final = 5
_PLACE: Final = pa.schema(columns_of(*PagePlace._fields))


def page_table_schema(columns: pa.Schema, key: str, about: Mapping[str, Any]) -> pa.Schema:
    """Columns of such a table: the page, what is found of it, and why nothing is.

    Args:
        columns: what is found.
        key: under which key the metadata of the files tell how the table was made.
        about: how it was made, as JSON.
    """
    whole = pa.schema([*columns_of("url", "host", "offset"), *columns, ("reason", pa.string())])
    return whole.with_metadata({key.encode(): json.dumps(about, ensure_ascii=False).encode()})


@dataclass(frozen=True, slots=True)
class PageRowsJob:
    """Makes the rows.

    Args:
        name: tells its plan from those of other jobs.
        function: finds the columns of a page, or its ``reason``; it is given a `PagePlace`, and
            goes to other processes.
        schema: columns of the table.
        settings: what makes other rows of the same pages.
        pool: number and bounds of the processes.
        counted_column: column whose values are counted, besides the reasons; "" for none.
    """

    name: str
    function: Callable[[PagePlace], dict[str, Any]]
    schema: pa.Schema
    settings: Mapping[str, Any]
    pool: PoolOptions
    counted_column: str = ""

    def rows(
        self, inputs: Iterator[dict[str, Any]]
    ) -> Generator[dict[str, Any] | None, None, None]:
        """See `TaskJob.rows`."""
        yield from self.rows_of(PagePlace(**values) for values in inputs)

    def rows_of(self, places: Iterator[PagePlace]) -> Generator[dict[str, Any], None, None]:
        """The row of each page.

        Args:
            places: where the pages are.
        """
        with closing(map_pages(self.function, places, **asdict(self.pool))) as outcomes:
            yield from map(_row, outcomes)

    def counted(self, row: dict[str, Any]) -> list[str]:
        """See `TaskJob.counted`."""
        if row.get("reason"):
            return [row["reason"]]
        return [row[self.counted_column]] if self.counted_column else []


def _row(outcome: Outcome[PagePlace, dict[str, Any]]) -> dict[str, Any]:
    place = outcome.input
    columns = outcome.value or {"reason": outcome.reason}
    return {"url": place.url, "host": place.host, "offset": place.offset, **columns}


class PageTable:
    """One of these tables of a corpus.

    Args:
        root: the corpus.
        kind: what is found, the name of the folder of such tables.
        name: what the table is called, letters, digits, "-" and "_".
        out: folder of the table, for a corpus that can only be read; None: in the corpus.

    Raises:
        ConfigError: this cannot be the name of a table.
        StoreError: there is no such corpus.
    """

    def __init__(self, root: Path | str, kind: str, name: str, out: Path | None = None) -> None:
        if not name.replace("-", "").replace("_", "").isalnum():
            raise ConfigError(f"{name!r} cannot be the name of a table", where="--name")
        self._corpus = Corpus.open(root)
        folder = self._corpus.root / "analysis" / kind if out is None else out
        self.path = folder / f"{name}.parquet"
        self._tasks = TaskFolder(folder / f"{name}.tasks", self.path)

    @property
    def root(self) -> Path:
        """The corpus."""
        return self._corpus.root

    def write(
        self, job: PageRowsJob, on_progress: Progress = no_progress
    ) -> Iterator[dict[str, Any]]:
        """Write the table in one run; yields each row once it is taken.

        Args:
            job: makes the rows.
            on_progress: is told of each page.

        Raises:
            ConfigError: another table has this name.
            StoreError: tasks are under way, or the table cannot be written.
        """
        self._refuse_other(job)
        self._tasks.make_way()
        n_pages = total_rows([self._corpus.root], "page")
        draft = self.path.with_name(f".{self.path.name}.{uuid.uuid4().hex}.tmp")
        with storage_errors(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            try:
                with (
                    write_whole(draft) as file,
                    GrowingTable(file, job.schema) as table,
                    closing(job.rows_of(PageRows(self._corpus).places())) as rows,
                ):
                    for row in reported(rows, "pages", on_progress, total=n_pages):
                        table.add(row)
                        yield row
                put_in_place(draft, self.path)
            finally:
                remove(draft)

    def _refuse_other(self, job: PageRowsJob) -> None:
        """See that the table that is there, if any, is of this kind.

        Raises:
            ConfigError: it is not.
        """
        try:
            files = parquet_files(self.path) if self.path.exists() else []
            schemas = [pq.read_schema(file) for file in files[:1]]
        except (OSError, pa.ArrowException):
            return  # damaged, so nothing is lost with it
        if any(not (one.metadata or {}).keys() & job.schema.metadata for one in schemas):
            message = f"is no table of {job.name}; give another name or folder"
            raise ConfigError(message, where=self.path)

    def do_task(self, job: PageRowsJob, task: Task) -> TaskReport:
        """Do task k of n, or all on a cluster.

        Args:
            job: makes the rows.
            task: number of the task, from 0, and how many there are; or all.

        Raises:
            InputError: there is no such task.
            ConfigError: other tasks are under way, or another table has this name.
            StoreError: the table cannot be written.
            EngineError: the cluster gave up.
        """
        n_pages = partial(count_table, self._corpus.table("page"))
        number, n_tasks = number_of(task, self._tasks, n_pages)
        job = replace(job, pool=pool_of(task, job.pool))
        folder_here(self.path, "tasks")
        self._refuse_other(job)
        pages = PageRows(self._corpus)

        def fill(inputs: TaskInputs) -> dict[str, Any]:
            for place in pages.places():
                inputs.add(place._asdict(), "", place.length)
            return {"pages": inputs.n_inputs}

        settings = {"corpus": corpus_identity(self.root), **job.settings}
        order = TaskOrder(job.name, n_tasks, settings, pages.state())
        report = TaskReport(str(self.root), str(self.path), number, n_tasks)
        if self._tasks.prepare(order, _PLACE, fill, anew=number is None) is None:
            return report
        return do_task(task, self._tasks, report, partial(run_task, job=job))

    def finish(self) -> TaskTotals:
        """Publish what all tasks have made; the last of them does so by itself.

        Raises:
            StoreError: there are no tasks, or some are not done.
        """
        return self._tasks.finish()

    def read(self) -> pa.Table:
        """All rows.

        Raises:
            StoreError: there is no such table.
        """
        for left in reversed(range(_TRIES)):
            files = parquet_files(self.path) if self.path.exists() else []
            if not files:
                raise NotStoredError("there is no such table", where=self.path)
            try:
                return pa.concat_tables(map(pq.read_table, files))
            except FileNotFoundError as error:  # another table has taken its place
                if not left:
                    raise StoreError(f"no table of pages ({error})", where=self.path) from error
            except (OSError, pa.ArrowException) as error:
                raise StoreError(f"no table of pages ({error})", where=self.path) from error
        raise AssertionError
