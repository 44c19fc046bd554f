"""The leases that this process has out, and their fencing tokens.

A token is the number of the opening (kept in the file, one more each time) times 2^40, plus a
counter. So tokens increase over the life of a file, and none of a dead process is valid again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from quarkcrawl.frontier.protocol import Lease
    from quarkcrawl.frontier.sqlite.records import HostRecord, WaitingRow


COUNTER_BITS: Final = 40


@dataclass(frozen=True, slots=True)
class Outstanding:
    """A lease and what it is a lease of; ``row`` is None for robots.txt."""

    lease: Lease
    host: HostRecord
    row: WaitingRow | None
    leased_at: float


class LeaseBook:
    """Leases by token and by key of the URL.

    Args:
        opening: how many times the file was opened for writing.
    """

    def __init__(self, opening: int) -> None:
        self._token = opening << COUNTER_BITS
        self._by_token: dict[int, Outstanding] = {}
        self.tokens_by_key: dict[int, int] = {}
        self._settled: set[int] = set()

    def __len__(self) -> int:
        return len(self._by_token)

    def next_token(self) -> int:
        """A token never used before."""
        self._token += 1
        return self._token

    def open(self, out: Outstanding) -> None:
        """Enter a lease."""
        self._by_token[out.lease.token] = out
        if out.row is not None:
            self.tokens_by_key[out.row.key] = out.lease.token

    def get(self, token: int) -> Outstanding | None:
        """The lease, None if the token is not valid (any more)."""
        return self._by_token.get(token)

    def end(self, token: int) -> None:
        """Make the token invalid."""
        out = self._by_token.pop(token)
        self._settled.discard(token)
        if out.row is not None:
            del self.tokens_by_key[out.row.key]

    def settle(self, token: int) -> bool:
        """Note that the fetch is over; False if that was known."""
        if token in self._settled:
            return False
        self._settled.add(token)
        return True

    def is_settled(self, token: int) -> bool:
        """Whether the fetch of a lease is over."""
        return token in self._settled

    def by_key(self, key: int) -> Outstanding | None:
        """The lease of the URL with that key."""
        token = self.tokens_by_key.get(key)
        return None if token is None else self._by_token[token]

    def tokens(self) -> list[int]:
        """Tokens of all leases, oldest first."""
        return list(self._by_token)

    def overdue(self, now: float) -> list[Outstanding]:
        """Leases whose deadline has passed."""
        return [out for out in self._by_token.values() if out.lease.deadline < now]
