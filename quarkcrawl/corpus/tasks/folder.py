"""The folder of the tasks of one job: plan, parts, marks, and how the parts are published."""

from __future__ import annotations

import json
import shutil
import uuid
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.corpus.tasks.files import (
    first_of_copies,
    former_of,
    put_in_place,
    remove,
)
from quarkcrawl.corpus.tasks.inputs import TaskInputs, slice_cuts
from quarkcrawl.corpus.tasks.plan import TaskMark, TaskOrder, TaskPlan
from quarkcrawl.errors import StoreError
from quarkcrawl.store import storage_errors, sync_folder, waiting_lock, write_whole
from quarkcrawl.store.tables import folder_parts, part_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    import pyarrow as pa


_SHOWN: Final = 8  # numbers of tasks in a message


@dataclass(frozen=True, slots=True)
class TaskTotals:
    """What all tasks have made together.

    Args:
        n_tasks: how many there were.
        rows: rows that were published.
        n_bytes: bytes of their parts.
        counts: what the job has counted, failures by reason among it.
        about: what the job has noted of its inputs.
    """

    n_tasks: int
    rows: int = 0
    n_bytes: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    about: dict[str, Any] = field(default_factory=dict)


class PlanFiles:
    """Inputs, parts and marks of one plan.

    A copy of a task that outlives its plan finds its folder gone, and writes into no other.

    Args:
        path: the folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.inputs = path / "inputs.parquet"

    def part(self, task: int, name: str) -> Path:
        """Where a part of a task is until it is published."""
        return self.path / "parts" / f"{task:06}" / name

    def mark_path(self, task: int) -> Path:
        """Where the mark of a task is, once it is done."""
        return self.path / "marks" / f"{task:06}.json"

    def mark(self, task: int) -> TaskMark | None:
        """What a task has made; None: it is not done.

        Raises:
            StoreError: the mark cannot be read.
        """
        path = self.mark_path(task)
        try:
            return TaskMark.decode(path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            message = f"cannot read ({error}); delete it, and the task is done again"
            raise StoreError(message, where=path) from error

    def give_mark(self, mark: TaskMark) -> TaskMark:
        """Say that a task is done; returns the mark that another copy has given before."""
        with first_of_copies(self.mark_path(mark.task)) as file:
            file.write(mark.encode())
        return self.mark(mark.task) or mark


class TaskFolder:
    """The tasks of one job on one input.

    Args:
        home: the folder is within; the rows go here, to those that are here.
        replaces: a table, file or folder, in whose place the rows go instead.
    """

    def __init__(self, home: Path, replaces: Path | None = None) -> None:
        self.home = home
        self.results = replaces or home
        self.path = home / "_tasks"
        self._finished = self.path / "finished.json"
        self._moves_path = self.path / "moves.json"
        self._draft = self.path / "table"  # of what is replaced as a whole
        self._lock = home / ".tasks.lock"

    # The plan

    def plan(self) -> TaskPlan | None:
        """What the tasks do; None: nobody has made a plan.

        Raises:
            StoreError: it cannot be read.
        """
        return TaskPlan.read(self.path / "plan.json")

    def files(self, plan: TaskPlan) -> PlanFiles:
        """The files of a plan."""
        return PlanFiles(self.path / plan.folder)

    def is_under_way(self) -> bool:
        """Whether there is a plan whose parts are not published."""
        return (self.path / "plan.json").exists() and not self._finished.exists()

    def make_way(self, *, restart: bool = False) -> None:
        """Forget tasks that are finished; with ``restart`` also those that are not.

        Raises:
            StoreError: tasks are under way.
        """
        if not self._lock.exists():  # nobody has ever planned tasks here
            return
        with storage_errors(self.home), self._locked():
            plan = self.plan() if self.is_under_way() and not restart else None
            if plan is not None:
                n_tasks = plan.order.n_tasks
                message = (
                    f"tasks are under way ({n_tasks - len(self.missing())} of {n_tasks} are done); "
                    "run the others, or delete this folder, and what they made is done again"
                )
                raise StoreError(message, where=self.path)
            self._discard()

    def prepare(
        self,
        order: TaskOrder,
        schema: pa.Schema,
        fill: Callable[[TaskInputs], Mapping[str, Any]],
        *,
        anew: bool = False,
    ) -> TaskPlan | None:
        """Find the plan for an order, or make it.

        A plan whose parts are published gives way to one for another order or another state of
        the input, and when a part has gone since.

        Args:
            order: what is wanted.
            schema: columns of the inputs.
            fill: lists the inputs, and returns what is to be noted of them.
            anew: whether a plan whose parts are published gives way in any case, for one who
                knows that no other copy of its tasks will come.

        Returns:
            The plan; None if there is nothing to do.

        Raises:
            ConfigError: other tasks are under way.
            StoreError: the folder cannot be written.
        """
        with storage_errors(self.home):
            self.home.mkdir(parents=True, exist_ok=True)
            with self._locked():
                plan = self.plan()
                is_wanted = not anew or not self._finished.exists()
                if plan is not None and is_wanted and self._fits(order, plan.order):
                    return plan
                self._discard()
                return self._make(order, schema, fill)

    def _fits(self, order: TaskOrder, theirs: TaskOrder) -> bool:
        if self._finished.exists():
            return (theirs.job, theirs.n_tasks, theirs.settings, theirs.state) == (
                order.job,
                order.n_tasks,
                order.settings,
                order.state,
            ) and all((self.results / new).exists() for _, new in self._read_moves())
        order.check(theirs, self.path)
        return True

    def _make(
        self,
        order: TaskOrder,
        schema: pa.Schema,
        fill: Callable[[TaskInputs], Mapping[str, Any]],
    ) -> TaskPlan | None:
        draft = self.home / f"._tasks.{uuid.uuid4().hex}.tmp"
        for leftover in self.home.glob("._tasks.*.tmp"):  # of a planner that was killed
            shutil.rmtree(leftover)
        try:
            name = uuid.uuid4().hex
            path = PlanFiles(draft / name).inputs
            for kind in ("parts", "marks"):
                (path.parent / kind).mkdir(parents=True)
            with TaskInputs(path, schema) as inputs:
                about = dict(fill(inputs))
            if not inputs.n_inputs:
                return None
            cuts = slice_cuts(path, inputs.n_bytes, order.n_tasks)
            plan = TaskPlan(order, cuts, inputs.n_bytes, about, name)
            with write_whole(draft / "plan.json") as file:
                file.write(plan.encode())
            draft.rename(self.path)
            sync_folder(self.home)
            return plan
        finally:
            shutil.rmtree(draft, ignore_errors=True)

    def _discard(self) -> None:
        """Forget plan, marks and parts."""
        if self.path.exists():
            gone = self.home / f"._tasks.{uuid.uuid4().hex}.tmp"
            self.path.rename(gone)
            shutil.rmtree(gone)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with waiting_lock(self._lock):
            yield

    def missing(self) -> list[int]:
        """The tasks that are not done; all without a plan's marks."""
        plan = self.plan()
        if plan is None:
            return []
        files = self.files(plan)
        there = {path.name for path in files.mark_path(0).parent.glob("*.json")}
        return [n for n in range(plan.order.n_tasks) if files.mark_path(n).name not in there]

    # Publishing

    def totals(self) -> TaskTotals | None:
        """What was published; None: nothing yet.

        Raises:
            StoreError: the note cannot be read.
        """
        try:
            return TaskTotals(**json.loads(self._finished.read_bytes()))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError) as error:
            raise StoreError(f"cannot read ({error})", where=self._finished) from error

    def publish(self) -> TaskTotals | None:
        """Give the parts of all tasks their names among the results, once all are done.

        Safe to call by several at once, and again after a kill.

        Returns:
            What was published; None if tasks are missing.

        Raises:
            StoreError: a part is not as its mark says, or cannot be renamed.
        """
        if self.plan() is None or self.missing():
            return None
        with storage_errors(self.results), self._locked():
            plan, totals = self.plan(), self.totals()
            if plan is None or (totals is None and self.missing()):  # others, planned meanwhile
                return None
            files = self.files(plan)
            if totals is None:
                marks = [m for n in range(plan.order.n_tasks) if (m := files.mark(n)) is not None]
                moves = self._moves(files, marks)
                if self.results == self.home:
                    self._move(moves, self.results)
                else:
                    self._replace(moves, plan.folder)
                totals = _added(plan, marks)
                with write_whole(self._finished) as file:
                    file.write(json.dumps(asdict(totals)).encode() + b"\n")
                sync_folder(self.path)
            if self.results != self.home:
                with suppress(NotADirectoryError):  # a single run has put its file there since
                    (self.results / f".{plan.folder}").unlink(missing_ok=True)
                remove(self._draft)
                remove(former_of(self._draft))
            shutil.rmtree(files.path / "parts", ignore_errors=True)
            files.inputs.unlink(missing_ok=True)
            return totals

    def finish(self) -> TaskTotals:
        """Publish what the tasks have made.

        Raises:
            StoreError: some are not done, or there are none at all.
        """
        if missing := self.missing():
            shown = ", ".join(map(str, missing[:_SHOWN])) + ("…" if len(missing) > _SHOWN else "")
            raise StoreError(f"{len(missing)} tasks are not done: {shown}", where=self.path)
        totals = self.publish()
        if totals is None:
            raise StoreError("there are no tasks to finish", where=self.results)
        return totals

    def _read_moves(self) -> list[tuple[str, str]]:
        """Old and new names of parts that are published or about to be."""
        if not self._moves_path.exists():
            return []
        return [(old, new) for old, new in json.loads(self._moves_path.read_bytes())]

    def _moves(self, files: PlanFiles, marks: list[TaskMark]) -> list[tuple[str, str]]:
        """Old and new names, fixed before the first file is renamed."""
        if self._moves_path.exists():
            return self._read_moves()
        last: dict[str, int] = {}
        moves = []
        for mark in marks:
            for part in mark.parts:
                old = files.part(mark.task, part["name"])
                if not old.exists() or old.stat().st_size != part["bytes"]:
                    where = files.mark_path(mark.task)
                    message = f"{part['name']} is not as noted; delete this mark and run the task"
                    raise StoreError(message, where=where)
                if part.get("keeps_name"):
                    new = self.results / part["folder"] / part["name"]
                elif part["rows"]:
                    folder = self.results / part["folder"]
                    if part["folder"] not in last:
                        there = folder_parts(folder)
                        last[part["folder"]] = max((part.last for part in there), default=0)
                    number = last[part["folder"]] = last[part["folder"]] + 1
                    new = part_path(folder, number, number)
                else:
                    continue
                moves.append((str(old.relative_to(self.path)), str(new.relative_to(self.results))))
        with write_whole(self._moves_path) as file:
            file.write(json.dumps(moves).encode())
        sync_folder(self.path)
        return moves

    def _replace(self, moves: list[tuple[str, str]], name: str) -> None:
        """Put all parts at once in the place of what the table was.

        A hidden file with the name of the plan tells the new table from the former one.
        """
        if (self.results / f".{name}").exists():  # the run that was killed came so far
            return
        self._draft.mkdir(exist_ok=True)
        for old, new in moves:  # of a run of an earlier version, which renamed part by part
            published, target = self.results / new, self._draft / new
            if published.exists() and not ((self.path / old).exists() or target.exists()):
                target.parent.mkdir(parents=True, exist_ok=True)
                published.rename(target)
        self._move(moves, self._draft)
        (self._draft / f".{name}").touch()
        sync_folder(self._draft)
        put_in_place(self._draft, self.results)

    def _move(self, moves: list[tuple[str, str]], target_folder: Path) -> None:
        folders: set[Path] = set()
        for old, new in moves:
            source, target = self.path / old, target_folder / new
            if target.exists():  # the run that was killed came so far
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                source.rename(target)
            except FileNotFoundError:
                raise StoreError("the part is gone", where=source) from None
            folders |= {target.parent, target_folder, target_folder.parent}
        for folder in folders:
            sync_folder(folder)


def _added(plan: TaskPlan, marks: list[TaskMark]) -> TaskTotals:
    counts: Counter[str] = Counter()
    for mark in marks:
        counts.update(mark.counts)
    n_rows, n_bytes = sum(mark.rows for mark in marks), sum(mark.n_bytes for mark in marks)
    return TaskTotals(plan.order.n_tasks, n_rows, n_bytes, dict(counts), plan.about)
