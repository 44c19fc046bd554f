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
_GOING_ON = {"campaign", "crawl", "extract", "refine", "corpus near", "select check"}
"""Commands that keep what they have done, and whose help says so."""


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
        words = [*(sys.argv[1:] if arguments is None else arguments), "", ""]
        goes_on = words[0] in _GOING_ON or " ".join(words[:2]) in _GOING_ON
        hint = "; the same command goes on where it was" if goes_on else ""
        sys.stderr.write(f"interrupted{hint}\n")
    return code
