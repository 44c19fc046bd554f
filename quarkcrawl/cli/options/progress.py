"""How far a command is, shown on a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from quarkcrawl.cli.options.shown import Shown

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def progress_shown(*, prints: bool = False) -> Iterator[Shown]:
    """One bar on stderr for all steps of a command; nothing where that is no terminal.

    Args:
        prints: the block writes line after line to stdout; on a terminal they say enough.

    Yields:
        What moves the bar.
    """
    is_terminal = sys.stderr is not None and sys.stderr.isatty()  # None: it was closed
    if not is_terminal or (prints and sys.stdout.isatty()):
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
