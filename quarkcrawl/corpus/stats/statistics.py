"""The statistics of a corpus or collection (CWT200g thesis, chapter 4).

Totals, classes of domains, page types by suffix, provinces, and media types and companion tables as
the .GOV collection lists them. An engine counts pages by host and by suffix; hosts, of which there
are few, are told apart here.

In the thesis the shares of tables 4.2 to 4.4 are parts of 36,788,226 pages, the sum of the page
types listed, not of the 37,453,813 pages of the collection; those of 4.2 add up to 101.8 %. Here
shares are parts of all pages, and each table has a row for the rest.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from quarkcrawl.corpus.dedupjob import dedup_folder, view_unique
from quarkcrawl.corpus.inputs import register_table
from quarkcrawl.corpus.merge import Shards
from quarkcrawl.corpus.stats.domains import DOMAIN_CLASSES, domain_class, province_of_domain
from quarkcrawl.corpus.stats.ip import NO_DATABASE, ip_database, province_finder
from quarkcrawl.progress import CountedStep, no_progress, reported

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from quarkcrawl.engines import Engine
    from quarkcrawl.progress import Progress


PAGE_TYPES: Final = (
    "asp", "php", "html", "htm", "aspx", "shtml", "cgi", "jsp", "php3", "/", "xml", "txt",
    "shtm", "nsf", "pl", "torrent",
)  # fmt: skip
"""Page types of the thesis."""

_MORE_TYPES: Final = 12
_HOSTS: Final = """
SELECT host, count(*) AS pages, sum(CASE WHEN instr(url, '?') > 0 THEN 1 ELSE 0 END) AS dynamic,
       sum(body_bytes) AS body_bytes, sum(length) AS stored_bytes, min(ip) AS ip
FROM counted_pages GROUP BY host
"""

_TYPES: Final = """
SELECT page_type, count(*) AS pages FROM (
    SELECT CASE WHEN path LIKE '%/' OR instr(path, '/') = 0 THEN '/'
                ELSE lower(regexp_extract(path, '[.]([A-Za-z0-9]{1,8})$', 1)) END AS page_type
    FROM (SELECT regexp_extract(url, '^[a-z]+://[^/?#]*([^?#]*)', 1) AS path
          FROM counted_pages) AS p
) AS t GROUP BY page_type
"""

_MIMES: Final = "SELECT mime, count(*) AS pages FROM counted_pages GROUP BY mime"
_CHARSETS: Final = "SELECT charset, count(*) AS pages FROM counted_pages GROUP BY charset"


@dataclass(frozen=True, slots=True)
class StatisticsTable:
    """One table.

    Args:
        name: short name, for files.
        title: heading.
        columns: names of the columns; ``share`` holds ratios, all others counts, the first words.
        rows: each has one value for each of ``columns``.
        note: a sentence below the table, or "".
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class CorpusStatistics:
    """All tables of a corpus."""

    corpus: str
    tables: tuple[StatisticsTable, ...]

    def table(self, name: str) -> StatisticsTable:
        """The table with a name.

        Args:
            name: name of the table.

        Raises:
            KeyError: there is none.
        """
        return {table.name: table for table in self.tables}[name]


def corpus_statistics(
    engine: Engine,
    root: Path | str,
    *,
    dedup: bool | None = None,
    ip_file: Path | None = None,
    on_progress: Progress = no_progress,
) -> CorpusStatistics:
    """Count pages: totals, domains, page types, provinces, media types, character sets.

    Args:
        engine: DuckDB or Spark, see `quarkcrawl.engines.open_engine`.
        root: the corpus or collection, or shards of a shared crawl that are not merged.
        dedup: leave out stored duplicates; None: if the corpus has been deduplicated.
        ip_file: an ip2region.xdb; None: that of the package XdbSearchIP, if it is installed.
        on_progress: is told of each query.

    Raises:
        InputError: the IP database cannot be read.
        StoreError: the corpus cannot be read.
        EngineError: the engine gave up.
    """
    work = Path(tempfile.mkdtemp(prefix="quarkcrawl-"))
    try:
        on_progress("tables", 0, None)
        shards = Shards(root, work / "merge")
        if dedup is None:
            dedup = (dedup_folder(shards.root) / "report.json").is_file()
        _register(engine, shards, work, dedup=dedup)
        step = CountedStep("hosts", on_progress)
        hosts = engine.fetch(_HOSTS).sort_by("host")
        step.add(hosts.num_rows)
        queries = {"page_type": _TYPES, "mime": _MIMES, "charset": _CHARSETS}
        names = reported(queries, "kinds of pages", on_progress, total=len(queries))
        counted = {
            name: {row[name]: int(row["pages"]) for row in engine.fetch(queries[name]).to_pylist()}
            for name in names
        }
        companions = [_rows(engine, name) for name in ("crawl_duplicates", "redirects")]
        n_stored = _rows(engine, "known_duplicates WHERE stored = 1")
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return CorpusStatistics(
        str(shards.root),
        (
            _totals(hosts, companions, n_stored),
            _domains(hosts),
            _types(counted["page_type"]),
            _provinces(hosts, ip_database(ip_file)),
            _plain("mimes", "Media types", "media type", counted["mime"]),
            _plain("charsets", "Character sets", "charset", counted["charset"]),
        ),
    )


def _register(engine: Engine, shards: Shards, work: Path, *, dedup: bool) -> None:
    register_table(engine, shards, "page", "pages", work)
    register_table(engine, shards, "duplicate", "crawl_duplicates", work)
    register_table(engine, shards, "redirect", "redirects", work)
    view_unique(engine, shards.root, "counted_pages", dedup=dedup)


def _rows(engine: Engine, source: str) -> int:
    return int(engine.fetch(f"SELECT count(*) AS n FROM {source}").to_pylist()[0]["n"])  # noqa: S608


def _totals(hosts: pa.Table, companions: Sequence[int], n_stored: int) -> StatisticsTable:
    names = ("pages", "dynamic", "body_bytes", "stored_bytes")
    pages, dynamic, size, stored = (int(pc.sum(hosts[name]).as_py() or 0) for name in names)
    n_hosts = hosts.num_rows
    rows = (
        ("pages", pages),
        ("sites", n_hosts),
        ("dynamic pages", dynamic),
        ("bytes of bodies", size),
        ("bytes of records", stored),
        ("mean bytes of a page", round(size / pages) if pages else 0),
        ("mean pages of a site", round(pages / n_hosts) if n_hosts else 0),
        ("mean bytes of a site", round(size / n_hosts) if n_hosts else 0),
        ("stored duplicates, left out", n_stored),
        ("duplicate table, rows", companions[0] + n_stored),
        ("redirect table, rows", companions[1]),
    )
    return StatisticsTable("totals", "Totals", ("", "count"), rows)


def _domains(hosts: pa.Table) -> StatisticsTable:
    grouped = _grouped(hosts, map(domain_class, hosts["host"].to_pylist()))
    rows = sorted(grouped, key=lambda row: DOMAIN_CLASSES.index(row[0]))
    return StatisticsTable(
        "domains", "Classes of domains", ("domain", "share", "pages", "dynamic", "sites"),
        tuple(_shared(rows)),
    )  # fmt: skip


def _grouped(hosts: pa.Table, names: Iterable[str]) -> list[tuple[Any, ...]]:
    """Groups of hosts, named one by one: name, pages, dynamic pages, sites."""
    counted = [("pages", "sum"), ("dynamic", "sum"), ("host", "count")]
    named = hosts.append_column("name", pa.array(names, pa.string()))
    sums = named.group_by("name").aggregate(counted).to_pylist()
    kinds = ("pages_sum", "dynamic_sum", "host_count")
    return [(row["name"], *(int(row[kind]) for kind in kinds)) for row in sums]


def _shared(rows: Sequence[tuple[Any, ...]]) -> Iterable[tuple[Any, ...]]:
    """The rows with the share of their pages behind their names."""
    total = sum(row[1] for row in rows) or 1
    return ((row[0], row[1] / total, *row[1:]) for row in rows)


def _types(counted: Mapping[str, int]) -> StatisticsTable:
    """Types of the thesis and other frequent ones; the rest together."""
    by_pages = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
    more = [name for name, _ in by_pages if name and name not in PAGE_TYPES][:_MORE_TYPES]
    listed = [(name, n) for name, n in by_pages if name in PAGE_TYPES or name in more]
    rest = sum(n for name, n in by_pages if name and (name, n) not in listed)
    listed += [("no suffix", counted[""])] if counted.get("") else []
    listed += [("other", rest)] if rest else []
    note = 'The suffix of the path; "/" are folders and home pages.'
    columns = ("type", "share", "pages")
    return StatisticsTable("types", "Page types", columns, tuple(_shared(listed)), note)


def _provinces(hosts: pa.Table, database: Path | None) -> StatisticsTable:
    find = province_finder(database) if database is not None else (lambda _: None)
    pairs = zip(hosts["ip"].to_pylist(), hosts["host"].to_pylist(), strict=True)
    names = (find(ip) or province_of_domain(host) or "other" for ip, host in pairs)
    rows = sorted(_grouped(hosts, names), key=lambda row: (row[0] == "other", -row[1], row[0]))
    source = f"IP database {database}, then {NO_DATABASE}" if database else NO_DATABASE
    return StatisticsTable(
        "provinces", "Provinces", ("province", "share", "pages", "dynamic", "sites"),
        tuple(_shared(rows)), f"Provinces come from: {source}.",
    )  # fmt: skip


def _plain(name: str, title: str, column: str, counted: Mapping[str, int]) -> StatisticsTable:
    rows = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0] or ""))
    named = [(value or "none", n) for value, n in rows]
    return StatisticsTable(name, title, (column, "share", "pages"), tuple(_shared(named)))
