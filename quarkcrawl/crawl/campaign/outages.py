"""Hosts that no longer answer: they are held back with growing waits, and given up at last.

A server that is down fails every URL alike. Without this each URL would use up its tries within
seconds, and a host whose server comes back an hour later would have lost its pages.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from quarkcrawl.crawl.campaign.reasons import SILENCE

if TYPE_CHECKING:
    from quarkcrawl.config import CrawlConfig
    from quarkcrawl.frontier import Lease


_FAILURES: Final = 5
"""So many in a row, and the host is held to be down."""
_LONGEST_WAIT_S: Final = 300.0


@dataclass(slots=True)
class _Silence:
    """Failures of a host since it last answered."""

    began_at: float
    failures: int = 0


class Outages:
    """Which hosts have not answered lately, as this worker saw it.

    Args:
        config: how long to wait.
    """

    def __init__(self, config: CrawlConfig) -> None:
        self._config = config
        self._silent: dict[str, _Silence] = {}

    def answered(self, host: str) -> None:
        """A host sent a reply, whatever it was."""
        self._silent.pop(host, None)

    def failed(self, lease: Lease, reason: str) -> float:
        """Note a failed try; returns for how long the host is to be left alone, inf for ever.

        Late tries say nothing of the host: their URLs failed before, while others did not.
        """
        if reason not in SILENCE:
            self.answered(lease.host)
            return 0.0
        if lease.kind == "robots" or lease.tries > self._config.max_tries:
            return 0.0
        now = time.monotonic()
        silence = self._silent.setdefault(lease.host, _Silence(now))
        silence.failures += 1
        if silence.failures < _FAILURES:
            return 0.0
        if now - silence.began_at > self._config.host_patience_s:
            self.answered(lease.host)
            return float("inf")
        wait_s = self._config.retry_delay_s * 2.0 ** min(silence.failures - _FAILURES, 32)
        return min(wait_s, _LONGEST_WAIT_S)
