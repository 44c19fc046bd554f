"""What views and API ask the index of a corpus; every answer is a page of rows or some totals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from quarkcrawl.corpus import dedup_method
from quarkcrawl.engines import source_path

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from quarkcrawl.workbench.web.index.index import CorpusIndex
    from quarkcrawl.workbench.web.index.links import StoredLink


PAGE_ROWS: Final = 50
"""Rows in one page of a list."""

HostSort = Literal["pages", "host", "bytes", "text"]
PAGE_SORTS: Final[dict[str, str]] = {
    "url": "number",
    "newest": "fetched_at DESC, number",
    "largest": "body_bytes DESC, number",
    "longest": "content_chars DESC, number",
    "level": "level, number",
}
HOST_SORTS: Final = {
    "pages": "pages DESC, host",
    "host": "host",
    "bytes": "bytes DESC, host",
    "text": "content_chars DESC, host",
}
DROP_FILTERS: Final = ("reason", "host")

PAGE_COLUMNS: Final = """
    id, number, url, host, coalesce(nullif(content_title, ''), title) AS title, level, status, mime,
    charset, body_bytes, content_chars, fetched_at, published, language, page_type, is_topic,
    template, marks
"""
"""What a list says of a page."""


@dataclass(frozen=True, slots=True)
class Rows:
    """A page of a list.

    Args:
        rows: what this page shows, `PAGE_ROWS` at most.
        total: rows in all.
        page: number of the page, from 1.
    """

    rows: list[dict[str, Any]]
    total: int
    page: int

    @property
    def n_pages(self) -> int:
        """How many pages the list has."""
        return max(1, -(-self.total // PAGE_ROWS))

    @property
    def first_row(self) -> int:
        """Number of the first row of this page, from 1."""
        return PAGE_ROWS * (self.page - 1) + 1

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        return {"rows": self.rows, "total": self.total, "page": self.page, "pages": self.n_pages}


def _listed(
    index: CorpusIndex,
    columns: str,
    source: str,
    order: str,
    page: int,
    values: Sequence[Any] = (),
    **tables: Any,
) -> Rows:
    total = index.row(f"SELECT count(*) AS n FROM {source}", values, **tables)["n"]  # noqa: S608 - own names
    offset = PAGE_ROWS * (page - 1)
    sql = f"SELECT {columns} FROM {source} ORDER BY {order} LIMIT {PAGE_ROWS} OFFSET {offset}"  # noqa: S608
    return Rows(index.rows(sql, values, **tables), total, page)


def overview(index: CorpusIndex) -> dict[str, Any]:
    """Totals and distributions of a corpus."""
    totals = index.row(
        """
        SELECT count(*) AS pages, count(DISTINCT host) AS hosts,
               coalesce(sum(body_bytes), 0)::BIGINT AS body_bytes,
               coalesce(sum(content_chars), 0)::BIGINT AS content_chars,
               count(*) FILTER (is_topic) AS topics, count(is_topic) AS judged,
               min(fetched_at) AS first_at, max(fetched_at) AS last_at,
               count(template) AS with_template
        FROM pages
        """
    )
    totals |= index.row("SELECT count(*) AS drops FROM drops")
    totals |= index.row("SELECT count(*) AS redirects FROM redirects")
    totals |= index.row(
        "SELECT count(*) FILTER (kind = 'exact') AS exact, count(*) FILTER (kind = 'near') AS near"
        " FROM copies"
    )
    return {
        "totals": totals,
        "charset": _shares(index, "charset"),
        "mime": _shares(index, "mime"),
        "domain": _shares(index, "domain"),
        "level": _shares(index, "level", "name"),
        "status": _shares(index, "status"),
        "page_type": [row for row in _shares(index, "page_type") if row["name"]],
        "reasons": drop_reasons(index),
        "sizes": [
            row["pages"] for row in index.rows("SELECT pages FROM hosts ORDER BY pages DESC")
        ],
        "top_hosts": index.rows(
            "SELECT host AS name, pages AS n FROM hosts ORDER BY n DESC LIMIT 8"
        ),
    }


def _shares(index: CorpusIndex, column: str, order: str = "n DESC, name") -> list[dict[str, Any]]:
    return index.rows(
        f"SELECT {column}::VARCHAR AS name, count(*) AS n FROM pages"  # noqa: S608 - our own names
        f" GROUP BY ALL ORDER BY {order} LIMIT 12"
    )


def drop_reasons(index: CorpusIndex) -> list[dict[str, Any]]:
    """How often each reason kept a URL from being stored."""
    return index.rows(
        "SELECT reason AS name, count(*) AS n FROM drops GROUP BY reason ORDER BY n DESC, name"
    )


def hosts(index: CorpusIndex, query: str, sort: str, page: int) -> Rows:
    """Hosts whose name has a text in it."""
    source = "hosts WHERE contains(host, lower(?))"
    return _listed(index, "*", source, HOST_SORTS[sort], page, [query])


def newest_pages(index: CorpusIndex, n: int) -> list[dict[str, Any]]:
    """The pages that were stored last."""
    return index.rows(
        f"SELECT {PAGE_COLUMNS} FROM pages ORDER BY {PAGE_SORTS['newest']} LIMIT {n}"  # noqa: S608
    )


def history(index: CorpusIndex, url: str) -> dict[str, Any]:
    """Everything that the tables say of a URL: stored when, copies, redirects, drops."""
    return {
        "stored": index.rows(
            f"SELECT {PAGE_COLUMNS}, md5 FROM pages WHERE url = ? ORDER BY number",  # noqa: S608
            [url],
        ),
        "copies": index.rows(
            "SELECT * FROM copies WHERE first = ? OR url = ? LIMIT 50", [url, url]
        ),
        "redirects": index.rows(
            "SELECT url, target, status FROM redirects WHERE url = ? OR target = ? LIMIT 50",
            [url, url],
        ),
        "drops": index.rows('SELECT reason, detail, "at" FROM drops WHERE url = ? LIMIT 50', [url]),
        "ranks": index.rows(
            "SELECT method, rank, position FROM ranks WHERE url = ? ORDER BY number", [url]
        ),
    }


def drops(index: CorpusIndex, query: str, filters: Mapping[str, str], page: int) -> Rows:
    """URLs that ended without being stored."""
    given = [name for name in DROP_FILTERS if filters.get(name)]
    source = f"drops WHERE {' AND '.join([*(f'{name} = ?' for name in given), 'contains(url, ?)'])}"
    values = [*(filters[name] for name in given), query]
    return _listed(
        index, 'url, host, reason, detail, level, "at"', source, "reason, url", page, values
    )


def copies(index: CorpusIndex, kind: str, page: int) -> Rows:
    """Groups of pages with the same bytes, or nearly the same content; largest first."""
    grouped = (
        "(SELECT kind, first, count(*) + 1 AS n, min(reason) AS reason FROM copies"
        " WHERE kind = ? GROUP BY kind, first)"
    )
    groups = _listed(index, "*", grouped, "n DESC, first", page, [kind])
    return with_pages(index, groups, "first")


def copies_method(index: CorpusIndex, kind: str) -> str:
    """The method of ``corpus dedup`` that chose the kept pages; "" if it has not run or near."""
    return (dedup_method(index.root) or "") if kind == "exact" else ""


def copy_group(index: CorpusIndex, kind: str, first: str) -> list[dict[str, Any]]:
    """The pages of a group, the one that is kept first; at most 200."""
    rows = index.rows(
        """
        SELECT url, reason FROM (
            SELECT url, reason, 1 AS later FROM copies WHERE kind = ? AND first = ?
            UNION ALL SELECT ?, 'first', 0)
        ORDER BY later, url LIMIT 200
        """,
        [kind, first, first],
    )
    by_url = {row["url"]: row for row in page_records(index, [row["url"] for row in rows])}
    names = ("id", "title", "content_chars")
    return [row | {name: by_url.get(row["url"], {}).get(name) for name in names} for row in rows]


def rank_methods(index: CorpusIndex) -> list[str]:
    """Names of the rank tables."""
    rows = index.rows("SELECT DISTINCT method FROM ranks ORDER BY method")
    return [row["method"] for row in rows]


def ranks(index: CorpusIndex, method: str, page: int) -> Rows:
    """Pages in the order of a rank."""
    of = index.row("SELECT min(number) AS first, count(*) AS n FROM ranks WHERE method = ?",
                   [method])  # fmt: skip
    first = (of["first"] or 0) + PAGE_ROWS * (page - 1)
    rows = index.rows(
        "SELECT url, rank, position FROM ranks"
        " WHERE method = ? AND number BETWEEN ? AND ? ORDER BY number",
        [method, first, first + PAGE_ROWS - 1],
    )
    return with_pages(index, Rows(rows, of["n"], page), "url")


def with_pages(index: CorpusIndex, page: Rows, url: str) -> Rows:
    """A page of a list with id and title of the stored page whose URL a column has."""
    by_url = {row["url"]: row for row in page_records(index, [row[url] for row in page.rows])}
    for row in page.rows:
        row |= {name: by_url.get(row[url], {}).get(name) for name in ("id", "title")}
    return page


def page_records(index: CorpusIndex, urls: Sequence[str]) -> list[dict[str, Any]]:
    """The stored records of some URLs, those of a URL one after the other, the newest last.

    To be joined with the rows that are shown: with all rows of a list it would take a second.
    """
    return index.rows(
        """
        SELECT url, "offset", id, coalesce(nullif(content_title, ''), title) AS title, content_chars
        FROM pages WHERE url IN (SELECT unnest(?::VARCHAR[])) ORDER BY number
        """,
        [list(urls)],
    )


def stored_rows(
    index: CorpusIndex,
    path: Path,
    columns: str,
    conditions: Sequence[str],
    values: Sequence[Any],
    page: int,
) -> Rows:
    """One page of the rows of a Parquet file that are asked for, in the order of the file.

    Only numbers of rows are gone through, so that the last page is no slower than the first.
    """
    file = f"read_parquet('{source_path(path)}', file_row_number = true)"
    source = f"{file} WHERE {' AND '.join(conditions) or 'true'}"
    numbers = _listed(index, "file_row_number AS n", source, "file_row_number", page, values)
    rows = index.rows(
        f"SELECT {columns} FROM {file}"  # noqa: S608 - own names and path
        " WHERE file_row_number IN (SELECT unnest(?::BIGINT[])) ORDER BY file_row_number",
        [[row["n"] for row in numbers.rows]],
    )
    return Rows(rows, numbers.total, page)


def link_rows(index: CorpusIndex, links: Sequence[StoredLink], other: str) -> list[dict[str, Any]]:
    """Links with the stored page at their other end, ``source`` or ``target``; "" if none is.

    A redirect is followed, and named.
    """
    urls = list({getattr(link, other) for link in links})
    leads = {
        row["url"]: row["target"]
        for row in index.rows(
            "SELECT url, target FROM redirects WHERE url IN (SELECT unnest(?::VARCHAR[]))", [urls]
        )
    }
    by_url = {row["url"]: row for row in page_records(index, [*urls, *leads.values()])}
    rows = []
    for link in links:
        url = getattr(link, other)
        page = by_url.get(url) or by_url.get(leads.get(url, ""), {})
        via = "" if page.get("url", url) == url else page["url"]
        rows.append({"url": url, "id": page.get("id") or "", "title": page.get("title") or "",
                     "text": link.text or "", "nofollow": bool(link.nofollow),
                     "kind": link.kind or "", "leads_to": via})  # fmt: skip
    return rows


def redirecting(index: CorpusIndex, url: str) -> dict[str, str]:
    """URLs that lead to a page by redirects, itself among them, and to what each leads next."""
    leads, new = {url: ""}, [url]
    while new and len(leads) < 100:
        rows = index.rows(
            "SELECT url, target FROM redirects WHERE target IN (SELECT unnest(?::VARCHAR[]))"
            " ORDER BY url LIMIT 100",
            [new],
        )
        new = [row["url"] for row in rows if row["url"] not in leads]
        leads |= {row["url"]: row["target"] for row in rows if row["url"] in new}
    return leads
