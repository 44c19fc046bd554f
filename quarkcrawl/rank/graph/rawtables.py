"""Pages, links, block tables, duplicates and redirects of a corpus as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quarkcrawl.content.importance import BlockCounts, table_importance
from quarkcrawl.errors import StoreError
from quarkcrawl.progress import no_progress, reported
from quarkcrawl.rank.graph.growing import Growing
from quarkcrawl.rank.graph.linkrows import DamagedPart, iter_columns, iter_files
from quarkcrawl.rank.graph.urlnumbers import UrlNumbers
from quarkcrawl.segment import CONTENT_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from quarkcrawl.progress import Progress
    from quarkcrawl.store.tables import RowKind

    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]


_TRIES: Final = 100
_CONTENT_KINDS: Final = pa.array(sorted(filter(None, CONTENT_KINDS)))
_LABEL_LEAVES: Final = [
    "link_blocks", "blocks.kind", "blocks.n_chars",
    "block_boxes.x", "block_boxes.y", "block_boxes.width", "block_boxes.height",
]  # fmt: skip
_IMPORTANCE_LEAVES: Final = ["blocks.n_anchor_chars", "blocks.n_links"]
_LINK_LEAVES: Final = ["links.url", "links.nofollow"]
_PAGE_LEAVES: Final = ["url", "offset", "fetched_at", "canonical", *_LINK_LEAVES]


class RowSource(Protocol):
    """Rows of several corpora that are read as one."""

    def rows(
        self, kind: RowKind, columns: Sequence[str], on_progress: Progress
    ) -> Iterator[pa.Table]:
        """Rows of any kind by batches.

        Args:
            kind: which table.
            columns: columns of the table; such as a file lacks are null.
            on_progress: is told of some rows at a time.

        Raises:
            StoreError: a table cannot be read, or has changed meanwhile.
        """


@dataclass(slots=True)
class LinkLists:
    """The links of all pages, row by row, then those of the duplicates.

    Args:
        ptr: first link of each row, and the end.
        target: number of the URL of each link, -1 for none.
        nofollow: whether it is marked so.
    """

    ptr: LongArray
    target: IntArray
    nofollow: NDArray[np.bool_]

    def release(self) -> None:
        """Give the memory of what was told of each link back."""
        self.target, self.nofollow = self.target[:0].copy(), self.nofollow[:0].copy()


@dataclass(frozen=True, slots=True)
class Boxes:
    """Rendered boxes of blocks in pixels: left and upper edge, width and height."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    width: NDArray[np.float64]
    height: NDArray[np.float64]


@dataclass(slots=True)
class Labels:
    """Block tables: row k has blocks ``ptr[k]`` to ``ptr[k + 1]``.

    Args:
        ptr: first block of each row, and the end.
        is_content: whether a block is content.
        n_chars: characters of its text.
        link_ptr: first entry of ``link_block`` of each row, and the end.
        link_block: block of each link of the page, -1 for none.
        boxes: where blocks were rendered; ``box_ptr`` as ``ptr``, empty lists where they were not.
        importance: learned weight of each block, see `quarkcrawl.content.importance.model`; empty
        if it
            was not asked for.
    """

    ptr: LongArray
    is_content: NDArray[np.bool_]
    n_chars: IntArray
    link_ptr: LongArray
    link_block: IntArray
    box_ptr: LongArray
    boxes: Boxes
    importance: NDArray[np.float32]

    def release_links(self) -> None:
        """Give the memory of what was told of each link back."""
        self.link_block = self.link_block[:0].copy()


@dataclass(frozen=True, slots=True)
class RawTables:
    """What a corpus says of links; URLs are numbers.

    Args:
        urls: URL of each number.
        page: URL of each row of the pages table.
        offset: its place in page.dat.
        fetched_at: when it was fetched, seconds since the epoch.
        canonical: URL that it declares as its own, -1 for none.
        links: its links, and those of each duplicate.
        labels: block tables; row ``label_of[k]`` belongs to row k of the pages, -1 for none.
        label_of: see labels.
        duplicate: URLs left out as duplicates, and the pages kept for them.
        redirect: URLs that redirect, and where to.
        damaged: what could not be read.
    """

    urls: pa.LargeStringArray
    page: IntArray
    offset: LongArray
    fetched_at: NDArray[np.float64]
    canonical: IntArray
    links: LinkLists
    labels: Labels
    label_of: LongArray
    duplicate: tuple[IntArray, IntArray]
    redirect: tuple[IntArray, IntArray]
    damaged: tuple[DamagedPart, ...]


class _Lists:
    """The lengths of a column of lists."""

    def __init__(self) -> None:
        self._ends = Growing(np.int64)
        self._ends.append(np.zeros(1, np.int64))
        self._end = 0

    def add(self, column: pa.ChunkedArray | None, n_rows: int) -> Iterator[pa.Array]:
        """Note the lengths; yields the items of each chunk."""
        if column is None:
            self._ends.append(np.full(n_rows, self._end))
            return
        for chunk in column.chunks:
            lengths = pc.fill_null(pc.list_value_length(chunk), 0).to_numpy()
            ends = self._end + np.cumsum(lengths, dtype=np.int64)
            self._ends.append(ends)
            self._end = int(ends[-1]) if len(ends) else self._end
            yield chunk.flatten()

    def ptr(self) -> LongArray:
        """First item of each list, and the end."""
        return self._ends.finish()


def _filled(array: pa.Array, missing: Any) -> NDArray[Any]:
    filled = pc.fill_null(array, missing) if array.null_count else array
    values: NDArray[Any] = filled.to_numpy(zero_copy_only=False)
    return values


def _column(table: pa.Table, name: str) -> pa.ChunkedArray | None:
    return table.column(name) if name in table.column_names else None


class _LinkColumn:
    """Grows to `LinkLists`."""

    def __init__(self, urls: UrlNumbers) -> None:
        self._urls, self._lists = urls, _Lists()
        self._target, self._nofollow = Growing(np.int32), Growing(np.bool_)

    def add(self, table: pa.Table) -> None:
        for items in self._lists.add(_column(table, "links"), table.num_rows):
            self._target.append(self._urls.add(items.field("url")))
            self._nofollow.append(_filled(items.field("nofollow"), False))

    def finish(self) -> LinkLists:
        return LinkLists(self._lists.ptr(), self._target.finish(), self._nofollow.finish())


class _LabelColumns:
    """Grows to `Labels`."""

    def __init__(self, *, importance: bool = False) -> None:
        self.leaves = _LABEL_LEAVES + (_IMPORTANCE_LEAVES if importance else [])
        self._is_judged, self._importance = importance, Growing(np.float32)
        self._blocks, self._links, self._boxes = _Lists(), _Lists(), _Lists()
        self._content, self._chars = Growing(np.bool_), Growing(np.int32)
        self._link_block = Growing(np.int32)
        self._sides = {name: Growing(np.float64) for name in ("x", "y", "width", "height")}

    def add(self, table: pa.Table) -> None:
        n_rows = table.num_rows
        for items in self._blocks.add(_column(table, "blocks"), n_rows):
            kinds = pc.is_in(items.field("kind"), value_set=_CONTENT_KINDS)
            self._content.append(_filled(kinds, False))
            self._chars.append(_filled(items.field("n_chars"), 0))
        if self._is_judged:
            self._importance.append(_importance(table))
        for items in self._links.add(_column(table, "link_blocks"), n_rows):
            self._link_block.append(_filled(items, -1))
        for items in self._boxes.add(_column(table, "block_boxes"), n_rows):
            for name, side in self._sides.items():
                side.append(_filled(items.field(name), 0.0))

    def finish(self) -> Labels:
        return Labels(
            self._blocks.ptr(),
            self._content.finish(),
            self._chars.finish(),
            self._links.ptr(),
            self._link_block.finish(),
            self._boxes.ptr(),
            Boxes(**{name: side.finish() for name, side in self._sides.items()}),
            self._importance.finish(),
        )


def labels_of(table: pa.Table, *, importance: bool = False) -> Labels:
    """The block tables of some pages.

    Args:
        table: rows of the pages table, or of an extraction.
        importance: also judge how important each block is.
    """
    columns = _LabelColumns(importance=importance)
    columns.add(table)
    return columns.finish()


def _importance(table: pa.Table) -> NDArray[np.float32]:
    """Learned weights of the blocks of some pages; a batch at a time bounds the memory."""
    ptr, items = _combined(table, "blocks")
    if items is None:
        return np.zeros(0, np.float32)
    counts = (_filled(items.field(name), 0) for name in ("n_chars", "n_anchor_chars", "n_links"))
    return table_importance(BlockCounts(ptr, *counts), _page_boxes(table, ptr))


def _combined(table: pa.Table, name: str) -> tuple[LongArray, pa.Array | None]:
    """First item of each row of a column of lists, and the end; the items."""
    column = _column(table, name)
    if column is None:
        return np.zeros(table.num_rows + 1, np.int64), None
    lists = column.combine_chunks()
    lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]), lists.flatten()


def _page_boxes(table: pa.Table, ptr: LongArray) -> NDArray[np.float64] | None:
    """Box of each block, NaN on pages without a box for each of their blocks; None for none."""
    box_ptr, items = _combined(table, "block_boxes")
    fits = (np.diff(box_ptr) == np.diff(ptr)) & (np.diff(ptr) > 0)
    if items is None or not fits.any():
        return None
    sizes = np.diff(ptr)
    boxes = np.full((int(ptr[-1]), 4), np.nan)
    sides = [_filled(items.field(name), np.nan) for name in ("x", "y", "width", "height")]
    drawn = np.column_stack(sides)
    boxes[np.repeat(fits, sizes)] = drawn[np.repeat(fits, np.diff(box_ptr))]
    return boxes


class _PageColumns:
    """What is told of pages themselves, or of those that labels are of."""

    def __init__(self, urls: UrlNumbers) -> None:
        self._urls = urls
        self.page, self.canonical = Growing(np.int32), Growing(np.int32)
        self.offset, self.fetched_at = Growing(np.int64), Growing(np.float64)

    def add(self, table: pa.Table) -> None:
        self.page.append(self._urls.add(table.column("url")))
        self.offset.append(_filled(table.column("offset"), 0))
        declared = _column(table, "canonical")
        none = np.full(table.num_rows, -1, np.int32)
        self.canonical.append(none if declared is None else self._urls.add(declared))
        fetched = _column(table, "fetched_at")
        self.fetched_at.append(
            np.zeros(table.num_rows) if fetched is None else _filled(fetched, 0.0)
        )


@dataclass(slots=True)
class _Reader:
    root: Path
    label_paths: Sequence[Path] | None
    importance: bool = False
    source: RowSource | None = None
    on_progress: Progress = no_progress
    urls: UrlNumbers = field(default_factory=UrlNumbers)
    damaged: list[DamagedPart] = field(default_factory=list)

    def read(self) -> RawTables:
        pages = _PageColumns(self.urls)
        labels = _LabelColumns(importance=self.importance)
        links = _LinkColumn(self.urls)
        self._read_pages(pages, links, labels)
        page, offset = pages.page.finish(), pages.offset.finish()
        label_of = self._read_labels(page, offset, labels)
        duplicate = self._read_pairs("duplicate", "duplicate_of", links)
        redirect = self._read_pairs("redirect", "target")
        return RawTables(
            self.urls.finish(),
            page,
            offset,
            pages.fetched_at.finish(),
            pages.canonical.finish(),
            links.finish(),
            labels.finish(),
            label_of,
            duplicate,
            redirect,
            tuple(self.damaged),
        )

    def _columns(self, kind: RowKind, leaves: Sequence[str]) -> Iterator[pa.Table]:
        """Some columns of a table by batches."""
        if self.source is None:
            return iter_columns(self.root, kind, leaves, self.damaged, self.on_progress)
        columns = list(dict.fromkeys(leaf.partition(".")[0] for leaf in leaves))
        return self.source.rows(kind, columns, self.on_progress)

    def _read_pages(self, pages: _PageColumns, links: _LinkColumn, labels: _LabelColumns) -> None:
        own = self.label_paths is None
        leaves = _PAGE_LEAVES + (labels.leaves if own else [])
        for table in self._columns("page", leaves):
            pages.add(table)
            links.add(table)
            if own:
                labels.add(table)

    def _read_labels(self, page: IntArray, offset: LongArray, labels: _LabelColumns) -> LongArray:
        """Row of the labels for each page, after reading those that lie elsewhere."""
        if self.label_paths is None:
            return np.arange(len(page))
        of_labels = _PageColumns(self.urls)
        leaves = ["url", "offset", *labels.leaves]
        try:
            step, n_files = "files of the extraction", len(self.label_paths)
            paths = reported(self.label_paths, step, self.on_progress, total=n_files)
            for table in iter_files(paths, leaves, self.damaged):
                of_labels.add(table)
                labels.add(table)
        except FileNotFoundError as error:  # not of the corpus, which would be read again
            raise StoreError("no such file of an extraction", where=error.filename) from error
        return _matching(page, offset, of_labels.page.finish(), of_labels.offset.finish())

    def _read_pairs(
        self, kind: RowKind, other: str, links: _LinkColumn | None = None
    ) -> tuple[IntArray, IntArray]:
        """The URL of each row and the other one that it names; its links, where it has any."""
        left, right = Growing(np.int32), Growing(np.int32)
        leaves = ["url", other, *([] if links is None else _LINK_LEAVES)]
        for table in self._columns(kind, leaves):
            urls, others = table.column("url"), table.column(other)
            # A worker of a shared crawl does not know whose copy a page is: it stays itself.
            named = pc.if_else(pc.equal(others, ""), urls, others)
            left.append(self.urls.add(urls))
            right.append(self.urls.add(named))
            if links is not None:
                links.add(table)
        return left.finish(), right.finish()


def _matching(
    page: IntArray, offset: LongArray, label_page: IntArray, label_offset: LongArray
) -> LongArray:
    """Row of the labels for each page row: the same URL at the same place; -1 for none."""
    row_of = np.full(int(max(page.max(initial=-1), label_page.max(initial=-1))) + 1, -1)
    row_of[label_page] = np.arange(len(label_page))
    rows = row_of[page]
    fits = rows >= 0
    fits[fits] = label_offset[rows[fits]] == offset[fits]
    return np.where(fits, rows, -1)


def read_tables(
    root: Path,
    label_paths: Sequence[Path] | None = None,
    *,
    importance: bool = False,
    rows: RowSource | None = None,
    on_progress: Progress = no_progress,
) -> RawTables:
    """Read what a link graph needs.

    Args:
        root: the corpus; a crawl may be writing to it.
        label_paths: Parquet files of an extraction whose block tables to take; None: those that
            the crawl has stored with the pages.
        importance: also judge how important each block is.
        rows: where the rows come from instead.
        on_progress: is told of each file, or batch of rows.

    Raises:
        StoreError: a file of the extraction is not there, or the tables change faster than they
            can be read.
    """
    for _ in range(_TRIES):
        try:
            return _Reader(root, label_paths, importance, rows, on_progress).read()
        except FileNotFoundError:  # compacted or merged meanwhile
            continue
    raise StoreError("the tables change faster than they can be read", where=root)
