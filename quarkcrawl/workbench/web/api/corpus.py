"""The API of a stored corpus: totals, lists, history, downloads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from starlette.responses import Response

from quarkcrawl.workbench.web.documents import PAGE_ID
from quarkcrawl.workbench.web.http import (
    ApiError,
    Endpoint,
    Parameter,
    array,
    integer,
    object_of,
    string,
)
from quarkcrawl.workbench.web.index import queries
from quarkcrawl.workbench.web.worker import body_of

if TYPE_CHECKING:
    from quarkcrawl.workbench.web.bench import Bench
    from quarkcrawl.workbench.web.http import Call


ID: Final = Parameter("id", string(17, pattern=PAGE_ID), "id of a page", "path")
PAGE: Final = Parameter("page", integer(1, 1_000_000), "page of the list, from 1", default=1)
QUERY: Final = Parameter("q", string(500), "part of a URL, a title or a host", default="")
_WORDS: Final = r"^[^\u0000]*[^\s\u0000][^\u0000]*$"
TEXT: Final = Parameter("text", string(200, pattern=_WORDS), "words of the content, all of them")
KIND: Final = Parameter(
    "kind", string(10, enum=["exact", "near"]), "kind of copies", default="exact"
)
ROWS: Final = object_of(
    "rows total page pages", rows=array({"type": "object"}), total=integer(), page=integer(),
    pages=integer(),
)  # fmt: skip
FOUND: Final = object_of(
    "rows total page pages searched of is_done", rows=array({"type": "object"}), total=integer(),
    page=integer(), pages=integer(), searched=integer(), of=integer(), is_done={"type": "boolean"},
)  # fmt: skip


def _filter(name: str) -> Parameter:
    return Parameter(name, string(300), f"only this {name}; empty: any", default="")


def _sort(sorts: dict[str, str]) -> Parameter:
    return Parameter("sort", string(20, enum=list(sorts)), "order", default=next(iter(sorts)))


def overview(bench: Bench, call: Call) -> dict[str, Any]:
    """Totals and distributions."""
    del call
    return queries.overview(bench.tables)


def hosts(bench: Bench, call: Call) -> dict[str, Any]:
    """Hosts with their pages."""
    return queries.hosts(bench.tables, call["q"], call["sort"], call["page"]).plain()


def pages(bench: Bench, call: Call) -> dict[str, Any]:
    """Stored pages."""
    found = queries.pages(bench.tables, call["q"], call.values, call["sort"], call["page"])
    return found.plain()


def search(bench: Bench, call: Call) -> dict[str, Any]:
    """Stored pages with some words."""
    found, how_far = queries.pages_with_text(
        bench.tables, call["text"], call["q"], call.values, call["sort"], call["page"]
    )
    return {**found.plain(), **how_far}


def page(bench: Bench, call: Call) -> dict[str, Any]:
    """A stored page and its history."""
    row = bench.tables.row("SELECT * EXCLUDE (shard) FROM pages WHERE id = ?", [call["id"]])
    if not row:
        raise ApiError(404, "no such page in the corpus")
    return {"page": row, "history": queries.history(bench.tables, row["url"])}


def raw(bench: Bench, call: Call) -> Response:
    """The bytes of a page as they were stored."""
    document = bench.documents[call["id"]]
    body, _ = body_of(document)
    name = f'attachment; filename="{document.id}.html"'
    return Response(body, 200, {"content-disposition": name}, "application/octet-stream")


def drops(bench: Bench, call: Call) -> dict[str, Any]:
    """URLs that were not stored."""
    return queries.drops(bench.tables, call["q"], call.values, call["page"]).plain()


def copies(bench: Bench, call: Call) -> dict[str, Any]:
    """Groups of duplicates."""
    return queries.copies(bench.tables, call["kind"], call["page"]).plain()


def copy_group(bench: Bench, call: Call) -> dict[str, Any]:
    """The pages of a group of duplicates."""
    return {"rows": queries.copy_group(bench.tables, call["kind"], call["first"])}


def ranks(bench: Bench, call: Call) -> dict[str, Any]:
    """Pages in the order of a rank."""
    return queries.ranks(bench.tables, call["method"], call["page"]).plain()


CORPUS_ENDPOINTS: Final = (
    Endpoint("GET", "/api/overview", overview, "Totals and distributions of the corpus"),
    Endpoint(
        "GET", "/api/hosts", hosts, "Hosts with their pages",
        (QUERY, _sort(queries.HOST_SORTS), PAGE), reply=ROWS,
    ),
    Endpoint(
        "GET", "/api/pages", pages, "Stored pages, by URL, title and facts",
        (QUERY, *map(_filter, queries.PAGE_FILTERS), _sort(queries.PAGE_SORTS), PAGE),
        reply=ROWS,
    ),
    Endpoint(
        "GET", "/api/search", search,
        "Stored pages by words of their content; until is_done, asking again searches on",
        (TEXT, QUERY, *map(_filter, queries.PAGE_FILTERS), _sort(queries.PAGE_SORTS), PAGE),
        reply=FOUND,
    ),
    Endpoint("GET", "/api/pages/{id}", page, "A stored page and the history of its URL", (ID,)),
    Endpoint(
        "GET", "/api/pages/{id}/raw", raw, "A page, byte for byte as it was stored", (ID,),
        reply=None, media_type="application/octet-stream",
    ),
    Endpoint(
        "GET", "/api/drops", drops, "URLs that were not stored, with reasons",
        (QUERY, *map(_filter, queries.DROP_FILTERS), PAGE), reply=ROWS,
    ),
    Endpoint("GET", "/api/copies", copies, "Groups of duplicates", (KIND, PAGE), reply=ROWS),
    Endpoint(
        "GET", "/api/copies/group", copy_group, "The pages of a group",
        (KIND, Parameter("first", string(), "URL of the page that is kept")),
    ),
    Endpoint(
        "GET", "/api/ranks", ranks, "Pages in the order of a rank",
        (Parameter("method", string(60), "name of the rank table"), PAGE), reply=ROWS,
    ),
)  # fmt: skip
