"""The API of one page: paste it, fetch it, take it apart."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import HTMLResponse, Response

from quarkcrawl.workbench.web.api.corpus import ID
from quarkcrawl.workbench.web.documents import MAX_BYTES, PAGE_ID
from quarkcrawl.workbench.web.http import (
    ApiError,
    Endpoint,
    Parameter,
    array,
    frame_policy,
    integer,
    object_of,
    string,
)

if TYPE_CHECKING:
    from quarkcrawl.workbench.web.bench import Bench
    from quarkcrawl.workbench.web.http import Call


METHODS: Final = ("default", "quark", "ibdom", "rules")
MODELS: Final = ("page", "site")
VIEWS: Final = ("original", "map", "content")
METHOD: Final = Parameter(
    "method", string(20, enum=METHODS), "extraction method", default="default"
)
MODEL: Final = Parameter(
    "model", string(10, enum=MODELS), "the page alone, or with the templates of its site",
    default="page",
)  # fmt: skip
START: Final = Parameter("start", integer(), "where to begin", default=0)
PART: Final = Parameter("part", integer(0, 100_000), "part of a large page, from 0", default=0)
ADDED: Final = object_of("id url", id=string(17, pattern=PAGE_ID), url=string(10_000))


def _templates(bench: Bench, call: Call) -> str:
    """The template file, if the site model is asked for."""
    return str(bench.templates.path) if call["model"] == "site" else ""


def add_document(bench: Bench, call: Call) -> dict[str, Any]:
    """Keep a pasted page."""
    document = bench.documents.add(call.body, call["url"], call["type"])
    if document.is_read_in_steps:
        bench.worker.prepare(document)
    return {"id": document.id, "url": document.url}


def fetch(bench: Bench, call: Call) -> dict[str, Any]:
    """Fetch a page, or take the stored one with this URL."""
    document = document_of_url(bench, call.body["url"], again=call.body.get("again", False))
    return {"id": document.id, "url": document.url}


def document_of_url(bench: Bench, url: str, *, again: bool = False) -> Any:
    """The stored page with a URL; or what the web has there now.

    Raises:
        ApiError: it is not stored, and URLs cannot be fetched.
        FetchError: it cannot be fetched.
    """
    if bench.index is not None and not again:
        row = bench.index.row("SELECT * FROM pages WHERE url = ? ORDER BY fetched_at DESC", [url])
        if row:
            return bench.documents.of_row(row)
    if bench.services.fetch is None:
        raise ApiError(404, "this URL is not stored, and nothing is fetched here")
    page = bench.services.fetch(url)
    return bench.documents.add(page.body, page.url)


def reading(bench: Bench, call: Call) -> dict[str, Any]:
    """Whether questions about a page are answered at once; if not, it is read on meanwhile."""
    document, templates = bench.documents[call["id"]], _templates(bench, call)
    is_read = not document.is_read_in_steps or bench.worker.is_read(
        document, call["method"], templates
    )
    return {"is_read": is_read}


def summary(bench: Bench, call: Call) -> Any:
    """Title, date, counts."""
    document = bench.documents[call["id"]]
    templates = _templates(bench, call)
    return bench.worker.ask("summary", document, method=call["method"], templates=templates)


def text(bench: Bench, call: Call) -> Any:
    """Extracted text and related links."""
    document = bench.documents[call["id"]]
    templates = _templates(bench, call)
    return bench.worker.ask("text", document, method=call["method"], templates=templates)


def items(bench: Bench, call: Call) -> Any:
    """Paragraphs, tables, pictures."""
    return bench.worker.ask("items", bench.documents[call["id"]], method=call["method"])


def blocks(bench: Bench, call: Call) -> Any:
    """Facts of some blocks."""
    return bench.worker.ask(
        "blocks", bench.documents[call["id"]], method=call["method"],
        templates=_templates(bench, call), start=call["start"], count=call["count"],
    )  # fmt: skip


def source(bench: Bench, call: Call) -> Any:
    """A window of the source with the content marked."""
    return bench.worker.ask(
        "source", bench.documents[call["id"]], method=call["method"],
        templates=_templates(bench, call), start=call["start"], count=call["count"],
    )  # fmt: skip


def compare(bench: Bench, call: Call) -> Any:
    """Two methods side by side."""
    return bench.worker.ask(
        "compare", bench.documents[call["id"]], first=call["first"], second=call["second"],
        templates=_templates(bench, call),
    )  # fmt: skip


def frame(bench: Bench, call: Call) -> Response:
    """The page as a harmless document."""
    nonce = new_nonce()
    made = bench.worker.ask(
        "frame", bench.documents[call["id"]], view=call["view"], method=call["method"],
        templates=_templates(bench, call), part=call["part"], nonce=nonce,
    )  # fmt: skip
    return framed(made, nonce)


def new_nonce() -> str:
    """What lets our script into one document; new each time."""
    return secrets.token_urlsafe(16)


def framed(made: Any, nonce: str) -> Response:
    """A document for a frame, under its policy.

    Args:
        made: a `quarkcrawl.workbench.web.worker.frames.Frame` as a tuple.
        nonce: that it was made with.
    """
    html, part, n_parts, has_script = made
    headers = {
        "content-security-policy": frame_policy(nonce if has_script else ""),
        "x-quarkcrawl-part": f"{part + 1}/{n_parts}",
    }
    return HTMLResponse(html.encode("utf-8", "replace"), 200, headers)


_COUNT: Final = Parameter("count", integer(1, 200), "how many blocks", default=50)
_CHARS: Final = Parameter("count", integer(1, 50_000), "how many characters", default=20_000)
_ID_URL: Final = object_of("url", url=string(2000, minLength=1), again={"type": "boolean"})

PAGE_ENDPOINTS: Final = (
    Endpoint(
        "POST", "/api/documents", add_document, "Keep a page for looking at it",
        (Parameter("url", string(), "its address", default=""),
         Parameter("type", string(200), "the Content-Type that it came with", default="")),
        "bytes", ADDED, max_body_bytes=MAX_BYTES, is_write=True,
    ),
    Endpoint(
        "POST", "/api/fetch", fetch, "Get a page by its URL: stored, or from the web",
        (), _ID_URL, ADDED, errors=(502,), is_write=True,
    ),
    Endpoint(
        "GET", "/api/pages/{id}/reading", reading,
        "Whether a large page has been read; asking reads on",
        (ID, METHOD, MODEL), reply=object_of("is_read", is_read={"type": "boolean"}),
    ),
    Endpoint(
        "GET", "/api/pages/{id}/summary", summary, "Headline, date, counts of a page",
        (ID, METHOD, MODEL),
    ),
    Endpoint(
        "GET", "/api/pages/{id}/text", text, "Extracted text of a page", (ID, METHOD, MODEL),
    ),
    Endpoint(
        "GET", "/api/pages/{id}/items", items, "Paragraphs, tables and pictures", (ID, METHOD),
    ),
    Endpoint(
        "GET", "/api/pages/{id}/blocks", blocks, "Blocks, and why each was taken or not",
        (ID, METHOD, MODEL, START, _COUNT),
        reply=object_of("n_blocks blocks", n_blocks=integer(), blocks=array({"type": "object"})),
    ),
    Endpoint(
        "GET", "/api/pages/{id}/source", source, "Source with the places of the content",
        (ID, METHOD, MODEL, START, _CHARS),
    ),
    Endpoint(
        "GET", "/api/pages/{id}/compare", compare, "Two methods side by side",
        (ID, Parameter("first", string(20, enum=METHODS), "a method", default="default"),
         Parameter("second", string(20, enum=METHODS), "a method", default="quark"), MODEL),
    ),
    Endpoint(
        "GET", "/frames/{id}/{view}", frame, "A page as a harmless document",
        (ID, Parameter("view", string(10, enum=VIEWS), "how", "path"), METHOD, MODEL, PART),
        reply=None, media_type="text/html",
    ),
)  # fmt: skip
