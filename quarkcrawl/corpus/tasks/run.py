"""One task: a slice of the inputs becomes parts and a mark."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, deque
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from quarkcrawl.corpus.growingtable import GrowingTable
from quarkcrawl.corpus.tasks.files import first_of_copies
from quarkcrawl.corpus.tasks.folder import PlanFiles, TaskFolder
from quarkcrawl.corpus.tasks.inputs import part_ranges, read_inputs
from quarkcrawl.corpus.tasks.plan import TaskMark
from quarkcrawl.errors import StoreError
from quarkcrawl.store import storage_errors, sync_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path

    from quarkcrawl.corpus.tasks.inputs import PartRange
    from quarkcrawl.corpus.tasks.plan import TaskPlan


_COUNTS: Final = "quarkcrawl_counts"
_GROUP_ROWS: Final = 2048
_GROUP_CHARS: Final = 16 << 20


class TaskJob(Protocol):
    """What is done with the inputs; picklable, since it goes to other machines."""

    @property
    def schema(self) -> pa.Schema:
        """Columns of the rows, and what their files say of themselves."""

    def rows(
        self, inputs: Iterator[dict[str, Any]]
    ) -> Generator[dict[str, Any] | None, None, None]:
        """Work through inputs.

        Args:
            inputs: with the columns that the job has listed them with.

        Yields:
            For each input, in order, a row or None.
        """

    def counted(self, row: dict[str, Any]) -> list[str]:
        """Under which names a row is counted.

        Args:
            row: one that `rows` has made.
        """


@dataclass(frozen=True, slots=True)
class TaskReport:
    """What a task has done, by this or an earlier process.

    Args:
        corpus: path of the corpus that was read.
        folder: where the rows are, or will be.
        task: its number, from 0; None: all of them, on a cluster.
        n_tasks: how many there are.
        rows: rows that it made.
        counts: failures by reason, and what else the job counts.
        missing: tasks that are not done; 0: all rows are published.
    """

    corpus: str
    folder: str
    task: int | None
    n_tasks: int
    rows: int = 0
    counts: dict[str, int] | None = None
    missing: int = 0


def run_task(home: Path, number: int, job: TaskJob) -> TaskMark:
    """Do a task, or what is left of it; one that is done returns at once.

    Args:
        home: the folder whose tasks these are.
        number: which task, counted from 0.
        job: what is done with the inputs.

    Raises:
        InputError: there is no such task.
        StorageFullError: no room; parts that are whole stay.
        StoreError: there is no plan, or the folder cannot be written.
    """

    def fill(files: PlanFiles, plan: TaskPlan, number: int) -> TaskMark:
        start, stop = plan.slice(number)
        parts = part_ranges(files.inputs, start, stop, plan.order.limits)
        _Run(files, number, job).do(parts)
        return _mark_of(files, plan, number, parts)

    return run_marked(home, number, fill)


def run_marked(
    home: Path, number: int, fill: Callable[[PlanFiles, TaskPlan, int], TaskMark]
) -> TaskMark:
    """As `run_task`, for a job that writes its parts itself.

    Args:
        home: the folder whose tasks these are.
        number: which task, counted from 0.
        fill: writes the parts that are not there to the folder of the task, and says which it has.

    Raises:
        InputError: there is no such task.
        StorageFullError: no room; parts that are whole stay.
        StoreError: there is no plan, or the folder cannot be written.
    """
    folder = TaskFolder(home)
    plan = folder.plan()
    if plan is None:
        raise StoreError("nobody has planned tasks here", where=folder.path)
    plan.slice(number)  # says so if there is no such task
    files = folder.files(plan)
    if (mark := files.mark(number)) is not None:
        return mark
    try:
        with storage_errors(folder.path):
            files.part(number, "").mkdir(exist_ok=True)
            return files.give_mark(fill(files, plan, number))
    except (StoreError, FileNotFoundError):
        if (mark := files.mark(number)) is not None:  # another copy was faster, all is published
            return mark
        raise


class _Run:
    """Fills the parts that are not there."""

    def __init__(self, files: PlanFiles, number: int, job: TaskJob) -> None:
        self._files = files
        self._number = number
        self._job = job
        self._begun: deque[PartRange] = deque()  # inputs are read ahead of the rows
        self._part: _OpenPart | None = None
        self._n_taken = 0  # inputs of the part that is open

    def do(self, parts: list[PartRange]) -> None:
        """Fill them."""
        try:
            with closing(self._job.rows(self._inputs(parts))) as rows:
                for row in rows:
                    self._take(row)
        except BaseException as error:
            if self._part is not None:
                self._part.abandon(error)
            raise

    def _inputs(self, parts: list[PartRange]) -> Iterator[dict[str, Any]]:
        for part in parts:
            if not self._files.part(self._number, part.name).exists():
                self._begun.append(part)
                yield from read_inputs(self._files.inputs, part.start, part.stop)

    def _take(self, row: dict[str, Any] | None) -> None:
        part = self._begun[0]
        if self._part is None:
            path = self._files.part(self._number, part.name)
            self._part = _OpenPart(path, self._job)
        if row is not None:
            self._part.add(row)
        self._n_taken += 1
        if self._n_taken == part.stop - part.start:
            finished, self._part = self._part, None
            finished.finish()
            self._begun.popleft()
            self._n_taken = 0


class _OpenPart:
    """A part that is being written; its row groups stay far below what Arrow's offsets hold."""

    def __init__(self, path: Path, job: TaskJob) -> None:
        self._job = job
        self._counts: Counter[str] = Counter()
        self._n_rows = self._n_chars = 0
        with ExitStack() as stack:
            file = stack.enter_context(first_of_copies(path))
            self._table = stack.enter_context(GrowingTable(file, job.schema))
            self._open = stack.pop_all()

    def add(self, row: dict[str, Any]) -> None:
        self._counts.update(self._job.counted(row))
        self._table.add(row)
        self._n_rows += 1
        self._n_chars += _n_chars(row)
        if self._n_rows >= _GROUP_ROWS or self._n_chars >= _GROUP_CHARS:
            self._table.flush()
            self._n_rows = self._n_chars = 0

    def finish(self) -> None:
        self._table.flush()
        self._table.note({_COUNTS: json.dumps(self._counts)})
        self._open.close()

    def abandon(self, error: BaseException) -> None:
        self._open.__exit__(type(error), error, error.__traceback__)


def _n_chars(value: Any) -> int:
    """About how much text a value has."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(map(_n_chars, value.values()))
    return sum(map(_n_chars, value)) if isinstance(value, (list, tuple)) else 0


def part_facts(path: Path, name: str, n_rows: int) -> dict[str, Any]:
    """What a mark says of a part.

    Args:
        path: the part.
        name: how it is called in the folder of its task.
        n_rows: its rows.
    """
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
        return {"name": name, "rows": n_rows, "bytes": file.tell(), "digest": digest}


def _mark_of(files: PlanFiles, plan: TaskPlan, number: int, parts: list[PartRange]) -> TaskMark:
    """What the parts of a task are, whoever has written them."""
    counts: Counter[str] = Counter()
    facts = []
    for part in parts:
        path = files.part(number, part.name)
        try:
            about = pq.read_metadata(path)
        except pa.ArrowException as error:
            message = f"cannot read a part ({error}); delete it, and it is made again"
            raise StoreError(message, where=path) from error
        counts.update(json.loads((about.metadata or {}).get(_COUNTS.encode(), b"{}")))
        facts.append(part_facts(path, part.name, about.num_rows) | {"folder": part.folder})
    sync_folder(files.part(number, ""))
    n_rows, n_bytes = (sum(part[name] for part in facts) for name in ("rows", "bytes"))
    return TaskMark(number, plan.order.n_tasks, n_rows, n_bytes, dict(counts), tuple(facts))
