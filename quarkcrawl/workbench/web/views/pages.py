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


def _query(asked: ViewQuery) -> PageQuery:
    text, part = asked.text("text", 200), asked.text("q")
    filters = {name: asked.text(name, _MOST_CHARS) for name in PAGE_FILTERS}
    query = PageQuery(text, part, filters)
    return PageQuery(text, part, filters, asked.choice("sort", _sorts(query)))


def _sorts(query: PageQuery) -> list[str]:
    """Orders of the list; relevance, if words are looked for, is the first."""
    return [*(["relevance"] if query.words else []), *queries.PAGE_SORTS]


def pages(bench: Bench, asked: ViewQuery) -> dict[str, Any]:
    """Stored pages."""
    query = _query(asked)
    result = PageResult(bench.tables, query)
    found = result.rows(asked.page)
    used = {name: text for name, text in query.filters.items() if text}
    chips = [
        (name, value, SEPARATOR.join(one for one in values if one != value))
        for name, text in used.items()
        for values in [chosen_values(text)]
        for value in values
    ]
    return {
        "view": "pages", "found": found, "sort": query.sort, "sorts": _sorts(query),
        "searched": result.how_far, "filters": used, "chips": chips, "q": query.part,
        "text": query.text, "facets": result.facets(asked.choice("more", ("", *FACETS))),
    }  # fmt: skip


def pages_sql(bench: Bench, asked: ViewQuery) -> dict[str, Any]:
    """Where the SQL of a list is shown."""
    result = PageResult(bench.tables, _query(asked))
    result.finish()
    return {"redirect": f"/sql?q={quote(result.sql(), safe='', errors='replace')}"}
