"""Hosts and their pages from URL lists, merged over the lists (CWT200g thesis, 3.2, figures 3, 4).

One DuckDB query a list: the text before the path of each URL is the key of a count. Only the
distinct keys are looked at more closely, and only those that are not plain names by Python.
A line that is no URL of a site is counted and, for the first ten, named with file and number.
"""

from __future__ import annotations

import contextlib
import itertools
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from quarkcrawl.errors import InputError, StoreError
from quarkcrawl.select.hostnames import PLAIN_HOST, site_of
from quarkcrawl.select.urllists import UrlList, list_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import duckdb
    import pyarrow as pa

__all__ = ["COUNT_COLUMNS", "BadLine", "HostCounts", "ListCount", "count_hosts"]

COUNT_COLUMNS = ("host", "url", "pages", "https_pages", "lists")
NAMED_LINES = 10
_NO_HOST = "http://"
_LATIN = frozenset({"text", "cdx"})

# A URL of http is the rule: its key is the authority alone, which is the cheapest to cut out.
_KEY = r"""CASE
 WHEN starts_with(url, 'http://') THEN split_part(url, '/', 3)
 WHEN starts_with(url, 'https://') THEN 'https://' || split_part(url, '/', 3)
 ELSE chr(1) || regexp_extract(url, '^\s*(?:[A-Za-z]+:[/\\]+)?[^/\\?#]{0,200}') END"""
_ODD = "\x01"
"""Marks the key of a line that does not begin like a URL; by itself, of an empty line."""
_COUNT = """CREATE OR REPLACE TEMP TABLE keys AS
 SELECT rtrim(key, E' \r\n') AS key, pages, first FROM (
  SELECT {key} AS key, count(*) AS pages, min(n) AS first FROM {relation} GROUP BY 1)"""
_SITES = f"""CREATE OR REPLACE TEMP TABLE sites AS
 SELECT *, regexp_replace(key, '^https://', '') AS host,
  CASE WHEN starts_with(key, 'https://') THEN 'https' ELSE 'http' END AS scheme,
  length(host) < 64 AND NOT contains(host, 'xn--')
   AND regexp_full_match(host, '{PLAIN_HOST}') AS is_plain
 FROM keys"""  # noqa: S608 - our own text


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that is no URL of a site: its file, its number from 1, its beginning."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class ListCount:
    """What one list gave.

    Args:
        urls: lines (rows, records) that were counted for a host.
        blank: empty lines, and lines of a CDX file that head it.
        bad: lines that are no URL of a site.
        damage: why the list could not be read to its end, "" if it could.
    """

    path: str
    form: str
    urls: int
    hosts: int
    blank: int
    bad: int
    damage: str = ""


@dataclass(frozen=True, slots=True)
class HostCounts:
    """Hosts and page counts of all lists.

    Args:
        table: one row a host, by name: ``host`` (with a port that is not the scheme's own),
            ``url`` of the home page in the scheme that most URLs have, ``pages``,
            ``https_pages`` among them, ``lists`` that name the host.
        bad_lines: the first ten.
    """

    table: pa.Table
    lists: tuple[ListCount, ...]
    bad_lines: tuple[BadLine, ...]

    def summary(self) -> dict[str, Any]:
        """The numbers, as JSON values."""
        return {
            "hosts": self.table.num_rows,
            "urls": sum(one.urls for one in self.lists),
            "bad": sum(one.bad for one in self.lists),
            "lists": [asdict(one) for one in self.lists],
            "bad_lines": [asdict(line) for line in self.bad_lines],
        }


def count_hosts(
    paths: Iterable[str | Path], *, column: str = "url", memory_bytes: int = 2 << 30
) -> HostCounts:
    """Count the pages of each host in URL lists.

    Args:
        paths: text files, CDX, WARC, Parquet (also of counts, from other machines), corpora.
        column: the column of Parquet files that holds the URLs.
        memory_bytes: of the database.

    Raises:
        InputError: a list cannot be read at all, or lacks its column; there are no lists.
        StoreError: the database has no room.
    """
    import duckdb  # noqa: PLC0415 - slow to load
    import pyarrow as pa  # noqa: PLC0415

    lists = [list_of(path, column=column) for path in paths]
    if not lists:
        raise InputError("no URL lists given")
    tables: list[pa.Table] = []
    counts: list[ListCount] = []
    bad: list[BadLine] = []
    with duckdb.connect() as connection:
        connection.execute(f"SET memory_limit = '{memory_bytes >> 20}MiB'")
        try:
            for one in lists:
                count = _Count(connection, one)
                tables.append(count.table())
                counts.append(count.result())
                bad += count.bad_lines(NAMED_LINES - len(bad))
            table = _merged(connection, pa.concat_tables(tables))
        except (duckdb.OutOfMemoryException, duckdb.IOException) as error:
            raise StoreError(f"the database has no room ({error})", where="count") from error
    return HostCounts(table, tuple(counts), tuple(bad))


class _Count:
    """The count of one list."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, one: UrlList) -> None:
        self._db, self._list = connection, one
        self._damage: list[InputError] = []
        if one.form == "counts":
            self._take_counts()
        else:
            relation = one.relation(connection, self._damage)
            connection.execute(_COUNT.format(key=_KEY, relation=relation))
        connection.execute(_SITES)
        self._odd = self._look_at_odd_keys()

    def _take_counts(self) -> None:
        relation = self._list.relation(self._db, self._damage)
        self._db.execute(
            "CREATE OR REPLACE TEMP TABLE keys AS SELECT host AS key, sum(pages)::BIGINT AS pages,"  # noqa: S608
            f" min(file_row_number) + 1 AS first FROM {relation} GROUP BY 1"
        )

    def _look_at_odd_keys(self) -> list[tuple[str, int, int, tuple[str, str] | None]]:
        """Keys that are no plain names, with pages, first line and the site they are."""
        rows = self._db.execute(
            "SELECT key, pages, first FROM sites WHERE NOT coalesce(is_plain, false)"
        ).fetchall()
        latin = self._list.form in _LATIN
        return [
            (key, pages, first, site_of(key.removeprefix(_ODD), is_latin=latin))
            if key is not None
            else (_ODD, pages, first, None)
            for key, pages, first in rows
        ]

    def table(self) -> pa.Table:
        """Columns host, pages, https_pages; one row a host."""
        import pyarrow as pa  # noqa: PLC0415

        odd = [(*site, pages) for _, pages, _, site in self._odd if site is not None]
        schemes, hosts, pages = zip(*odd, strict=True) if odd else ((), (), ())
        columns = [
            pa.array(hosts, pa.string()),
            pa.array(schemes, pa.string()),
            pa.array(pages, pa.int64()),
        ]
        self._db.register("odd", pa.table(columns, ["host", "scheme", "pages"]))
        return self._db.sql(
            "SELECT host, sum(pages)::BIGINT AS pages,"
            "  coalesce(sum(pages) FILTER (WHERE scheme = 'https'), 0)::BIGINT AS https_pages"
            " FROM (SELECT host, scheme, pages FROM sites WHERE is_plain"
            "  UNION ALL BY NAME SELECT * FROM odd) GROUP BY host"
        ).to_arrow_table()

    def result(self) -> ListCount:
        """The numbers of the list.

        Raises:
            InputError: nothing at all could be read.
        """
        pages, n_hosts = self._db.execute(
            "SELECT coalesce(sum(pages), 0)::BIGINT, count(DISTINCT host) FROM sites WHERE is_plain"
        ).fetchall()[0]
        good = [(site, pages) for _, pages, _, site in self._odd if site is not None]
        bad = sum(pages for key, pages, _, site in self._odd if site is None and key != _ODD)
        blank = sum(pages for key, pages, _, _ in self._odd if key == _ODD)
        urls = pages + sum(n for _, n in good)
        if self._damage and not urls + bad:
            raise self._damage[0]
        damage = str(self._damage[0]) if self._damage else ""
        form, path = self._list.form, str(self._list.path)
        odd_hosts = len({site[1] for site, _ in good})
        return ListCount(path, form, urls, n_hosts + odd_hosts, blank, bad, damage)

    def bad_lines(self, limit: int) -> list[BadLine]:
        """The first lines that are no URLs, at most ``limit``."""
        bad = sorted(
            (first, key, pages)
            for key, pages, first, site in self._odd
            if key != _ODD and site is None
        )
        if not bad or limit <= 0:
            return []
        path = str(self._list.path)
        seen_once = all(pages == 1 for _, _, pages in bad[:limit])
        if seen_once or self._list.form == "counts" or path == "-":
            return [BadLine(path, first, _shown(key or _NO_HOST)) for first, key, _ in bad[:limit]]
        last = bad[limit - 1][0] if len(bad) >= limit else None
        return list(itertools.islice(self._again({key for _, key, _ in bad}, last), limit))

    def _again(self, keys: set[str], last: int | None) -> Iterator[BadLine]:
        """Lines with these keys, up to the line ``last``: a second reading of the list."""
        import pyarrow as pa  # noqa: PLC0415

        self._db.register("bad_keys", pa.table({"key": pa.array(sorted(keys), pa.string())}))
        relation = self._list.relation(self._db, [])
        until = "" if last is None else f"WHERE n <= {last}"
        rows = self._db.execute(
            f"SELECT n, url FROM (SELECT n, url, rtrim({_KEY}, E' \r\n') AS key FROM {relation}"  # noqa: S608
            f" {until}) SEMI JOIN bad_keys USING (key) ORDER BY n LIMIT {NAMED_LINES}"
        ).fetchall()
        return (BadLine(str(self._list.path), n, _shown(url)) for n, url in rows)


def _shown(text: str) -> str:
    """The beginning of a line, as it can be printed."""
    with contextlib.suppress(UnicodeError):
        text = text.encode("latin-1").decode("utf-8")
    text = text.removeprefix(_ODD).strip()[:80]
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def _merged(connection: duckdb.DuckDBPyConnection, parts: pa.Table) -> pa.Table:
    """One row a host over all lists, by name."""
    connection.register("parts", parts)
    grouped = """SELECT host, sum(pages)::BIGINT AS pages,
       sum(https_pages)::BIGINT AS https_pages, count(*) AS lists FROM parts GROUP BY host"""
    return connection.sql(
        f"""SELECT host,
          CASE WHEN https_pages * 2 >= pages THEN 'https://' ELSE 'http://' END
           || host || '/' AS url, pages, https_pages, lists
        FROM ({grouped}) ORDER BY host"""  # noqa: S608 - our own text
    ).to_arrow_table()
