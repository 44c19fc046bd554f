"""The API of a list of pages as a whole: its facets, all its rows as a file, its SQL."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec
from starlette.responses import Response

from quarkcrawl.workbench.web.api.corpus import Amount, SearchList
from quarkcrawl.workbench.web.api.sql import csv_file
from quarkcrawl.workbench.web.bench import Bench
from quarkcrawl.workbench.web.http import Operations, integer, string
from quarkcrawl.workbench.web.index import EXPORTED, FACETS, PageResult

RESULT_OPERATIONS: Final = Operations()
MOST_ROWS: Final = 100_000
FacetName = Literal["", *FACETS]  # type: ignore[valid-type]
RowCount = Annotated[int, integer(1, MOST_ROWS, "rows at most")]


class ResultQuery(SearchList):
    """Which pages are wanted, with or without words of their content."""

    text: Annotated[str, string(200, "words and phrases of the content, all of them")] = ""


class CountedFacet(msgspec.Struct, forbid_unknown_fields=True):
    """A facet with its most frequent values; ``command`` would fill one that has none."""

    name: str
    values: list[dict[str, Any]]
    n_values: Amount
    command: str


class CountedFacets(msgspec.Struct, forbid_unknown_fields=True):
    """All facets of a list of pages."""

    facets: list[CountedFacet]


class ExportedRows(msgspec.Struct, forbid_unknown_fields=True):
    """All pages of a list; ``is_cut``: there are more."""

    rows: list[dict[str, Any]]
    is_cut: bool


class ResultSql(msgspec.Struct, forbid_unknown_fields=True):
    """A SELECT that gives the same pages."""

    sql: str


@RESULT_OPERATIONS.add(
    "GET /api/facets", "Facets of a list of pages, with counts", reply=CountedFacets
)
def facets(
    bench: Bench,
    request: ResultQuery,
    expanded: Annotated[FacetName, msgspec.Meta(description="facet to give more values of")] = "",
) -> Any:
    """The values of all facets."""
    matches = PageResult(bench.tables, request.query(request.text))
    return {"facets": [facet.plain() for facet in matches.facets(expanded)]}


def _exported(bench: Bench, request: ResultQuery, most: int) -> tuple[list[dict[str, Any]], bool]:
    matches = PageResult(bench.tables, request.query(request.text))
    matches.finish()
    rows = matches.exported(most + 1)
    return rows[:most], len(rows) > most


@RESULT_OPERATIONS.add(
    "GET /api/results", "All pages of a list, with what is known of each", reply=ExportedRows
)
def results(bench: Bench, request: ResultQuery, rows: RowCount = 10_000) -> Any:
    """All pages of a list as JSON."""
    pages, is_cut = _exported(bench, request, rows)
    return {"rows": pages, "is_cut": is_cut}


@RESULT_OPERATIONS.add("GET /api/results/csv", "The same as CSV", media_type="text/csv")
def results_csv(bench: Bench, request: ResultQuery, rows: RowCount = MOST_ROWS) -> Response:
    """All pages of a list as a file."""
    pages, _ = _exported(bench, request, rows)
    return csv_file("pages.csv", EXPORTED, (page.values() for page in pages))


@RESULT_OPERATIONS.add(
    "GET /api/results/sql", "A SELECT that gives the pages of a list", reply=ResultSql
)
def results_sql(bench: Bench, request: ResultQuery) -> Any:
    """The SQL of a list."""
    matches = PageResult(bench.tables, request.query(request.text))
    matches.finish()
    return {"sql": matches.sql()}
