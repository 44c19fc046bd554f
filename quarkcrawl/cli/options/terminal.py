"""What terminals and shells are told: escaped text of strangers, exit codes."""

from __future__ import annotations

from rich.markup import escape

INTERRUPTED = 130
"""Exit code after Ctrl-C."""


def harmless(text: str) -> str:
    """Text of a page, a server or a worker for a table: no control characters, no markup of rich.

    >>> harmless("text/html[/b]\\x1b[2J")
    'text/html\\\\[/b] [2J'
    """
    return escape("".join(sign if sign.isprintable() else " " for sign in text))
