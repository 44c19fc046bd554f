"""Pages, links, block tables, duplicates and redirects of a corpus as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quarkcrawl.errors import StoreError
from quarkcrawl.rank.linkrows import DamagedPart, iter_columns, iter_files
from quarkcrawl.rank.urlnumbers import UrlColumn, number_urls

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]

__all__ = ["Boxes", "Labels", "LinkLists", "RawTables", "read_tables"]

_TRIES: Final = 100
_LABEL_LEAVES: Final = [
    "link_blocks", "blocks.kind", "blocks.n_chars",
    "block_boxes.x", "block_boxes.y", "block_boxes.width", "block_boxes.height",
]  # fmt: skip
_PAGE_LEAVES: Final = ["url", "offset", "fetched_at", "canonical", "links.url", "links.nofollow"]


@dataclass(frozen=True, slots=True)
class LinkLists:
    """The links of some pages.

    Args:
        ptr: first link of each page, and the end.
        target: number of the URL of each link.
        nofollow: whether it is marked so.
    """

    ptr: LongArray
    target: IntArray
    nofollow: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Boxes:
    """Rendered boxes of blocks in pixels: left and upper edge, width and height."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    width: NDArray[np.float64]
    height: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Labels:
    """Block tables: row k has blocks ``ptr[k]`` to ``ptr[k + 1]``.

    Args:
        ptr: first block of each row, and the end.
        is_content: whether a block is content.
        n_chars: characters of its text.
        link_ptr: first entry of ``link_block`` of each row, and the end.
        link_block: block of each link of the page, -1 for none.
        boxes: where blocks were rendered; ``box_ptr`` as ``ptr``, empty lists where they were not.
    """

    ptr: LongArray
    is_content: NDArray[np.bool_]
    n_chars: IntArray
    link_ptr: LongArray
    link_block: IntArray
    box_ptr: LongArray
    boxes: Boxes


@dataclass(frozen=True, slots=True)
class RawTables:
    """What a corpus says of links; URLs are numbers.

    Args:
        urls: URL of each number; those of stored pages come first.
        page: URL of each row of the pages table.
        offset: its place in page.dat.
        fetched_at: when it was fetched, seconds since the epoch.
        canonical: URL that it declares as its own, -1 for none.
        links: its links.
        labels: block tables; row ``label_of[k]`` belongs to row k of the pages, -1 for none.
        label_of: see labels.
        duplicate: URLs left out as duplicates, the pages kept for them, and their links.
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
    duplicate: tuple[IntArray, IntArray, LinkLists]
    redirect: tuple[IntArray, IntArray]
    damaged: tuple[DamagedPart, ...]


class _Lists:
    """A column of lists that grows: lengths, and the values of wanted fields."""

    def __init__(self, fields: Sequence[str] = ()) -> None:
        self._lengths: list[LongArray] = []
        self.values: dict[str, list[Any]] = {name: [] for name in fields}

    def add(self, column: pa.ChunkedArray | None, n_rows: int) -> Iterator[pa.Array]:
        """Note the lengths; yields the items of each chunk."""
        if column is None:
            self._lengths.append(np.zeros(n_rows, np.int64))
            return
        for chunk in column.chunks:
            lengths = pc.fill_null(pc.list_value_length(chunk), 0)
            self._lengths.append(lengths.to_numpy().astype(np.int64))
            yield chunk.flatten()

    def ptr(self) -> LongArray:
        """First item of each list, and the end."""
        return np.concatenate([[0], np.cumsum(_joined(self._lengths, np.int64))]).astype(np.int64)


def _joined(pieces: Sequence[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    return np.concatenate(pieces).astype(dtype, copy=False) if pieces else np.zeros(0, dtype)


def _filled(array: pa.Array, missing: Any) -> NDArray[Any]:
    filled = pc.fill_null(array, missing) if array.null_count else array
    values: NDArray[Any] = filled.to_numpy(zero_copy_only=False)
    return values


def _column(table: pa.Table, name: str) -> pa.ChunkedArray | None:
    return table.column(name) if name in table.column_names else None


class _LinkColumn:
    """Grows to `LinkLists`."""

    def __init__(self) -> None:
        self.urls = UrlColumn()
        self._lists = _Lists()
        self._nofollow: list[NDArray[np.bool_]] = []

    def add(self, table: pa.Table) -> None:
        for items in self._lists.add(_column(table, "links"), table.num_rows):
            self.urls.add(items.field("url"))
            self._nofollow.append(_filled(items.field("nofollow"), False))

    def finish(self, target: IntArray) -> LinkLists:
        return LinkLists(self._lists.ptr(), target, _joined(self._nofollow, bool))


class _LabelColumns:
    """Grows to `Labels`."""

    def __init__(self) -> None:
        self._blocks, self._links, self._boxes = _Lists(), _Lists(), _Lists()
        self._content: list[NDArray[np.bool_]] = []
        self._chars: list[IntArray] = []
        self._link_block: list[IntArray] = []
        self._sides: dict[str, list[NDArray[Any]]] = {
            name: [] for name in ("x", "y", "width", "height")
        }

    def add(self, table: pa.Table) -> None:
        n_rows = table.num_rows
        for items in self._blocks.add(_column(table, "blocks"), n_rows):
            self._content.append(_filled(pc.equal(items.field("kind"), "content"), False))
            self._chars.append(_filled(items.field("n_chars"), 0))
        for items in self._links.add(_column(table, "link_blocks"), n_rows):
            self._link_block.append(_filled(items, -1))
        for items in self._boxes.add(_column(table, "block_boxes"), n_rows):
            for name, pieces in self._sides.items():
                pieces.append(_filled(items.field(name), 0.0))

    def finish(self) -> Labels:
        sides = {name: _joined(pieces, np.float64) for name, pieces in self._sides.items()}
        return Labels(
            self._blocks.ptr(),
            _joined(self._content, bool),
            _joined(self._chars, np.int32),
            self._links.ptr(),
            _joined(self._link_block, np.int32),
            self._boxes.ptr(),
            Boxes(**sides),
        )


@dataclass(slots=True)
class _Reader:
    root: Path
    label_paths: Sequence[Path] | None
    damaged: list[DamagedPart] = field(default_factory=list)

    def read(self) -> RawTables:
        page, canonical, links, labels = UrlColumn(), UrlColumn(), _LinkColumn(), _LabelColumns()
        offset: list[LongArray] = []
        fetched: list[NDArray[np.float64]] = []
        leaves = _PAGE_LEAVES + ([] if self.label_paths is not None else _LABEL_LEAVES)
        for table in iter_columns(self.root, "page", leaves, self.damaged):
            page.add(table.column("url"))
            declared = _column(table, "canonical")
            none = pa.nulls(table.num_rows, pa.string())
            canonical.add(none if declared is None else declared)
            offset.append(_filled(table.column("offset"), 0))
            fetched.append(_filled(table.column("fetched_at"), 0.0))
            links.add(table)
            if self.label_paths is None:
                labels.add(table)
        label_url, label_offset = self._read_labels(labels)
        copies, kept, copied = self._read_duplicates()
        source, target = self._read_redirects()
        columns = (page, links.urls, canonical, copies, kept, copied.urls, source, target)
        urls, numbers = number_urls(*columns, label_url)
        places = _joined(offset, np.int64)
        n_rows = len(places)
        label_of = np.arange(n_rows)
        if self.label_paths is not None:
            label_of = _matching(numbers[0], places, numbers[8], label_offset)
        return RawTables(
            urls,
            numbers[0],
            places,
            _joined(fetched, np.float64),
            numbers[2],
            links.finish(numbers[1]),
            labels.finish(),
            label_of,
            (numbers[3], numbers[4], copied.finish(numbers[5])),
            (numbers[6], numbers[7]),
            tuple(self.damaged),
        )

    def _read_labels(self, labels: _LabelColumns) -> tuple[UrlColumn, LongArray]:
        """Block tables from elsewhere, with the pages that they are of."""
        urls, offset = UrlColumn(), []
        if self.label_paths is not None:
            leaves = ["url", "offset", *_LABEL_LEAVES]
            for table in iter_files(self.label_paths, leaves, self.damaged):
                urls.add(table.column("url"))
                offset.append(_filled(table.column("offset"), 0))
                labels.add(table)
        return urls, _joined(offset, np.int64)

    def _read_duplicates(self) -> tuple[UrlColumn, UrlColumn, _LinkColumn]:
        url, kept, links = UrlColumn(), UrlColumn(), _LinkColumn()
        leaves = ["url", "duplicate_of", "links.url", "links.nofollow"]
        for table in iter_columns(self.root, "duplicate", leaves, self.damaged):
            url.add(table.column("url"))
            kept.add(table.column("duplicate_of"))
            links.add(table)
        return url, kept, links

    def _read_redirects(self) -> tuple[UrlColumn, UrlColumn]:
        url, target = UrlColumn(), UrlColumn()
        for table in iter_columns(self.root, "redirect", ["url", "target"], self.damaged):
            url.add(table.column("url"))
            target.add(table.column("target"))
        return url, target


def _matching(
    page: IntArray, offset: LongArray, label_page: IntArray, label_offset: LongArray
) -> LongArray:
    """Row of the labels for each page row: the same URL at the same place; -1 for none."""
    row_of = np.full(int(max(page.max(initial=-1), label_page.max(initial=-1))) + 1, -1)
    row_of[label_page] = np.arange(len(label_page))
    found = row_of[page]
    fits = found >= 0
    fits[fits] = label_offset[found[fits]] == offset[fits]
    return np.where(fits, found, -1)


def read_tables(root: Path, label_paths: Sequence[Path] | None = None) -> RawTables:
    """Read what a link graph needs.

    Args:
        root: the corpus; a crawl may be writing to it.
        label_paths: Parquet files of an extraction whose block tables to take; None: those that
            the crawl has stored with the pages.

    Raises:
        StoreError: the tables change faster than they can be read.
    """
    for _ in range(_TRIES):
        try:
            return _Reader(root, label_paths).read()
        except FileNotFoundError:  # compacted or merged meanwhile
            continue
    raise StoreError("the tables change faster than they can be read", where=root)
