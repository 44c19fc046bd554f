"""The join of a corpus with itself: texts in fetch order, their keys, and which share one.

Numbering sorts, the stop list and the twins aggregate, the join looks for the least number of each
key: DuckDB does them within its bound of memory and spills the rest. Keys are split into
partitions that fit, in chunks of texts, each chunk and each partition a stage of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from quarkcrawl.corpus.near.codes import ByCodes
from quarkcrawl.corpus.near.protocol import KeyRows
from quarkcrawl.corpus.near.simhash import BySimhash
from quarkcrawl.dedup import is_stopped, length_step, near_links
from quarkcrawl.engines import source_path, target_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from quarkcrawl.corpus.near.protocol import NearJob


CHUNK_GROUPS: Final = 64
"""Row groups of texts whose keys are split in one stage."""

LINKS: Final = pa.schema([("number", pa.uint32()), ("first", pa.uint32())])
"""Columns of twins and of joined texts: a text, and one before it."""

_GROUP_ROWS: Final = 8192
_KEYS: Final = pa.schema([("key", pa.uint64()), ("number", pa.uint32())])

_NUMBERED: Final = """
COPY (
  SELECT (row_number() OVER () - 1)::UINTEGER AS number, *
  FROM (SELECT * FROM read_parquet('{sketches}/bucket-*.parquet') ORDER BY fetched_at, url)
) TO '{out}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {rows})
"""
_TWINS: Final = """
COPY (
  WITH texts AS (SELECT number, text_md5 AS md5 FROM read_parquet('{texts}')),
       firsts AS (SELECT md5, min(number) AS first FROM texts GROUP BY md5 HAVING count(*) > 1)
  SELECT number::UINTEGER AS number, first::UINTEGER AS first
  FROM texts JOIN firsts USING (md5) WHERE first < number
) TO '{out}' (FORMAT parquet)
"""
_CODES: Final = """
SELECT code, list(DISTINCT place) AS places, count(DISTINCT host) AS hosts FROM (
  SELECT unnest(head[1:{n_codes}]) AS code, host,
         floor(ln(greatest(n_chars, 1)) / {step})::BIGINT AS place
  FROM read_parquet('{texts}')
) GROUP BY code HAVING count(DISTINCT place) >= {lengths} OR count(DISTINCT host) >= {hosts}
"""
_SHARED: Final = """
COPY (
  WITH keys AS (SELECT key, number FROM read_parquet([{keys}])),
       firsts AS (SELECT key, min(number) AS first FROM keys GROUP BY key HAVING count(*) > 1)
  SELECT DISTINCT number, first FROM keys JOIN firsts USING (key) WHERE first < number
) TO '{out}' (FORMAT parquet)
"""
_NEVER: Final = 1 << 62


def number_texts(job: NearJob, sketches: Path) -> None:
    """Number all texts in fetch order."""
    paths = {"sketches": source_path(sketches), "out": target_path(job.texts)}
    job.database.execute(_NUMBERED.format(**paths, rows=_GROUP_ROWS))


def write_twins(job: NearJob, out: Path) -> None:
    """Note for each text that was there before the first one with the same characters."""
    job.database.execute(_TWINS.format(texts=source_path(job.texts), out=target_path(out)))


def stopped_codes(job: NearJob) -> frozenset[str]:
    """Codes that say nothing: they stand in texts of many lengths or hosts."""
    if not isinstance(job.method, ByCodes) or not job.method.rule.stops:
        return frozenset()
    rule = job.method.rule
    query = _CODES.format(
        texts=source_path(job.texts),
        n_codes=rule.n_codes,
        step=length_step(rule),
        lengths=rule.stop_lengths or _NEVER,
        hosts=rule.stop_hosts or _NEVER,
    )
    rows = job.database.execute(query).fetchall()
    return frozenset(code for code, places, hosts in rows if is_stopped(places, hosts, rule))


# Keys


def split_keys(job: NearJob, is_twin: NDArray[np.bool_], chunk: int, paths: Sequence[Path]) -> None:
    """Write the keys of a chunk of texts, one file a partition; twins need none."""
    schema = _KEYS
    if isinstance(job.method, BySimhash):
        schema = schema.append(pa.field("value", pa.uint64()))
    writers = [pq.ParquetWriter(path, schema, compression="none") for path in paths]
    try:
        for batch in _batches(job, chunk):
            rows = _key_rows(batch, job, is_twin)
            parts = (rows.keys % np.uint64(len(paths))).astype(np.int64)
            columns = [column for column in rows if column is not None]
            for part, writer in enumerate(writers):
                here = parts == part
                writer.write_table(pa.table([column[here] for column in columns], schema=schema))
    finally:
        for writer in writers:
            writer.close()


def _batches(job: NearJob, chunk: int) -> Iterator[pa.RecordBatch]:
    columns = ["number", *job.method.columns.names]
    with pq.ParquetFile(job.texts) as file:
        first = chunk * CHUNK_GROUPS
        groups = range(first, min(first + CHUNK_GROUPS, file.num_row_groups))
        yield from file.iter_batches(_GROUP_ROWS, row_groups=list(groups), columns=columns)


def _key_rows(batch: pa.RecordBatch, job: NearJob, is_twin: NDArray[np.bool_]) -> KeyRows:
    """The keys of a batch, their owners by number."""
    numbers = batch.column("number").to_numpy()
    rows = job.method.keys(job.method.sketches(batch, job.stopped), len(is_twin))
    owners = numbers[rows.owners]
    is_first = ~is_twin[owners]
    values = None if rows.values is None else rows.values[is_first]
    return KeyRows(rows.keys[is_first], owners[is_first], values)


def join_keys(job: NearJob, paths: Sequence[Path], out: Path) -> None:
    """Find the texts of a partition that share a key, with the first that has it.

    With simhash those whose values are near, besides.
    """
    if isinstance(job.method, BySimhash):
        _join_values(paths, job.method.k, out)
    else:
        keys = ", ".join(f"'{source_path(path)}'" for path in paths)
        job.database.execute(_SHARED.format(keys=keys, out=target_path(out)))


def _join_values(paths: Sequence[Path], k: int, out: Path) -> None:
    tables = [pq.read_table(path) for path in paths]
    keys, numbers, values = (
        np.concatenate([table.column(name).to_numpy() for table in tables])
        for name in ("key", "number", "value")
    )
    del tables
    firsts, others = near_links(keys, values, numbers, k)
    low, high = np.minimum(firsts, others), np.maximum(firsts, others)
    pq.write_table(pa.table([high, low], schema=LINKS), out)
