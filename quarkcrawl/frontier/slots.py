"""Requests out to one address at once, in one process.

The shared frontier does the same on the server (``redis/addresses.lua``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

_FIRST_S: Final = 0.5
"""How long a request takes before one has ended."""
_NEWEST: Final = 0.2


@dataclass(slots=True)
class _Address:
    began: dict[int, float] = field(default_factory=dict)
    turn: float = 0.0
    took_s: float = _FIRST_S


class AddressSlots:
    """Counts requests by address; who finds no room is told when its turn comes.

    Args:
        most: requests at once to one address.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: dict[str, _Address] = {}

    def enter(self, token: int, address: str, *, now: float) -> float | None:
        """Let a request begin; None if there is room, else the time to come back."""
        slots = self._known.setdefault(address, _Address())
        if token in slots.began or len(slots.began) < self._most:
            slots.began[token] = now
            return None
        slots.turn = max(slots.turn, now) + slots.took_s / self._most
        return slots.turn

    def leave(self, token: int, address: str, *, now: float) -> None:
        """A request is over."""
        slots = self._known.get(address)
        began = None if slots is None else slots.began.pop(token, None)
        if slots is None or began is None:
            return
        slots.took_s += _NEWEST * (max(0.01, now - began) - slots.took_s)
        if not slots.began and slots.turn <= now:
            del self._known[address]
