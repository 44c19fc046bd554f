"""Fingerprints as tasks: each does the texts of some buckets of hosts, and a run finds them done.

    analysis/near/default/fingerprints/_tasks/…              (tasks)
    analysis/near/default/fingerprints/bucket-214.parquet    when all tasks are done

A file says of which texts it was made; `find_near` takes it if these are the texts that it sees,
and makes it anew otherwise. A bucket is not cut, so that there is work for 256 tasks at most.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from quarkcrawl.corpus.extraction import text_state
from quarkcrawl.corpus.merge import Shards
from quarkcrawl.corpus.near.methods import near_method
from quarkcrawl.corpus.near.sketches import Texts, sketch_file_name, write_bucket
from quarkcrawl.corpus.pagerows import PageRows, corpus_identity
from quarkcrawl.corpus.tasks import (
    TaskFolder,
    TaskMark,
    TaskOrder,
    TaskReport,
    do_task,
    first_of_copies,
    number_of,
    part_facts,
    read_inputs,
    run_marked,
)
from quarkcrawl.errors import ConfigError
from quarkcrawl.store import N_BUCKETS, Corpus, folder_here, is_sharded
from quarkcrawl.store.tables import count_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quarkcrawl.corpus.near.protocol import NearMethod
    from quarkcrawl.corpus.tasks import PlanFiles, Task, TaskInputs, TaskPlan, TaskTotals


_BUCKETS: Final = pa.schema([("bucket", pa.int32())])


def fingerprint_tasks(root: Path | str, method: NearMethod) -> TaskFolder:
    """The tasks of a method on a corpus."""
    return TaskFolder(Path(root) / "analysis" / "near" / method.name / "fingerprints")


def near_task(
    root: Path | str,
    task: Task,
    method: str | NearMethod = "default",
    *,
    extraction: str | None = None,
    least_chars: int = 50,
) -> TaskReport:
    """Do task k of n of the fingerprints, or all; when all are done, `find_near` compares them.

    Args:
        root: the corpus.
        task: number of the task, from 0, and how many there are; or all, which a cluster does.
        method: see `find_near`; it is the same for all tasks, as is all that follows.
        extraction: method of the extraction whose texts are compared; None for the content
            stored by the crawl.
        least_chars: texts with fewer characters are not compared; 0 to compare all.

    Raises:
        InputError: there is no such method or task.
        ConfigError: other tasks are under way, or the corpus is in shards.
        StoreError: the folder is no corpus, there is no such extraction, or no room.
    """
    how = near_method(method) if isinstance(method, str) else method
    root = folder_here(root, "tasks")
    if is_sharded(root):
        raise ConfigError("fingerprints as tasks need one corpus: merge the shards", where=root)
    corpus = Corpus.open(root)
    tasks = fingerprint_tasks(corpus.root, how)
    n_pages = partial(count_table, corpus.table("page"))
    number, n_tasks = number_of(task, tasks, n_pages)
    if number is None:
        n_tasks = min(n_tasks, N_BUCKETS)
    settings = {
        "corpus": corpus_identity(corpus.root),
        "extraction": extraction,
        "least_chars": least_chars,
        **how.sketching(),
    }
    order = TaskOrder("fingerprints", n_tasks, settings, text_state([corpus.root], extraction))

    def fill(inputs: TaskInputs) -> dict[str, Any]:
        for stale in tasks.home.glob("bucket-*.parquet"):  # of other tasks
            stale.unlink()
        for bucket, n_bytes in enumerate(_bucket_bytes(corpus)):
            if n_bytes:
                inputs.add({"bucket": bucket}, "", n_bytes)
        return {"buckets": inputs.n_inputs}

    report = TaskReport(str(corpus.root), str(tasks.home), number, n_tasks)
    source = _Source(corpus.root, tasks.home / "merge", extraction, least_chars)
    with source.texts():  # says so if there is no such extraction
        pass
    if tasks.prepare(order, _BUCKETS, fill) is None:
        return report
    work = partial(_buckets, source=source, method=how)
    return do_task(task, tasks, report, partial(run_marked, fill=work))


def finish_near_tasks(root: Path | str, method: str | NearMethod = "default") -> TaskTotals:
    """Publish what all tasks of the fingerprints have made; the last of them does so by itself.

    Args:
        root: the corpus.
        method: see `find_near`.

    Raises:
        StoreError: there are no tasks, or some are not done.
    """
    how = near_method(method) if isinstance(method, str) else method
    return fingerprint_tasks(folder_here(root, "tasks"), how).finish()


class _Source(NamedTuple):
    """Where texts come from; goes to other machines."""

    root: Path
    work: Path
    extraction: str | None
    least_chars: int

    @contextmanager
    def texts(self) -> Iterator[Texts]:
        with Shards(self.root, self.work) as shards:
            yield Texts(shards, self.extraction, self.least_chars)


def _bucket_bytes(corpus: Corpus) -> list[int]:
    """Bytes of the pages of each bucket."""

    def add(pages: Any) -> list[int]:
        total = np.zeros(N_BUCKETS)
        columns = ["bucket", "length"]
        for batch in pages.to_batches(columns=columns, cache_metadata=False):
            bucket, length = (batch.column(name).to_numpy() for name in ("bucket", "length"))
            total += np.bincount(bucket, length, N_BUCKETS)
        return [int(n_bytes) for n_bytes in total]

    return PageRows(corpus).read(add)


def _buckets(
    files: PlanFiles, plan: TaskPlan, number: int, *, source: _Source, method: NearMethod
) -> TaskMark:
    """Do the buckets of a task that have no file yet."""
    start, stop = plan.slice(number)
    parts = []
    with source.texts() as texts:
        for row in read_inputs(files.inputs, start, stop):
            path = files.part(number, sketch_file_name(row["bucket"]))
            if not path.exists():
                with first_of_copies(path) as file:
                    write_bucket(texts, method, row["bucket"], file)
            facts = part_facts(path, path.name, pq.read_metadata(path).num_rows)
            parts.append({**facts, "folder": "", "keeps_name": True})
    n_rows, n_bytes = (sum(part[key] for part in parts) for key in ("rows", "bytes"))
    return TaskMark(number, plan.order.n_tasks, n_rows, n_bytes, {}, tuple(parts))
