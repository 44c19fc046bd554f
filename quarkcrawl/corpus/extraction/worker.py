"""The process that does one page after the other for `quarkcrawl.corpus.extraction.pool`.

It answers after each page, so that its death costs the page it was at and no other. The time
limit is the kernel's: an alarm whose default action ends the process needs neither the
interpreter nor its lock, so it also stops a loop in C.
"""

from __future__ import annotations

import resource
import signal
from multiprocessing.reduction import ForkingPickler
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection


READY: Final = "ready"
"""First message of a worker: it could import its function."""


def serve(
    connection: Connection[Any, Any],
    function: Callable[[Any], Any],
    timeout_s: float,
    memory_bytes: int,
) -> None:
    """Answer chunks of inputs with one ``(value, failure)`` an input, until the other side goes.

    Args:
        connection: our end of the pipe.
        function: what is done with each input.
        timeout_s: an input that takes longer ends the process with SIGALRM; 0: no limit.
        memory_bytes: most memory for data, or what the user is allowed if that is less; 0: no
            limit.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the parent's business
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    if memory_bytes:
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = memory_bytes if hard == resource.RLIM_INFINITY else min(memory_bytes, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    try:
        connection.send(READY)
        while True:
            for value in connection.recv():
                connection.send_bytes(_answer(function, value, timeout_s))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return  # the parent is done, or dead


def _answer(function: Callable[[Any], Any], value: Any, timeout_s: float) -> Any:
    signal.setitimer(signal.ITIMER_REAL, timeout_s)
    try:
        return ForkingPickler.dumps((function(value), None))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - it is the page's failure, not ours
        return ForkingPickler.dumps((None, f"error: {_words(error)}"))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _words(error: BaseException) -> str:
    """Kind and message of an error whose own ``str`` may fail as well; fit for any file."""
    name = type(error).__name__
    try:
        message = str(error).encode("utf-8", "replace").decode()
    except Exception:  # noqa: BLE001
        message = ""
    return f"{name}: {message}" if message else name
