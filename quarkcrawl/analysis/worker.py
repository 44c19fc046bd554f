"""The process that does one page after the other for `quarkcrawl.analysis.pool`.

It answers after each page, so that its death costs the page it was at and no other. The time
limit is the kernel's: an alarm whose default action ends the process needs neither the
interpreter nor its lock, so it also stops a loop in C.
"""

from __future__ import annotations

import os
import pickle
import resource
import signal
import struct
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection


READY: Final = "ready"
"""First message of a worker: it could import its function."""


RETIRED_CODE: Final = 86
"""Exit code of a worker that has grown: nothing was wrong with the page it was at."""


_MOST_JOINED_BYTES: Final = 1 << 20


def framed(data: bytes) -> list[memoryview]:
    """A message as `Connection.recv` reads it; in one piece unless that were a large copy.

    Args:
        data: the message.
    """
    header = struct.pack("!i", len(data))
    pieces = [header, data] if len(data) > _MOST_JOINED_BYTES else [header + data]
    return [memoryview(piece) for piece in pieces]


def _send(connection: Connection[Any, Any], data: bytes) -> None:
    """Send bytes as `Connection.send_bytes` does, in one system call where they fit the pipe."""
    for piece in framed(data):
        rest = piece
        while rest:
            rest = rest[os.write(connection.fileno(), rest) :]


def serve(
    connection: Connection[Any, Any],
    function: Callable[[Any], Any],
    timeout_s: float,
    memory_bytes: int,
    cpu_s: float = 0,
    rehearsal: Any = None,
) -> None:
    """Answer chunks of inputs with one ``(value, failure)`` an input, until the other side goes.

    Args:
        connection: our end of the pipe.
        function: what is done with each input.
        timeout_s: an input that takes longer ends the process with SIGALRM; 0: no limit.
        memory_bytes: most memory for data beyond what the worker starts with, or what the user
            is allowed if that is less; 0: no limit. A worker that has needed half of it ends
            itself after its answer.
        rehearsal: an input of ours that is done first, without limits: what a process loads with
            its first page is no page's fault.
        cpu_s: an input that takes more CPU time ends the process with SIGPROF; 0: no limit.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the parent's business
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    try:
        if rehearsal is not None:
            function(rehearsal)
        most_peak_bytes = _limit_memory(memory_bytes)
        connection.send(READY)
        while True:
            for value in connection.recv():
                signal.setitimer(signal.ITIMER_PROF, cpu_s)
                _send(connection, _answer(function, value, timeout_s))
                signal.setitimer(signal.ITIMER_PROF, 0)
                if cpu_s and memory_bytes and _peak_bytes() > most_peak_bytes:
                    sys.exit(RETIRED_CODE)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return  # the parent is done, or dead


def serve_in(environment: dict[str, str], *words: Any) -> None:
    """As `serve`, with variables that the parent has now.

    Args:
        environment: these variables; the fork server has those of the time when it started.
        words: arguments of `serve`.
    """
    os.environ.update(environment)
    serve(*words)


def _limit_memory(memory_bytes: int) -> float:
    """Bound the data of this process; the peak of memory after which it has grown too much."""
    if memory_bytes:
        most = _data_bytes() + memory_bytes
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    return _peak_bytes() + memory_bytes / 2


def _data_bytes() -> int:
    """Memory that counts against RLIMIT_DATA; 0 where the system does not tell."""
    try:
        numbers = Path("/proc/self/statm").read_bytes().split()
        return int(numbers[5]) * resource.getpagesize()
    except OSError:
        return 0


def _peak_bytes() -> int:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _answer(function: Callable[[Any], Any], value: Any, timeout_s: float) -> bytes:
    signal.setitimer(signal.ITIMER_REAL, timeout_s)
    try:
        return pickle.dumps((function(value), None), pickle.HIGHEST_PROTOCOL)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - it is the page's failure, not ours
        return pickle.dumps((None, failure_of(error)))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def failure_of(error: BaseException) -> str:
    """Kind and message of an error whose own ``str`` may fail as well; fit for any file."""
    name = type(error).__name__
    try:
        message = str(error).encode("utf-8", "replace").decode()
    except Exception:  # noqa: BLE001
        message = ""
    return f"error: {name}: {message}" if message else f"error: {name}"
