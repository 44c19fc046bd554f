"""The command line: one file a verb, each a thin layer over the library.

JSON lines or tables go to standard output, words and progress to standard error. Exit codes:
0 done, 1 failed, 2 usage, 130 interrupted.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code.

    Args:
        arguments: words of the command; None: those of the process.
    """
    try:
        # Loading takes a second, in which Ctrl-C is to end the command as at any other time.
        from quarkcrawl.cli.app import run  # noqa: PLC0415

        code = run(arguments)
    except KeyboardInterrupt:
        code = _INTERRUPTED
    if code == _INTERRUPTED:  # typer, too, ends so after Ctrl-C, without a word
        sys.stderr.write("interrupted\n")
    return code
