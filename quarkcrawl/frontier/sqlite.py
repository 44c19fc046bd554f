"""The frontier in one SQLite file, for one worker process."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from quarkcrawl.errors import FrontierError
from quarkcrawl.frontier.database import Database
from quarkcrawl.frontier.hosts import HostTable
from quarkcrawl.frontier.keys import SeenSet, UrlKeys
from quarkcrawl.frontier.leases import LeaseBook
from quarkcrawl.frontier.protocol import Candidate, FrontierOptions, Lease
from quarkcrawl.frontier.schema import pack, unpack
from quarkcrawl.frontier.totals import Totals, load_options, save_options
from quarkcrawl.frontier.waiting import WaitingRow, WaitingTable
from quarkcrawl.frontier.walk import Walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from quarkcrawl.frontier.hosts import HostRecord
    from quarkcrawl.frontier.leases import Outstanding
    from quarkcrawl.frontier.protocol import Ending, FrontierCounts, HostState, RetryOutcome

__all__ = ["SqliteFrontier"]

LEASE_EXPIRED = "lease_expired"


class SqliteFrontier:
    """`quarkcrawl.frontier.protocol.Frontier` in one file; see there for every method.

    Nothing is durable before `commit`: after a killed process the file holds the state of the
    last one, and what was out on lease then waits again, untried. An error of the storage closes
    the frontier; opening it again gives the last commit as well.

    Args:
        path: the file; created when absent.
        options: rules of the campaign; None: those the file was last opened with.
        readonly: look only (`counts`, `host`, `hosts`, `find`), also while another process
            writes. It sees the last commit, in which leased URLs appear as waiting.

    Raises:
        FrontierError: the file is not a frontier, has another version, is damaged or locked.
        StorageFullError: there is no space to create or grow it.
    """

    def __init__(
        self, path: Path, options: FrontierOptions | None = None, *, readonly: bool = False
    ) -> None:
        self._database = Database(path, readonly=readonly)
        try:
            self._open(options)
        except BaseException:
            self._database.abandon()
            raise

    def _open(self, options: FrontierOptions | None) -> None:
        database = self._database
        self.options = load_options(database) if options is None else options
        secret, opening = self._identify()
        self._keys = UrlKeys(secret)
        self._seen = SeenSet(database)
        self._totals = Totals.load(database)
        self._hosts = HostTable(database, self._totals.hosts + 1)
        self._leases = LeaseBook(opening)
        self._waiting = WaitingTable(database, self._leases.tokens_by_key)
        self._walk = Walk(self.options, self._hosts, self._waiting, self._leases, self._totals)
        if not database.readonly:
            save_options(database, self.options)
            self._recover()
            self.commit()

    def _identify(self) -> tuple[bytes, int]:
        """The file's secret and the number of this opening."""
        database = self._database
        meta = dict(
            database.rows("SELECT name, value FROM meta WHERE name IN ('secret','opening')")
        )
        opening = meta.get("opening", 0) + 1
        secret: bytes = meta.get("secret") or os.urandom(16)
        if not database.readonly:
            values = [("secret", secret), ("opening", opening)]
            database.many("INSERT OR REPLACE INTO meta VALUES (?, ?)", values)
        return secret, opening

    def _recover(self) -> None:
        """Let what was out at the last commit wait again, and set up the timetable."""
        for host in self._hosts.at_work():
            if host.leased:
                host.pending += host.leased
                self._totals.pending += host.leased
                host.leased = 0
                host.complete = False
                self._hosts.touch(host)
                if host.closed is not None:
                    self._walk.close(host, host.closed)
            self._walk.arm(host)

    # -- offering URLs ---------------------------------------------------------------------

    def push(self, candidates: Sequence[Candidate]) -> list[bool]:
        raws = [pack(candidate.url) for candidate in candidates]
        keys = self._keys.many(raws)
        known: dict[str, HostRecord | None] = {}
        for candidate in candidates:
            if candidate.host not in known:
                known[candidate.host] = self._hosts.get(candidate.host)
        closed = {name for name, host in known.items() if host is not None and host.closed}
        offered = [at for at, candidate in enumerate(candidates) if candidate.host not in closed]
        new = self._seen.add([keys[at] for at in offered])
        self._totals.seen += len(new)
        accepted = [False] * len(candidates)
        rows: list[tuple[HostRecord, WaitingRow]] = []
        lower: list[tuple[HostRecord, int, Candidate]] = []
        for at in offered:
            candidate, key = candidates[at], keys[at]
            host = known[candidate.host]
            if key in new:
                new.discard(key)
                if host is None:
                    host = known[candidate.host] = self._add_host(candidate.host)
                rows.append((host, self._admit(host, candidate, key, raws[at])))
                accepted[at] = True
            elif host is not None and candidate.level < host.max_level:
                lower.append((host, key, candidate))
        if rows:
            self._waiting.add(rows)
        for host, key, candidate in lower:
            self._lower(host, key, candidate)
        for host in known.values():
            if host is not None:
                self._walk.arm(host)
        return accepted

    def _add_host(self, name: str) -> HostRecord:
        self._totals.hosts += 1
        self._totals.hosts_open += 1
        return self._hosts.add(name)

    def _admit(self, host: HostRecord, candidate: Candidate, key: int, raw: bytes) -> WaitingRow:
        level = candidate.level
        if level > host.max_level or host.idle:
            host.max_level = level
        host.pending += 1
        self._hosts.touch(host)
        totals = self._totals
        totals.pending += 1
        totals.next_seq += 1
        origin = None if candidate.origin is None else pack(candidate.origin)
        return WaitingRow(level, 0, totals.next_seq, key, raw, origin, candidate.hops, 0)

    def _lower(self, host: HostRecord, key: int, candidate: Candidate) -> None:
        """Move a URL that waits at a higher level to the candidate's."""
        if key in self._leases.tokens_by_key:
            return
        found = self._waiting.find(key)
        if found is None or found[0] != host.id or found[1].level <= candidate.level:
            return
        origin = None if candidate.origin is None else pack(candidate.origin)
        row = found[1]._replace(level=candidate.level, origin=origin, hops=candidate.hops)
        self._waiting.change(host, found[1], row)

    def mark_seen(self, urls: Sequence[str]) -> list[bool]:
        keys = self._keys.many(map(pack, urls))
        new = self._seen.add(keys)
        self._totals.seen += len(new)
        marked: list[bool] = []
        for key in keys:
            marked.append(key in new)
            new.discard(key)
        return marked

    # -- leases ----------------------------------------------------------------------------

    def lease(self, limit: int, *, now: float) -> list[Lease]:
        self._writable()
        return self._walk.take(limit, now)

    def acknowledge(self, endings: Sequence[Ending]) -> list[bool]:
        self._writable()
        done: list[bool] = []
        ended: list[int] = []
        for ending in endings:
            out = self._leases.get(ending.token)
            done.append(out is not None)
            if out is not None:
                ended += self._end(out, ending.reason)
        self._waiting.delete(ended)
        return done

    def _end(self, out: Outstanding, reason: str) -> list[int]:
        """End a lease; returns the key whose row is to be deleted, if any."""
        if out.row is None:
            self._walk.end_robots(out)
            return []
        self._walk.end_page(out, reason)
        return [out.row.key]

    def retry(self, token: int, *, reason: str, not_before: float) -> RetryOutcome:
        self._writable()
        out = self._leases.get(token)
        if out is None:
            return "fenced"
        self._totals.retried[reason] = self._totals.retried.get(reason, 0) + 1
        return "queued" if self._try_again(out, not_before) else "exhausted"

    def _try_again(self, out: Outstanding, not_before: float) -> bool:
        """Count a failed try and let the URL wait; False if it has no tries left."""
        host, tries = out.host, out.lease.tries
        host.failures += 1
        self._hosts.touch(host)
        if tries >= self.options.max_tries or host.closed is not None:
            return False
        if out.row is None:
            host.robots_tries = tries
            host.next_time = max(host.next_time, not_before)
            self._walk.end_robots(out)
        else:
            row = out.row._replace(not_before=not_before, tries=tries)
            self._waiting.write(row)
            self._walk.give_back(out, row)
        return True

    def release(self, tokens: Iterable[int]) -> int:
        self._writable()
        released = 0
        for token in tokens:
            out = self._leases.get(token)
            if out is None:
                continue
            released += 1
            if out.row is None:
                self._walk.end_robots(out)
            else:
                self._walk.give_back(out, out.row)
        return released

    def reap(self, *, now: float) -> int:
        self._writable()
        reaped = 0
        for out in self._leases.expired(now):
            reaped += 1
            if self._try_again(out, 0.0):
                continue
            if out.row is None:
                out.host.robots_tries = out.lease.tries
            self._waiting.delete(self._end(out, LEASE_EXPIRED))
        return reaped

    def next_ready(self, *, now: float) -> float | None:
        self._writable()
        return self._walk.next_ready()

    # -- recovery --------------------------------------------------------------------------

    def find(self, urls: Sequence[str]) -> list[Lease | Candidate | None]:
        return [self._find(url, key) for url, key in self._with_keys(urls)]

    def _with_keys(self, urls: Sequence[str]) -> Iterable[tuple[str, int]]:
        return zip(urls, self._keys.many(map(pack, urls)), strict=True)

    def _find(self, url: str, key: int) -> Lease | Candidate | None:
        out = self._leases.by_key(key)
        if out is not None and out.lease.url == url:
            return out.lease
        found = self._waiting.find(key)
        if found is None or unpack(found[1].url) != url:
            return None
        host = self._hosts.by_id(found[0])
        return None if host.closed is not None else found[1].candidate(host.name)

    def finish(self, url: str, *, reason: str) -> bool:
        ((_, key),) = self._with_keys([url])
        out = self._leases.by_key(key)
        if out is not None and out.lease.url == url:
            self._waiting.delete(self._end(out, reason))
            return True
        found = self._waiting.find(key)
        if found is None or out is not None or unpack(found[1].url) != url:
            return False
        host = self._hosts.by_id(found[0])
        self._waiting.hide(host, found[1])
        self._waiting.delete([key])
        if host.closed is None:
            host.pending -= 1
            self._totals.pending -= 1
        else:
            host.undrained -= 1
            self._totals.end(host.closed, -1)
        self._walk.count_ending(host, reason)
        return True

    # -- hosts -----------------------------------------------------------------------------

    def set_robots(self, token: int, *, robots: str, delay_s: float | None, now: float) -> bool:
        self._writable()
        out = self._leases.get(token)
        if out is None or out.row is not None:
            return False
        host = out.host
        host.robots_time = now
        host.robots_tries = 0
        self._database.run(
            "INSERT OR REPLACE INTO robots (host, text) VALUES (?, ?)", (host.id, pack(robots))
        )
        current = self.options.delay_s if host.delay_s is None else host.delay_s
        if delay_s is not None and delay_s > current:
            host.delay_s = delay_s
            host.next_time = max(host.next_time, out.leased_at + delay_s)
        self._walk.end_robots(out)
        return True

    def host(self, host: str) -> HostState | None:
        record = self._hosts.get(host)
        return None if record is None else self._state(record)

    def hosts(self) -> Iterator[HostState]:
        return map(self._state, self._hosts.all())

    def _state(self, record: HostRecord) -> HostState:
        return record.state(self.options, self._hosts.robots(record))

    def set_host(
        self,
        host: str,
        *,
        delay_s: float | None = None,
        concurrency: int | None = None,
        not_before: float | None = None,
    ) -> None:
        self._writable()
        record = self._hosts.get(host) or self._add_host(host)
        if delay_s is not None:
            record.delay_s = delay_s
        if concurrency is not None:
            record.concurrency = concurrency
        if not_before is not None:
            record.next_time = max(record.next_time, not_before)
        self._hosts.touch(record)
        self._walk.arm(record)

    def close_host(self, host: str, *, reason: str) -> Iterator[Candidate]:
        self._writable()
        record = self._hosts.get(host) or self._add_host(host)
        self._walk.close(record, reason)
        return (candidate for candidate, _ in self._drain(record))

    def drain_closed(self) -> Iterator[tuple[Candidate, str]]:
        self._writable()
        while (record := self._hosts.undrained()) is not None:
            yield from self._drain(record)

    def _drain(self, host: HostRecord) -> Iterator[tuple[Candidate, str]]:
        """List what waited when the host closed; each row goes just before it is yielded."""
        assert host.closed is not None
        while host.undrained and (rows := self._waiting.first(host)):
            for row in rows:
                if self._waiting.remove(row.key):
                    host.undrained -= 1
                    self._hosts.touch(host)
                    yield row.candidate(host.name), host.closed

    # -- the rest --------------------------------------------------------------------------

    def claim(self, namespace: str, digest: bytes, owner: str) -> str:
        values = (namespace, digest, pack(owner))
        if self._database.run("INSERT OR IGNORE INTO claim VALUES (?, ?, ?)", values) == 1:
            return owner
        row = self._database.row(
            "SELECT owner FROM claim WHERE namespace = ? AND digest = ?", values[:2]
        )
        assert row is not None
        return unpack(row[0])

    def counts(self) -> FrontierCounts:
        if self._database.readonly:
            return Totals.load(self._database).counts()
        self._totals.leased = len(self._leases)
        return self._totals.counts()

    def commit(self) -> None:
        self._save()
        self._database.commit()
        self._hosts.evict()

    def checkpoint(self) -> None:
        self._save()
        self._database.checkpoint()

    def close(self) -> None:
        if self._database.closed:
            return
        if not self._database.readonly:
            self.release(self._leases.tokens())
            self._save()
        self._database.close()

    def _save(self) -> None:
        self._writable()
        self._totals.leased = len(self._leases)
        self._hosts.flush()
        self._totals.save(self._database)

    def _writable(self) -> None:
        self._database.usable()
        if self._database.readonly:
            raise FrontierError("opened for reading only", where=self._database.path)
