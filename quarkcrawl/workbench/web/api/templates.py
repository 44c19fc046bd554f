"""The API of templates: look, label, preview, match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.workbench.web.api.corpus import ID, PAGE
from quarkcrawl.workbench.web.api.pages import document_of_url, framed, new_nonce
from quarkcrawl.workbench.web.http import ApiError, Endpoint, Parameter, integer, object_of, string
from quarkcrawl.workbench.web.templatestore import nodes_of_words, positions_of

if TYPE_CHECKING:
    from starlette.responses import Response

    from quarkcrawl.workbench.web.bench import Bench
    from quarkcrawl.workbench.web.http import Call


TEMPLATE_ROWS: Final = 24
MOST_POSITIONS: Final = 400
PREVIEW_PAGES: Final = 8
_TEMPLATE: Final = Parameter(
    "template", string(64, pattern="^[0-9A-Za-z_-]{1,64}$"), "id of a template", "path"
)
_SKELETON_NODES: Final = 120


def template_list(bench: Bench, host: str, page: int) -> dict[str, Any]:
    """Templates with their sizes and skeletons.

    Args:
        bench: the workbench.
        host: part of a host name; "" for all.
        page: which page of the list, from 1.
    """
    found = [entry for entry in bench.templates.entries() if host in entry["host"]]
    first = TEMPLATE_ROWS * (page - 1)
    rows = [_row(entry) for entry in found[first : first + TEMPLATE_ROWS]]
    n_pages = max(1, -(-len(found) // TEMPLATE_ROWS))
    return {"rows": rows, "total": len(found), "page": page, "pages": n_pages}


def _row(entry: dict[str, Any]) -> dict[str, Any]:
    nodes = nodes_of_words(entry["centre"])
    return {
        "id": entry["id"],
        "host": entry["host"],
        "n_pages": entry["n_pages"],
        "example": entry["example"],
        "n_nodes": len(nodes),
        "labels": sorted(entry["labels"]),
        "skeleton": [[tag, depth, again] for tag, depth, again in nodes[:_SKELETON_NODES]],
    }


def template_detail(bench: Bench, name: str, start: int) -> dict[str, Any]:
    """A template with some of its positions.

    Args:
        bench: the workbench.
        name: id of the template.
        start: number of the first position.
    """
    entry = bench.templates[name]
    positions = list(positions_of(entry))
    shown = positions[start : start + MOST_POSITIONS]
    row = bench.tables.row(
        "SELECT id FROM pages WHERE url = ? ORDER BY fetched_at LIMIT 1", [entry["example"]]
    ) if bench.index is not None else {}  # fmt: skip
    return {
        **_row(entry),
        "example_id": row.get("id", ""),
        "section": entry["section"],
        "reach": entry["reach"],
        "fields": entry["labels"],
        "positions": shown,
        "n_positions": len(positions),
        "previous": max(0, start - MOST_POSITIONS) if start else None,
        "next": start + MOST_POSITIONS if start + MOST_POSITIONS < len(positions) else None,
    }


def templates(bench: Bench, call: Call) -> dict[str, Any]:
    """Templates."""
    return template_list(bench, call["host"], call["page"])


def template(bench: Bench, call: Call) -> dict[str, Any]:
    """One template."""
    return template_detail(bench, call["template"], call["start"])


def label(bench: Bench, call: Call) -> dict[str, Any]:
    """Name a position."""
    entry = bench.templates[call["template"]]
    found = bench.worker.ask(
        "label", refusal=409, templates=str(bench.templates.path), template=entry["id"],
        name=call.body["name"], position=call.body["position"],
    )  # fmt: skip
    return {"fields": found}


def preview(bench: Bench, call: Call) -> dict[str, Any]:
    """What a template reads from pages of its host."""
    entry = bench.templates[call["template"]]
    if bench.index is None:
        raise ApiError(404, "the workbench was started without a corpus")
    rows = bench.index.rows(
        "SELECT * FROM pages WHERE host = ? OR ? = ''"
        " ORDER BY url <> ?, hash(url) LIMIT ? OFFSET ?",
        [entry["host"], entry["host"], entry["example"], PREVIEW_PAGES, call["start"]],
    )
    documents = [bench.documents.of_row(row) for row in rows]
    found = bench.worker.ask(
        "preview", documents=documents, templates=str(bench.templates.path), template=entry["id"]
    )
    start = call["start"]
    return {
        "rows": found,
        "n_looked_at": len(rows),
        "previous": max(0, start - PREVIEW_PAGES) if start else None,
        "next": start + PREVIEW_PAGES if len(rows) == PREVIEW_PAGES else None,
    }


def train(bench: Bench, call: Call) -> dict[str, Any]:
    """Start to find templates."""
    del call
    bench.templates.train(bench.tables.root)
    return bench.templates.training()


def training(bench: Bench, call: Call) -> dict[str, Any]:
    """Whether templates are being found."""
    del call
    return bench.templates.training()


def match_url(bench: Bench, call: Call) -> Any:
    """Match a URL, stored or not."""
    document = document_of_url(bench, call.body["url"])
    return bench.worker.ask("match", document, templates=str(bench.templates.path))


def match_page(bench: Bench, call: Call) -> Any:
    """Match a page."""
    document = bench.documents[call["id"]]
    return bench.worker.ask("match", document, templates=str(bench.templates.path))


def template_frame(bench: Bench, call: Call) -> Response:
    """A page in the colours of a template."""
    nonce = new_nonce()
    made = bench.worker.ask(
        "template_frame", bench.documents[call["id"]], templates=str(bench.templates.path),
        template=call["template"], nonce=nonce,
    )  # fmt: skip
    return framed(made, nonce)


_FIELD: Final = object_of("name position", name=string(60, minLength=1), position=string(30))

TEMPLATE_ENDPOINTS: Final = (
    Endpoint(
        "GET", "/api/templates", templates, "Templates with their sizes",
        (Parameter("host", string(300), "part of a host name", default=""), PAGE),
    ),
    Endpoint("GET", "/api/templates/training", training, "Whether templates are being found"),
    Endpoint(
        "POST", "/api/templates/train", train, "Find the templates of the corpus", (),
        errors=(409,), is_write=True,
    ),
    Endpoint(
        "POST", "/api/templates/match", match_url, "Match a URL with the templates", (),
        object_of("url", url=string(2000, minLength=1)), errors=(502,), is_write=True,
    ),
    Endpoint(
        "GET", "/api/templates/{template}", template, "A template and its positions",
        (_TEMPLATE, Parameter("start", integer(), "first position", default=0)),
    ),
    Endpoint(
        "PUT", "/api/templates/{template}/labels", label, "Name a position, or unname it",
        (_TEMPLATE,), _FIELD, errors=(409,), is_write=True,
    ),
    Endpoint(
        "GET", "/api/templates/{template}/preview", preview, "What it reads from its pages",
        (_TEMPLATE, Parameter("start", integer(), "first page of the host", default=0)),
    ),
    Endpoint("GET", "/api/pages/{id}/template", match_page, "The template of a page", (ID,)),
    Endpoint(
        "GET", "/frames/{id}/template/{template}", template_frame, "A page against a template",
        (ID, _TEMPLATE), reply=None, media_type="text/html",
    ),
)  # fmt: skip
