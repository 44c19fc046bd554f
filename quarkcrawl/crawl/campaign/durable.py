"""The durable group: rows and records first, acknowledgements after.

Rows and records are appended as pages come. A commit syncs those so far to disk in a thread; only
then are their leases acknowledged and the frontier committed. What comes meanwhile is the next
group's.
"""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from quarkcrawl.errors import FrontierError, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from quarkcrawl.crawl.leases import Ledger
    from quarkcrawl.frontier import Ending, Frontier
    from quarkcrawl.store import CorpusWriter, Group


STORAGE_FAULTS = (StoreError, FrontierError)
"""Errors after which a run cannot go on: whoever meets one tells `Campaign.storage_failed`."""


class DurableGroup:
    """Commits of one crawl, one at a time.

    Args:
        writer: the corpus.
        frontier: what endings are acknowledged to.
        ledger: where endings collect.
        failed: told a storage fault of a commit.

    Attributes:
        on_durable: told when leases were acknowledged.
    """

    def __init__(
        self,
        writer: CorpusWriter,
        frontier: Frontier,
        ledger: Ledger,
        *,
        failed: Callable[[Exception], None],
    ) -> None:
        self.on_durable: Callable[[], None] | None = None
        self._writer = writer
        self._frontier = frontier
        self._ledger = ledger
        self._failed = failed
        # A thread of its own: slow name look-ups fill the event loop's shared ones.
        self._thread = ThreadPoolExecutor(1, "quarkcrawl-group")
        self._committing: asyncio.Task[None] | None = None
        self._last_commit = time.monotonic()
        self._ending = False

    @property
    def age_s(self) -> float:
        """Time since the last commit."""
        return time.monotonic() - self._last_commit

    def commit_soon(self) -> None:
        """Start to make the group durable, unless that is going on already."""
        if self._committing is None and not self._ending:
            self._committing = asyncio.ensure_future(self._commit())

    async def _commit(self) -> None:
        try:
            endings, group = self._ledger.take(), self._writer.cut()
            await asyncio.get_running_loop().run_in_executor(self._thread, group.sync)
            if endings:
                self._frontier.acknowledge(endings)
            await self._frontier.delivered()
            self._acknowledged(endings, group)
        except STORAGE_FAULTS as error:
            self._failed(error)
        finally:
            self._committing = None
            self._last_commit = time.monotonic()

    async def settled(self) -> None:
        """Begin no further commit, and wait for the one that is going on."""
        self._ending = True
        if self._committing is not None:
            await self._committing

    def finish(self) -> None:
        """The last group, at once.

        Raises:
            StoreError: it cannot be written.
            FrontierError: its leases cannot be ended.
        """
        endings, group = self._ledger.take(), self._writer.sync()
        if endings:
            self._frontier.acknowledge(endings)
        self._frontier.commit()
        self._acknowledged(endings, group)

    def close(self) -> None:
        """End the thread."""
        self._ending = True
        self._thread.shutdown()

    def _acknowledged(self, endings: Sequence[Ending], group: Group) -> None:
        """The group's leases have ended: its journal file may be compacted."""
        self._ledger.acknowledged(endings)
        group.acknowledged()
        if endings and self.on_durable is not None:
            self.on_durable()
