"""Per-page Python work on Spark: pages go out as rows, outcomes come back through mapInArrow.

Each task runs `map_pages` with one process, so a page that crashes or hangs costs itself, as on
one machine; Spark alone would kill the task four times and then the job. The workers write what
they found to Parquet; outcomes are read from there bucket by bucket.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from quarkcrawl.analysis import Outcome, PoolOptions, map_pages
from quarkcrawl.corpus.extraction.page import SitePage
from quarkcrawl.corpus.growingtable import GrowingTable
from quarkcrawl.engines import parquet_files, sql_columns
from quarkcrawl.store import bucket, storage_errors
from quarkcrawl.store.tables import columns_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from pathlib import Path

    from quarkcrawl.engines import SparkEngine


_PAGES: Final = pa.schema(
    [
        ("bucket", pa.int32()),
        ("place", pa.int64()),
        *columns_of("url", "host", "offset", "length", "mime"),
        ("repeated", pa.string()),
    ]
)
_RESULT: Final = "bucket int, place bigint, outcome string"
_PAGES_PER_TASK: Final = 5000


def run_on_spark(
    function: Callable[[SitePage], dict[str, Any]],
    pages: Iterable[SitePage],
    *,
    engine: SparkEngine,
    work: Path,
    pool: PoolOptions | None = None,
) -> Generator[Outcome[SitePage, dict[str, Any]], None, None]:
    """Apply a function to stored pages on the workers of a cluster.

    Args:
        function: importable by name on the workers, or a `functools.partial` of such a function.
        pages: the pages, bucket by bucket.
        engine: the session.
        work: folder that all workers see; removed at the end.
        pool: bounds of each page; ``workers`` is that of a task, one if it is 0.

    Yields:
        An outcome a page, in order.

    Raises:
        StorageFullError: no room.
        EngineError: the engine gave up.
    """
    pool = pool or PoolOptions()
    try:
        with storage_errors(work):
            stored = _write_pages(pages, work)
            if not stored:
                return
            engine.table("todo_pages", [work / "todo.parquet"], sql_columns(_PAGES))
            task = partial(_task, function=function, pool=pool)
            tasks = 1 + stored // _PAGES_PER_TASK
            tasks = max(tasks, engine.session.sparkContext.defaultParallelism)
            sql = "SELECT * FROM todo_pages"
            engine.write_mapped(sql, task, _RESULT, work / "done", by="bucket", partitions=tasks)
            yield from _outcomes(work)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _write_pages(pages: Iterable[SitePage], work: Path) -> int:
    """The pages as a table; returns how many."""
    work.mkdir(parents=True, exist_ok=True)
    n_pages = 0
    with GrowingTable(work / "todo.parquet", _PAGES) as table:
        for page in pages:
            table.add({"bucket": bucket(page.host), "place": n_pages, **page._asdict()})
            n_pages += 1
    return n_pages


def _task(
    batches: Iterable[pa.RecordBatch],
    function: Callable[[SitePage], dict[str, Any]],
    pool: PoolOptions,
) -> Iterator[pa.RecordBatch]:
    """What a worker of Spark does with its pages."""
    bounds = {**asdict(pool), "workers": pool.workers or 1}
    for batch in batches:
        columns = [batch.column(name).to_pylist() for name in SitePage._fields]
        pages = [SitePage(*values) for values in zip(*columns, strict=True)]
        found = [(x.value, x.failure) for x in map_pages(function, pages, **bounds)]
        yield pa.RecordBatch.from_arrays(
            [
                batch.column("bucket"),
                batch.column("place"),
                pa.array([_dumped(outcome) for outcome in found], pa.string()),
            ],
            names=["bucket", "place", "outcome"],
        )


def _dumped(outcome: tuple[Any, str | None]) -> str:
    """Value and failure as JSON; NumPy's scalars and arrays become plain values."""
    return json.dumps(outcome, ensure_ascii=False, default=lambda value: value.tolist())


def _outcomes(work: Path) -> Generator[Outcome[SitePage, dict[str, Any]], None, None]:
    """Pages beside what came of them; a bucket at a time is in memory."""
    todo = ds.dataset([str(work / "todo.parquet")], format="parquet")
    numbers = sorted(
        {int(path.name.partition("=")[2]) for path in (work / "done").glob("bucket=*")}
    )
    for number in numbers:
        files = parquet_files(work / "done" / f"bucket={number}")
        done = pa.concat_tables([pq.read_table(path, partitioning=None) for path in files])
        outcomes = done.sort_by("place")["outcome"].to_pylist()
        pages = todo.to_table(filter=pc.field("bucket") == number).sort_by("place")
        columns = (pages[name].to_pylist() for name in SitePage._fields)
        for outcome, *values in zip(outcomes, *columns, strict=True):
            value, failure = json.loads(outcome)
            yield Outcome(SitePage(*values), value, failure)
