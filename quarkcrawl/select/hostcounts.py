"""Hosts and their pages from URL lists, merged over the lists (CWT200g thesis, 3.2, figures 3, 4).

One DuckDB query a list: the text before the path of each URL is the key of a count. Only the
distinct keys are looked at more closely, and only those that are not plain names by Python.
A line that is no URL of a site is counted and, for the first ten, named with file and number.
"""

from __future__ import annotations

import contextlib
import itertools
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quarkcrawl.engines import duck_settings
from quarkcrawl.errors import InputError, StoreError
from quarkcrawl.progress import no_progress, reported
from quarkcrawl.select.hostnames import PLAIN_HOST, site_of
from quarkcrawl.select.urllists import UrlList, list_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import duckdb
    import pyarrow as pa

    from quarkcrawl.progress import Progress


COUNT_COLUMNS = ("host", "url", "pages", "https_pages", "lists")
NAMED_LINES = 10
_NO_HOST = "http://"
_LATIN = frozenset({"text", "cdx"})

# The text before the path is cut out in the cheapest way; only lines that do not begin like a URL
# meet a regular expression. (One case with OR would look at every line for both beginnings.)
_KEY = r"""CASE
 WHEN starts_with(url, 'http://') THEN split_part(url, '/', 3)
 WHEN starts_with(url, 'https://') THEN split_part(url, '/', 3)
 ELSE chr(1) || regexp_extract(url, '^\s*(?:[A-Za-z]+:[/\\]+)?[^/\\?#]{0,200}') END"""
_ODD = "\x01"
"""Marks the key of a line that does not begin like a URL; by itself, of an empty line."""
_COUNT = """CREATE OR REPLACE TEMP TABLE keys AS
 SELECT rtrim(key, E' \r\n') AS key, pages, https_pages, first FROM (
  SELECT {key} AS key, count(*) AS pages,
   count(*) FILTER (starts_with(url, 'https')) AS https_pages, {first} AS first
  FROM {relation} GROUP BY 1)"""
_SITES = f"""CREATE OR REPLACE TEMP TABLE sites AS
 SELECT *, length(key) < 64 AND NOT contains(key, 'xn--')
   AND regexp_full_match(key, '{PLAIN_HOST}') AS is_plain
 FROM keys"""  # noqa: S608 - our own text
_COUNTED = """CREATE OR REPLACE TEMP TABLE keys AS
 SELECT host AS key, sum(pages)::BIGINT AS pages, {https} AS https_pages,
  min(file_row_number) + 1 AS first FROM {relation} GROUP BY 1"""
_FIRST = {"parquet": "NULL::BIGINT"}
"""The number of a row costs a fifth more in Parquet; bad rows are looked for afterwards."""


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
    paths: Iterable[str | Path],
    *,
    column: str = "url",
    memory_bytes: int = 2 << 30,
    on_progress: Progress = no_progress,
) -> HostCounts:
    """Count the pages of each host in URL lists.

    Args:
        paths: text files, CDX, WARC, Parquet (also of counts, from other machines), corpora.
        column: the column of Parquet files that holds the URLs.
        memory_bytes: most memory of the database; what is beyond it goes to the folder of temporary
            files.
        on_progress: is told of each list.

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
    with (
        tempfile.TemporaryDirectory(prefix="quarkcrawl-") as spill,
        duckdb.connect(config=duck_settings(memory_bytes, Path(spill))) as connection,
    ):
        try:
            for one in reported(lists, "lists", on_progress, total=len(lists)):
                with _readable(one):
                    count = _Count(connection, one)
                    tables.append(count.table())
                    counts.append(count.result(tables[-1]))
                    bad += count.bad_lines(NAMED_LINES - len(bad))
            on_progress("merging", 0, None)
            table = _merged(connection, pa.concat_tables(tables), is_many=len(tables) > 1)
        except (duckdb.OutOfMemoryException, duckdb.IOException) as error:
            raise StoreError(f"the database has no room ({error})", where="count") from error
    return HostCounts(table, tuple(counts), tuple(bad))


@contextlib.contextmanager
def _readable(one: UrlList) -> Iterator[None]:
    """What the database says of a damaged list, with the name of the list."""
    import duckdb  # noqa: PLC0415

    try:
        yield
    except (duckdb.OutOfMemoryException, duckdb.IOException):
        raise
    except duckdb.Error as error:
        raise InputError(f"cannot be read ({error})", where=one.path) from error


@dataclass(frozen=True, slots=True)
class _Odd:
    """A key that is no plain name; ``sites`` are host, pages and pages of https among them."""

    key: str
    pages: int
    first: int | None
    sites: tuple[tuple[str, int, int], ...]

    @classmethod
    def of(cls, row: tuple[Any, ...], *, is_latin: bool) -> _Odd:
        key, pages, https_pages, first = row
        if key is None:
            return cls(_ODD, pages, first, ())
        return cls(key, pages, first, tuple(_odd_sites(key, pages, https_pages, is_latin=is_latin)))


def _odd_sites(
    key: str, pages: int, https_pages: int, *, is_latin: bool
) -> Iterator[tuple[str, int, int]]:
    if key.startswith(_ODD):  # with its own scheme, if it has one
        site = site_of(key[1:], is_latin=is_latin)
        if site is not None:
            yield site[1], pages, pages if site[0] == "https" else 0
        return
    for scheme, number in (("http", pages - https_pages), ("https", https_pages)):
        site = site_of(f"{scheme}://{key}", is_latin=is_latin) if number else None
        if site is not None:
            yield site[1], number, number if scheme == "https" else 0


class _Count:
    """The count of one list."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, one: UrlList) -> None:
        self._db, self._list = connection, one
        self._damage: list[InputError] = []
        relation = one.relation(connection, self._damage)
        if one.form == "counts":
            connection.execute(_COUNTED.format(https=one.https, relation=relation))
        else:
            first = _FIRST.get(one.form, "min(n)")
            connection.execute(_COUNT.format(key=_KEY, first=first, relation=relation))
        connection.execute(_SITES)
        rows = connection.execute(
            "SELECT key, pages, https_pages, first FROM sites WHERE NOT coalesce(is_plain, false)"
        ).fetchall()
        self._odd = [_Odd.of(row, is_latin=one.form in _LATIN) for row in rows]

    def table(self) -> pa.Table:
        """Columns host, pages, https_pages; one row a host."""
        import pyarrow as pa  # noqa: PLC0415

        odd = [site for one in self._odd for site in one.sites]
        plain = "SELECT key AS host, pages, https_pages FROM sites WHERE is_plain"
        columns = list(zip(*odd, strict=True)) if odd else [(), (), ()]
        types = (pa.string(), pa.int64(), pa.int64())
        arrays = [pa.array(values, kind) for values, kind in zip(columns, types, strict=True)]
        self._db.register("odd", pa.table(arrays, ["host", "pages", "https_pages"]))
        return self._db.sql(
            "SELECT host, sum(pages)::BIGINT AS pages, sum(https_pages)::BIGINT AS https_pages"  # noqa: S608
            f" FROM ({plain} UNION ALL BY NAME SELECT * FROM odd) GROUP BY host"
        ).to_arrow_table()

    def result(self, table: pa.Table) -> ListCount:
        """The numbers of the list.

        Raises:
            InputError: nothing at all could be read.
        """
        import pyarrow.compute as pc  # noqa: PLC0415

        urls = pc.sum(table["pages"]).as_py() or 0
        blank = sum(one.pages for one in self._odd if one.key == _ODD)
        total = sum(one.pages for one in self._odd)
        bad = total - blank - sum(pages for one in self._odd for _, pages, _ in one.sites)
        if self._damage and not urls + bad:
            raise self._damage[0]
        damage = str(self._damage[0]) if self._damage else ""
        path = str(self._list.path)
        return ListCount(path, self._list.form, urls, table.num_rows, blank, bad, damage)

    def bad_lines(self, limit: int) -> list[BadLine]:
        """The first lines that are no URLs, at most ``limit``."""
        bad = [one for one in self._odd if one.key != _ODD and not one.sites]
        bad.sort(key=lambda one: one.first or 0)
        if not bad or limit <= 0:
            return []
        path = str(self._list.path)
        exact = all(one.pages == 1 and one.first is not None for one in bad[:limit])
        if exact or self._list.form == "counts" or path == "-":
            first_bad = bad[:limit]
            return [BadLine(path, one.first or 0, _shown(one.key or _NO_HOST)) for one in first_bad]
        last = bad[limit - 1].first if len(bad) >= limit else None
        return list(itertools.islice(self._again({one.key for one in bad}, last), limit))

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


def _merged(connection: duckdb.DuckDBPyConnection, parts: pa.Table, *, is_many: bool) -> pa.Table:
    """One row a host over all lists, by name."""
    connection.register("parts", parts)
    grouped = """(SELECT host, sum(pages)::BIGINT AS pages,
       sum(https_pages)::BIGINT AS https_pages, count(*) AS lists FROM parts GROUP BY host)"""
    source = grouped if is_many else "(SELECT *, 1::BIGINT AS lists FROM parts)"
    return connection.sql(
        f"""SELECT host,
          CASE WHEN https_pages * 2 >= pages THEN 'https://' ELSE 'http://' END
           || host || '/' AS url, pages, https_pages, lists
        FROM {source} ORDER BY host"""  # noqa: S608 - our own text
    ).to_arrow_table()
