"""Hosts that no longer answer, or ask for time: they are held back, with growing waits, for hours.

A server that is down fails every URL alike. Without this each URL would use up its tries within
seconds, and a host whose server comes back an hour later would have lost its pages. That many in a
row failed says it; where few wait, a request for robots.txt does, before the last of them is lost.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from quarkcrawl.crawl.campaign.reasons import SILENCE
from quarkcrawl.frontier import steady_time

if TYPE_CHECKING:
    from quarkcrawl.config import CrawlConfig
    from quarkcrawl.frontier import Lease


_FAILURES: Final = 5
"""So many in a row, and the host is held to be down."""
_TIMES_ASKED = 10
_LONGEST_WAIT_S: Final = 300.0
_FORGOTTEN_S: Final = 4 * _LONGEST_WAIT_S
_OTHERS_S: Final = 60.0


@dataclass(slots=True)
class _Silence:
    """What failed of a host since it last answered; ``failures`` are first tries at first."""

    began_at: float
    last_at: float
    failures: int = 0


class Outages:
    """Which hosts have not answered lately, as this worker saw it.

    Only first tries count until a host is held to be down: a URL that failed before says nothing of
    its host.

    Args:
        config: how long to wait.
    """

    def __init__(self, config: CrawlConfig) -> None:
        self._config = config
        self._most = max(_FAILURES, 2 * config.host_concurrency)
        self._silent: dict[str, _Silence] = {}
        self._answered_at: dict[str, float] = {}
        self._put_off: dict[str, _Silence] = {}
        self._have_answered: set[str] = set()
        self._answer_at = -_OTHERS_S

    def answered(self, host: str) -> None:
        """A host sent a reply, whatever it was."""
        self._answer_at = time.monotonic()
        if self._silent.pop(host, None) is not None:
            self._note_answer(host)
        if not self._config.robots:
            self._have_answered.add(host)

    def put_off(self, host: str, wait_s: float) -> float | None:
        """How long to leave a host alone that asks for time; None once it has had all of it.

        It is asked when it said, and each time twice as late as without: some always say the same.
        All of it is ten times what it said, at most ``host_patience_s``.
        """
        now = time.monotonic()
        asking = self._put_off.setdefault(host, _Silence(now, now))
        if now - asking.began_at > min(_TIMES_ASKED * wait_s, self._config.host_patience_s):
            del self._put_off[host]
            return None
        own_s = self._config.retry_delay_s * 2.0 ** min(asking.failures, 32)
        asking.failures += 1
        return max(wait_s, min(own_s, _LONGEST_WAIT_S))

    def let_in(self, host: str) -> None:
        """A host asks for no more time."""
        self._put_off.pop(host, None)

    def failed(self, lease: Lease, reason: str) -> float:
        """Note a failed try; returns for how long the host is to be left alone."""
        if reason not in SILENCE:
            self.answered(lease.host)
            return 0.0
        if lease.kind == "robots" or not self._was_there(lease):
            return 0.0
        silence = self._silence(lease.host)
        if lease.tries > 1 and silence.failures < self._most:
            return 0.0
        silence.failures += 1
        return self._wait_s(silence)

    def was_silent(self, lease: Lease) -> bool:
        """Whether a host that had failed had not answered when a lease of it was made, or since."""
        # What was out when the server came back fails after others have their answers.
        leased_at = lease.deadline - self._config.lease_s
        return self._is_silent(lease.host) or self._answered_at.get(lease.host, 0.0) > leased_at

    def _is_silent(self, host: str) -> bool:
        silence = self._silent.get(host)
        return silence is not None and time.monotonic() - silence.last_at <= _FORGOTTEN_S

    def _note_answer(self, host: str) -> None:
        """A host that had failed answered: remembered while a request of before can be out."""
        now = steady_time()
        self._answered_at.pop(host, None)
        self._answered_at[host] = now
        while (oldest := next(iter(self._answered_at))) != host:
            if self._answered_at[oldest] > now - self._config.lease_s:
                break
            del self._answered_at[oldest]

    def is_held(self, host: str) -> bool:
        """Whether a host is held to be down."""
        silence = self._silent.get(host)
        if silence is None or silence.failures < self._most or not self._is_silent(host):
            return False
        return not self._is_over(silence)

    def may_be_down(self, lease: Lease, reason: str) -> bool:
        """Whether a page that failed may be there, and its host be down: nothing of it answered."""
        is_silent = reason in SILENCE and lease.kind == "page" and self._was_there(lease)
        return is_silent and not self._is_over(self._silence(lease.host))

    def is_down(self, host: str) -> float:
        """Note that a host did not answer when it was asked whether it is there; as `failed`."""
        silence = self._silence(host)
        silence.failures = max(silence.failures + 1, self._most)
        return self._wait_s(silence)

    def _was_there(self, lease: Lease) -> bool:
        """Whether the host answered once: a name that never did is not a server that went away."""
        # robots.txt comes before any page; a page below the first level was linked from one.
        return self._config.robots or lease.level > 1 or lease.host in self._have_answered

    def _silence(self, host: str) -> _Silence:
        """That of a host, which begins now if it answered a moment ago."""
        now = time.monotonic()
        silence = self._silent.get(host)
        if silence is None or now - silence.last_at > _FORGOTTEN_S:
            silence = self._silent[host] = _Silence(now, now)
        silence.last_at = now
        return silence

    def _wait_s(self, silence: _Silence) -> float:
        if silence.failures < self._most or self._is_over(silence):
            return 0.0
        wait_s = self._config.retry_delay_s * 2.0 ** min(silence.failures - self._most, 32)
        return min(wait_s, _LONGEST_WAIT_S)

    def _is_over(self, silence: _Silence) -> bool:
        """Whether the host is held back no longer, or never was by this worker."""
        # A worker to whom nobody answers holds back no host of those that do get through.
        is_cut_off = bool(self._config.redis) and silence.last_at - self._answer_at > _OTHERS_S
        return is_cut_off or silence.last_at - silence.began_at >= self._config.host_patience_s
