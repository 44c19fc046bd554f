"""Links that a run has offered lately: those that stand on every page are looked at once."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable


_MOST_LINKS: Final = 200_000
"""Of all hosts; about 20 MB."""


class OfferedLinks:
    """Hashes of URLs with the lowest level at which they were offered, of the hosts seen last.

    The hash is Python's, with the process's own secret: two links of a host are taken for one
    with a chance of 2 to the power of -64.
    """

    def __init__(self) -> None:
        self._hosts: OrderedDict[str, dict[int, int]] = OrderedDict()
        self._n_links = 0

    def sift(self, urls: Iterable[str], host: str, level: int) -> list[str]:
        """Those that were not offered at that level or a lower one; they count as offered now."""
        levels = self._hosts.get(host)
        if levels is None:
            levels = self._hosts[host] = {}
        else:
            self._hosts.move_to_end(host)
        n_known = len(levels)
        fresh: list[str] = []
        for url in urls:
            key = hash(url)
            if levels.get(key, level + 1) > level:
                levels[key] = level
                fresh.append(url)
        self._n_links += len(levels) - n_known
        while self._n_links > _MOST_LINKS:
            _, forgotten = self._hosts.popitem(last=False)
            self._n_links -= len(forgotten)
        return fresh

    def clear(self) -> None:
        """Have everything offered again."""
        self._hosts.clear()
        self._n_links = 0
