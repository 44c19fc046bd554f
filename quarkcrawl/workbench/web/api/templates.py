"""The API of templates: look, label, preview, match."""

from __future__ import annotations

import tempfile
from collections import Counter
from typing import IO, TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec
from starlette.responses import Response, StreamingResponse

from quarkcrawl.page import host_key
from quarkcrawl.template.model import FieldsForm, write_fields
from quarkcrawl.workbench.web.api.corpus import ListPage, OfPage
from quarkcrawl.workbench.web.api.pages import document_of_url, framed, new_nonce
from quarkcrawl.workbench.web.bench import Bench
from quarkcrawl.workbench.web.clusters import common_patterns, url_pattern
from quarkcrawl.workbench.web.http import END, Operations, integer, string
from quarkcrawl.workbench.web.templatestore import nodes_of_words, positions_of

if TYPE_CHECKING:
    from collections.abc import Iterator

TemplateId = Annotated[str, string(64, "id of a template", f"^[0-9A-Za-z_-]{{1,64}}{END}")]
TEMPLATE_OPERATIONS: Final = Operations()
TEMPLATE_ROWS: Final = 24
MOST_POSITIONS: Final = 400
GRID_ROWS: Final = 50
_SKELETON_NODES: Final = 120
_SHOWN_PATTERNS: Final = 6
_PATTERN_PAGES: Final = 200


class Name(msgspec.Struct, forbid_unknown_fields=True):
    """A name for a position; with an empty position it is taken away."""

    name: Annotated[str, string(60, min_length=1)]
    position: Annotated[str, string(30)]


class UrlToMatch(msgspec.Struct, forbid_unknown_fields=True):
    """The URL of a page."""

    url: Annotated[str, string(min_length=1)]


def template_list(bench: Bench, host: str, page: int) -> dict[str, Any]:
    """Templates with their sizes and skeletons.

    Args:
        bench: the workbench.
        host: part of a host name; "" for all.
        page: which page of the list, from 1.
    """
    entries = [entry for entry in bench.templates.entries() if host in entry["host"]]
    first = TEMPLATE_ROWS * (page - 1)
    rows = [_row(entry) for entry in entries[first : first + TEMPLATE_ROWS]]
    n_pages = max(1, -(-len(entries) // TEMPLATE_ROWS))
    rows = [{**row, **more} for row, more in zip(rows, _samples(bench, rows), strict=True)]
    return {"rows": rows, "total": len(entries), "page": page, "pages": n_pages}


def _samples(bench: Bench, rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """What tells templates apart: the sample page with title and kind, patterns of addresses."""
    pages: dict[str, dict[str, Any]] = {}
    patterns: dict[str, Counter[str]] = {}
    if bench.index is not None:
        samples = bench.tables.rows(
            "SELECT url, id, page_type, coalesce(nullif(content_title, ''), title) AS title"
            " FROM pages WHERE list_contains(?, url)"
            " QUALIFY row_number() OVER (PARTITION BY url ORDER BY fetched_at) = 1",
            [[row["example"] for row in rows]],
        )
        pages = {row["url"]: row for row in samples}
        of_site = bench.tables.rows(
            "SELECT template, url FROM pages WHERE list_contains(?, template)"
            " QUALIFY row_number() OVER (PARTITION BY template) <= ?",
            [[row["id"] for row in rows], _PATTERN_PAGES],
        )
        for row in of_site:
            patterns.setdefault(row["template"], Counter())[url_pattern(row["url"])] += 1
    around = _patterns_around(bench, rows)
    for row in rows:
        counts = bench.clusters.known_patterns(row["id"]) or patterns.get(row["id"])
        counts = _common(counts) if counts else Counter({around[row["example"]]: 1})
        sample = pages.get(row["example"], {})
        yield {
            "example_id": sample.get("id", ""),
            "title": sample.get("title") or "",
            "page_type": sample.get("page_type") or "",
            "patterns": _plain(counts),
            "n_patterns": len(counts),
        }


def _patterns_around(bench: Bench, rows: list[dict[str, Any]]) -> dict[str, str]:
    """The pattern of each sample page among addresses of its host, as far as the tables know any.

    It stands for the pages of a template until they have been looked for.
    """
    by_url = {row["example"]: url_pattern(row["example"]) for row in rows}
    by_host: dict[str, Counter[str]] = {}
    for url, pattern in by_url.items():
        by_host.setdefault(host_key(url), Counter())[pattern] += 1
    if bench.index is not None:
        stored = bench.tables.rows(
            "SELECT host, url FROM pages WHERE list_contains(?, host)"
            " QUALIFY row_number() OVER (PARTITION BY host ORDER BY hash(url)) <= ?",
            [[*by_host], _PATTERN_PAGES],
        )
        for row in stored:
            by_host[row["host"]][url_pattern(row["url"])] += 1
    common = {host: common_patterns(patterns) for host, patterns in by_host.items()}
    return {url: common[host_key(url)][pattern] for url, pattern in by_url.items()}


def _common(patterns: Counter[str]) -> Counter[str]:
    """How many pages have which pattern, names that are another on each page left open."""
    common, counts = common_patterns(patterns), Counter[str]()
    for pattern, n in patterns.items():
        counts[common[pattern]] += n
    return counts


def _plain(patterns: Counter[str]) -> list[dict[str, Any]]:
    return [{"pattern": name, "n": n} for name, n in patterns.most_common(_SHOWN_PATTERNS)]


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


@TEMPLATE_OPERATIONS.add("GET /api/templates", "Templates with their sizes")
def templates(
    bench: Bench,
    host: Annotated[str, string(300, "part of a host name")] = "",
    page: ListPage = 1,
) -> Any:
    """Templates."""
    return template_list(bench, host, page)


@TEMPLATE_OPERATIONS.add("GET /api/templates/training", "Whether templates are being found")
def training(bench: Bench) -> Any:
    """Whether templates are being found."""
    return bench.templates.training()


@TEMPLATE_OPERATIONS.add(
    "POST /api/templates/train", "Find the templates of the corpus", errors=(409,)
)
def train(bench: Bench) -> Any:
    """Start to find templates."""
    bench.templates.train(bench.tables.root)
    return bench.templates.training()


@TEMPLATE_OPERATIONS.add(
    "POST /api/templates/match", "Match a URL with the templates", errors=(502,)
)
def match_url(bench: Bench, body: UrlToMatch) -> Any:
    """Match a URL, stored or not."""
    document = document_of_url(bench, body.url)
    return bench.worker.ask("match", document, templates=str(bench.templates.path))


@TEMPLATE_OPERATIONS.add("GET /api/templates/{template}", "A template and its positions")
def template(
    bench: Bench,
    template: TemplateId,
    start: Annotated[int, integer(description="first position")] = 0,
) -> Any:
    """One template."""
    return template_detail(bench, template, start)


@TEMPLATE_OPERATIONS.add(
    "PUT /api/templates/{template}/labels", "Name a position, or unname it", errors=(409,)
)
def label(bench: Bench, template: TemplateId, body: Name) -> Any:
    """Name a position."""
    fields = bench.worker.ask(
        "label", refusal=409, templates=str(bench.templates.path),
        template=bench.templates[template]["id"], name=body.name, position=body.position,
    )  # fmt: skip
    return {"fields": fields}


@TEMPLATE_OPERATIONS.add("GET /api/templates/{template}/grid", "Fields of all its pages")
def grid(
    bench: Bench,
    template: TemplateId,
    start: Annotated[int, integer(description="first page shown")] = 0,
    sort: Annotated[
        Literal["stored", "outliers"], msgspec.Meta(description="outliers: most unusual first")
    ] = "stored",
) -> Any:
    """What a template reads from all pages that have it, as far as they have been looked for."""
    names = bench.templates[template]["labels"]
    reading = bench.clusters.reading(bench.tables, template)
    # Asked before the rows, which become more meanwhile.
    is_done, n_looked_at = reading.is_done, reading.n_done
    judged = reading.judged(list(names), outliers_first=sort == "outliers")
    rows, n_rows = judged[start : start + GRID_ROWS], len(judged)
    return {
        "rows": _with_titles(bench, rows),
        "n_unusual": sum(bool(row["unusual"]) for row in judged),
        "patterns": _plain(_common(Counter(reading.patterns))),
        "sort": sort,
        "n_rows": n_rows,
        "n_looked_at": n_looked_at,
        "n_pages": len(reading.documents),
        "is_done": is_done,
        "failure": reading.failure,
        "fields": [
            {
                "name": name,
                "n_filled": reading.filled[name],
                "n_distinct": len(reading.values.get(name, ())),
            }
            for name in names
        ],
        "start": start,
        "previous": max(0, start - GRID_ROWS) if start else None,
        "next": start + GRID_ROWS if start + GRID_ROWS < n_rows else None,
    }


def _with_titles(bench: Bench, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    titles = bench.tables.rows(
        "SELECT id, coalesce(nullif(content_title, ''), title) AS title FROM pages"
        " WHERE list_contains(?, id)",
        [[row["id"] for row in rows]],
    )
    by_id = {row["id"]: row["title"] for row in titles}
    return [{**row, "title": by_id.get(row["id"]) or ""} for row in rows]


@TEMPLATE_OPERATIONS.add(
    "GET /api/templates/{template}/fields/{form}",
    "Fields of all its pages as a file",
    media_type="application/octet-stream",
)
def fields(
    bench: Bench,
    template: TemplateId,
    form: Annotated[FieldsForm, msgspec.Meta(description="format; json: an object a line")],
) -> Response:
    """A file as ``quarkcrawl template apply --by-host --template`` prints it."""
    names = list(bench.templates[template]["labels"])
    extractions = bench.clusters.fields(bench.tables, template)
    file = tempfile.TemporaryFile()  # noqa: SIM115 - closed when it has been sent
    try:
        write_fields(file, form, extractions, names)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    ending = "jsonl" if form == "json" else form
    name = f'attachment; filename="fields-{template}.{ending}"'
    headers = {"content-disposition": name}
    return StreamingResponse(_sent(file), 200, headers, "application/octet-stream")


def _sent(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while piece := file.read(1 << 16):
            yield piece


@TEMPLATE_OPERATIONS.add("GET /api/pages/{id}/template", "The template of a page")
def match_page(bench: Bench, request: OfPage) -> Any:
    """Match a page."""
    document = bench.documents[request.id]
    return bench.worker.ask("match", document, templates=str(bench.templates.path))


@TEMPLATE_OPERATIONS.add(
    "GET /frames/{id}/template/{template}", "A page against a template", media_type="text/html"
)
def template_frame(bench: Bench, request: OfPage, template: TemplateId) -> Response:
    """A page in the colors of a template."""
    nonce = new_nonce()
    frame = bench.worker.ask(
        "template_frame", bench.documents[request.id], templates=str(bench.templates.path),
        template=template, nonce=nonce,
    )  # fmt: skip
    return framed(frame, nonce)
