"""The view of stored pages: a list, its facets, a search in the contents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from quarkcrawl.workbench.web.index import (
    FACETS,
    PAGE_FILTERS,
    SEPARATOR,
    PageQuery,
    PageResult,
    chosen_values,
    queries,
)

if TYPE_CHECKING:
    from quarkcrawl.workbench.web.bench import Bench
    from quarkcrawl.workbench.web.http import ViewQuery


_MOST_CHARS = 2000


def _query(query: ViewQuery) -> PageQuery:
    text, part = query.text("text", 200), query.text("q")
    filters = {name: query.text(name, _MOST_CHARS) for name in PAGE_FILTERS}
    page_query = PageQuery(text, part, filters)
    return PageQuery(text, part, filters, query.choice("sort", _sorts(page_query)))


def _sorts(page_query: PageQuery) -> list[str]:
    """Orders of the list; relevance, if words are looked for, is the first."""
    return [*(["relevance"] if page_query.words else []), *queries.PAGE_SORTS]


def pages(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """Stored pages."""
    page_query = _query(query)
    result = PageResult(bench.tables, page_query)
    rows = result.rows(query.page)
    used = {name: text for name, text in page_query.filters.items() if text}
    chips = [
        (name, value, SEPARATOR.join(one for one in values if one != value))
        for name, text in used.items()
        for values in [chosen_values(text)]
        for value in values
    ]
    return {
        "view": "pages", "found": rows, "sort": page_query.sort, "sorts": _sorts(page_query),
        "searched": result.how_far, "filters": used, "chips": chips, "q": page_query.part,
        "text": page_query.text, "facets": result.facets(query.choice("more", ("", *FACETS))),
    }  # fmt: skip


def pages_sql(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """Where the SQL of a list is shown."""
    result = PageResult(bench.tables, _query(query))
    result.finish()
    return {"redirect": f"/sql?q={quote(result.sql(), safe='', errors='replace')}"}
