"""What a worker offered already, so that links which many pages share travel once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.frontier.redis import codec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.frontier.keys import UrlKeys
    from quarkcrawl.frontier.protocol import Candidate


_MOST: Final = 200_000


class OfferedUrls:
    """Keys of URLs with the lowest level at which each was offered; 0 if it was marked as seen.

    Args:
        keys: the campaign's keyed hash.
    """

    def __init__(self, keys: UrlKeys) -> None:
        self._keys = keys
        self._levels: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._levels)

    def push(self, candidates: Sequence[Candidate]) -> tuple[list[bool], list[list[Any]]]:
        """Which are new here, and what is to be sent: the new ones and those now at less depth."""
        levels, fresh, sent = self._levels, [], []
        for item in codec.items_of(self._keys, candidates):
            level = levels.get(item[3])
            fresh.append(level is None)
            if level is None or level > item[1]:
                levels[item[3]] = item[1]
                sent.append(item)
        self._bound()
        return fresh, sent

    def mark(self, urls: Sequence[str]) -> tuple[list[bool], list[tuple[str, int]]]:
        """Which are new here, and what is to be sent of them."""
        fresh, sent = [], []
        for key, low in codec.keys_of(self._keys, urls):
            fresh.append(key not in self._levels)
            if fresh[-1]:
                self._levels[key] = 0
                sent.append((key, low))
        self._bound()
        return fresh, sent

    def _bound(self) -> None:
        """What is forgotten is only sent once more."""
        if len(self._levels) > _MOST:
            self._levels.clear()

    def clear(self) -> None:
        """Offer everything again."""
        self._levels.clear()
