"""Writing a collection: chosen pages of a corpus, numbered, in the layout of a corpus.

    collection/corpus.json
    collection/data_N/HOST/page.dat        records with a property id, the document number
    collection/analysis/pages/…            their rows, with the column docno
    collection/analysis/duplicates|redirects|drops/…
    collection/docnos.tsv                  document number, URL

Documents are numbered in the order of bucket, host and place. A page whose record is damaged is
left out, and is in the drops table with the reason ``damaged``.

Each bucket is written to a folder of its own, here or on another machine, and then gets its place
in the collection. On a cluster all are written at once, numbered as if no record were damaged;
those behind a damaged one are then written again.
"""

from __future__ import annotations

import json
import shutil
import uuid
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
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
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from quarkcrawl.engines import Cluster
    from quarkcrawl.store.tables import RowKind


register_column("docno", pa.string(), "document number in a collection")

_PLACE_BITS: Final = 44  # offsets of a page.dat; the rest numbers the hosts of a bucket
_BATCH_ROWS: Final = 4096
_DOCNOS: Final = "docnos.tsv"
_DROPS: Final = "drops.parquet"


@dataclass(frozen=True, slots=True)
class BucketCopy:
    """A bucket that is written and has no place in the collection yet.

    Args:
        number: the bucket.
        first: number of its first document.
        draft: folder with ``data_N``, ``rows``, ``docnos.tsv`` and ``drops.parquet``; what would
            be empty is not there.
        n_documents: how many documents it has.
    """

    number: int
    first: int
    draft: str
    n_documents: int


@dataclass(slots=True)
class BucketSource:
    """What was chosen of a corpus, and how it is numbered; picklable, before it is used.

    Args:
        sources: the corpus, or its shards.
        page_files: Parquet files with bucket, url, host, shard, offset, length, level and
            fetched_at of the pages that were chosen.
        drafts: folder for what is written.
        pattern: how document numbers are made; ``{n}`` stands for the number.
        tables_only: write rows, but no page.dat.
    """

    sources: Sequence[Path]
    page_files: Sequence[Path]
    drafts: Path
    pattern: str
    tables_only: bool = False
    _tables: list[ds.Dataset] = field(init=False, default_factory=list)

    def write(self, number: int, first: int) -> BucketCopy:
        """Write the chosen pages of one bucket.

        Args:
            number: the bucket.
            first: number of its first document.

        Raises:
            StorageFullError: no room.
            StoreError: the corpus cannot be read.
        """
        if not self._tables:
            self._tables = [open_table(source, "page") for source in self.sources]
        # A task that a cluster does twice has two folders, of which one is taken.
        draft = self.drafts / f"{number}-{uuid.uuid4().hex}"
        files = ds.dataset([str(path) for path in self.page_files], format="parquet")
        places = files.to_table(filter=pc.field("bucket") == number, cache_metadata=False)
        places = places.sort_by([(name, "ascending") for name in ("host", SHARD, "offset")])
        with storage_errors(self.drafts):
            draft.mkdir()  # not the folder above: once it was cleared, a late task fails
            bucket = _Bucket(self, self._tables, draft, first)
            return BucketCopy(number, first, str(draft), bucket.write(number, places))


class _Bucket:
    """The chosen pages of one bucket while they are written."""

    def __init__(
        self, source: BucketSource, tables: list[ds.Dataset], draft: Path, first: int
    ) -> None:
        self._sources = source.sources
        self._pattern = source.pattern
        self._tables_only = source.tables_only
        self._tables = tables
        self._draft = draft
        self._first = self._next = first
        self._drops: list[DropRow] = []

    def write(self, number: int, places: pa.Table) -> int:
        """Write them; how many documents there are."""
        written = self._records(places)
        self._number_list(written)
        self._rows(number, written)
        if self._drops:
            pq.write_table(_drop_table(self._drops), self._draft / _DROPS)
        return self._next - self._first

    # Records

    def _records(self, places: pa.Table) -> pa.Table:
        """Copy the records; returns the places with docno, new_offset and new_length."""
        docnos: list[str | None] = []
        new: list[tuple[int, int]] = []
        if self._tables_only:
            self._next += places.num_rows
            docnos += (self._pattern.format(n=n) for n in range(self._first, self._next))
            return _numbered(places, docnos, places["offset"], places["length"])
        rows = chain.from_iterable(batch.to_pylist() for batch in places.to_batches(4096))
        for host, pages in groupby(rows, key=itemgetter("host")):
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
        target = page_dat_path(self._draft, host)
        target.parent.parent.mkdir(exist_ok=True)
        target.parent.mkdir()
        with target.open("wb") as file:
            for shard, of_shard in groupby(pages, key=itemgetter(SHARD)):
                with _opened(page_dat_path(self._sources[shard], host)) as source:
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
        docno = self._pattern.format(n=self._next)
        try:
            data = read_record(source, page["offset"], page["length"])
            data = numbered_record(data, docno, page["url"])
        except DamagedRecordError as error:
            self._drops.append(_drop(page, error))
            return None, (0, 0)
        begin = file.tell()
        file.write(data)
        self._next += 1
        return docno, (begin, len(data))

    # Rows

    def _number_list(self, places: pa.Table) -> None:
        """Write docnos.tsv."""
        lines = pc.binary_join_element_wise(places["docno"], places["url"], "\t").to_pylist()
        with (self._draft / _DOCNOS).open("w", encoding="utf-8", newline="") as file:
            file.writelines(f"{line}\n" for line in lines)

    def _rows(self, number: int, places: pa.Table) -> None:
        """Copy the rows of the pages, at their new places."""
        if not places.num_rows:
            return
        whole = pa.unify_schemas([x.schema for x in self._tables], promote_options="permissive")
        names = [name for name in whole.names if name not in {"bucket", "docno"}]
        schema = pa.schema([*(whole.field(name) for name in names), ("docno", pa.string())])
        folder = self._draft / "rows"
        folder.mkdir()
        with (
            write_whole(part_path(folder, 1, 1)) as file,
            pq.ParquetWriter(file, schema, compression="zstd") as writer,
        ):
            for shard, table in enumerate(self._tables):
                of_shard = places.filter(pc.field(SHARD) == shard)
                for rows in _moved_rows(table, number, of_shard) if of_shard.num_rows else ():
                    writer.write_table(conform(rows, schema))


@dataclass(slots=True)
class CollectionWriter:
    """Puts the buckets of a collection in place, in their order.

    Args:
        out: folder to fill; it is there and empty.
        n_documents: documents so far.
        n_damaged: pages so far that were left out.
    """

    out: Path
    n_documents: int = 0
    n_damaged: int = 0
    _drops: list[pa.Table] = field(default_factory=list)

    def add(self, copy: BucketCopy) -> None:
        """Put a bucket in its place; the one before is there.

        Args:
            copy: the bucket.

        Raises:
            StorageFullError: no room.
            StoreError: the folder cannot be written.
        """
        draft = Path(copy.draft)
        rows = table_folder(self.out, "page") / f"bucket={copy.number}"
        with storage_errors(self.out):
            data = draft / f"data_{copy.number}"
            if data.exists():
                data.rename(self.out / data.name)
            if (draft / "rows").exists():
                rows.parent.mkdir(parents=True, exist_ok=True)
                (draft / "rows").rename(rows)
            with (self.out / _DOCNOS).open("ab") as file, (draft / _DOCNOS).open("rb") as added:
                shutil.copyfileobj(added, file)
            if (draft / _DROPS).exists():
                self._drops.append(pq.read_table(draft / _DROPS))
                self.n_damaged += self._drops[-1].num_rows
            shutil.rmtree(draft)
        self.n_documents += copy.n_documents

    def finish(self, created: str) -> None:
        """Write the marker and the drops; after it, the folder is a corpus.

        Args:
            created: when, as in ``2006-03-12T08:00:00Z``; the same for the same documents.

        Raises:
            StoreError: a file could not be written.
        """
        with storage_errors(self.out):
            if self._drops:
                write_table(self.out, "drop", pa.concat_tables(self._drops).combine_chunks())
            about = {"format": "quarkcrawl-corpus", "version": FORMAT_VERSION, "created": created}
            (self.out / MARKER).write_text(json.dumps(about) + "\n", encoding="ascii")


def copies_of(
    cluster: Cluster, source: BucketSource, n_pages: Mapping[int, int]
) -> dict[int, BucketCopy]:
    """Have buckets written by the workers of a cluster.

    Args:
        cluster: its workers reach all folders.
        source: what was chosen.
        n_pages: how many pages were chosen of each bucket.

    Returns:
        The buckets, numbered without gaps.

    Raises:
        EngineError: the cluster gave up.
    """
    copies: dict[int, BucketCopy] = {}
    while True:
        firsts, after = {}, 1
        for number in sorted(n_pages):
            firsts[number] = after
            after += copies[number].n_documents if number in copies else n_pages[number]
        stale = [n for n in firsts if n not in copies or copies[n].first != firsts[n]]
        if not stale:
            return copies
        for number in copies.keys() & set(stale):
            shutil.rmtree(copies[number].draft)
        write = partial(_written, source=source, firsts=firsts)
        for said in cluster.each(write, stale):
            copy = BucketCopy(**json.loads(said))
            copies[copy.number] = copy


def _written(number: int, source: BucketSource, firsts: Mapping[int, int]) -> str:
    """What a worker does: write a bucket, and say so in a line."""
    return json.dumps(asdict(source.write(number, firsts[number])))


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


def _drop_table(drops: list[DropRow]) -> pa.Table:
    return pa.Table.from_pylist([asdict(row) for row in drops])


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
    in_bucket = (pc.field("bucket") == bucket) & pc.field("host").isin(hosts)
    names = [name for name in table.schema.names if name not in {"bucket", "docno"}]
    how = {"batch_size": _BATCH_ROWS, "cache_metadata": False}
    for batch in table.to_batches(columns=names, filter=in_bucket, **how):
        rows = _moved(batch, places, hosts, keys)
        if rows.num_rows:
            yield pa.Table.from_batches([rows])


def _moved(
    batch: pa.RecordBatch, places: pa.Table, hosts: pa.Array, keys: NDArray[np.int64]
) -> pa.RecordBatch:
    """The rows of a batch that were chosen, at their new places."""
    batch_keys = _keys(batch, hosts)
    at = np.minimum(np.searchsorted(keys, batch_keys), len(keys) - 1)
    is_chosen = keys[at] == batch_keys
    at = pa.array(at[is_chosen])
    batch = batch.filter(pa.array(is_chosen))
    for name in ("offset", "length"):
        moved = places[f"new_{name}"].take(at).combine_chunks()
        batch = batch.set_column(batch.schema.get_field_index(name), name, moved)
    return batch.append_column("docno", places["docno"].take(at).combine_chunks())
