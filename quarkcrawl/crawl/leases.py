"""The ledger: every lease ends exactly once, with the first reason.

A fetch can end in many places (callback, errback, a pipeline, a signal, a timer). All of them
tell the ledger; the first to speak wins, later ones are ignored. Endings collect here until
their rows are on disk, then they are acknowledged to the frontier as a group.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from quarkcrawl.frontier import Ending

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quarkcrawl.frontier import Frontier, Lease, RetryOutcome


_SOON_SHARE = 0.75
"""Of a lease's time; who looks twice in that time looks in time."""

LEASE_KEY = "quarkcrawl_lease"
"""Key in ``request.meta`` under which a request carries its lease."""


class Ledger:
    """Open leases of this worker, and the endings that wait for their group.

    Args:
        frontier: where leases come from and go back to.
    """

    def __init__(self, frontier: Frontier) -> None:
        self._frontier = frontier
        self._open: dict[int, Lease] = {}
        self._fetched: set[int] = set()
        self._ended: dict[int, Lease] = {}
        self._endings: list[Ending] = []

    def begin(self, lease: Lease) -> None:
        """A lease was handed to this worker."""
        self._open[lease.token] = lease

    def is_open(self, token: int) -> bool:
        """True until the lease has ended here."""
        return token in self._open

    def deaths(self, token: int) -> int:
        """How many workers died over the page of an open lease."""
        lease = self._open.get(token)
        return 0 if lease is None else lease.deaths

    def fetched(self, token: int, now: float) -> None:
        """The body of a page is here: its host may be asked again while it is analyzed."""
        if token in self._open:
            self._fetched.add(token)
            self._prolong([token], now)

    def is_fetched(self, token: int) -> bool:
        """Whether the page of a lease is being analyzed, or was."""
        return token in self._fetched

    def prolong(self, now: float) -> None:
        """Keep the leases of pages that are still being analyzed, or not acknowledged yet.

        The latter wait for their group, which waits for each server of the campaign: one that is
        away for long must not let those of the others end. One that is overdue is not touched.
        """
        self._fetched &= self._open.keys()
        if self._fetched:
            self._prolong(sorted(self._fetched), now)
        lease_s = self._frontier.options.lease_s
        soon = now + _SOON_SHARE * lease_s
        late = [token for token, out in self._ended.items() if now <= out.deadline < soon]
        if late:
            self._ended |= {t: replace(self._ended[t], deadline=now + lease_s) for t in late}
            self._frontier.fetched(late, now=now)

    def _prolong(self, tokens: list[int], now: float) -> None:
        deadline = now + self._frontier.options.lease_s
        self._open |= {token: replace(self._open[token], deadline=deadline) for token in tokens}
        self._frontier.fetched(tokens, now=now)

    def end(self, token: int, reason: str) -> bool:
        """End a lease; True for the first ending, False for every later one."""
        lease = self._open.pop(token, None)
        if lease is None:
            return False
        self._ended[token] = lease
        self._endings.append(Ending(token, reason))
        self._frontier.settle((token,))
        return True

    def retry(self, token: int, *, reason: str, not_before: float) -> RetryOutcome:
        """Give a lease back after a failed try; it stays open here if its tries are used up."""
        if token not in self._open:
            return "fenced"
        outcome = self._frontier.retry(token, reason=reason, not_before=not_before)
        if outcome != "exhausted":
            self._open.pop(token)
        return outcome

    def waiting(self) -> int:
        """Number of endings that are not acknowledged yet."""
        return len(self._endings)

    def take(self) -> list[Ending]:
        """The endings so far, to be acknowledged."""
        endings, self._endings = self._endings, []
        return endings

    def acknowledged(self, endings: Iterable[Ending]) -> None:
        """The frontier has ended these leases."""
        for ending in endings:
            self._ended.pop(ending.token, None)

    def overdue(self, now: float) -> list[Lease]:
        """Leases past their deadline that have not ended here."""
        return [lease for lease in self._open.values() if lease.deadline < now]

    def may_reap(self, now: float) -> bool:
        """False while a lease that has ended here could be taken for an expired one."""
        return all(lease.deadline >= now for lease in self._ended.values())

    def forget(self, tokens: Iterable[int]) -> None:
        """Drop leases that the frontier took back."""
        for token in tokens:
            self._open.pop(token, None)

    def __len__(self) -> int:
        return len(self._open)
