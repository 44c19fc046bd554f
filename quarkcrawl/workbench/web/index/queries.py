"""What views and API ask the index of a corpus; every answer is a page of rows or some totals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from quarkcrawl.workbench.web.index.search import words_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from quarkcrawl.workbench.web.index.index import CorpusIndex


PAGE_ROWS: Final = 50
"""Rows in one page of a list."""

SNIPPET_CHARS: Final = 120

PageSort = Literal["url", "newest", "largest", "longest", "level"]
HostSort = Literal["pages", "host", "bytes", "text"]
PAGE_SORTS: Final[dict[str, str]] = {
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
PAGE_FILTERS: Final = (
    "host",
    "charset",
    "mime",
    "domain",
    "status",
    "level",
    "template",
    "page_type",
)
DROP_FILTERS: Final = ("reason", "host")

_PAGE_COLUMNS: Final = """
    id, number, url, host, coalesce(nullif(content_title, ''), title) AS title, level, status, mime,
    charset, body_bytes, content_chars, fetched_at, published, page_type, is_topic,
    template, marks
"""


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


def pages(index: CorpusIndex, query: str, filters: Mapping[str, str], sort: str, page: int) -> Rows:
    """Stored pages that have ``query`` in the URL or the title, one page of the list.

    ``filters`` has values of `PAGE_FILTERS`, "" for any; ``sort`` is one of `PAGE_SORTS`.
    """
    asked, values = _asked(query, filters)
    source = f"pages WHERE {' AND '.join(asked)}"
    return _listed(index, _PAGE_COLUMNS, source, PAGE_SORTS[sort], page, values)


def pages_with_text(
    index: CorpusIndex, text: str, query: str, filters: Mapping[str, str], sort: str, page: int
) -> tuple[Rows, dict[str, Any]]:
    """Stored pages with all of some words, and how far the search for them has come.

    In a very large corpus a search is answered with what was found after a while; asked again, it
    goes on from there (`quarkcrawl.workbench.web.index.search`).
    ``text`` must have at least one word; the rest is as for `pages`.
    """
    import pyarrow as pa  # noqa: PLC0415 - slow, and not needed without a corpus

    texts = index.texts
    search = texts.search(words_of(text))
    hits = pa.table({"text_row": np.array(search.found, np.int64)})
    asked, values = _asked(query, filters)
    source = f"pages SEMI JOIN hits USING (text_row) WHERE {' AND '.join(asked)}"
    columns = f"{_PAGE_COLUMNS}, text_row"
    found = _listed(index, columns, source, PAGE_SORTS[sort], page, values, hits=hits)
    for row in found.rows:
        row["snippet"] = _snippet(texts[row.pop("text_row")], words_of(text)[0])
    how_far = {
        "searched": search.next_row,
        "of": len(texts),
        "is_done": search.next_row >= len(texts),
    }
    return found, how_far


def _snippet(text: str, word: str) -> str:
    title_chars = text.find("\n") + 1
    place = text.find(word, title_chars)
    first = max(title_chars, place - SNIPPET_CHARS // 3)
    return " ".join(text[first : first + SNIPPET_CHARS].split())


def _filtered(names: Sequence[str], filters: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Conditions on the columns that a filter is given for, and their values."""
    given = [name for name in names if filters.get(name)]
    asked = ["true", *(f"{name}::VARCHAR = ?" for name in given)]
    return asked, [filters[name] for name in given]


def _asked(query: str, filters: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Conditions on pages, and their values."""
    asked, values = _filtered(PAGE_FILTERS, filters)
    if query:
        asked.append("(contains(url, ?) OR contains(lower(coalesce(title, '')), lower(?)))")
        values += [query, query]
    return asked, values


def history(index: CorpusIndex, url: str) -> dict[str, Any]:
    """Everything that the tables say of a URL: stored when, copies, redirects, drops."""
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
            "SELECT regexp_extract(filename, '.*/ranks/([^/]+)\\.parquet', 1) AS method,"
            " rank, position FROM ranks WHERE url = ?",  # from Spark a table is a folder
            [url],
        ),
    }


def drops(index: CorpusIndex, query: str, filters: Mapping[str, str], page: int) -> Rows:
    """URLs that ended without being stored."""
    asked, values = _filtered(DROP_FILTERS, filters)
    source = f"drops WHERE {' AND '.join([*asked, 'contains(url, ?)'])}"
    values.append(query)
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
        "SELECT DISTINCT regexp_extract(filename, '.*/ranks/([^/]+)\\.parquet', 1) AS name"
        " FROM ranks ORDER BY name"
    )
    return [row["name"] for row in found]


def ranks(index: CorpusIndex, method: str, page: int) -> Rows:
    """Pages in the order of a rank."""
    source = (
        "ranks r LEFT JOIN (SELECT url, any_value(id) AS id,"
        " any_value(coalesce(content_title, title)) AS title FROM pages GROUP BY url) p"
        " ON r.url = p.url"
        " WHERE regexp_extract(r.filename, '.*/ranks/([^/]+)\\.parquet', 1) = ?"
    )
    columns = "r.url AS url, r.rank AS rank, r.position AS position, p.id AS id, p.title AS title"
    return _listed(index, columns, source, "r.rank DESC, r.url", page, [method])
