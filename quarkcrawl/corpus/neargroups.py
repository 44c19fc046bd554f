"""Groups of near-duplicates from sketches: the single pass of `CodeIndex`, taken apart.

Texts that share no search key have nothing to do with each other. So the keys are split into
partitions, DuckDB finds in each the texts that share one, and a union-find joins them to
components; then each component goes through the single pass by itself, in fetch order. What comes
out is what one pass over everything gives, but the memory needed is that of a number per text and
of the largest component.
"""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from quarkcrawl.dedup.codeindex import CodeIndex
from quarkcrawl.dedup.codesketch import sketches_of_codes
from quarkcrawl.kernels import compiled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import duckdb
    from numpy.typing import NDArray

    from quarkcrawl.dedup import CodeRule
    from quarkcrawl.dedup.codesketch import CodeSketch

__all__ = ["NearGroups", "number_texts", "write_groups"]

_BATCH_ROWS: Final = 20_000
_FIRST, _TEXT = -1, -2
"""Reasons that are no number of codes."""

_KEYS: Final = pa.schema([("key", pa.uint64()), ("number", pa.int64())])

_NUMBERED: Final = """
COPY (
  SELECT number, min(number) OVER (PARTITION BY text_md5) AS twin, * EXCLUDE (number)
  FROM (SELECT row_number() OVER (ORDER BY fetched_at, url) - 1 AS number, *
        FROM read_parquet('{sketches}/bucket-*.parquet'))
  ORDER BY number
) TO '{out}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 20000)
"""
_SHARED: Final = """
SELECT number, first FROM (
  SELECT number, min(number) OVER (PARTITION BY key) AS first FROM read_parquet('{keys}')
) WHERE first < number GROUP BY ALL
"""
_BY_COMPONENT: Final = """
SELECT component, t.number, n_chars, head, tail, exact
FROM read_parquet('{texts}') t JOIN members USING (number) ORDER BY component, number
"""
_GROUPS: Final = """
COPY (
  SELECT t.url, t.host, t.n_chars, k.url AS kept_url, g.number = g.first AS is_kept,
         CASE WHEN g.why > 0 THEN 'codes:' || g.why WHEN g.why = 0 THEN 'no-code'
              WHEN g.why = -1 THEN 'first'
              WHEN t.page_md5 = k.page_md5 THEN 'page-md5' ELSE 'text-md5' END AS reason
  FROM grouped g JOIN read_parquet('{texts}') t ON t.number = g.number
                 JOIN read_parquet('{texts}') k ON k.number = g.first
  ORDER BY g.first, g.number
) TO '{out}' (FORMAT parquet, COMPRESSION zstd)
"""


def number_texts(database: duckdb.DuckDBPyConnection, sketches: Path, out: Path) -> None:
    """Number all texts in fetch order and note the first with the same text."""
    temporary = out.with_name(f".{out.name}.tmp")
    database.execute(_NUMBERED.format(sketches=_quoted(sketches), out=_quoted(temporary)))
    temporary.rename(out)


def write_groups(
    database: duckdb.DuckDBPyConnection, texts: Path, rule: CodeRule, out: Path, partitions: int
) -> NearGroups:
    """Find the groups of numbered texts and write those that have more than one.

    Args:
        database: a connection with its bounds set.
        texts: file of `number_texts`.
        rule: the rule.
        out: the file of groups.
        partitions: into how many parts the keys are split.
    """
    groups = NearGroups(texts, rule)
    groups.join_keys(database, out.parent, partitions)
    groups.single_passes(database)
    temporary = out.with_name(f".{out.name}.tmp")
    database.register("grouped", groups.table())
    try:
        database.execute(_GROUPS.format(texts=_quoted(texts), out=_quoted(temporary)))
    finally:
        database.unregister("grouped")
    temporary.rename(out)
    return groups


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


@compiled
def _root(parents: NDArray[np.int64], number: int) -> int:
    while parents[number] != number:
        parents[number] = parents[parents[number]]
        number = parents[number]
    return number


@compiled
def _join(parents: NDArray[np.int64], firsts: NDArray[np.int64], others: NDArray[np.int64]) -> None:
    for at in range(len(firsts)):
        one, other = _root(parents, firsts[at]), _root(parents, others[at])
        if one != other:
            parents[max(one, other)] = min(one, other)


@compiled
def _flatten(parents: NDArray[np.int64]) -> None:
    for number in range(len(parents)):
        parents[number] = parents[parents[number]]


class NearGroups:
    """The state of a run: for each text its component, then the first of its group and why.

    Args:
        texts: file of numbered texts.
        rule: the rule.
    """

    def __init__(self, texts: Path, rule: CodeRule) -> None:
        self._texts = texts
        self._rule = rule
        n_texts = pq.read_metadata(texts).num_rows
        self.firsts: NDArray[np.int64] = np.arange(n_texts)
        self._parents: NDArray[np.int64] = np.arange(n_texts)
        self._why = np.full(n_texts, _FIRST, np.int8)

    # Components

    def join_keys(self, database: duckdb.DuckDBPyConnection, folder: Path, partitions: int) -> None:
        """Split the keys into files, and join the texts that share one."""
        paths = [folder / f".keys-{part}.parquet" for part in range(partitions)]
        try:
            self._split_keys(paths)
            for path in paths:
                reader = database.sql(_SHARED.format(keys=_quoted(path))).to_arrow_reader(1 << 20)
                for batch in reader:
                    numbers, firsts = (batch.column(n).to_numpy() for n in range(2))
                    _join(self._parents, firsts, numbers)
        finally:
            for path in paths:
                path.unlink(missing_ok=True)
        _flatten(self._parents)

    def _split_keys(self, paths: list[Path]) -> None:
        writers = [pq.ParquetWriter(path, _KEYS, compression="none") for path in paths]
        try:
            for numbers, twins, sketches in self._batches():
                self._note_twins(numbers, twins)
                keys, owners = _keys_of(numbers, twins, sketches)
                parts = (keys % np.uint64(len(paths))).astype(np.int64)
                for part, writer in enumerate(writers):
                    here = parts == part
                    writer.write_table(pa.table([keys[here], owners[here]], schema=_KEYS))
        finally:
            for writer in writers:
                writer.close()

    def _note_twins(self, numbers: NDArray[np.int64], twins: NDArray[np.int64]) -> None:
        later = twins != numbers
        self.firsts[numbers[later]] = twins[later]
        self._why[numbers[later]] = _TEXT

    def _batches(
        self,
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], list[CodeSketch]]]:
        columns = ["number", "twin", "n_chars", "head", "tail", "exact"]
        with pq.ParquetFile(self._texts) as file:
            for batch in file.iter_batches(_BATCH_ROWS, columns=columns):
                numbers, twins = (batch.column(n).to_numpy() for n in range(2))
                yield numbers, twins, self._sketches(batch)

    def _sketches(self, batch: pa.RecordBatch) -> list[CodeSketch]:
        values = [batch.column(name).to_pylist() for name in ("head", "tail", "n_chars", "exact")]
        return sketches_of_codes(values[0], values[1], values[2], values[3], self._rule)

    # Single passes

    def single_passes(self, database: duckdb.DuckDBPyConnection) -> None:
        """Group the members of each component in the order in which they were fetched."""
        database.register("members", self._members())
        try:
            query = _BY_COMPONENT.format(texts=_quoted(self._texts))
            reader = database.sql(query).to_arrow_reader(_BATCH_ROWS)
            for _, members in groupby(self._sketched(reader), itemgetter(0)):
                self._single_pass(members)
        finally:
            database.unregister("members")
        twins = self._why == _TEXT
        self.firsts[twins] = self.firsts[self.firsts[twins]]

    def _members(self) -> pa.Table:
        """Texts that are their own twin and share a key with another."""
        numbers = np.flatnonzero(self._why != _TEXT)
        components = self._parents[numbers]
        shared = np.bincount(components, minlength=1)[components] > 1
        return pa.table({"number": numbers[shared], "component": components[shared]})

    def _sketched(self, reader: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, int, CodeSketch]]:
        for batch in reader:
            components, numbers = (batch.column(n).to_pylist() for n in range(2))
            yield from zip(components, numbers, self._sketches(batch), strict=True)

    def _single_pass(self, members: Iterable[tuple[int, int, CodeSketch]]) -> None:
        index = CodeIndex(self._rule)
        numbers: list[int] = []
        for _, number, sketch in members:
            match = index.add_sketch(sketch)
            numbers.append(number)
            if match is not None:
                self.firsts[number] = numbers[match.first]
                self._why[number] = match.n_equal

    # Results

    def table(self) -> pa.Table:
        """Number, first and reason of the texts whose group has more than one."""
        sizes = np.bincount(self.firsts, minlength=1)
        numbers = np.flatnonzero(sizes[self.firsts] > 1)
        columns: dict[str, Any] = {
            "number": numbers,
            "first": self.firsts[numbers],
            "why": self._why[numbers],
        }
        return pa.table(columns)


def _keys_of(
    numbers: NDArray[np.int64], twins: NDArray[np.int64], sketches: list[CodeSketch]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """All keys of the texts that are their own twin, and whose they are."""
    keys: list[int] = []
    owners: list[int] = []
    for number, twin, sketch in zip(numbers.tolist(), twins.tolist(), sketches, strict=True):
        if number == twin:
            own = [sketch.exact] if sketch.exact else [key for row in sketch.head for key in row]
            keys += own
            owners += [number] * len(own)
    return np.array(keys, np.uint64), np.array(owners, np.int64)
