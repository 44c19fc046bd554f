"""What views and API ask the index of a corpus; every answer is a page of rows or some totals."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from quarkcrawl.web.index import CorpusIndex

__all__ = [
    "DROP_FILTERS",
    "HOST_SORTS",
    "PAGE_FILTERS",
    "PAGE_ROWS",
    "PAGE_SORTS",
    "Rows",
    "copies",
    "copy_group",
    "drops",
    "history",
    "hosts",
    "overview",
    "pages",
    "pages_with_text",
    "rank_methods",
    "ranks",
]

PAGE_ROWS: Final = 50
"""Rows in one page of a list."""

SNIPPET_CHARS: Final = 120

_SLICE_PAGES: Final = 4096
_SEARCH_S: Final = 0.4
"""A search is answered after so long, with what was found by then."""

PAGE_SORTS: Final = {
    "url": "host, url",
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
PAGE_FILTERS: Final = ("host", "charset", "mime", "domain", "status", "level", "template")
DROP_FILTERS: Final = ("reason", "host")

_PAGE_COLUMNS: Final = """
    id, number, url, host, coalesce(nullif(content_title, ''), title) AS title, level, status, mime,
    charset, body_bytes, content_chars, fetched_at, published, is_topic, template, marks
"""


@dataclass(frozen=True, slots=True)
class Rows:
    """A page of a list.

    Args:
        rows: of this page.
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

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        return {"rows": self.rows, "total": self.total, "page": self.page, "pages": self.n_pages}


def _listed(
    index: CorpusIndex, columns: str, source: str, order: str, page: int, values: Sequence[Any] = ()
) -> Rows:
    total = index.row(f"SELECT count(*) AS n FROM {source}", values)["n"]  # noqa: S608 - own names
    offset = PAGE_ROWS * (page - 1)
    sql = f"SELECT {columns} FROM {source} ORDER BY {order} LIMIT {PAGE_ROWS} OFFSET {offset}"  # noqa: S608
    return Rows(index.rows(sql, values), total, page)


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
        "reasons": index.rows(
            "SELECT reason AS name, count(*) AS n FROM drops GROUP BY reason ORDER BY n DESC, name"
        ),
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


def hosts(index: CorpusIndex, query: str, sort: str, page: int) -> Rows:
    """Hosts whose name has a text in it."""
    source = "hosts WHERE contains(host, lower(?))"
    return _listed(index, "*", source, HOST_SORTS[sort], page, [query])


def pages(index: CorpusIndex, query: str, filters: Mapping[str, str], sort: str, page: int) -> Rows:
    """Stored pages.

    Args:
        index: of the corpus.
        query: part of the URL or the title.
        filters: values of `PAGE_FILTERS`; "" for any.
        sort: one of `PAGE_SORTS`.
        page: of the list.
    """
    asked, values = _asked(query, filters)
    source = f"pages WHERE {' AND '.join(asked)}"
    return _listed(index, _PAGE_COLUMNS, source, PAGE_SORTS[sort], page, values)


def pages_with_text(
    index: CorpusIndex, text: str, query: str, filters: Mapping[str, str], after: int
) -> dict[str, Any]:
    """Stored pages with all of some words, in the order of their URLs, from a place on.

    Texts are searched slice by slice until a page of the list is full or some time has passed;
    then ``searched_to`` says from where to go on. So an answer never takes long, however large
    the corpus and however rare the words.

    Args:
        index: of the corpus.
        text: the words.
        query: part of the URL or the title.
        filters: values of `PAGE_FILTERS`.
        after: number of the last page that was searched before; 0 to begin.
    """
    asked, values = _asked(query, filters)
    words = text.lower().split()
    each = " AND ".join(["(contains(text, ?) OR contains(title, ?))"] * len(words))
    last = index.row("SELECT coalesce(max(number), 0) AS n FROM pages")["n"]
    sql = (
        f"SELECT {_PAGE_COLUMNS} FROM pages WHERE {' AND '.join(asked)} AND number IN"  # noqa: S608
        f" (SELECT number FROM texts WHERE number > ? AND number <= ? AND {each})"
        f" ORDER BY number LIMIT {PAGE_ROWS + 1}"
    )
    rows: list[dict[str, Any]] = []
    done, step, start = after, _SLICE_PAGES, time.perf_counter()
    while done < last and len(rows) <= PAGE_ROWS and time.perf_counter() - start < _SEARCH_S:
        span = [done, done + step]
        rows += index.rows(sql, [*values, *span, *(word for word in words for _ in range(2))])
        done = min(done + step, last)
    if len(rows) > PAGE_ROWS:
        rows = rows[:PAGE_ROWS]
        done = rows[-1]["number"]
    _add_snippets(index, rows, words[0])
    return {"rows": rows, "searched_to": done, "of": last, "is_done": done >= last}


def _asked(query: str, filters: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Conditions on pages, and their values."""
    asked, values = ["true"], []
    for name in PAGE_FILTERS:
        if filters.get(name):
            asked.append(f"{name}::VARCHAR = ?")
            values.append(filters[name])
    if query:
        asked.append("(contains(url, ?) OR contains(lower(coalesce(title, '')), lower(?)))")
        values += [query, query]
    return asked, values


def _add_snippets(index: CorpusIndex, rows: list[dict[str, Any]], word: str) -> None:
    if not rows:
        return
    marks = ", ".join("?" * len(rows))
    start = f"greatest(1, strpos(text, ?) - {SNIPPET_CHARS // 3})"
    found = index.rows(
        f"SELECT number, substr(text, {start}, {SNIPPET_CHARS}) AS snippet"  # noqa: S608
        f" FROM texts WHERE number IN ({marks})",
        [word, *(row["number"] for row in rows)],
    )
    by_number = {row["number"]: " ".join(row["snippet"].split()) for row in found}
    for row in rows:
        row["snippet"] = by_number.get(row["number"], "")


def history(index: CorpusIndex, url: str) -> dict[str, Any]:
    """Everything that the tables say of a URL: stored when, copies, redirects, drops.

    Args:
        index: of the corpus.
        url: the URL.
    """
    return {
        "stored": index.rows(
            f"SELECT {_PAGE_COLUMNS}, md5 FROM pages WHERE url = ? ORDER BY number",  # noqa: S608
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
            "SELECT regexp_extract(filename, '([^/]+)\\.parquet$', 1) AS method, rank, position"
            " FROM ranks WHERE url = ?",
            [url],
        ),
    }


def drops(index: CorpusIndex, query: str, filters: Mapping[str, str], page: int) -> Rows:
    """URLs that ended without being stored."""
    asked, values = ["contains(url, ?)"], [query]
    for name in DROP_FILTERS:
        if filters.get(name):
            asked.append(f"{name} = ?")
            values.append(filters[name])
    source = f"drops WHERE {' AND '.join(asked)}"
    return _listed(
        index, 'url, host, reason, detail, level, "at"', source, "reason, url", page, values
    )


def copies(index: CorpusIndex, kind: str, page: int) -> Rows:
    """Groups of pages with the same bytes, or nearly the same content; largest first."""
    grouped = (
        "(SELECT kind, first, count(*) + 1 AS n, min(reason) AS reason FROM copies"
        " WHERE kind = ? GROUP BY kind, first) g LEFT JOIN"
        " (SELECT url, any_value(id) AS id, any_value(coalesce(content_title, title)) AS title"
        "  FROM pages GROUP BY url) p ON g.first = p.url"
    )
    return _listed(
        index, "kind, first, n, reason, id, title", grouped, "n DESC, first", page, [kind]
    )


def copy_group(index: CorpusIndex, kind: str, first: str) -> list[dict[str, Any]]:
    """The pages of a group, the one that is kept first; at most 200."""
    return index.rows(
        """
        SELECT c.url, c.reason, p.id, coalesce(p.content_title, p.title) AS title, p.content_chars
        FROM (SELECT url, reason, 1 AS later FROM copies WHERE kind = ? AND first = ?
              UNION ALL SELECT ?, 'first', 0) c
        LEFT JOIN (SELECT * FROM pages QUALIFY row_number() OVER (PARTITION BY url) = 1) p
             ON c.url = p.url
        ORDER BY later, c.url LIMIT 200
        """,
        [kind, first, first],
    )


def rank_methods(index: CorpusIndex) -> list[str]:
    """Names of the rank tables."""
    found = index.rows(
        "SELECT DISTINCT regexp_extract(filename, '([^/]+)\\.parquet$', 1) AS name FROM ranks"
        " WHERE url IS NOT NULL ORDER BY name"
    )
    return [row["name"] for row in found]


def ranks(index: CorpusIndex, method: str, page: int) -> Rows:
    """Pages in the order of a rank."""
    source = (
        "ranks r LEFT JOIN (SELECT url, any_value(id) AS id,"
        " any_value(coalesce(content_title, title)) AS title FROM pages GROUP BY url) p"
        " ON r.url = p.url WHERE r.filename LIKE '%/' || ? || '.parquet' AND r.url IS NOT NULL"
    )
    columns = "r.url AS url, r.rank AS rank, r.position AS position, p.id AS id, p.title AS title"
    return _listed(index, columns, source, "r.rank DESC, r.url", page, [method])
