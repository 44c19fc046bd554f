"""The API of a stored corpus: totals, lists, history, downloads."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec
from starlette.responses import Response

from quarkcrawl.workbench.web.bench import Bench
from quarkcrawl.workbench.web.documents import PAGE_ID
from quarkcrawl.workbench.web.http import ApiError, Operations, integer, string
from quarkcrawl.workbench.web.index import (
    PAGE_FILTERS,
    HostSort,
    PageQuery,
    PageResult,
    SearchSort,
    queries,
)
from quarkcrawl.workbench.web.worker import body_of

PageId = Annotated[str, string(17, "id of a page", PAGE_ID)]
ListPage = Annotated[int, integer(1, 1_000_000, "page of the list, from 1")]
Part = Annotated[str, string(500, "part of a URL, a title or a host")]
Words = Annotated[
    str,
    string(
        200,
        "words of the content, all of them; phrases in quotation marks",
        r"^[^\u0000]*[^\s\u0000][^\u0000]*$",
    ),
]
CopyKind = Annotated[Literal["exact", "near"], msgspec.Meta(description="kind of copies")]
RankMethod = Annotated[str, string(60, "name of the rank table")]
Amount = Annotated[int, integer()]

_ORDER: Final = msgspec.Meta(description="order")
CORPUS_OPERATIONS: Final = Operations()


def _only(name: str) -> msgspec.Meta:
    return string(300, f"only this {name}; empty: any")


class OfPage(msgspec.Struct):
    """Which page is asked about."""

    id: PageId


def _any_of(what: str) -> msgspec.Meta:
    return string(2000, f"only {what}; | between several, - for none; empty: any")


class PageList(msgspec.Struct):
    """Which pages are listed, and in which order; the filters are `PAGE_FILTERS`."""

    q: Part = ""
    host: Annotated[str, _any_of("these hosts")] = ""
    charset: Annotated[str, _any_of("these charsets")] = ""
    mime: Annotated[str, _any_of("these media types")] = ""
    domain: Annotated[str, _any_of("these domains")] = ""
    status: Annotated[str, _any_of("these HTTP statuses")] = ""
    level: Annotated[str, _any_of("these levels")] = ""
    template: Annotated[str, _any_of("these templates")] = ""
    page_type: Annotated[str, _any_of("these kinds of pages")] = ""
    language: Annotated[str, _any_of("these languages")] = ""
    reason: Annotated[str, _any_of("pages with these flags and reasons")] = ""
    topic: Annotated[str, _any_of("topic pages (yes) or others (no)")] = ""
    date: Annotated[str, _any_of("pages published in these years (2003) or months (2003-05)")] = ""
    labels: Annotated[str, _any_of("pages with these labels")] = ""
    sort: Annotated[SearchSort, _ORDER] = "url"
    page: ListPage = 1

    def query(self, text: str = "") -> PageQuery:
        """What is asked for, with words of the content."""
        filters = {name: getattr(self, name) for name in PAGE_FILTERS}
        return PageQuery(text, self.q, filters, self.sort)


class SearchList(PageList):
    """Which pages are listed of those that words were found in."""

    sort: Annotated[SearchSort, _ORDER] = "relevance"


class Listed(msgspec.Struct, forbid_unknown_fields=True):
    """A page of a list."""

    rows: list[dict[str, Any]]
    total: Amount
    page: Amount
    pages: Amount


class ListedCopies(Listed, forbid_unknown_fields=True):
    """Groups of copies; the method of corpus dedup that chose the kept pages, "" if none did."""

    method: str


class Searched(Listed, forbid_unknown_fields=True):
    """A page of what was found, and how far the search has come."""

    searched: Amount
    of: Amount
    is_done: bool


@CORPUS_OPERATIONS.add(
    "GET /api/tables", "As of when the tables are, and what of them cannot be read"
)
def tables(bench: Bench) -> Any:
    """What there is to know of the copy of the tables that answers."""
    note = bench.tables.note()
    faults = [{"table": one.table, "path": str(one.path), "detail": one.why} for one in note.faults]
    return {"as_of": note.as_of, "is_growing": note.is_growing, "faults": faults}


@CORPUS_OPERATIONS.add("GET /api/overview", "Totals and distributions of the corpus")
def overview(bench: Bench) -> Any:
    """Totals and distributions."""
    return queries.overview(bench.tables)


@CORPUS_OPERATIONS.add("GET /api/hosts", "Hosts with their pages", reply=Listed)
def hosts(
    bench: Bench, q: Part = "", sort: Annotated[HostSort, _ORDER] = "pages", page: ListPage = 1
) -> Any:
    """Hosts with their pages."""
    return queries.hosts(bench.tables, q, sort, page).plain()


@CORPUS_OPERATIONS.add("GET /api/pages", "Stored pages, by URL, title and facts", reply=Listed)
def pages(bench: Bench, request: PageList) -> Any:
    """Stored pages."""
    return PageResult(bench.tables, request.query()).rows(request.page).plain()


@CORPUS_OPERATIONS.add(
    "GET /api/search",
    "Stored pages by words of their content; until is_done, asking again searches on",
    reply=Searched,
)
def search(bench: Bench, text: Words, request: SearchList) -> Any:
    """Stored pages with some words."""
    matches = PageResult(bench.tables, request.query(text))
    rows = matches.rows(request.page).plain()
    # only quotation marks: nothing was looked for
    return {**rows, **(matches.how_far or {"searched": 0, "of": 0, "is_done": True})}


@CORPUS_OPERATIONS.add("GET /api/pages/{id}", "A stored page and the history of its URL")
def page(bench: Bench, request: OfPage) -> Any:
    """A stored page and its history."""
    row = bench.tables.row("SELECT * EXCLUDE (shard) FROM pages WHERE id = ?", [request.id])
    if not row:
        raise ApiError(404, "no such page in the corpus")
    return {"page": row, "history": queries.history(bench.tables, row["url"])}


@CORPUS_OPERATIONS.add(
    "GET /api/pages/{id}/raw",
    "A page, byte for byte as it was stored",
    media_type="application/octet-stream",
)
def raw(bench: Bench, request: OfPage) -> Response:
    """The bytes of a page as they were stored."""
    document = bench.documents[request.id]
    body, _ = body_of(document)
    name = f'attachment; filename="{document.id}.html"'
    return Response(body, 200, {"content-disposition": name}, "application/octet-stream")


@CORPUS_OPERATIONS.add("GET /api/drops", "URLs that were not stored, with reasons", reply=Listed)
def drops(
    bench: Bench,
    q: Part = "",
    reason: Annotated[str, _only("reason")] = "",
    host: Annotated[str, _only("host")] = "",
    page: ListPage = 1,
) -> Any:
    """URLs that were not stored."""
    return queries.drops(bench.tables, q, {"reason": reason, "host": host}, page).plain()


@CORPUS_OPERATIONS.add("GET /api/copies", "Groups of duplicates", reply=ListedCopies)
def copies(bench: Bench, kind: CopyKind = "exact", page: ListPage = 1) -> Any:
    """Groups of duplicates, and the method that chose which page of each is kept."""
    listed = queries.copies(bench.tables, kind, page).plain()
    return {**listed, "method": queries.copies_method(bench.tables, kind)}


@CORPUS_OPERATIONS.add("GET /api/copies/group", "The pages of a group")
def copy_group(
    bench: Bench,
    *,
    kind: CopyKind = "exact",
    first: Annotated[str, string(description="URL of the page that is kept")],
) -> Any:
    """The pages of a group of duplicates."""
    return {"rows": queries.copy_group(bench.tables, kind, first)}


@CORPUS_OPERATIONS.add("GET /api/ranks", "Pages in the order of a rank", reply=Listed)
def ranks(bench: Bench, method: RankMethod, page: ListPage = 1) -> Any:
    """Pages in the order of a rank."""
    return queries.ranks(bench.tables, method, page).plain()
