"""What commands say to terminals and shells, and the files that they write.

Text of strangers is escaped; a place that cannot be written to is the user's error, not a crash.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from quarkcrawl.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

USAGE = 2
"""Exit code of wrong use, and of arguments that cannot be read."""

INTERRUPTED = 130
"""Exit code after Ctrl-C."""


def check_output(*paths: Path | None) -> None:
    """Refuse files that cannot be written, before the work that fills them.

    Args:
        paths: the files; None and ``-``, standard output, are passed over.

    Raises:
        StoreError: a path is a folder, or its folder is missing.
    """
    for path in paths:
        if path is None or path == Path("-"):
            continue
        if path.is_dir():
            raise StoreError("cannot be written (it is a folder)", where=path)
        if not path.parent.is_dir():
            raise StoreError("cannot be written (its folder is missing)", where=path)


def complain(message: str, *, where: object = None, hint: str = "") -> None:
    """Say on standard error what is wrong, as one line: ``quarkcrawl: WHERE: WHAT; WHAT TO DO``.

    Args:
        message: what is wrong; it may also say what to do.
        where: path, option or command; "" or None: the program itself.
        hint: what to do.
    """
    parts = ["quarkcrawl", *([str(where)] if where else []), message.strip() or "failed"]
    line = ": ".join(parts) + (f"; {hint}" if hint else "")
    sys.stderr.write(f"{' '.join(line.split())}\n")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Tell which file cannot be written.

    Args:
        path: the file that the block writes.

    Raises:
        StoreError: for an `OSError` within the block.
    """
    try:
        yield
    except OSError as error:
        raise StoreError(f"cannot be written ({error.strerror})", where=path) from error


def harmless(text: str) -> str:
    """Text of a page, a server or a worker for a table: no control characters, no markup of rich.

    >>> harmless("text/html[/b]\\x1b[2J")
    'text/html\\\\[/b] [2J'
    """
    from rich.markup import escape  # noqa: PLC0415 - help needs no rich

    return escape(printable(text))


def printable(text: str) -> str:
    """Text of a page, a server or a worker for a line of plain text.

    >>> printable("text/html\\x1b[2J")
    'text/html [2J'
    """
    return "".join(sign if sign.isprintable() else " " for sign in text)


def human_bytes(count: float) -> str:
    """A size with a binary unit.

    >>> human_bytes(1536), human_bytes(12)
    ('1.5 KiB', '12 B')
    """
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} GiB"
