"""What functions tell of progress, and what a terminal shows of it."""

from __future__ import annotations

import os
import pty
import re
import threading
from contextlib import contextmanager, suppress

_OVER = b"\x00"
_PIECE = re.compile(r"\x1b\[([?\d;]*)([A-Za-z])|\r|\n|[^\x1b\r\n]+")


class Told:
    """A progress that keeps what it is told: for each step how much was done, and of how much."""

    def __init__(self):
        self.steps: dict[str, list[tuple[int, int | None]]] = {}

    def __call__(self, step, done, total):
        self.steps.setdefault(step, []).append((done, total))

    def check(self, *names, unknown=()):
        """That these steps were told of, in this order, and that each rose from 0 to its end."""
        assert [*self.steps] == [*names]
        for name, calls in self.steps.items():
            done = [n for n, _ in calls]
            assert done[0] == 0, name
            assert done == sorted(done), name
            assert len({total for _, total in calls}) == 1, name
            if name in unknown:
                assert calls[0][1] is None, name
            else:
                assert calls[-1][0] == calls[-1][1], name


@contextmanager
def terminal(monkeypatch, *names, columns=100):
    """Make a terminal of `sys.stderr`, or of other streams; yields a list that gets its text."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", str(columns))
    ours, theirs = pty.openpty()
    pieces: list[bytes] = []

    def read():  # to a mark: processes that were started may hold the other side open
        while not pieces or not pieces[-1].endswith(_OVER):
            pieces.append(os.read(ours, 1 << 16))

    reader = threading.Thread(target=read)
    reader.start()
    shown: list[str] = []
    try:
        with os.fdopen(theirs, "w", encoding="utf-8") as stream, monkeypatch.context() as patched:
            for name in names or ("stderr",):
                patched.setattr(f"sys.{name}", stream)
            try:
                yield shown
            finally:
                stream.flush()
                os.write(stream.fileno(), _OVER)
                reader.join(timeout=60)
    finally:
        os.close(ours)
        shown.append(b"".join(pieces).removesuffix(_OVER).decode())


def read_terminal(master):
    """What a process writes to a terminal, until the last one that holds it has closed it."""
    with suppress(OSError):  # the other side is closed
        while piece := os.read(master, 1 << 16):
            yield piece.decode(errors="replace")


def screen(text):
    """The lines that stay on a terminal to which this was written."""
    lines, row, column = [""], 0, 0
    for match in _PIECE.finditer(text):
        piece, (arguments, command) = match[0], match.groups()
        if piece == "\r":
            column = 0
        elif piece == "\n":
            row, column = row + 1, 0
            lines += [""] * (row + 1 - len(lines))
        elif command == "A":
            row = max(row - int(arguments or 1), 0)
        elif command == "K":
            assert arguments in {"2", ""}
            lines[row] = "" if arguments else lines[row][:column]
        elif command is None:
            lines[row] = (
                lines[row].ljust(column)[:column] + piece + lines[row][column + len(piece) :]
            )
            column += len(piece)
        else:
            assert command in "mhl", piece
    return [line.rstrip() for line in lines if line.strip()]
