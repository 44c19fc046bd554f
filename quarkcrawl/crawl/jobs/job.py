"""A job in its folder: what waits, what is out, and group commits of what is done.

Items of requests that are done are written to the feeds, the feeds are synced, and then one
transaction takes the requests out of the file and enters those that they gave, their fingerprints,
the offsets of the feeds and ``spider.state``. What a process had not committed when it died waits
again, and the feeds are cut back to the same moment.
"""

from __future__ import annotations

import logging
import time
from copy import copy
from hashlib import sha1
from typing import TYPE_CHECKING, Final

import orjson
from itemadapter import ItemAdapter

from quarkcrawl.crawl.jobs.jobfile import JOB_FILE, Commit, JobFile, UndurableRequest
from quarkcrawl.crawl.jobs.opened import OpenRequest
from quarkcrawl.crawl.jobs.requests import NotStorableError, RequestCodec
from quarkcrawl.crawl.jobs.values import OddValueError
from quarkcrawl.crawl.jobs.waiting import OLDEST_FIRST, WaitingRequest, WaitingRequests
from quarkcrawl.store import CorpusLock, make_folder, storage_errors

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from scrapy import Request, Spider
    from scrapy.utils.request import RequestFingerprinterProtocol

    from quarkcrawl.crawl.jobs.feeds import JobFeeds
    from quarkcrawl.crawl.jobs.opened import OpenRequests

logger = logging.getLogger(__name__)

GROUP_AGE_S: Final = 0.5
GROUP_SIZE: Final = 200
MOST_PRIORITY: Final = 1 << 62
HELD_ITEMS: Final = 10_000
"""Items of one callback that wait for its end; a longer one's are written before."""


class SpiderJob:
    """The job of one spider.

    Args:
        folder: where its files are; it is locked for this process.
        spider: whose requests and state are kept.
        fingerprinter: that of the crawler.
        feeds: where items go; None: nowhere.
        is_first_in: whether of requests of one priority the oldest comes first.
        refuses: whether requests that JSON cannot say are refused.

    Raises:
        CorpusLockedError: another process works on the job.
        QuarkError: its files cannot be used.
    """

    def __init__(
        self,
        folder: Path,
        spider: Spider,
        fingerprinter: RequestFingerprinterProtocol,
        feeds: JobFeeds | None = None,
        *,
        is_first_in: bool = False,
        refuses: bool = False,
    ) -> None:
        with storage_errors(folder):
            make_folder(folder)
        self._lock = CorpusLock(folder)
        self._spider = spider
        self._fingerprint = fingerprinter.fingerprint
        self._feeds = feeds
        self._is_first_in = is_first_in
        self._refuses = refuses
        self._is_state_odd = False
        self.codec = RequestCodec(spider, trusted=True)
        try:
            self._file = _unfinished_file(folder)
            self._resume(folder)
        except BaseException:
            self._lock.release()
            raise

    def _resume(self, folder: Path) -> None:
        file = self._file
        self.n_dropped = file.drop_provisional()
        self.newly_lost = file.note_lost()
        self._started = file.started()
        next_number = file.next_number()
        self.is_resumed = next_number is not None
        self._next_number = next_number or 1
        self._n_done = int(file.value("done") or 0)
        state = file.value("state")
        self._state = state if isinstance(state, bytes) else b""
        self._spider.state = (  # type: ignore[attr-defined]
            self.codec.values.decode(orjson.loads(self._state)) if self._state else {}
        )
        if self._feeds is not None:
            self._feeds.restore(file.feed_states(), self._commit_feeds, folder=folder)
        self.waiting = WaitingRequests(
            file.waiting_slots(), read=self._read_slot, spilled=self._forget
        )
        # What was not written to the file yet.
        self._new_requests: dict[int, WaitingRequest] = {}
        self._new_seen: dict[bytes, int] = {}
        self._new_undurable: list[UndurableRequest] = []
        self._new_started: list[bytes] = []
        # Outputs of start() that only the memory has: taken when they are done, not before.
        self._undurable_starts: dict[int, bytes] = {}
        # Fingerprints that are written when the request of that number is done, not before.
        self._claimed: dict[bytes, int] = {}
        self._claims: dict[int, list[bytes]] = {}
        # Redirects and retries that only the memory has: the file has what they replace.
        self._put_back_in_memory: set[int] = set()
        # Waiting requests that are in memory, those of parents that are not done.
        self._provisional: dict[int, WaitingRequest] = {}
        self._done: list[OpenRequest] = []
        self._n_done_items = 0
        self._firm: set[int] = set()
        self._unreadable: set[int] = set()
        self._last_commit = time.monotonic()

    # -- what start() gives --------------------------------------------------------------------

    def take_start(self, fingerprint: bytes) -> bool:
        """Whether an output of ``start()`` is new; one that an earlier run took is counted off."""
        left = self._started.get(fingerprint)
        if left is None:
            return True
        if left == 1:
            del self._started[fingerprint]
        else:
            self._started[fingerprint] = left - 1
        return False

    def request_fingerprint(self, request: Request) -> bytes:
        """By which a request is known."""
        return self._fingerprint(request)

    def item_fingerprint(self, item: object) -> bytes:
        """By which an item of ``start()`` is known."""
        try:
            said = orjson.dumps(self.codec.values.encode(ItemAdapter(item).asdict()))
        except (OddValueError, TypeError, RecursionError):
            said = repr(item).encode(errors="surrogatepass")
        return sha1(said, usedforsecurity=False).digest()

    # -- waiting requests ----------------------------------------------------------------------

    def is_duplicate(self, fingerprint: bytes, parent: OpenRequest | None) -> bool:
        """Whether the job has a request of this fingerprint.

        If that one waits for a parent that is not done, it waits for this one as well: the first
        to be done lets it go.
        """
        earlier = self._new_seen.get(fingerprint)
        if earlier is None:
            earlier = self._claimed.get(fingerprint)
        if earlier is None:
            earlier = self._file.seen_number(fingerprint)
        if earlier is None:
            return False
        self._join(earlier, parent)
        return True

    def _claim(self, fingerprint: bytes, number: int) -> None:
        """Note a fingerprint that goes with a request until that is done.

        If the process dies before, the fingerprint is free again: where the request leads to, or
        a request that only the memory had, can be met again.
        """
        self._claimed[fingerprint] = number
        self._claims.setdefault(number, []).append(fingerprint)

    def _join(self, number: int, parent: OpenRequest | None) -> None:
        """A request is given once more, by another parent."""
        opened = self._opened.get(number)
        if opened is not None:
            first = opened.living_parent()
        elif (entry := self._provisional.get(number)) is not None:
            first = entry.parent
        else:
            first_number = self._file.parent_of(number) if self._has_written_children() else None
            first = None if first_number is None else self._opened.get(first_number)
        if first is None or first.is_done or first is parent:
            return
        if parent is None:
            self._let_go(number)
        else:
            parent.joined.append(number)

    def _has_written_children(self) -> bool:
        return any(opened.has_written_children for opened in self._opened)

    def _let_go(self, number: int) -> None:
        """A request need not wait for its parent any more: another one that gave it is done."""
        self._firm.add(number)
        if (entry := self._provisional.pop(number, None)) is not None:
            entry.parent = None
        if (opened := self._opened.get(number)) is not None:
            self.note_done(self._opened.let_go(opened))

    def add(
        self,
        request: Request,
        slot: str,
        *,
        fingerprint: bytes | None = None,
        parent: OpenRequest | None = None,
        started: bytes | None = None,
    ) -> NotStorableError | None:
        """Let a request wait; what is returned says why only the memory has it.

        ``started`` is the fingerprint of one that ``start()`` gave.

        Raises:
            NotStorableError: the same, where the job refuses such requests.
        """
        number = self._next_number
        self._next_number += 1
        own_rank = OLDEST_FIRST + number if self._is_first_in else -number
        rank = own_rank if started is None else number
        row, fault = b"", None
        try:
            row = self.codec.encode(request)
        except NotStorableError as error:
            if self._refuses:
                raise
            fault = error
            if started is not None:
                self._undurable_starts[number] = started
            else:
                self._new_undurable.append(
                    UndurableRequest(number, request.method, request.url, error.attribute)
                )
        else:
            if started is not None:
                self.note_started(started)
        entry = WaitingRequest(number, slot, _stored_priority(request), rank, row, request, parent)
        self._enter(entry, fingerprint)
        return fault

    def put_back(
        self, opened: OpenRequest, request: Request, slot: str, fingerprint: bytes | None
    ) -> None:
        """Let a redirect or a retry wait in the place of an open request."""
        number, rank, parent = opened.number, opened.rank, opened.living_parent()
        try:
            row = self.codec.encode(request)
        except NotStorableError:
            row = b""  # after a crash the request begins anew
            self._put_back_in_memory.add(number)
        entry = WaitingRequest(number, slot, _stored_priority(request), rank, row, request, parent)
        self._enter(entry, fingerprint)

    def _enter(self, entry: WaitingRequest, fingerprint: bytes | None) -> None:
        if entry.row:
            self._new_requests[entry.number] = entry
        if fingerprint is not None and entry.row:
            self._new_seen[fingerprint] = entry.number
        elif fingerprint is not None:
            self._claim(fingerprint, entry.number)
        if entry.parent is not None:
            self._provisional[entry.number] = entry
        self.waiting.push(entry)

    def note_started(self, fingerprint: bytes) -> None:
        """An output of ``start()`` was taken: it is not taken again after a crash."""
        self._new_started.append(fingerprint)

    def pop(self) -> OpenRequest | None:
        """Take the next request out.

        Raises:
            StoredRequestError: its row cannot be read, perhaps since a callback has another name
                now. It stays in the file for the next run, and the job is not finished.
        """
        entry = self.waiting.pop()
        if entry is None:
            return None
        self._provisional.pop(entry.number, None)
        self._put_back_in_memory.discard(entry.number)
        parent = None if entry.number in self._firm else entry.parent
        if entry.request is None:
            try:
                request = self.codec.decode(entry.row)
            except BaseException:
                self.waiting.ended(entry.slot)
                self._unreadable.add(entry.number)
                raise
        else:
            request = entry.request
        return OpenRequest(entry.number, request, parent, entry.slot, entry.rank)

    def bind(self, opened: OpenRequests) -> None:
        """Tell the job where open requests are."""
        self._opened = opened

    def _read_slot(self, slot: str, limit: int) -> list[WaitingRequest]:
        """Next requests of a slot that are in the file only; none of its others is in memory."""
        self._flush()
        out = {opened.number for opened in self._opened} | {each.number for each in self._done}
        out |= self._unreadable | self._put_back_in_memory
        rows = self._file.read_slot(slot, limit + len(out))
        entries: list[WaitingRequest] = []
        for entry, parent_number in rows:
            if entry.number in out:
                continue
            if parent_number is not None and entry.number not in self._firm:
                entry.parent = self._opened.get(parent_number)
                if entry.parent is not None:
                    self._provisional[entry.number] = entry
            entries.append(entry)
        return entries[:limit]

    def _forget(self, entries: Iterable[WaitingRequest]) -> None:
        """Requests are in the file only from now on; the unwritten ones will be."""
        for entry in entries:
            entry.request = None
            if entry.number not in self._new_requests:
                self._provisional.pop(entry.number, None)

    # -- group commits -------------------------------------------------------------------------

    def note_item(self, opened: OpenRequest | None, item: object) -> None:
        """An item has come through the pipelines."""
        if self._feeds is None:
            return
        item = copy(item)  # a callback may go on to fill the same one
        if opened is None or opened.is_done:
            opened = OpenRequest(0, None, items=[item], is_done=True)
            self.note_done([opened])
            return
        opened.items.append(item)
        if len(opened.items) > HELD_ITEMS:
            if not opened.wrote_early:
                opened.wrote_early = True
                logger.warning(
                    "one callback gives more than %d items: they are written before it ends, and "
                    "may be written again if the process dies in it (%s)",
                    HELD_ITEMS,
                    opened.request,
                )
            early = OpenRequest(0, None, items=opened.items, is_done=True)
            opened.items = []
            self.note_done([early])

    def note_done(self, done: Iterable[OpenRequest]) -> None:
        """These requests are done, each after its parent."""
        for opened in done:
            self._done.append(opened)
            self._n_done_items += len(opened.items)
            for number in opened.joined:
                self._let_go(number)

    @property
    def is_group_due(self) -> bool:
        """Whether a commit is worth its price now."""
        if len(self._done) >= GROUP_SIZE or self._n_done_items >= HELD_ITEMS:
            return True
        is_dirty = bool(self._done or self._new_requests or self._new_started)
        return is_dirty and time.monotonic() - self._last_commit >= GROUP_AGE_S

    def commit(self) -> None:
        """Make everything that is done durable.

        Raises:
            QuarkError: a file cannot be written; the job is as it was at the last commit.
        """
        done, self._done, self._n_done_items = self._done, [], 0
        feed_states: Mapping[str, str] = {}
        if self._feeds is not None:
            if items := [item for opened in done for item in opened.items]:
                self._feeds.write(items)
            feed_states = self._feeds.sync()
        numbers = [opened.number for opened in done if opened.number]
        for number in numbers:
            self._new_requests.pop(number, None)  # it came and went
            self._firm.discard(number)
            if (started := self._undurable_starts.pop(number, None)) is not None:
                self._new_started.append(started)
            for fingerprint in self._claims.pop(number, ()):
                self._new_seen[fingerprint] = self._claimed.pop(fingerprint)
        self._new_started += [opened.started for opened in done if opened.started]
        self._n_done += len(numbers)
        self._flush(is_commit=True)
        self._file.commit_group(
            Commit(
                done=numbers,
                parents=[opened.number for opened in done if opened.has_written_children],
                firm=list(self._firm),
                feeds=feed_states,
                state=self._changed_state(),
                n_done=self._n_done,
            )
        )
        self._last_commit = time.monotonic()

    def _flush(self, *, is_commit: bool = False) -> None:
        """Write what is new into the open transaction.

        A request whose parent is done, but not committed, still waits for it: should the process
        die between, the parent gives it again.
        """
        uncommitted = {opened.number for opened in self._done}
        entries = list(self._new_requests.values())
        for entry in entries:
            parent = entry.parent
            if parent is None:
                continue
            if parent.is_done and (is_commit or parent.number not in uncommitted):
                entry.parent = None
                self._provisional.pop(entry.number, None)
            else:
                parent.has_written_children = True
                if entry.request is None:  # spilled: the file knows its parent now
                    self._provisional.pop(entry.number, None)
        # With each transaction that may be committed, also by a feed: a number is given once only.
        self._file.set_value("next_number", self._next_number)
        self._file.write_requests(entries)
        self._file.write_seen(self._new_seen.items())
        self._file.write_undurable(self._new_undurable)
        self._file.add_started(self._new_started)
        self._new_requests.clear()
        self._new_seen.clear()
        self._new_undurable.clear()
        self._new_started.clear()

    def _commit_feeds(self, states: Mapping[str, str]) -> None:
        self._file.commit_feeds(states)

    def _changed_state(self) -> bytes | None:
        """``spider.state`` as JSON, if it has changed."""
        state = getattr(self._spider, "state", None)
        try:
            said = orjson.dumps(self.codec.values.encode(state))
        except (OddValueError, TypeError, RecursionError) as error:
            if not self._is_state_odd:
                self._is_state_odd = True
                logger.warning("spider.state is not kept as it is: %s", error)
            return None
        if said == self._state or (not self._state and not state):
            return None
        self._state = said
        return said

    async def close(self, *, is_finished: bool) -> None:
        """Commit, end the feeds, close the files.

        Raises:
            QuarkError: a file cannot be written.
        """
        try:
            self.commit()
            is_finished = is_finished and not self._unreadable
            if self._feeds is not None:
                await self._feeds.close(finished=is_finished)
            if is_finished:
                self._file.set_value("finished", 1)
            self._file.close()
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Close the files without a commit."""
        self._file.abandon()
        self._lock.release()

    def n_lost(self) -> int:
        """How many requests were lost in all runs, since only a memory had them."""
        return self._file.lost()


def _stored_priority(request: Request) -> int:
    """The priority, within what SQLite can hold."""
    return max(-MOST_PRIORITY, min(request.priority, MOST_PRIORITY))


def _unfinished_file(folder: Path) -> JobFile:
    """The file of the job in a folder; a new one if the last job there has finished."""
    path = folder / JOB_FILE
    file = JobFile(path)
    if file.value("finished") is None:
        return file
    file.abandon()
    for each in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))):
        each.unlink(missing_ok=True)
    return JobFile(path)
