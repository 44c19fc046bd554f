"""The clock by which hosts are paced: epoch seconds that no setting of the system's clock moves.

The wall clock may be set back or forth by an hour while a crawl runs. Delays, waits and leases are
counted by the monotonic clock, shown as the epoch seconds that the wall clock would have if nobody
had touched it since the start. What is recorded (when a page was fetched) is wall time.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable


def _boot_s() -> float:
    """Seconds since the machine started, those included in which it slept (where that is known)."""
    return time.clock_gettime(_BOOT)


_BOOT: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class SteadyClock:
    """Wall time at the start plus what has passed since.

    Args:
        wall: epoch seconds; asked once.
        passed: seconds that only grow.
    """

    def __init__(
        self, wall: Callable[[], float] = time.time, passed: Callable[[], float] = _boot_s
    ) -> None:
        self._passed = passed
        self._start = wall() - passed()

    def __call__(self) -> float:
        """Epoch seconds.

        >>> wall, passed = iter([5000.0]), iter([10.0, 12.5])
        >>> SteadyClock(lambda: next(wall), lambda: next(passed))()
        5002.5
        """
        return self._start + self._passed()


steady_time: Final = SteadyClock()
"""That of this process."""
