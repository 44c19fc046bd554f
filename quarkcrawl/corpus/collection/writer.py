"""Writing a collection: chosen pages of a corpus, numbered, in the layout of a corpus.

    collection/corpus.json
    collection/data_N/HOST/page.dat        records with a property id, the document number
    collection/analysis/pages/…            their rows, with the column docno
    collection/analysis/duplicates|redirects|drops/…
    collection/docnos.tsv                  document number, URL

Documents are numbered in the order of bucket, host and place. A page whose record is damaged is
left out, and is in the drops table with the reason ``damaged``.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from quarkcrawl.corpus.collection.recordcopy import numbered_record, read_record
from quarkcrawl.corpus.merge import SHARD
from quarkcrawl.errors import DamagedRecordError, StoreError
from quarkcrawl.store import (
    FORMAT_VERSION,
    MARKER,
    DropRow,
    open_table,
    page_dat_path,
    register_column,
    storage_errors,
    write_whole,
)
from quarkcrawl.store.tables import conform, part_path, table_folder, write_part

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import pyarrow.dataset as ds
    from numpy.typing import NDArray

    from quarkcrawl.store.tables import RowKind


register_column("docno", pa.string(), "document number in a collection")

_PLACE_BITS: Final = 44  # offsets of a page.dat; the rest numbers the hosts of a bucket
_BATCH_ROWS: Final = 4096


@dataclass(slots=True)
class CollectionWriter:
    """Writes a collection bucket by bucket.

    Args:
        sources: the corpus, or its shards.
        out: folder to fill; it is there and empty.
        pattern: how document numbers are made; ``{n}`` stands for the number.
        tables_only: write rows, but no page.dat.
    """

    sources: Sequence[Path]
    out: Path
    pattern: str
    tables_only: bool = False
    n_documents: int = 0
    drops: list[DropRow] = field(default_factory=list)
    _tables: list[ds.Dataset] = field(init=False)

    def __post_init__(self) -> None:
        self._tables = [open_table(source, "page") for source in self.sources]

    def write_bucket(self, number: int, places: pa.Table) -> None:
        """Write the chosen pages of one bucket.

        Args:
            number: the bucket.
            places: url, host, shard, offset, length, level and fetched_at of its pages.

        Raises:
            StorageFullError: no room.
            StoreError: the corpus cannot be read.
        """
        if not places.num_rows:
            return
        places = places.sort_by([(name, "ascending") for name in ("host", SHARD, "offset")])
        with storage_errors(self.out):
            written = self._records(places)
            self._number_list(written)
            self._rows(number, written)

    # Records

    def _records(self, places: pa.Table) -> pa.Table:
        """Copy the records; returns the places with docno, new_offset and new_length."""
        docnos: list[str | None] = []
        new: list[tuple[int, int]] = []
        if self.tables_only:
            first, self.n_documents = self.n_documents + 1, self.n_documents + places.num_rows
            docnos += (self.pattern.format(n=n) for n in range(first, self.n_documents + 1))
            return _numbered(places, docnos, places["offset"], places["length"])
        for host, pages in groupby(places.to_pylist(), key=itemgetter("host")):
            self._copy_host(host, pages, docnos, new)
        offsets, lengths = zip(*new, strict=True)
        written = _numbered(places, docnos, pa.array(offsets), pa.array(lengths))
        return written.filter(pc.is_valid(pc.field("docno")))

    def _copy_host(
        self,
        host: str,
        pages: Iterable[dict[str, Any]],
        docnos: list[str | None],
        new: list[tuple[int, int]],
    ) -> None:
        target = page_dat_path(self.out, host)
        target.parent.mkdir(parents=True)
        with target.open("wb") as file:
            for shard, of_shard in groupby(pages, key=itemgetter(SHARD)):
                with _opened(page_dat_path(self.sources[shard], host)) as source:
                    for page in of_shard:
                        docno, place = self._copy(source, page, file)
                        docnos.append(docno)
                        new.append(place)
            end = file.tell()
        if not end:
            target.unlink()
            target.parent.rmdir()

    def _copy(
        self, source: BinaryIO, page: dict[str, Any], file: BinaryIO
    ) -> tuple[str | None, tuple[int, int]]:
        """Copy a record; its document number, None if it is damaged, and its place and length."""
        docno = self.pattern.format(n=self.n_documents + 1)
        try:
            data = read_record(source, page["offset"], page["length"])
            data = numbered_record(data, docno, page["url"])
        except DamagedRecordError as error:
            self.drops.append(_drop(page, error))
            return None, (0, 0)
        begin = file.tell()
        file.write(data)
        self.n_documents += 1
        return docno, (begin, len(data))

    # Rows

    def _number_list(self, places: pa.Table) -> None:
        """Add to docnos.tsv."""
        lines = pc.binary_join_element_wise(places["docno"], places["url"], "\t").to_pylist()
        with (self.out / "docnos.tsv").open("a", encoding="utf-8", newline="") as file:
            file.writelines(f"{line}\n" for line in lines)

    def _rows(self, number: int, places: pa.Table) -> None:
        """Copy the rows of the pages, at their new places."""
        if not places.num_rows:
            return
        whole = pa.unify_schemas([x.schema for x in self._tables], promote_options="permissive")
        names = [name for name in whole.names if name not in {"bucket", "docno"}]
        schema = pa.schema([*(whole.field(name) for name in names), ("docno", pa.string())])
        folder = table_folder(self.out, "page") / f"bucket={number}"
        folder.mkdir(parents=True)
        with (
            write_whole(part_path(folder, 1, 1)) as file,
            pq.ParquetWriter(file, schema, compression="zstd") as writer,
        ):
            for shard, table in enumerate(self._tables):
                of_shard = places.filter(pc.field(SHARD) == shard)
                for found in _moved_rows(table, number, of_shard) if of_shard.num_rows else ():
                    writer.write_table(conform(found, schema))

    # The rest

    def finish(self, created: str) -> None:
        """Write the marker and the drops; after it, the folder is a corpus.

        Args:
            created: when, as in ``2006-03-12T08:00:00Z``; the same for the same documents.

        Raises:
            StoreError: a file could not be written.
        """
        with storage_errors(self.out):
            if self.drops:
                write_table(self.out, "drop", pa.Table.from_pylist(list(map(asdict, self.drops))))
            about = {"format": "quarkcrawl-corpus", "version": FORMAT_VERSION, "created": created}
            (self.out / MARKER).write_text(json.dumps(about) + "\n", encoding="ascii")


def write_table(out: Path, kind: RowKind, table: pa.Table) -> None:
    """Write a whole table of a collection, as one part."""
    folder = table_folder(out, kind)
    folder.mkdir(parents=True, exist_ok=True)
    write_part(table, part_path(folder, 1, 1))


def _numbered(
    places: pa.Table, docnos: Sequence[str | None], offsets: pa.Array, lengths: pa.Array
) -> pa.Table:
    places = places.append_column("docno", pa.array(docnos, pa.string()))
    return places.append_column("new_offset", offsets).append_column("new_length", lengths)


def _drop(page: dict[str, Any], error: DamagedRecordError) -> DropRow:
    detail, level, at = str(error), page["level"], page["fetched_at"]
    return DropRow(page["url"], page["host"], "damaged", detail, level, at)


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise StoreError(f"cannot read ({error.strerror})", where=path) from error


def _keys(table: pa.Table | pa.RecordBatch, hosts: pa.Array) -> NDArray[np.int64]:
    """A number for each place: which of the hosts, and the offset."""
    index = pc.index_in(table.column("host"), value_set=hosts)
    offsets = table.column("offset").to_numpy(zero_copy_only=False)
    numbers: NDArray[np.int64] = index.to_numpy(zero_copy_only=False).astype(np.int64)
    keys: NDArray[np.int64] = (numbers << _PLACE_BITS) | offsets.astype(np.int64)
    return keys


def _moved_rows(table: ds.Dataset, bucket: int, places: pa.Table) -> Iterator[pa.Table]:
    """The rows of chosen pages of a corpus, at their new places, by batches."""
    hosts = places["host"].unique()
    keys = _keys(places, hosts)
    wanted = (pc.field("bucket") == bucket) & pc.field("host").isin(hosts)
    names = [name for name in table.schema.names if name not in {"bucket", "docno"}]
    scanner = table.scanner(columns=names, filter=wanted, batch_size=_BATCH_ROWS)
    for batch in scanner.to_batches():
        found = _moved(batch, places, hosts, keys)
        if found.num_rows:
            yield pa.Table.from_batches([found])


def _moved(
    batch: pa.RecordBatch, places: pa.Table, hosts: pa.Array, keys: NDArray[np.int64]
) -> pa.RecordBatch:
    """The rows of a batch that were chosen, at their new places."""
    wanted = _keys(batch, hosts)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    is_chosen = keys[at] == wanted
    at = pa.array(at[is_chosen])
    batch = batch.filter(pa.array(is_chosen))
    for name in ("offset", "length"):
        moved = places[f"new_{name}"].take(at).combine_chunks()
        batch = batch.set_column(batch.schema.get_field_index(name), name, moved)
    return batch.append_column("docno", places["docno"].take(at).combine_chunks())
