"""Pages of a stored corpus, read where they lie and prepared in any process."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, overload

from quarkcrawl.page import Page
from quarkcrawl.store import Corpus, read_at, record_file, split_reply
from quarkcrawl.template.structure import reason_to_leave_out, sequence_of_page

if TYPE_CHECKING:
    from quarkcrawl.template.structure import FilterOptions, Reason, SequenceOptions, TagSequence


class PagePlace(NamedTuple):
    """Where a page is stored."""

    url: str
    host: str
    offset: int
    length: int
    mime: str


class StoredPages(Sequence[Page]):
    """The pages of a corpus, each read when it is asked for.

    Args:
        root: the corpus.

    Raises:
        StoreError: the folder is none.
    """

    def __init__(self, root: Path | str) -> None:
        self.root = str(root)
        table = Corpus.open(root).table("page").to_table(columns=list(PagePlace._fields))
        columns = (table.column(name).to_pylist() for name in PagePlace._fields)
        rows = {row[0]: PagePlace(*row) for row in zip(*columns, strict=True)}
        self.places = sorted(rows.values(), key=lambda place: (place.host, place.offset))

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, index: int) -> Page: ...
    @overload
    def __getitem__(self, index: slice) -> list[Page]: ...
    def __getitem__(self, index: int | slice) -> Page | list[Page]:
        if isinstance(index, slice):
            return [read_stored(place, self.root) for place in self.places[index]]
        return read_stored(self.places[index], self.root)


def read_stored(place: PagePlace, root: str) -> Page:
    """Read a page.

    Args:
        place: where it is.
        root: the corpus.

    Raises:
        StoreError: the record is damaged or cannot be read.
    """
    record = read_at(record_file(Path(root), place.host), place.offset, place.length)
    reply = split_reply(record.data)
    return Page.from_bytes(reply.body, place.url, reply.get("content-type"))


def prepare_stored(
    place: PagePlace, root: str, options: SequenceOptions, filters: FilterOptions | None = None
) -> TagSequence | Reason:
    """Read a page and make its sequence.

    Args:
        place: where it is.
        root: the corpus.
        options: how.
        filters: which pages are left out; None: none.

    Returns:
        The sequence, or why there is none.
    """
    return prepare(read_stored(place, root), options, filters)


def prepare(
    page: Page, options: SequenceOptions, filters: FilterOptions | None = None
) -> TagSequence | Reason:
    """The sequence of a page, or why it is left out.

    Args:
        page: the page as it was stored or fetched.
        options: how a page becomes a sequence.
        filters: which pages are left out; None: none.
    """
    reason = reason_to_leave_out(page, filters) if filters is not None else None
    return reason or sequence_of_page(page, options).sequence
