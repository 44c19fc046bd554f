"""One entry of FEEDS: the file it writes now, those that are full, and its state at a commit."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from quarkcrawl.crawl.jobs.feeds.batch import Batch, BatchState
from quarkcrawl.crawl.jobs.feeds.formats import shape_of
from quarkcrawl.errors import ConfigError, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from scrapy.extensions.feedexport import FeedSlot, ItemFilter


@dataclass(slots=True)
class FeedState:
    """A feed at a commit.

    ``strays`` are files that were opened after it, ``unstored`` those that are full and not yet
    handed to their storage.
    """

    shape: dict[str, Any]
    batch: BatchState
    strays: list[BatchState] = field(default_factory=list)
    unstored: list[BatchState] = field(default_factory=list)

    def to_text(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_text(cls, text: str, template: str) -> FeedState:
        """Read what `to_text` gave.

        Raises:
            StoreError: it is something else.
        """
        try:
            data = json.loads(text)
            lists = {
                name: [BatchState(**one) for one in data[name]] for name in ("strays", "unstored")
            }
            return cls(data["shape"], BatchState(**data["batch"]), **lists)
        except (ValueError, TypeError, KeyError) as error:
            raise StoreError(
                f"the feed's state in the job is damaged ({error})", where=template
            ) from error

    def restore(self, spool: Path) -> None:
        """Make the files what they were at the commit; may be repeated.

        Raises:
            StoreError: a file is gone, or shorter than it was.
        """
        for stray in self.strays:
            stray.take_away(spool)
        self.batch.cut(spool)


class Slots(Protocol):
    """Makes slots, as Scrapy's feed exporter does."""

    def __call__(
        self, template: str, batch_id: int, *, uri: str = "", previous: FeedSlot | None = None
    ) -> FeedSlot:
        """Make the slot of a file; without a URI, its URI is made as well."""
        ...


class Feed:
    """Writes the items that a filter accepts, and goes on where an earlier process stopped."""

    def __init__(
        self, template: str, options: Mapping[str, Any], accepts: ItemFilter, slots: Slots
    ) -> None:
        self.template = template
        self._shape = shape_of(options)
        self._batch_items: int = options["batch_item_count"]
        self._filter = accepts
        self._slots = slots
        self._spool: Path
        self._announce: Callable[[Mapping[str, str]], None]
        self._state: FeedState
        self._told: str | None = None
        self.failed = False
        self.batch: Batch
        self._full: list[Batch] = []
        """Full since the last sync."""
        self._unstored: list[Batch] = []
        """Full at the last sync, and not stored."""
        self.unhanded: list[Batch] = []
        """Those of them that nobody stores yet."""

    def restore(
        self, text: str | None, spool: Path, announce: Callable[[Mapping[str, str]], None]
    ) -> None:
        """Begin, or go on behind the last commit.

        Args:
            text: the state at that commit.
            spool: folder of files that storages get.
            announce: makes states durable at once.

        Raises:
            ConfigError: the feed was begun with options that do not fit those of now.
            StoreError: a file cannot be continued.
        """
        self._spool, self._announce = spool, announce
        if text is None:
            self.batch = Batch(self._slots(self.template, 1), spool)
            self.batch.prepare()
            self._state = FeedState(self._shape, replace(self.batch.state))
            return
        state = FeedState.from_text(text, self.template)
        for name, value in state.shape.items():
            if value != self._shape.get(name):
                message = f"begun with {name} {value}, now {self._shape.get(name)}"
                raise ConfigError(
                    f"a feed of a job keeps its {name} ({message}); begin the job anew",
                    where=self.template,
                )
        state.restore(spool)
        self._state, self._told = state, text
        self.batch = self._continued(state.batch)
        batches = [self._continued(one) for one in state.unstored]
        self._unstored = [batch for batch in batches if not batch.is_stored]
        self.unhanded = list(self._unstored)

    def _continued(self, state: BatchState) -> Batch:
        slot = self._slots(self.template, state.batch_id, uri=state.uri)
        return Batch(slot, self._spool, replace(state))

    def write(self, item: object) -> None:
        """Write an item if the filter accepts it, and begin a new file where one is full.

        Raises:
            StoreError: the device failed or is full.
        """
        if not self._filter.accepts(item):
            return
        try:
            self._open()
            self.batch.export(item)
            if self._batch_items and self.batch.slot.itemcount >= self._batch_items:
                self._next()
        except StoreError:
            self.failed = True
            raise

    def _open(self) -> None:
        batch = self.batch
        if batch.is_open:
            return
        if batch.state.size is None and not batch.is_stream:
            batch.prepare()
            self._state.strays.append(replace(batch.state))
            self._told = self._state.to_text()
            self._announce({self.template: self._told})
        batch.open()

    def _next(self) -> None:
        batch = self.batch
        batch.sync()
        batch.finish()
        if not batch.is_stream:
            self._full.append(batch)
        slot = self._slots(self.template, batch.state.batch_id + 1, previous=batch.slot)
        self.batch = Batch(slot, self._spool)

    def sync(self) -> str | None:
        """Make all items survive a power cut; gives the state, if it changed.

        Raises:
            StoreError: the device failed or is full.
        """
        try:
            self.batch.sync()
        except StoreError:
            self.failed = True
            raise
        self._unstored += self._full
        self.unhanded += self._full
        self._full = []
        now = self.batch.state
        # A file without items is not cut back but taken away, if it was opened at all.
        strays = [one for one in self._state.strays if now.size is None and one.path == now.path]
        self._state = FeedState(self._shape, replace(now), strays)
        return self.changed()

    def changed(self) -> str | None:
        """The state at the last sync, less what was stored since then; None if it is known."""
        self._state.unstored = [one.state for one in self._unstored]
        text = self._state.to_text()
        if text == self._told:
            return None
        self._told = text
        return text

    def forget(self, batch: Batch) -> None:
        """A file is stored: it goes from the spool, and from the state."""
        if batch in self._unstored:
            self._unstored.remove(batch)
        if batch.spool_file is not None:
            batch.spool_file.unlink(missing_ok=True)

    def end(self) -> Batch | None:
        """End the file that is written now, so that it is valid; gives it, if there is one.

        Raises:
            StoreError: the device failed or is full.
        """
        batch = self.batch
        if not batch.slot.itemcount and not (batch.slot.store_empty and batch.slot.batch_id == 1):
            return None
        try:
            self._open()
            batch.finish()
        except StoreError:
            batch.roll_back()
            raise
        return batch
