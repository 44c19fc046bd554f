"""What happens to offered URLs: new ones wait, known ones may be lowered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quarkcrawl.frontier.sqlite.records import WaitingRow
from quarkcrawl.frontier.sqlite.schema import pack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.frontier.keys import UrlKeys
    from quarkcrawl.frontier.protocol import Candidate
    from quarkcrawl.frontier.sqlite.records import HostRecord
    from quarkcrawl.frontier.sqlite.scheduler import HostScheduler
    from quarkcrawl.frontier.sqlite.seen import SeenSet
    from quarkcrawl.frontier.sqlite.tables import FrontierTables


class Intake:
    """Takes batches of URLs in."""

    def __init__(
        self,
        keys: UrlKeys,
        seen: SeenSet,
        tables: FrontierTables,
        scheduler: HostScheduler,
    ) -> None:
        self._keys = keys
        self._seen = seen
        self._hosts = tables.hosts
        self._waiting = tables.waiting
        self._leases = tables.leases
        self._totals = tables.totals
        self._scheduler = scheduler

    def push(self, candidates: Sequence[Candidate]) -> list[bool]:
        """Queue what is new; see `quarkcrawl.frontier.protocol.Frontier.push`."""
        raws = [pack(candidate.url) for candidate in candidates]
        keys = self._keys.many(raws)
        known = {name: self._hosts.get(name) for name in dict.fromkeys(c.host for c in candidates)}
        closed = {name for name, host in known.items() if host is not None and host.closed}
        offered = [at for at, candidate in enumerate(candidates) if candidate.host not in closed]
        new = self._mark([keys[at] for at in offered])
        accepted = [False] * len(candidates)
        rows: list[tuple[HostRecord, WaitingRow]] = []
        for at in offered:
            if keys[at] in new:
                new.discard(keys[at])
                accepted[at] = True
                rows.append(self._admit(known, candidates[at], keys[at]))
        self._waiting.add(rows)
        for at in offered:
            if not accepted[at]:
                self._lower(known[candidates[at].host], candidates[at], keys[at])
        for host in known.values():
            if host is not None:
                self._scheduler.arm(host)
        return accepted

    def mark_seen(self, urls: Sequence[str]) -> list[bool]:
        """Mark without queueing; True where new."""
        keys = self._keys.many(map(pack, urls))
        new = self._mark(keys)
        marked: list[bool] = []
        for key in keys:
            marked.append(key in new)
            new.discard(key)
        return marked

    def _mark(self, keys: list[int]) -> set[int]:
        new = self._seen.add(keys)
        self._totals.seen += len(new)
        return new

    def _admit(
        self, known: dict[str, HostRecord | None], candidate: Candidate, key: int
    ) -> tuple[HostRecord, WaitingRow]:
        """Make the row of a new URL, and its host if that is new too."""
        host = known[candidate.host]
        if host is None:
            host = known[candidate.host] = self._scheduler.add_host(candidate.host)
        level = candidate.level
        if level > host.max_level or host.idle:
            host.max_level = level
        host.pending += 1
        self._hosts.touch(host)
        totals = self._totals
        totals.pending += 1
        totals.next_seq += 1
        row = WaitingRow(
            level, 0, totals.next_seq, key, candidate.url, candidate.origin, candidate.hops, 0
        )
        return host, row

    def _lower(self, host: HostRecord | None, candidate: Candidate, key: int) -> None:
        """Move a URL that waits at a higher level to the candidate's, with its path."""
        # max_level spares nearly every link the look into the file: while a host's level k is
        # walked its pages offer URLs of level k + 1, and nothing waits beyond.
        if host is None or candidate.level >= host.max_level:
            return
        if key in self._leases.tokens_by_key:
            return
        found = self._waiting.find(key)
        if found is None or found[0] != host.id or found[1].level <= candidate.level:
            return
        row = found[1]._replace(level=candidate.level, origin=candidate.origin, hops=candidate.hops)
        self._waiting.change(host, found[1], row)
