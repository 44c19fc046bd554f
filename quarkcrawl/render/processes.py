"""The browser's processes: which they are, how much memory they hold, and their end.

Read from ``/proc``; on systems without it no process is found and no bound on memory holds.
"""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")
_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")


def find_by_argument(argument: str) -> list[int]:
    """Processes that were started with exactly this argument.

    Args:
        argument: one word of the command line.
    """
    argument_bytes = argument.encode()
    names = [folder.name for folder in _PROC.iterdir()] if _PROC.is_dir() else []
    return [int(name) for name in names if name.isdecimal() and argument_bytes in _words(name)]


def argument_of(pids: list[int], prefix: str) -> str:
    """What follows a prefix in a word of a command line, "" if none has it.

    Args:
        pids: processes; those that are gone are passed over.
        prefix: the word's beginning, such as ``--user-data-dir=``.
    """
    words = (word for pid in pids for word in _words(str(pid)))
    matches = (word for word in words if word.startswith(prefix.encode()))
    return next(matches, b"").decode(errors="surrogateescape").removeprefix(prefix)


def _words(pid: str) -> list[bytes]:
    """Command line of a process; Chromium rewrites its own and joins the words with spaces."""
    with contextlib.suppress(OSError):
        return (_PROC / pid / "cmdline").read_bytes().replace(b" ", b"\0").split(b"\0")
    return []


def process_tree(pids: list[int]) -> list[int]:
    """These processes and all that they have started, themselves or through others.

    Args:
        pids: processes; those that are gone are left out.
    """
    tree: dict[int, None] = {}
    waiting = list(pids)
    while waiting:
        pid = waiting.pop()
        with contextlib.suppress(OSError):
            for task in (_PROC / str(pid) / "task").iterdir():
                tree[pid] = None
                children = (task / "children").read_text().split()
                waiting += [int(child) for child in children if int(child) not in tree]
    return list(tree)


def private_bytes(pids: list[int]) -> int:
    """Memory that processes hold for themselves, what they share with others left out.

    Args:
        pids: processes; those that are gone count nothing.
    """
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError, ValueError):
            _, resident, shared, *_ = (_PROC / str(pid) / "statm").read_text().split()
            total += int(resident) - int(shared)
    return total * _PAGE_BYTES


def kill_all(pids: list[int]) -> None:
    """End processes at once.

    Args:
        pids: processes; those that are gone are passed over.
    """
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
