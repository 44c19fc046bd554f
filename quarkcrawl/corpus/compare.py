"""Two runs of a crawl beside each other: which pages came, went and changed, and why.

A run is a corpus. Of several records of a URL the last counts. A page has changed if its bytes
have (MD5). Of a page that one run has and the other not, the other's own tables say what became of
its URL there: dropped for a reason, redirected, a copy of another page; else it was not met.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.corpus.inputs import register_table
from quarkcrawl.corpus.merge import Shards
from quarkcrawl.engines import parquet_files, source_path

if TYPE_CHECKING:
    from pathlib import Path

    from quarkcrawl.engines import DuckEngine
    from quarkcrawl.store.tables import RowKind


CHANGES: Final = ("came", "went", "changed", "same")
"""What can have become of a page."""

_TABLES: Final[dict[RowKind, tuple[str, ...]]] = {
    "page": ("url", "host", "md5", "body_bytes", "status", "fetched_at", "offset"),
    "drop": ("url", "host", "reason", "at"),
    "redirect": ("url", "target"),
    "duplicate": ("url", "duplicate_of"),
}
_PAGES: Final = """
SELECT url, arg_max(host, (fetched_at, "offset")) AS host,
       arg_max(md5, (fetched_at, "offset")) AS md5,
       arg_max(body_bytes, (fetched_at, "offset")) AS bytes
FROM {run}_page GROUP BY url
"""
_ENDS: Final = """
SELECT url, arg_min(said, place) AS said FROM (
    SELECT url, reason AS said, 0 AS place FROM {run}_drop
    UNION ALL SELECT url, 'redirected', 1 FROM {run}_redirect
    UNION ALL SELECT url, 'duplicate', 2 FROM {run}_duplicate) GROUP BY url
"""
_CHANGES: Final = """
SELECT coalesce(a.url, b.url) AS url, coalesce(a.host, b.host) AS host,
       CASE WHEN a.url IS NULL THEN 'came' WHEN b.url IS NULL THEN 'went'
            WHEN a.md5 IS DISTINCT FROM b.md5 THEN 'changed' ELSE 'same' END AS change,
       a.bytes AS first_bytes, b.bytes AS second_bytes,
       CASE WHEN a.url IS NULL THEN coalesce(x.said, 'not_met')
            WHEN b.url IS NULL THEN coalesce(y.said, 'not_met') END AS elsewhere
FROM first_pages AS a FULL JOIN second_pages AS b ON a.url = b.url
LEFT JOIN first_ends AS x ON b.url = x.url AND a.url IS NULL
LEFT JOIN second_ends AS y ON a.url = y.url AND b.url IS NULL
ORDER BY host, url
"""


@dataclass(frozen=True, slots=True)
class RunComparison:
    """What two runs have in common.

    Args:
        pages: stored pages of the first and of the second.
        body_bytes: their bytes.
        changes: pages by what became of them, see `CHANGES`.
        elsewhere: for ``came`` what the first run says of these URLs, for ``went`` the second:
            a reason, ``redirected``, ``duplicate`` or ``not_met``, with the number of pages.
        hosts: hosts with pages in either: host, pages in both runs, came, went, changed; those
            with most that came, went or changed first.
        reasons: why URLs were not stored: reason, URLs in the first run and in the second.
    """

    pages: tuple[int, int]
    body_bytes: tuple[int, int]
    changes: dict[str, int]
    elsewhere: dict[str, dict[str, int]]
    hosts: list[dict[str, Any]]
    reasons: list[dict[str, Any]]


def compare_runs(engine: DuckEngine, first: Path, second: Path, out: Path) -> RunComparison:
    """Compare two corpora; nothing is written into them.

    Args:
        engine: DuckDB.
        first: the earlier run, a corpus or shards.
        second: the later one.
        out: folder for the pages with what became of them, in ``changes`` (Parquet, by host and
            URL), and for what is needed on the way.

    Raises:
        StoreError: one is no corpus, or a table cannot be read.
        EngineError: the engine gave up.
    """
    for name, root in (("first", first), ("second", second)):
        shards = Shards(root, out / name / "merge")
        for kind, columns in _TABLES.items():
            register_table(engine, shards, kind, f"{name}_{kind}", out / name, columns)
        engine.write(_PAGES.format(run=name), out / f"{name}-pages")
        engine.write(_ENDS.format(run=name), out / f"{name}-ends")
        for table in ("pages", "ends"):
            engine.view(f"{name}_{table}", f"SELECT * FROM {_written(out / f'{name}-{table}')}")  # noqa: S608
    engine.write(_CHANGES, out / "changes")
    engine.view("changes", f"SELECT * FROM {_written(out / 'changes')}")  # noqa: S608 - own path
    totals = _rows(engine, "SELECT change, count(*) AS n FROM changes GROUP BY change")
    n_changes = dict.fromkeys(CHANGES, 0) | {row["change"]: row["n"] for row in totals}
    (sums,) = _rows(
        engine,
        "SELECT coalesce(sum(first_bytes), 0)::BIGINT AS c,"
        " coalesce(sum(second_bytes), 0)::BIGINT AS d FROM changes",
    )
    elsewhere: dict[str, dict[str, int]] = {"came": {}, "went": {}}
    for row in _rows(
        engine,
        "SELECT change, elsewhere, count(*) AS n FROM changes WHERE elsewhere IS NOT NULL"
        " GROUP BY ALL ORDER BY n DESC, elsewhere",
    ):
        elsewhere[row["change"]][row["elsewhere"]] = row["n"]
    pages = (
        n_changes["went"] + n_changes["changed"] + n_changes["same"],
        n_changes["came"] + n_changes["changed"] + n_changes["same"],
    )
    return RunComparison(
        pages, (sums["c"], sums["d"]), n_changes, elsewhere, _hosts(engine), _reasons(engine)
    )


def _hosts(engine: DuckEngine) -> list[dict[str, Any]]:
    return _rows(
        engine,
        """
        SELECT host, count(*) FILTER (change <> 'came') AS first,
               count(*) FILTER (change <> 'went') AS second,
               count(*) FILTER (change = 'came') AS came,
               count(*) FILTER (change = 'went') AS went,
               count(*) FILTER (change = 'changed') AS changed
        FROM changes GROUP BY host ORDER BY came + went + changed DESC, host
        """,
    )


def _reasons(engine: DuckEngine) -> list[dict[str, Any]]:
    counted = "SELECT reason, count(*) AS n FROM {run}_drop GROUP BY reason"
    return _rows(
        engine,
        f"""
        SELECT coalesce(a.reason, b.reason) AS reason, coalesce(a.n, 0) AS first,
               coalesce(b.n, 0) AS second
        FROM ({counted.format(run="first")}) AS a FULL JOIN ({counted.format(run="second")}) AS b
             ON a.reason = b.reason
        ORDER BY abs(first - second) DESC, reason
        """,  # noqa: S608 - own words
    )


def _written(folder: Path) -> str:
    files = ", ".join(f"'{source_path(path)}'" for path in parquet_files(folder))
    return f"read_parquet([{files}])"


def _rows(engine: DuckEngine, sql: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = engine.fetch(sql).to_pylist()
    return rows
