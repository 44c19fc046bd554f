"""URLs found and ended by name, for recovery after a crash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quarkcrawl.frontier.sqlite.schema import pack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.frontier.keys import UrlKeys
    from quarkcrawl.frontier.protocol import Candidate, Lease
    from quarkcrawl.frontier.sqlite.endings import Endings
    from quarkcrawl.frontier.sqlite.scheduler import HostScheduler
    from quarkcrawl.frontier.sqlite.tables import FrontierTables


class Lookup:
    """Looks URLs up by key; the stored text decides, so that no other URL is meant."""

    def __init__(
        self,
        keys: UrlKeys,
        tables: FrontierTables,
        scheduler: HostScheduler,
        endings: Endings,
    ) -> None:
        self._keys = keys
        self._hosts = tables.hosts
        self._waiting = tables.waiting
        self._leases = tables.leases
        self._totals = tables.totals
        self._scheduler = scheduler
        self._endings = endings

    def find(self, urls: Sequence[str]) -> list[Lease | Candidate | None]:
        """Lease or waiting entry of each URL."""
        keys = self._keys.many(map(pack, urls))
        return [self._find(url, key) for url, key in zip(urls, keys, strict=True)]

    def _find(self, url: str, key: int) -> Lease | Candidate | None:
        out = self._leases.by_key(key)
        if out is not None:
            return out.lease if out.lease.url == url else None
        found = self._waiting.find(key)
        if found is None or found[1].url != url:
            return None
        host = self._hosts.by_id(found[0])
        return None if host.closed is not None else found[1].candidate(host.name)

    def finish(self, url: str, reason: str) -> bool:
        """End a URL that waits or is out; False if it is unknown or ended."""
        (key,) = self._keys.many([pack(url)])
        out = self._leases.by_key(key)
        if out is None:
            return self._finish_waiting(url, key, reason)
        if out.lease.url != url:
            return False
        self._endings.finish(out, reason)
        return True

    def _finish_waiting(self, url: str, key: int, reason: str) -> bool:
        found = self._waiting.find(key)
        if found is None or found[1].url != url:
            return False
        host = self._hosts.by_id(found[0])
        self._waiting.hide(host, found[1])
        self._waiting.delete([key])
        if host.closed is None:
            host.pending -= 1
            self._totals.pending -= 1
        else:
            # It ended with its host but was not listed yet: the page on disk tells better.
            host.undrained -= 1
            self._totals.end(host.closed, -1)
        self._scheduler.count_ending(host, reason)
        return True
