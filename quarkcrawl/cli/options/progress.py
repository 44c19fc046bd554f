"""How far a command is, shown on a terminal."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Shown:
    """Takes what is told of progress, a `quarkcrawl.progress.Progress`; this one shows nothing."""

    def __call__(self, step: str, done: int, total: int | None, note: str = "") -> None:
        """Show how far a step is.

        Args:
            step: its name.
            done: how much is done.
            total: of how much; None: unknown.
            note: what else there is to say.
        """

    def aside(self) -> AbstractContextManager[None]:
        """Lets the block write lines to the terminal: the bar is away meanwhile."""
        return nullcontext()


@contextmanager
def progress_shown(*, prints: bool = False) -> Iterator[Shown]:
    """One bar on stderr for all steps of a command; nothing where that is no terminal.

    Args:
        prints: the block writes line after line to stdout; on a terminal they say enough.

    Yields:
        What moves the bar.
    """
    if not sys.stderr.isatty() or (prints and sys.stdout.isatty()):
        yield Shown()
        return
    from rich.console import Console  # noqa: PLC0415 - help needs no rich

    console = Console(stderr=True)
    if not console.is_interactive:  # it cannot take back what it has written
        yield Shown()
        return
    from quarkcrawl.cli.options.bar import Bar  # noqa: PLC0415

    with Bar(console) as bar:
        yield bar
