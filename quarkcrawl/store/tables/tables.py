"""Reading the analysis tables: Parquet parts and live journal files as one.

The Parquet folders are plain Hive datasets that any engine reads by itself:

    SELECT charset, count(*) FROM read_parquet('corpus/analysis/pages/*/*.parquet') GROUP BY 1

Rows written since the last rotation are still in the journal; `open_table` adds them. While a
crawl writes, a dataset may lose files to a merge before it has read them: `read_table` then starts
again, and ``stream`` reads what it began with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from quarkcrawl.errors import StoreError
from quarkcrawl.store.tables.arrow import conform
from quarkcrawl.store.tables.columns import columns_of, schema_of
from quarkcrawl.store.tables.compaction import journal_tables
from quarkcrawl.store.tables.parts import Snapshot, TableFile, retried, snapshot

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from pathlib import Path

    import pyarrow.dataset as ds

    from quarkcrawl.store.tables.rows import RowKind


_PLACES = pa.schema(columns_of("host", "offset", "length"))
_BUCKETS = pa.schema(columns_of("bucket"))


def open_table(root: Path, kind: RowKind, *, without: Collection[Path] = frozenset()) -> ds.Dataset:
    """One table as a pyarrow dataset: filters and columns are pushed down to Parquet.

    Args:
        root: the corpus.
        kind: ``"page"``, ``"duplicate"``, ``"redirect"`` or ``"drop"``.
        without: Parquet files to leave out: damaged ones.

    Raises:
        StoreError: a Parquet file cannot be read.
    """

    def opened() -> ds.Dataset:
        seen = snapshot(root, kind)
        left = tuple(part for part in seen.parts if part.path not in without)
        return _dataset(Snapshot(left, seen.journals), kind)

    return retried(opened, root)


def _dataset(seen: Snapshot, kind: RowKind) -> ds.Dataset:
    import pyarrow.dataset as ds  # noqa: PLC0415  (loads pandas, a fifth of a crawl's start)

    live = [table for _, path in seen.journals if (table := journal_tables(path).get(kind))]
    schema = _schema(kind, seen.parts, live)
    sources: list[ds.Dataset] = [ds.dataset(conform(table, schema)) for table in live]
    if seen.parts:
        paths = [str(part.path) for part in seen.parts]
        hive = ds.partitioning(_BUCKETS, flavor="hive")
        sources.append(ds.dataset(paths, schema=schema, format="parquet", partitioning=hive))
    if not sources:
        return ds.dataset(schema.empty_table())
    return sources[0] if len(sources) == 1 else ds.dataset(sources)


def _schema(kind: RowKind, parts: Sequence[TableFile], live: Sequence[pa.Table]) -> pa.Schema:
    """The known columns, then those that only the files know (one part a number is asked)."""
    base_schema = schema_of(kind)
    by_number = {part.last: part for part in parts}
    schemas = [_part_schema(part) for part in by_number.values()]
    schemas += [table.schema for table in live]
    extra = [
        pa.schema([field for field in schema if field.name not in base_schema.names])
        for schema in schemas
    ]
    return pa.unify_schemas([base_schema, *extra], promote_options="permissive")


def _part_schema(part: TableFile) -> pa.Schema:
    try:
        return pq.read_schema(part.path)
    except pa.ArrowInvalid as error:
        raise StoreError(f"not a Parquet file ({error})", where=part.path) from error


def read_table(root: Path, kind: RowKind, *, columns: Sequence[str] | None = None) -> pa.Table:
    """One table, or some of its columns, in memory.

    Args:
        root: folder of the corpus.
        kind: name of the table.
        columns: columns to read, all by default.

    Raises:
        StoreError: a Parquet file cannot be read.
    """
    try:
        return retried(
            lambda: open_table(root, kind).to_table(columns=columns, cache_metadata=False), root
        )
    except pa.ArrowInvalid as error:  # names the file
        raise StoreError(f"cannot read a table ({error})", where=root) from error


def count_table(table: ds.Dataset) -> int:
    """Rows of a dataset by bucket; unlike ``count_rows``, it keeps no metadata in memory.

    A dataset that is read so must be read to its end before it is read again, by one thread: Arrow
    26 crashes otherwise.

    Args:
        table: the dataset.
    """
    return sum(map(len, table.to_batches(columns=["bucket"], cache_metadata=False)))


def total_rows(roots: Iterable[Path], *kinds: RowKind) -> int | None:
    """How many rows there are, for who tells of progress; None: whoever reads them will say why.

    Args:
        roots: the corpora; crawls may be writing to them.
        kinds: which tables.
    """
    n_rows = 0
    try:
        for root in roots:
            for kind in kinds:
                seen = snapshot(root, kind)
                n_rows += sum(pq.read_metadata(part.path).num_rows for part in seen.parts)
                tables = (journal_tables(path).get(kind) for _, path in seen.journals)
                n_rows += sum(table.num_rows for table in tables if table is not None)
    except (OSError, pa.ArrowException, StoreError):
        return None
    return n_rows


def record_ends(root: Path) -> dict[str, int]:
    """Per host, the end of the last record that the Parquet parts (not the journal) name.

    Raises:
        StoreError: a Parquet file cannot be read.
    """
    parts = snapshot(root, "page").parts
    if not parts:
        return {}
    import pyarrow.dataset as ds  # noqa: PLC0415  (see above)

    try:
        rows = ds.dataset([str(part.path) for part in parts], schema=_PLACES)
        table = rows.to_table(cache_metadata=False)
    except pa.ArrowInvalid as error:  # names the file
        raise StoreError(f"cannot read a table ({error})", where=root) from error
    end = pc.add(table["offset"], table["length"])
    ends = (
        pa.table({"host": table["host"], "end": end}).group_by("host").aggregate([("end", "max")])
    )
    return dict(zip(ends["host"].to_pylist(), ends["end_max"].to_pylist(), strict=True))
