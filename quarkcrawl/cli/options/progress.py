"""A bar for jobs that take pages one by one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

PageProgress: TypeAlias = Callable[[int, int | None, int], None]
"""Takes the number of pages that are done, of all (None: unknown), and of those that failed."""


@contextmanager
def page_progress() -> Iterator[PageProgress]:
    """A bar on stderr; nothing where that is no terminal.

    Yields:
        What moves the bar.
    """
    from rich.console import Console  # noqa: PLC0415 - help needs no rich
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    if not console.is_terminal:  # a disabled bar still writes an empty line
        yield lambda _done, _total, _failed: None
        return
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("pages"), TimeRemainingColumn())
    words = TextColumn("{task.fields[failed]} failed")
    with Progress(*columns, words, console=console, transient=True) as bar:
        task = bar.add_task("", total=None, failed=0)

        def update(done: int, total: int | None, failed: int) -> None:
            bar.update(task, completed=done, total=total, failed=failed)

        yield update
