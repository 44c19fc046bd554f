"""Groups of requests that are done: on disk first, then on the server, all of a group or none.

1. What the requests gave is on its servers.
2. Their items are written to the feeds, which are synced; the worker's file notes the group.
3. The server ends their leases and notes the number of the group, at once; or it refuses, since
   one of the leases ran out and somebody else has the request. Then the feeds are cut back, and
   what is left is a new group.

A process that dies between 2 and 3, or does not hear of 3, finds out when it is started again: the
group counts if the server knows its number. If not, the feeds are cut back, and its requests are
out or with others. Who was begun later refuses the groups of who was begun before.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final

import orjson

from quarkcrawl.crawl.jobs.shared.workerfile import WorkerFile, WrittenGroup
from quarkcrawl.crawl.jobs.values import OddValueError
from quarkcrawl.errors import FrontierError
from quarkcrawl.frontier import Ending, EndingGroup

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from quarkcrawl.crawl.jobs.feeds import JobFeeds
    from quarkcrawl.crawl.jobs.values import ValueCodec
    from quarkcrawl.frontier import CollectingFrontier, SharedFrontier

_MOST_IN_GROUP: Final = 1000


class DoneRequest:
    """A request that is done: the token of its lease (0: none), how it ended, and its items.

    What ``start()`` gives has a mark instead, since one worker of all is to write it.
    """

    __slots__ = ("items", "mark", "reason", "token")

    def __init__(self, token: int, reason: str, items: list[object], mark: str = "") -> None:
        self.token = token
        self.reason = reason
        self.items = items
        self.mark = mark


class WorkerGroups:
    """Writes the groups of one worker.

    Args:
        folder: where its file is, and files of its feeds that wait for their storage.
        name: the same in every run.
        servers: the servers, before anything is collected.
        feeds: where items go; None: nowhere.
        values: what says ``spider.state`` as JSON.

    Attributes:
        state: ``spider.state`` as of the last group that counts.
        is_resumed: whether the worker was at work before.
        has_cut: whether its feeds were cut back, since the last group does not count.
        n_withdrawn: groups of this run that were cut off again.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        servers: SharedFrontier,
        feeds: JobFeeds | None,
        values: ValueCodec,
    ) -> None:
        self._folder = folder
        self._name = name
        self._feeds = feeds
        self._values = values
        self._run = secrets.token_hex(8)
        self.n_withdrawn = 0
        self.file = WorkerFile(folder / "worker.db")
        try:
            self._resume(servers)
        except BaseException:
            self.file.abandon()
            raise

    def _resume(self, servers: SharedFrontier) -> None:
        campaign = "".join(part.server.secret.hex()[:8] for part in servers.parts)
        stored = self.file.value("campaign")
        self.is_resumed = stored is not None
        if stored not in {None, campaign}:
            message = (
                f"belongs to another crawl than that at {servers.address} (was the server "
                "emptied?); remove the folder if its feeds are kept, or name another #NAME"
            )
            raise FrontierError(message, where=self._folder)
        self.file.set_value("campaign", campaign)
        last = servers.begin_run(self._name, self._run)
        self._number = max(last)
        written = self.file.written()
        self.has_cut = False
        if written is not None:
            counts = written.server < len(last) and last[written.server] >= written.number
            self.has_cut = not counts
            self.file.end_group(counts=counts)
        self.file.commit()
        self._restore_feeds()
        state = self.file.value("state")
        self._state = state if isinstance(state, bytes) else b""
        self.state: dict[str, object] = (
            self._values.decode(orjson.loads(self._state)) if self._state else {}
        )

    def _restore_feeds(self) -> None:
        if self._feeds is not None:
            self._feeds.restore(self.file.feed_states(), self.file.announce, folder=self._folder)

    async def end(
        self,
        done: Sequence[DoneRequest],
        frontier: CollectingFrontier,
        state: Callable[[], object],
    ) -> None:
        """Make requests that are done durable, and end their leases.

        Args:
            done: in the order of the feeds.
            frontier: it collects.
            state: gives ``spider.state``.

        Raises:
            QuarkError: a file cannot be written, a server does not answer any more, or another
                process has taken over the worker.
        """
        await frontier.delivered()
        by_server: dict[int, list[DoneRequest]] = {}
        for one in done:
            number = frontier.server_of(one.token) if one.token else 0
            by_server.setdefault(number, []).append(one)
        for server, group in by_server.items():
            for start in range(0, len(group), _MOST_IN_GROUP):
                await self._end_group(
                    server, group[start : start + _MOST_IN_GROUP], frontier, state
                )

    async def _end_group(
        self,
        server: int,
        group: list[DoneRequest],
        frontier: CollectingFrontier,
        state: Callable[[], object],
    ) -> None:
        while group:
            self._number += 1
            said = self._changed_state(state())
            is_written = self._write(WrittenGroup(server, self._number), group, said)
            refused = await frontier.end_group(
                EndingGroup(
                    self._name,
                    self._run,
                    self._number,
                    [Ending(one.token, one.reason) for one in group if one.token],
                    [one.mark for one in group if one.mark],
                )
            )
            if refused is None:
                raise FrontierError("another process has taken over", where=self._folder)
            if not refused:
                if is_written:
                    self.file.end_group(counts=True)
                if said is not None:
                    self._state = said
                return
            self._withdraw(is_written=is_written)
            gone = frozenset(refused)
            group = [one for one in group if one.token not in gone and one.mark not in gone]

    def _write(self, number: WrittenGroup, group: list[DoneRequest], said: bytes | None) -> bool:
        """Write the items of a group; False if there was nothing to be noted in the file."""
        states = {}
        items = [item for one in group for item in one.items]
        if self._feeds is not None and items:
            self._feeds.write(items)
            states = dict(self._feeds.sync())
        if not states and said is None:
            return False
        self.file.write_group(number, states, said)
        return True

    def _withdraw(self, *, is_written: bool) -> None:
        """Cut off what was written for a group that does not count."""
        self.n_withdrawn += 1
        if is_written:
            self.file.end_group(counts=False)
            self._restore_feeds()

    def _changed_state(self, state: object) -> bytes | None:
        """``spider.state`` as JSON, if it has changed and can be said so."""
        if not state and not self._state:
            return None
        try:
            said = orjson.dumps(self._values.encode(state))
        except (OddValueError, TypeError, RecursionError):
            return None
        return None if said == self._state else said

    async def close(self, *, is_finished: bool) -> None:
        """End the feeds, close the file; everything that was written counts.

        Args:
            is_finished: nothing waits any more.
        """
        try:
            if self._feeds is not None:
                await self._feeds.close(finished=is_finished)
            self.file.close()
        finally:
            self.file.abandon()
