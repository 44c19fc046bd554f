"""Start lists as scrapy-redis has them: a list, set or sorted set of URLs on the server.

An entry is a URL, or a JSON object with the key ``url`` (scrapy-redis ≥ 0.9). Nothing else is
understood: above all no pickle. Entries are removed once they are queued, so a worker that dies
between loses none; another one offers them again, which changes nothing.
"""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Final

from quarkcrawl.frontier.protocol import Candidate
from quarkcrawl.page import canonicalize, host_key

if TYPE_CHECKING:
    from collections.abc import Callable

    from quarkcrawl.frontier.redis.direct import RedisFrontier


logger = logging.getLogger(__name__)

_AT_ONCE: Final = 200
_MOST_BYTES: Final = 65536


def start_url(entry: bytes) -> str | None:
    """Canonical URL of an entry; None if it has none.

    >>> start_url(b'{"url": "http://a.cn", "meta": {"x": 1}}')
    'http://a.cn/'
    """
    if len(entry) > _MOST_BYTES:
        return None
    try:
        words = entry.decode("utf-8").strip()
        if words.startswith("{"):
            words = json.loads(words)["url"]
        if "://" not in words:
            words = f"http://{words}/"
        return canonicalize(words) if "\0" not in words else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def start_candidate(entry: bytes) -> Candidate | None:
    """An entry as a URL at level 1; None if it has none.

    Args:
        entry: as it lies in the list.
    """
    url = start_url(entry)
    return None if url is None else Candidate(url, host_key(url), 1)


class StartList:
    """One start list.

    Args:
        key: its key on the server; for a spider ``news`` of scrapy-redis ``news:start_urls``.
        queue: queues what the frontier itself would; False if that cannot be done just now.
        read: an entry as a URL to be queued; None if it is none.
    """

    def __init__(
        self,
        key: str,
        queue: Callable[[list[Candidate]], bool] | None = None,
        *,
        read: Callable[[bytes], Candidate | None] = start_candidate,
    ) -> None:
        self.key = key
        self._read = read
        self._queue = queue
        self.is_empty = True  # when it was looked at last
        self.taken = 0
        self.refused = 0

    def take_in(self, frontier: RedisFrontier) -> int:
        """Queue up to 200 entries; returns how many there were and could be queued.

        Raises:
            FrontierError: the server cannot be reached.
        """
        entries, remove = frontier.server.pop_starts(self.key, _AT_ONCE)
        self.is_empty = not entries
        if not entries:
            return 0
        read = [self._read(entry) for entry in entries]
        candidates = [candidate for candidate in read if candidate is not None]
        if self._queue is None:
            frontier.push(candidates)
        elif not self._queue(candidates):
            return 0
        frontier.server.guarded(remove)
        refused = len(entries) - len(candidates)
        if refused:
            logger.warning("%s: %d entries are no URLs", self.key, refused)
        self.taken += len(candidates)
        self.refused += refused
        return len(entries)
