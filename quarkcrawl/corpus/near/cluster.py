"""Near-duplicates on a Spark cluster: the same stages, the same groups, nothing in the driver.

Sketches are made where the pages lie, texts are numbered in fetch order by a sort, keys joined by
the engine, or within a partition of keys where simhash values are compared besides. Components
come of stars that grow and merge (Kiveris, Lattanzi, Mirrokni, Rastogi and Vassilvitskii, 2014):
each round is two joins, written to disk. Then each component goes through the single pass by
itself, in fetch order. What was not finished is done again by the next run.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from quarkcrawl.corpus.near.codes import ByCodes
from quarkcrawl.corpus.near.simhash import BySimhash
from quarkcrawl.corpus.near.sketches import PAGE_FIELDS, PageText, sketch_rows
from quarkcrawl.dedup import is_stopped, length_step, near_links

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from quarkcrawl.corpus.near.protocol import NearMethod
    from quarkcrawl.engines import SparkEngine, SparkStages


_TEXTS: Final = """
SELECT url, host, "offset", fetched_at, md5, content_text AS text FROM near_latest
WHERE length(content_text) >= {least}
"""
_NUMBERED: Final = """
SELECT *, monotonically_increasing_id() AS number FROM (
  SELECT * FROM near_sketches ORDER BY fetched_at, url)
"""
_TWINS: Final = """
SELECT t.number, f.first FROM near_texts AS t JOIN (
  SELECT text_md5, min(number) AS first FROM near_texts GROUP BY text_md5 HAVING count(*) > 1
) AS f ON t.text_md5 = f.text_md5 WHERE f.first < t.number
"""
_SINGLE: Final = """
SELECT t.number, {columns} FROM near_texts AS t ANTI JOIN near_twins AS w ON t.number = w.number
"""
_CODES: Final = """
SELECT code, collect_set(place) AS places, count(DISTINCT host) AS hosts FROM (
  SELECT explode(slice(head, 1, {n_codes})) AS code, host,
         CAST(floor(ln(greatest(n_chars, 1)) / {step!r}D) AS bigint) AS place
  FROM near_texts
) GROUP BY code HAVING count(DISTINCT place) >= {lengths} OR count(DISTINCT host) >= {hosts}
"""
_SHARED: Final = """
SELECT DISTINCT k.number AS a, f.first AS b FROM near_keys AS k JOIN (
  SELECT key, min(number) AS first FROM near_keys GROUP BY key HAVING count(*) > 1
) AS f ON k.key = f.key WHERE f.first < k.number
"""
_BY_KEY: Final = "SELECT key, number, value FROM near_keys DISTRIBUTE BY key"
_NEVER: Final = 1 << 62

# A pair has the greater number first. Of each text, the greater neighbors are joined to the least
# of all (itself among them); then, of each, the lesser ones and itself to the least.
_LARGE_STARS: Final = """
WITH both AS (SELECT a AS u, b AS v FROM {pairs} UNION ALL SELECT b, a FROM {pairs})
SELECT DISTINCT v AS a, least(u, m) AS b FROM both JOIN (
  SELECT u AS w, min(v) AS m FROM both GROUP BY u) ON u = w WHERE v > u
"""
_SMALL_STARS: Final = """
WITH least AS (SELECT a AS u, min(b) AS m FROM {pairs} GROUP BY a)
SELECT DISTINCT a, b FROM (
  SELECT p.b AS a, l.m AS b FROM {pairs} AS p JOIN least AS l ON p.a = l.u WHERE p.b > l.m
  UNION ALL SELECT u, m FROM least)
"""
_STATE: Final = """
SELECT count(*) AS pairs, sum(CAST(xxhash64(a, b) AS decimal(38, 0))) AS mixed FROM {pairs}
"""
_MEMBERS: Final = """
SELECT a AS number, b AS component FROM {pairs} UNION ALL SELECT DISTINCT b, b FROM {pairs}
"""
_IN_ORDER: Final = """
SELECT m.component, t.number, {columns} FROM near_members AS m
JOIN near_texts AS t ON m.number = t.number DISTRIBUTE BY component SORT BY component, number
"""
_GROUPED: Final = """
WITH found AS (
  SELECT number, first, why FROM near_matches UNION ALL
  SELECT w.number, coalesce(m.first, w.first), -2
  FROM near_twins AS w LEFT JOIN near_matches AS m ON w.first = m.number)
SELECT * FROM found UNION ALL SELECT DISTINCT first, first, -1 FROM found
"""
_GROUPS: Final = """
SELECT /*+ BROADCAST(r) */
       t.url, t.host, t.n_chars, k.url AS kept_url, g.number = g.first AS is_kept,
       CASE WHEN g.why = -1 THEN 'first'
            WHEN g.why = -2 AND t.page_md5 = k.page_md5 THEN 'page-md5'
            WHEN g.why = -2 THEN 'text-md5' ELSE r.reason END AS reason
FROM near_grouped AS g JOIN near_texts AS t ON t.number = g.number
JOIN near_texts AS k ON k.number = g.first LEFT JOIN near_reasons AS r ON r.why = g.why
ORDER BY g.first, g.number
"""


# What the workers' Python does


def _signed(table: pa.Table) -> pa.Table:
    """A table as Spark takes it, which knows no unsigned numbers."""
    for n, field in enumerate(table.schema):
        if field.type == pa.uint64():
            column = pa.chunked_array([c.view(pa.int64()) for c in table.column(n).chunks])
            table = table.set_column(n, field.name, column)
    return table


def _unsigned(batch: pa.RecordBatch, columns: pa.Schema) -> pa.RecordBatch:
    """The columns of sketches as methods take them."""
    columns_as_typed = []
    for field in columns:
        column = batch.column(field.name)
        of_type = column.view(pa.uint64()) if field.type == pa.uint64() else column
        columns_as_typed.append(of_type.cast(field.type))
    return pa.RecordBatch.from_arrays(columns_as_typed, schema=columns)


def _spark_type(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return f"array<{_spark_type(kind.value_type)}>"
    if kind == pa.uint64():
        return "bigint"
    names = {"int32": "int", "int64": "bigint"}
    return names.get(str(kind), str(kind))


def _spark_columns(schema: pa.Schema) -> str:
    return ", ".join(f"{field.name} {_spark_type(field.type)}" for field in schema)


@dataclass(frozen=True, slots=True)
class Sketching:
    """Makes sketches of texts."""

    method: NearMethod

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The sketches of rows with the fields of `PageText`."""
        for batch in batches:
            rows = (PageText(**row) for row in batch.to_pylist())
            yield from _signed(sketch_rows(rows, self.method)).to_batches()


@dataclass(frozen=True, slots=True)
class Keys:
    """Makes search keys of sketches, of the texts that are in ``number``."""

    method: NearMethod
    n_texts: int
    stopped: frozenset[str]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """A row a key."""
        for batch in batches:
            sketches = self.method.sketches(_unsigned(batch, self.method.columns), self.stopped)
            rows = self.method.keys(sketches, self.n_texts)
            values = rows.keys if rows.values is None else rows.values
            columns = {
                "key": rows.keys.view(np.int64),
                "number": batch.column("number").to_numpy()[rows.owners],
                "value": values.view(np.int64),
            }
            yield from pa.table(columns).to_batches()


@dataclass(frozen=True, slots=True)
class NearValues:
    """Links the texts of a partition of keys whose simhash values are near."""

    k: int

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Pairs of numbers, the greater one first."""
        filled = [batch for batch in batches if batch.num_rows]
        if not filled:
            return
        table = pa.Table.from_batches(filled)
        keys, numbers, values = (table.column(n).to_numpy() for n in ("key", "number", "value"))
        firsts, others = near_links(keys.view(np.uint64), values.view(np.uint64), numbers, self.k)
        pairs = {"a": np.maximum(firsts, others), "b": np.minimum(firsts, others)}
        yield from pa.table(pairs).to_batches()


@dataclass(frozen=True, slots=True)
class SinglePass:
    """Sends whole components through the single pass, in the order of numbers."""

    method: NearMethod
    stopped: frozenset[str]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The texts that are in the class of another."""
        index, last = self.method.index(), None
        for batch in batches:
            matches: list[tuple[int, int, int]] = []
            sketches = self.method.sketches(_unsigned(batch, self.method.columns), self.stopped)
            places = (batch.column(name).to_pylist() for name in ("component", "number"))
            for component, number, sketch in zip(*places, sketches, strict=True):
                if component != last:
                    index, last = self.method.index(), component
                match = index.find(sketch)
                if match is None:
                    index.insert(sketch, number)
                else:
                    matches.append((number, match.first, match.why))
            numbers = np.array(matches, np.int64).reshape(-1, 3)
            columns = [numbers[:, 0], numbers[:, 1], numbers[:, 2].astype(np.int32)]
            yield from pa.table(columns, names=["number", "first", "why"]).to_batches()


# The run


class NearClusterRun:
    """One run; the folder must be locked, and the engine knows the pages as ``near_latest``.

    Args:
        stages: where tables go that lie between two steps.
        method: how texts are compared.
        folder: where the texts and the groups go.
        on_stage: called after each stage with its name.
    """

    def __init__(
        self,
        stages: SparkStages,
        method: NearMethod,
        folder: Path,
        on_stage: Callable[[str], None],
    ) -> None:
        self.n_done = 0
        self._stages, self._method, self._folder = stages, method, folder
        self._on_stage = on_stage
        self._columns = ", ".join(f"t.{name}" for name in method.columns.names)

    @property
    def _engine(self) -> SparkEngine:
        return self._stages.engine

    def finish(self, least_chars: int) -> None:
        """Do it."""
        n_texts = self._texts(max(least_chars, 1))
        stopped = self._stopped()
        self._pairs(n_texts, stopped)
        self._stages.keep("near_members", _MEMBERS.format(pairs=self._components()))
        sql = _IN_ORDER.format(columns=self._columns)
        single_pass = SinglePass(self._method, stopped)
        schema = "number bigint, first bigint, why int"
        self._engine.partition_for(self._stages.n_bytes("near_texts"))
        self._keep("near_matches", sql, single_pass, schema)
        self._keep("near_grouped", _GROUPED)
        self._name_reasons()
        self._engine.write(_GROUPS, self._folder / "groups.parquet")
        self._engine.write("SELECT * FROM near_texts", self._folder / "texts.parquet")

    def _keep(self, name: str, sql: str, function: Any = None, schema: str = "") -> int:
        n_rows = self._stages.keep(name, sql, function, schema)
        self.n_done += 1
        self._on_stage(name)
        return n_rows

    def _texts(self, least_chars: int) -> int:
        """Sketch and number the texts, and find those that are the same as one before."""
        schema = _spark_columns(pa.unify_schemas([PAGE_FIELDS, self._method.columns]))
        sql = _TEXTS.format(least=least_chars)
        self._keep("near_sketches", sql, Sketching(self._method), schema)
        n_texts = self._keep("near_texts", _NUMBERED)
        self._keep("near_twins", _TWINS)
        return n_texts

    def _stopped(self) -> frozenset[str]:
        """Codes that say nothing, see `quarkcrawl.corpus.near.join`."""
        if not isinstance(self._method, ByCodes) or not self._method.rule.stops:
            return frozenset()
        rule = self._method.rule
        query = _CODES.format(
            n_codes=rule.n_codes,
            step=length_step(rule),
            lengths=rule.stop_lengths or _NEVER,
            hosts=rule.stop_hosts or _NEVER,
        )
        rows = self._engine.fetch(query).to_pylist()
        codes = (row["code"] for row in rows if is_stopped(row["places"], row["hosts"], rule))
        return frozenset(codes)

    def _pairs(self, n_texts: int, stopped: frozenset[str]) -> None:
        """Pairs that connect what shares a key, with simhash what is near besides."""
        keys = Keys(self._method, n_texts, stopped)
        schema = "key bigint, number bigint, value bigint"
        self._keep("near_keys", _SINGLE.format(columns=self._columns), keys, schema)
        self._engine.partition_for(self._stages.n_bytes("near_keys"))
        if isinstance(self._method, BySimhash):
            near = NearValues(self._method.k)
            self._keep("near_pairs", _BY_KEY, near, "a bigint, b bigint")
        else:
            self._keep("near_pairs", _SHARED)

    def _components(self) -> str:
        """A table of pairs of each text but the least of its component, and that one."""
        pairs, before = "near_pairs", None
        for number in count():
            self._stages.keep(f"near_large_{number}", _LARGE_STARS.format(pairs=pairs))
            large = f"near_large_{number}"
            pairs = f"near_stars_{number}"
            self._keep(pairs, _SMALL_STARS.format(pairs=large))
            state = self._stages.row(_STATE.format(pairs=pairs))
            if state == before:
                return pairs
            before = state
        raise AssertionError

    def _name_reasons(self) -> None:
        index = self._method.index()
        rows = self._engine.fetch("SELECT DISTINCT why FROM near_matches").to_pylist()
        kinds = sorted(row["why"] for row in rows)
        words = [index.reason(kind) for kind in kinds]
        table = pa.table(
            {"why": pa.array(kinds, pa.int32()), "reason": pa.array(words, pa.string())}
        )
        self._engine.session.createDataFrame(table).createOrReplaceTempView("near_reasons")
