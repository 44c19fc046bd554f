"""Asking a server of files again while it cannot be reached, with growing waits up to a bound."""

from __future__ import annotations

import os
import re
import time
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeVar

from quarkcrawl.errors import StorageUnreachableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


PATIENCE_S: Final = 50.0
"""How long a server is waited for. Below the 60 s that a worker has for a page: a job should stop
with a word about the server, not count its pages as slow."""
PATIENCE_SETTING: Final = "QUARKCRAWL_STORAGE_PATIENCE_S"
"""Environment variable that sets another bound."""

_FIRST_WAIT_S: Final = 0.1
_LONGEST_WAIT_S: Final = 5.0
_PASSING: Final = re.compile(
    r"AWS Error (?:NETWORK_CONNECTION|SLOW_DOWN|INTERNAL_FAILURE|SERVICE_UNAVAILABLE|THROTTLING"
    r"|REQUEST_TIMEOUT)"
    r"|HTTP status (?:5\d\d|429|408)|curlCode: |connection (?:refused|reset|closed)|timed? ?out"
    r"|incomplete read",
    re.IGNORECASE,
)

T = TypeVar("T")


def patiently(call: Callable[[], T], where: object) -> T:
    """What a call gives; it is tried again while its server is away or busy.

    Args:
        call: may be done twice.
        where: what the error names.

    Raises:
        StorageUnreachableError: the server stayed away for longer than the bound.
        OSError: any other failure, at once.
    """
    deadline = time.monotonic() + _patience_s()
    wait_s = _FIRST_WAIT_S
    while True:
        try:
            return call()
        except OSError as error:
            if not is_passing(error):
                raise
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                reason = str(error).partition("; Details")[0].partition("\n")[0]
                message = f"the server does not answer, tried for {_patience_s():.0f} s ({reason})"
                raise StorageUnreachableError(message, where=where) from error
            time.sleep(min(wait_s, left_s))
            wait_s = min(2 * wait_s, _LONGEST_WAIT_S)


def patient_iter(start: Callable[[], Iterator[T]], where: object) -> Iterator[T]:
    """What an iterator gives; if its server goes away, another one is asked for what is missing.

    Args:
        start: makes the iterator; each gives the same.
        where: what the error names.

    Raises:
        StorageUnreachableError: the server stayed away for longer than the bound.
        OSError: any other failure, at once.
    """
    n_done = 0
    values: Iterator[T] | None = None

    def step() -> tuple[T] | None:
        nonlocal values
        if values is None:
            values = islice(start(), n_done, None)
        try:
            return next(((value,) for value in values), None)
        except OSError:
            values = None
            raise

    while (step_result := patiently(step, where)) is not None:
        n_done += 1
        yield step_result[0]


def is_passing(error: OSError) -> bool:
    """Whether the same call may succeed later: the server is away, restarting or busy."""
    if isinstance(error, ConnectionError | TimeoutError):
        return True
    named = isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError)
    return not named and _PASSING.search(str(error)) is not None


def _patience_s() -> float:
    try:
        return float(os.environ.get(PATIENCE_SETTING, ""))
    except ValueError:
        return PATIENCE_S
