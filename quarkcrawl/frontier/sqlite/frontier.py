"""The frontier in one SQLite file, for one worker process: breadth first, as for CWT200g (3.4)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.errors import FrontierError
from quarkcrawl.frontier.clock import steady_time
from quarkcrawl.frontier.keys import UrlKeys, pack
from quarkcrawl.frontier.offered import OfferedLinks
from quarkcrawl.frontier.protocol import Frontier, FrontierOptions
from quarkcrawl.frontier.slots import AddressSlots
from quarkcrawl.frontier.sqlite.database import Database, Totals, WaitingRow
from quarkcrawl.frontier.sqlite.hosts import HostTable
from quarkcrawl.frontier.sqlite.leases import Leases
from quarkcrawl.frontier.sqlite.queue import Queue

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from quarkcrawl.frontier.protocol import (
        Candidate,
        Ending,
        FrontierCounts,
        HostChange,
        HostState,
        Lease,
        RetryOutcome,
    )
    from quarkcrawl.frontier.sqlite.hosts import HostRecord


DRAINED_ROWS: Final = 200


class SqliteFrontier(Frontier):
    """`quarkcrawl.frontier.Frontier` in one file; see there for every method.

    Nothing is durable before `commit`: after a killed process the file holds the state of the
    last one, and what was out on lease then waits again, untried. An error of the storage closes
    the frontier; opening it again gives the last commit as well.

    Args:
        path: the file; created when absent.
        options: rules of the campaign; None: those the file was last opened with.
        readonly: look only (`counts`, `host`, `hosts`, `find`, `unseen`), also while another
            process writes. It sees the last commit, in which leased URLs appear as waiting.

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
        self.options = options or database.load("options", FrontierOptions)
        secret, opening = self._identify()
        self._keys = UrlKeys(secret)
        self._offered = OfferedLinks()
        self._slots = AddressSlots(self.options.address_concurrency)
        self._totals = totals = database.load("totals", Totals)
        self._hosts = HostTable(database, totals.hosts + 1)
        self._queue = Queue(database)
        self._leases = Leases(self.options, self._hosts, self._queue, totals, opening)
        if not database.readonly:
            database.save("options", self.options)
            self._follow_clock()
            self._recover()
            self.commit()

    def _identify(self) -> tuple[bytes, int]:
        """The file's secret and the number of this opening."""
        database = self._database
        sql = "SELECT name, value FROM meta WHERE name IN ('secret', 'opening')"
        meta: dict[str, Any] = dict(database.rows(sql))
        opening = meta.get("opening", 0) + 1
        secret: bytes = meta.get("secret") or os.urandom(16)
        if not database.readonly:
            values = [("secret", secret), ("opening", opening)]
            database.many("INSERT OR REPLACE INTO meta VALUES (?, ?)", values)
        return secret, opening

    def _follow_clock(self) -> None:
        """Where the clock was set back since the last commit, set back what is due later, too.

        Otherwise all hosts would be left alone until it has caught up.
        """
        back_s = self._totals.saved_at - steady_time()
        if back_s > 0:
            run = self._database.run
            run("UPDATE host SET next_time = next_time - ? WHERE next_time > 0", (back_s,))
            run("UPDATE host SET robots_time = robots_time - ?", (back_s,))
            run("UPDATE waiting SET not_before = not_before - ? WHERE not_before > 0", (back_s,))

    def _recover(self) -> None:
        """Let what was out at the last commit wait again, and set up the timetable."""
        for host in self._hosts.at_work():
            self._leases.recall(host)
            if host.leased:
                host.pending += host.leased
                self._totals.pending += host.leased
                host.leased = 0
                host.complete = False
                self._hosts.touch(host)
                if host.closed is not None:
                    self._leases.close_host(host, host.closed)
            self._hosts.arm(host)

    # -- URLs ------------------------------------------------------------------------------

    def push(self, candidates: Sequence[Candidate]) -> list[bool]:
        """Offer URLs in one batch; True where the URL is new and now waits."""
        self._writable()
        keys = self._keys.many([candidate.url for candidate in candidates])
        names = dict.fromkeys(candidate.host for candidate in candidates)
        hosts = {name: self._hosts.get(name) for name in names}
        closed = {name for name, host in hosts.items() if host is not None and host.closed}
        offered = [at for at, candidate in enumerate(candidates) if candidate.host not in closed]
        new = self._mark_seen([keys[at] for at in offered])
        accepted = [False] * len(candidates)
        rows: list[tuple[HostRecord, WaitingRow]] = []
        for at in offered:
            if keys[at] in new:
                new.discard(keys[at])
                accepted[at] = True
                name = candidates[at].host
                host = hosts[name] = hosts[name] or self._add_host(name)
                rows.append((host, self._admit(host, candidates[at], keys[at])))
        self._queue.add(rows)
        for at in offered:
            if not accepted[at] and (queued_host := hosts[candidates[at].host]) is not None:
                self._queue.lower(queued_host, candidates[at], keys[at])
        for queued_host in hosts.values():
            if queued_host is not None:
                self._hosts.arm(queued_host)
        return accepted

    def _admit(self, host: HostRecord, candidate: Candidate, key: int) -> WaitingRow:
        """Count a new URL and make its row."""
        level = candidate.level
        if level > host.max_level or host.idle:
            host.max_level = level
        host.pending += 1
        self._hosts.touch(host)
        totals = self._totals
        totals.pending += 1
        totals.next_seq += 1
        return WaitingRow(
            level, 0, totals.next_seq, key, candidate.url, candidate.origin, candidate.hops, 0
        )

    def _add_host(self, name: str) -> HostRecord:
        self._totals.hosts += 1
        self._totals.hosts_open += 1
        return self._hosts.add(name)

    def unoffered(self, urls: Iterable[str], *, host: str, level: int) -> list[str]:
        """Those that this run has not offered lately; they count as offered now."""
        return self._offered.sift(urls, host, level)

    def mark_seen(self, urls: Sequence[str]) -> list[bool]:
        """Mark URLs as seen without queueing them; True where they were new."""
        self._writable()
        keys = self._keys.many(urls)
        new = self._mark_seen(keys)
        first: list[bool] = []
        for key in keys:
            first.append(key in new)
            new.discard(key)
        return first

    def _mark_seen(self, keys: list[int]) -> set[int]:
        """Enter keys as seen and return those that were new."""
        new = self._queue.mark_seen(keys)
        self._totals.seen += len(new)
        return new

    def revive(self, endings: Sequence[tuple[Candidate, str]]) -> list[bool]:
        """Let URLs that ended without a page wait again; True where one does now."""
        self._writable()
        keys = self._keys.many([candidate.url for candidate, _ in endings])
        return [
            self._revive(key, candidate, reason)
            for key, (candidate, reason) in zip(keys, endings, strict=True)
        ]

    def _revive(self, key: int, candidate: Candidate, reason: str) -> bool:
        host = self._hosts.get(candidate.host) or self._add_host(candidate.host)
        if host.closed is not None and not self._leases.open_host(host, reason):
            return False
        if self._leases.of_key(key) is not None or self._queue.find(key) is not None:
            return False
        is_known = not self._mark_seen([key])
        if is_known and self._totals.ended.get(reason):
            self._totals.end(reason, -1)
        self._queue.add([(host, self._admit(host, candidate, key))])
        self._hosts.arm(host)
        return True

    def reopen(self, reason: str) -> int:
        """Open all hosts that were closed for a reason; returns how many.

        Args:
            reason: reason code with which they were closed.
        """
        self._writable()
        names = [state.host for state in self.hosts() if state.closed == reason]
        records = map(self._hosts.get, names)
        return sum(self._leases.open_host(host, reason) for host in records if host is not None)

    def unseen(self, urls: Sequence[str]) -> list[bool]:
        """Whether each URL was never offered, as of the last commit; nothing is entered.

        Args:
            urls: canonical URLs.
        """
        keys = self._keys.many(urls)
        unseen = self._queue.unseen(keys)
        return [key in unseen for key in keys]

    def find(self, urls: Sequence[str]) -> list[Lease | Candidate | None]:
        """For each URL: its lease, its waiting entry, or None if unknown or ended."""
        return list(map(self._find, urls, self._keys.many(urls)))

    # The stored text, not the key, decides whether this URL is meant.

    def _find(self, url: str, key: int) -> Lease | Candidate | None:
        out = self._leases.of_key(key)
        if out is not None:
            return out.lease if out.lease.url == url else None
        entry = self._queue.find(key)
        if entry is None or entry[1].url != url:
            return None
        host = self._hosts.by_id(entry[0])
        return None if host.closed is not None else entry[1].candidate(host.name)

    def finish(self, url: str, *, reason: str) -> bool:
        """End a waiting or leased URL by name."""
        self._writable()
        (key,) = self._keys.many([url])
        out = self._leases.of_key(key)
        if out is None:
            return self._finish_waiting(url, key, reason)
        if out.lease.url != url:
            return False
        self._leases.finish(out, reason)
        return True

    def _finish_waiting(self, url: str, key: int, reason: str) -> bool:
        entry = self._queue.find(key)
        if entry is None or entry[1].url != url:
            return False
        host = self._hosts.by_id(entry[0])
        self._queue.hide(host, entry[1])
        self._queue.delete([key])
        if host.closed is None:
            host.pending -= 1
            self._totals.pending -= 1
        else:
            # It ended with its host but was not listed yet: the page on disk tells better.
            host.undrained -= 1
            self._totals.end(host.closed, -1)
        self._leases.count_ending(host, reason)
        return True

    def claim(self, namespace: str, digest: bytes, owner: str) -> str:
        """First come, first served: returns the owner of ``digest``."""
        self._writable()
        values = (namespace, digest, pack(owner))
        if self._database.run("INSERT OR IGNORE INTO claim VALUES (?, ?, ?)", values) == 1:
            return owner
        sql = "SELECT owner FROM claim WHERE namespace = ? AND digest = ?"
        row = self._database.row(sql, values[:2])
        assert row is not None
        return self._database.text(row[0])

    def waiting(self) -> Iterator[tuple[Candidate, int, str]]:
        """Every URL that waits (or is out: a file does not tell), and its tries so far."""
        for host in self._hosts.all():
            if host.closed is None:
                for row in self._queue.first(host, host.pending):
                    yield row.candidate(host.name), row.tries, "waiting"

    # -- leases ----------------------------------------------------------------------------

    def lease(self, limit: int, *, now: float) -> list[Lease]:
        """Hand out up to ``limit`` URLs of hosts whose time has come."""
        self._writable()
        return self._leases.take(limit, now)

    def next_ready(self, *, now: float) -> float | None:  # noqa: ARG002 (the twin needs it)
        """Earliest time at which `lease` can return something; None if nothing waits."""
        self._writable()
        return self._leases.next_ready()

    def fetched(self, tokens: Iterable[int], *, now: float) -> None:
        """Say that bodies are here, and that their pages are being analyzed."""
        self._writable()
        self._leases.fetched(tokens, now)

    def settle(self, tokens: Iterable[int]) -> None:
        """Say that a fetch is over and its links are pushed, before the page is durable."""
        self._writable()
        self._leases.settle(tokens)

    def acknowledge(self, endings: Sequence[Ending]) -> list[bool]:
        """End leases for good; False where the token is not valid."""
        self._writable()
        return self._leases.acknowledge(endings)

    def retry(self, token: int, *, reason: str, not_before: float) -> RetryOutcome:
        """Give a lease back after a failed try."""
        self._writable()
        return self._leases.retry(token, reason, not_before)

    def release(self, tokens: Iterable[int]) -> int:
        """Give leases back untried; returns how many were still valid."""
        self._writable()
        return self._leases.release(tokens)

    def reap(self, *, now: float) -> int:
        """Give back every lease whose deadline has passed, counted as a try."""
        self._writable()
        return self._leases.reap(now)

    def set_robots(self, token: int, *, robots: str, delay_s: float | None, now: float) -> bool:
        """End a robots lease: keep the text and raise the host's delay if asked."""
        self._writable()
        return self._leases.set_robots(token, robots, delay_s, now)

    async def enter_address(self, token: int, address: str, *, hold_s: float) -> float | None:  # noqa: ARG002
        """Let a request to an address begin, if fewer than may be out are."""
        return self._slots.enter(token, address, now=steady_time())

    def leave_address(self, token: int, address: str, *, hold_s: float) -> None:  # noqa: ARG002
        """A request to an address is over."""
        self._slots.leave(token, address, now=steady_time())

    # -- hosts -----------------------------------------------------------------------------

    def host(self, host: str) -> HostState | None:
        """State of one host."""
        record = self._hosts.get(host)
        return None if record is None else self._state(record)

    def hosts(self) -> Iterator[HostState]:
        """All hosts, in order of first sight."""
        return map(self._state, self._hosts.all())

    def _state(self, record: HostRecord) -> HostState:
        return record.state(self.options, self._hosts.robots(record))

    def _change_host(self, host: str, change: HostChange) -> None:
        """Change a host's politeness; a host never met before is entered."""
        self._writable()
        record = self._hosts.get(host) or self._add_host(host)
        if change.delay_s is not None:
            record.delay_s = change.delay_s
        if change.concurrency is not None:
            record.concurrency = change.concurrency
        if change.not_before is not None:
            record.next_time = max(record.next_time, change.not_before)
        self._hosts.touch(record)
        self._hosts.arm(record)

    def postpone(self, host: str, late_s: float) -> None:
        """Move a host's next time by the lateness of a request."""
        self._writable()
        record = self._hosts.get(host)
        if record is not None:
            self._leases.postpone(record, late_s)

    def close_host(self, host: str, *, reason: str) -> Iterator[Candidate]:
        """Close a host and yield the URLs that waited.

        A host never met before is entered as closed; one that is closed keeps its reason.
        """
        self._writable()
        record = self._hosts.get(host) or self._add_host(host)
        self._leases.close_host(record, reason)
        return (candidate for candidate, _ in self._drain(record))

    def drain_closed(self) -> Iterator[tuple[Candidate, str]]:
        """Yield each URL that waited when its host was closed, with the reason, once."""
        self._writable()
        while (record := self._hosts.undrained()) is not None:
            yield from self._drain(record)

    def _drain(self, host: HostRecord) -> Iterator[tuple[Candidate, str]]:
        """List what waited when the host closed; each row goes just before it is yielded."""
        assert host.closed is not None
        last_key: int | None = None
        while host.undrained > 0:
            rows = self._queue.first(host, DRAINED_ROWS)
            if not rows or rows[0].key == last_key:
                message = f"damaged: {host.undrained} URLs of a closed host cannot be listed"
                raise FrontierError(message, where=self._database.path)
            last_key = rows[0].key
            for row in rows:
                if self._queue.remove(row.key):
                    host.undrained -= 1
                    self._hosts.touch(host)
                    yield row.candidate(host.name), host.closed

    # -- the file --------------------------------------------------------------------------

    def counts(self) -> FrontierCounts:
        """Totals for reports and for progress."""
        if self._database.readonly:
            return self._database.load("totals", Totals).counts()
        self._writable()
        self._totals.leased = len(self._leases)
        return self._totals.counts()

    def commit(self) -> None:
        """Make everything so far survive a killed process."""
        self._save()
        self._database.commit()
        self._hosts.evict()

    def checkpoint(self) -> None:
        """Make everything so far survive a power cut."""
        self._save()
        self._database.checkpoint()

    def close(self) -> None:
        """Release the leases, commit and close; safe to call twice."""
        if not self._database.closed and not self._database.readonly:
            self._leases.release()
            self._save()
        self._database.close()

    def _save(self) -> None:
        self._writable()
        self._totals.leased = len(self._leases)
        self._totals.saved_at = steady_time()
        self._hosts.flush()
        self._database.save("totals", self._totals)

    def _writable(self) -> None:
        self._database.usable()
        if self._database.readonly:
            raise FrontierError("opened for reading only", where=self._database.path)
