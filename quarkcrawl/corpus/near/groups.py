"""Groups of near-duplicates from texts that share keys: the single pass, taken apart.

Texts that share no key have nothing to do with each other. So a union-find joins those that do to
components, and each component goes through the single pass by itself, in fetch order. What comes
out is what one pass over everything gives, but the memory needed is that of some bytes a text and
of the first members of one component; of a very large component only as many first members as fit
are held at a time, and its texts are read once for each such part.
"""

from __future__ import annotations

from contextlib import closing
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from quarkcrawl.dedup import flatten, unite
from quarkcrawl.engines import source_path, target_path

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from quarkcrawl.corpus.near.protocol import NearJob, NearMethod


_BATCH_ROWS: Final = 8192
_FIRST, _TEXT = -1, -2
"""Reasons that are not the method's."""

MATCHES: Final = pa.schema([("number", pa.uint32()), ("first", pa.uint32()), ("why", pa.int16())])
"""Columns of a stage of grouping: texts that are in the class of another."""

_SKETCHES: Final = """
SELECT {columns} FROM read_parquet('{texts}') t JOIN members USING (number) ORDER BY place
"""
_GROUPS: Final = """
COPY (
  SELECT t.url, t.host, t.n_chars, k.url AS kept_url, g.number = g.first AS is_kept,
         CASE WHEN why = -1 THEN 'first'
              WHEN why = -2 AND t.page_md5 = k.page_md5 THEN 'page-md5'
              WHEN why = -2 THEN 'text-md5' ELSE reason END AS reason
  FROM grouped g JOIN read_parquet('{texts}') t ON t.number = g.number
                 JOIN read_parquet('{texts}') k ON k.number = g.first
                 JOIN reasons USING (why)
  ORDER BY g.first, g.number
) TO '{out}' (FORMAT parquet, COMPRESSION zstd)
"""


# Components


class Members(NamedTuple):
    """Texts that share a key with another, sorted by component, then by number."""

    components: NDArray[np.uint32]
    numbers: NDArray[np.uint32]

    def slice(self, start: int, stop: int) -> Members:
        """Those of some places."""
        return Members(self.components[start:stop], self.numbers[start:stop])

    def table(self) -> pa.Table:
        """Numbers and places."""
        return pa.table({"number": self.numbers, "place": np.arange(len(self.numbers))})

    def shards(self, most: int) -> list[tuple[int, int]]:
        """Cut between components into parts of about so many texts."""
        cuts = [0]
        for goal in range(most, len(self.components) + most, most):
            if goal < cuts[-1]:
                continue
            last = self.components[min(goal, len(self.components)) - 1]
            cuts.append(int(np.searchsorted(self.components, last, side="right")))
        return [(start, stop) for start, stop in pairwise(cuts) if start < stop]


def members_of(n_texts: int, joined: Iterable[Path]) -> Members:
    """Join texts to components, and leave out those that are alone.

    The joined numbers are those of the table of texts, hence below ``n_texts``.
    """
    parents = np.arange(n_texts, dtype=np.uint32)
    for path in joined:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(1 << 17):
                numbers, firsts = (batch.column(n).to_numpy() for n in range(2))
                unite(parents, firsts, numbers)
    flatten(parents)
    sizes = np.bincount(parents, minlength=1).astype(np.uint32)
    numbers = np.flatnonzero(sizes[parents] > 1).astype(np.uint32)
    order = np.argsort(parents[numbers], kind="stable")
    return Members(parents[numbers[order]], numbers[order])


# Single passes


class _Shard:
    """The single passes over some components, and what they found by place."""

    def __init__(self, members: Members, method: NearMethod, most_firsts: int) -> None:
        self._members = members
        self._method = method
        self._most = most_firsts
        self._ranks = np.full(len(members.numbers), np.inf)
        self._firsts = members.numbers.copy()
        self._why = np.full(len(members.numbers), _FIRST, np.int16)

    def single_pass(self, places: Iterable[int], sketches: Iterator[Any]) -> int | None:
        """Compare members of one component with as many first members as fit.

        Returns:
            The place from which on the component needs another pass.
        """
        index = self._method.index()
        goes_on_at = None
        for place in places:
            sketch = next(sketches)
            match = index.find(sketch)
            if match is not None:
                if match.rank < self._ranks[place]:
                    self._ranks[place] = match.rank
                    self._firsts[place] = match.first
                    self._why[place] = match.why
            elif goes_on_at is None and self._why[place] == _FIRST:
                if len(index) < self._most:
                    index.insert(sketch, int(self._members.numbers[place]))
                else:
                    goes_on_at = place
        return goes_on_at

    def components(self) -> Iterator[range]:
        """The places of each component."""
        starts = np.flatnonzero(
            np.diff(self._members.components.astype(np.int64), prepend=-1)
        ).tolist()
        for start, stop in pairwise([*starts, len(self._members.components)]):
            yield range(start, stop)

    def matches(self) -> pa.Table:
        """The texts that are in the class of another."""
        places = np.flatnonzero(self._why != _FIRST)
        columns = (self._members.numbers[places], self._firsts[places], self._why[places])
        return pa.table(list(columns), schema=MATCHES)


def group_members(job: NearJob, members: Members, most_firsts: int, out: Path) -> None:
    """Send whole components through the single pass and write who is in whose class.

    At most so many first members are held at a time.
    """
    shard = _Shard(members, job.method, most_firsts)
    left = []
    with closing(_sketches(job, members)) as every:
        for places in shard.components():
            goes_on_at = shard.single_pass(places, every)
            if goes_on_at is not None:
                left.append(range(goes_on_at, places.stop))
    for places in left:
        rest = places
        while rest:
            with closing(_sketches(job, members.slice(rest.start, rest.stop))) as those:
                goes_on_at = shard.single_pass(rest, those)
            rest = range(goes_on_at or rest.stop, rest.stop)
    pq.write_table(shard.matches(), out)


def _sketches(job: NearJob, members: Members) -> Generator[Any, None, None]:
    """The sketches of members, in their order."""
    columns = ", ".join(f"t.{name}" for name in job.method.columns.names)
    query = _SKETCHES.format(columns=columns, texts=source_path(job.texts))
    job.database.register("members", members.table())
    try:
        with job.database.sql(query).to_arrow_reader(_BATCH_ROWS) as reader:
            for batch in reader:
                yield from job.method.sketches(batch, job.stopped)
    finally:
        job.database.unregister("members")


# Results


def write_groups(job: NearJob, twins: Path, grouped: Sequence[Path], out: Path) -> None:
    """Write the groups that have more than one member, the kept page first.

    ``twins`` holds the texts that are the same as one before, ``grouped`` what `group_members`
    wrote.
    """
    firsts = np.arange(job.n_texts, dtype=np.uint32)
    why = np.full(len(firsts), _FIRST, np.int16)
    for path in grouped:
        numbers, owners, reasons = (c.to_numpy() for c in pq.read_table(path).columns)
        firsts[numbers], why[numbers] = owners, reasons
    numbers, owners = (column.to_numpy() for column in pq.read_table(twins).columns)
    firsts[numbers], why[numbers] = firsts[owners], _TEXT
    sizes = np.bincount(firsts, minlength=1).astype(np.uint32)
    together = np.flatnonzero(sizes[firsts] > 1).astype(np.uint32)
    columns = {"number": together, "first": firsts[together], "why": why[together]}
    job.database.register("grouped", pa.table(columns))
    index, kinds = job.method.index(), np.unique(why)
    words = [index.reason(kind) for kind in kinds.tolist()]
    job.database.register("reasons", pa.table({"why": kinds, "reason": words}))
    paths = {"texts": source_path(job.texts), "out": target_path(out)}
    try:
        job.database.execute(_GROUPS.format(**paths))
    finally:
        job.database.unregister("grouped")
        job.database.unregister("reasons")
