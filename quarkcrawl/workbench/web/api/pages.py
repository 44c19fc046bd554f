"""The API of one page: paste it, fetch it, take it apart."""

from __future__ import annotations

import secrets
from typing import Annotated, Any, Final, Literal, get_args

import msgspec
from starlette.responses import HTMLResponse, Response

from quarkcrawl.lab.evaluate import extractor
from quarkcrawl.workbench.web.api.corpus import Amount, OfPage, PageId, Words
from quarkcrawl.workbench.web.bench import Bench
from quarkcrawl.workbench.web.documents import MAX_BYTES, DocumentSource
from quarkcrawl.workbench.web.http import END, ApiError, Operations, frame_policy, integer, string
from quarkcrawl.workbench.web.index import words_of

_Name = Literal["default", "quark", "ibdom", "rules"]
METHODS: Final[tuple[str, ...]] = get_args(_Name)
Method = Annotated[_Name, msgspec.Meta(description="extraction method")]
_Peer = Literal["trafilatura", "readability", "resiliparse", "turbohtml"]
PEERS: Final[tuple[str, ...]] = get_args(_Peer)
"""Other projects' extractors that a method may be compared with, where they are installed."""
_LISTED: Final = f"({'|'.join(PEERS)})"
PeerNames = Annotated[
    str, string(100, "peers, with commas between", rf"^({_LISTED}(,{_LISTED})*)?{END}")
]
MethodName = Annotated[
    str, string(100, f"extraction method: {', '.join(METHODS)}, or one of serve --method")
]
MethodOptions = Annotated[
    str, string(8000, "tables of a file of a method (TOML), in place of the method's own")
]
Compared = Annotated[str, string(100, "method, or peer that is installed")]
Model = Annotated[
    Literal["page", "site"],
    msgspec.Meta(description="the page alone, or with the templates of its site"),
]
Start = Annotated[int, integer(description="where to begin")]
PAGE_OPERATIONS: Final = Operations()


def chosen_peers(names: str) -> tuple[list[str], list[str]]:
    """Peers of a list with commas: those that are installed, and those that are not."""
    listed = {*names.split(",")}
    is_there = {name: extractor(name).is_installed for name in PEERS if name in listed}
    return [one for one in is_there if is_there[one]], [
        one for one in is_there if not is_there[one]
    ]


class ByMethod(OfPage):
    """Which page, read by which method."""

    method: Method = "default"


class ByOptions(OfPage):
    """Which page, read by which method with which options."""

    method: MethodName = "default"
    options: MethodOptions = ""


class Extracted(ByOptions):
    """Which page, read by which method with which options and model."""

    model: Model = "page"


class UrlToOpen(msgspec.Struct, forbid_unknown_fields=True):
    """Which URL is wanted; ``again``: from the web, even if it is stored."""

    url: Annotated[str, string(min_length=1)]
    again: bool = False


class Added(msgspec.Struct, forbid_unknown_fields=True):
    """A page that can be asked about."""

    id: PageId
    url: Annotated[str, string(10_000)]


class ReadingState(msgspec.Struct, forbid_unknown_fields=True):
    """Whether a page has been read."""

    is_read: bool


class ShownBlocks(msgspec.Struct, forbid_unknown_fields=True):
    """Some blocks of a page, and how many it has."""

    n_blocks: Amount
    blocks: list[dict[str, Any]]


class FoundWords(msgspec.Struct, forbid_unknown_fields=True):
    """Where words stand in the visible text of a page; the first thousand places."""

    n_hits: Amount
    hits: list[dict[str, Any]]


def _templates(bench: Bench, model: str) -> str:
    """The template file, if the site model is asked for."""
    return str(bench.templates.path) if model == "site" else ""


def _ask(bench: Bench, question: str, request: Extracted, **more: Any) -> Any:
    """Ask the worker process about the content of a page."""
    return bench.worker.ask(
        question,
        bench.documents[request.id],
        method=bench.methods.of(request.method, request.options),
        templates=_templates(bench, request.model),
        **more,
    )


class ListedMethods(msgspec.Struct, forbid_unknown_fields=True):
    """Methods, each with its settings in force as text of its file; "" if it has none."""

    methods: list[dict[str, str]]


@PAGE_OPERATIONS.add(
    "GET /api/methods", "Methods of extraction and their options", reply=ListedMethods
)
def methods(bench: Bench) -> Any:
    """All methods that pages can be read by."""
    return {"methods": bench.methods.listed()}


@PAGE_OPERATIONS.add(
    "POST /api/documents", "Keep a page for looking at it", reply=Added, max_body_bytes=MAX_BYTES
)
def add_document(
    bench: Bench,
    body: bytes,
    url: Annotated[str, string(description="its address")] = "",
    type: Annotated[str, string(200, "the Content-Type that it came with")] = "",  # noqa: A002
) -> Any:
    """Keep a pasted page."""
    document = bench.documents.add(body, url, type)
    if document.is_read_in_steps:
        bench.worker.prepare(document)
    return {"id": document.id, "url": document.url}


@PAGE_OPERATIONS.add(
    "POST /api/fetch", "Get a page by its URL: stored, or from the web", reply=Added, errors=(502,)
)
def fetch(bench: Bench, body: UrlToOpen) -> Any:
    """Fetch a page, or take the stored one with this URL."""
    document = document_of_url(bench, body.url, again=body.again)
    return {"id": document.id, "url": document.url}


def document_of_url(bench: Bench, url: str, *, again: bool = False) -> DocumentSource:
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


@PAGE_OPERATIONS.add(
    "GET /api/pages/{id}/reading",
    "Whether a large page has been read; asking reads on",
    reply=ReadingState,
    errors=(409,),
)
def reading(bench: Bench, request: Extracted) -> Any:
    """Whether questions about a page are answered at once; if not, it is read on meanwhile."""
    document, templates = bench.documents[request.id], _templates(bench, request.model)
    method = bench.methods.of(request.method, request.options)
    is_read = not document.is_read_in_steps or bench.worker.is_read(document, method, templates)
    return {"is_read": is_read}


@PAGE_OPERATIONS.add(
    "GET /api/pages/{id}/summary", "Headline, date, counts of a page", errors=(409,)
)
def summary(bench: Bench, request: Extracted) -> Any:
    """Title, date, counts."""
    return {**_ask(bench, "summary", request), "method": request.method}


@PAGE_OPERATIONS.add("GET /api/pages/{id}/text", "Extracted text of a page", errors=(409,))
def text(bench: Bench, request: Extracted) -> Any:
    """Extracted text and related links."""
    return _ask(bench, "text", request)


@PAGE_OPERATIONS.add("GET /api/pages/{id}/items", "Paragraphs, tables and pictures", errors=(409,))
def items(bench: Bench, request: ByOptions) -> Any:
    """Paragraphs, tables, pictures."""
    method = bench.methods.of(request.method, request.options)
    return bench.worker.ask("items", bench.documents[request.id], method=method)


@PAGE_OPERATIONS.add(
    "GET /api/pages/{id}/blocks",
    "Blocks, and why each was taken or not",
    reply=ShownBlocks,
    errors=(409,),
)
def blocks(
    bench: Bench,
    request: Extracted,
    start: Start = 0,
    count: Annotated[int, integer(1, 200, "how many blocks")] = 50,
) -> Any:
    """Facts of some blocks."""
    return _ask(bench, "blocks", request, start=start, count=count)


@PAGE_OPERATIONS.add(
    "GET /api/pages/{id}/source", "Source with the places of the content", errors=(409,)
)
def source(
    bench: Bench,
    request: Extracted,
    start: Start = 0,
    count: Annotated[int, integer(1, 50_000, "how many characters")] = 20_000,
) -> Any:
    """A window of the source with the content marked."""
    return _ask(bench, "source", request, start=start, count=count)


@PAGE_OPERATIONS.add(
    "GET /api/pages/{id}/find", "Where words and phrases stand in a page", reply=FoundWords
)
def find(bench: Bench, request: OfPage, find: Words) -> Any:
    """Hits of words, run by run."""
    return bench.worker.ask("find_words", bench.documents[request.id], words=words_of(find))


@PAGE_OPERATIONS.add("GET /api/pages/{id}/compare", "Two methods side by side", errors=(409,))
def compare(
    bench: Bench,
    request: OfPage,
    first: Compared = "default",
    second: Compared = "quark",
    model: Model = "page",
    method: MethodName = "",
    options: MethodOptions = "",
) -> Any:
    """Two methods side by side, or one and another project's extractor; ``method`` with options."""
    for name in (first, second):
        if name in PEERS and not extractor(name).is_installed:
            raise ApiError(409, f"{name} is not installed: pip install 'quarkcrawl[peers]'")
    one, two = (
        name if name in PEERS else bench.methods.of(name, options if name == method else "")
        for name in (first, second)
    )
    return bench.worker.ask(
        "compare", bench.documents[request.id], first=one, second=two,
        templates=_templates(bench, model),
    )  # fmt: skip


@PAGE_OPERATIONS.add(
    "GET /frames/{id}/{view}",
    "A page as a harmless document",
    media_type="text/html",
    errors=(409,),
)
def frame(
    bench: Bench,
    request: Extracted,
    view: Annotated[
        Literal["original", "map", "content", "neutral"], msgspec.Meta(description="how")
    ],
    part: Annotated[int, integer(0, 100_000, "part of a large page, from 0")] = 0,
) -> Response:
    """The page as a harmless document."""
    nonce = new_nonce()
    return framed(_ask(bench, "frame", request, view=view, part=part, nonce=nonce), nonce)


def new_nonce() -> str:
    """What lets our script into one document; new each time."""
    return secrets.token_urlsafe(16)


def framed(frame: Any, nonce: str) -> Response:
    """A document for a frame, under its policy.

    Args:
        frame: a `quarkcrawl.workbench.web.worker.frames.Frame` as a tuple.
        nonce: that it was made with.
    """
    html, part, n_parts, has_script = frame
    headers = {
        "content-security-policy": frame_policy(nonce if has_script else ""),
        "x-quarkcrawl-part": f"{part + 1}/{n_parts}",
    }
    return HTMLResponse(html.encode("utf-8", "replace"), 200, headers)
