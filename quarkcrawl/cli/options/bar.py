"""The bar: a line on a terminal that is drawn anew some times a second, and is gone at the end."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Final, Self

from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from quarkcrawl.cli.options.shown import Shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console, RenderableType
    from rich.progress import Task, TaskID


_EVERY_S: Final = 0.1


class _BarOrSpinner(ProgressColumn):
    """A bar where the total is known, else something that turns."""

    def __init__(self) -> None:
        self._bar, self._spinner = BarColumn(30), SpinnerColumn()
        super().__init__()

    def render(self, task: Task) -> RenderableType:
        column = self._spinner if task.total is None else self._bar
        return column.render(task)


class _Counts(ProgressColumn):
    """What is done, and of how much."""

    def render(self, task: Task) -> Text:
        if task.total is not None:
            return Text(f"{int(task.completed):,}/{int(task.total):,}")
        return Text(f"{int(task.completed):,}" if task.completed else "")


class _Remaining(TimeRemainingColumn):
    """The time that is left, once it can be told."""

    def render(self, task: Task) -> Text:
        is_known = task.total is not None and task.time_remaining is not None
        return Text.assemble(super().render(task), " left") if is_known else Text("")


class Bar(Shown, AbstractContextManager["Bar"]):
    """Shows the last step that it was told of.

    Args:
        console: a terminal.
    """

    def __init__(self, console: Console) -> None:
        # Standard output may be a file, and what goes there has to stay what it is.
        self._line = Progress(
            TextColumn("{task.description}", markup=False),
            _BarOrSpinner(),
            _Counts(),
            TimeElapsedColumn(),
            _Remaining(),
            TextColumn("{task.fields[note]}", markup=False),
            console=console,
            transient=True,
            redirect_stdout=False,
        )
        self._step: str | None = None
        self._task: TaskID | None = None
        self._next_s = 0.0

    def __call__(self, step: str, done: int, total: int | None, note: str = "") -> None:
        """See `Shown`; between steps and ends it is looked at some times a second only."""
        if step != self._step:
            if self._task is not None:
                self._line.remove_task(self._task)
            self._step = step
            self._task = self._line.add_task(step, total=total, completed=done, note=note)
        elif self._task is None or (done != total and time.monotonic() < self._next_s):
            return
        else:
            self._line.update(self._task, completed=done, total=total, note=note)
            if done != total:
                self._next_s = time.monotonic() + _EVERY_S
                return
        self._line.refresh()
        self._next_s = time.monotonic() + _EVERY_S

    @contextmanager
    def aside(self) -> Iterator[None]:
        """See `Shown`."""
        self._line.stop()
        try:
            yield
        finally:
            self._line.start()

    def __enter__(self) -> Self:
        self._line.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._line.stop()
