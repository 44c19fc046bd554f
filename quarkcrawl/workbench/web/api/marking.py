"""The API of marking: samples, what comes next, marks, notes, scores, agreement, export."""

from __future__ import annotations

import gzip
import json
from typing import Annotated, Any, Final, Literal
from urllib.parse import quote

import msgspec
from starlette.responses import Response

from quarkcrawl.lab.gold import BLANK
from quarkcrawl.workbench.web.api.corpus import OfPage
from quarkcrawl.workbench.web.api.pages import METHODS, ByMethod, PeerNames, chosen_peers
from quarkcrawl.workbench.web.bench import Bench
from quarkcrawl.workbench.web.gold import MARKER, NO_NOTE, agreement, origin_of
from quarkcrawl.workbench.web.http import ApiError, Operations, integer, string
from quarkcrawl.workbench.web.markscores import method_scores

Marker = Annotated[str, string(40, "who marks", MARKER)]
MARKING_OPERATIONS: Final = Operations()
_LIMIT_S: Final = 0.5
_EXPORT_PAGES: Final = 32


class Sample(msgspec.Struct, forbid_unknown_fields=True):
    """How many pages are drawn; with ``topic`` only pages with a text of their own."""

    size: Annotated[int, integer(1, 5000)]
    seed: Annotated[int, integer()]
    topic: bool = False


_Origin = Literal["unknown", "blank", "default", "quark", "ibdom", "rules"]
_Kind = Literal["content", "rel_link", "noise", "headline", "date", "byline", "post", "comment"]
_Order = Literal["blind", "disagreement"]


class PassageMark(msgspec.Struct, forbid_unknown_fields=True):
    """Characters of a text run that are marked by themselves, inside of a block."""

    run: Annotated[int, integer(description="number of the text run")]
    start: Annotated[int, integer(description="first character, counted in the run")]
    end: Annotated[int, integer(1, description="one past the last character")]
    kind: _Kind
    block: Annotated[int, integer(-1, description="its block; the server knows better")] = -1


class Marks(msgspec.Struct, forbid_unknown_fields=True):
    """Kinds of the blocks of a page, in order, and the method whose proposal they began from."""

    kinds: Annotated[list[_Kind], msgspec.Meta(max_length=200_000)]
    passages: Annotated[list[PassageMark], msgspec.Meta(max_length=20_000)] = []
    origin: Annotated[_Origin, msgspec.Meta(description="blank: from no proposal")] = "unknown"
    order: Annotated[
        Literal["", "blind", "disagreement"], msgspec.Meta(description="how the page came up")
    ] = ""


class Note(msgspec.Struct, forbid_unknown_fields=True):
    """What somebody notes of a page: not to be marked now, to be looked at again, and why."""

    is_skipped: bool = False
    is_flagged: bool = False
    note: Annotated[str, string(2000)] = ""


class OfMarker(OfPage):
    """Whose marks of which page are meant."""

    marker: Marker


def progress(bench: Bench) -> dict[str, Any]:
    """Who has marked how much, and what the sample is."""
    sample = bench.gold.sample()
    sample_ids = set(sample.get("ids", ()))
    markers = []
    for name in bench.gold.markers():
        marks = bench.gold.marks(name)
        markers.append(
            {
                "name": name,
                "n_pages": len(marks),
                "n_sample": len(sample_ids.intersection(marks)),
                "origins": dict(bench.gold.origins(name).most_common()),
                "n_flagged": sum(one["is_flagged"] for one in bench.gold.notes(name).values()),
            }
        )
    return {"markers": markers, "sample": sample, "folder": str(bench.gold.root)}


@MARKING_OPERATIONS.add("GET /api/marking", "Who marked how much of which sample")
def marking(bench: Bench, order: _Order = "blind", peers: PeerNames = "") -> Any:
    """Markers and sample, its pages in an order, and how far methods differ on them if known.

    Peers that are not installed are told, and the others compared.
    """
    installed, absent = chosen_peers(peers)
    ids, values = bench.queue.order(order, installed)
    return {**progress(bench), "order": order, "ids": ids, "disagreement": values,
            "peers": installed, "absent": absent}  # fmt: skip


@MARKING_OPERATIONS.add("POST /api/marking/sample", "Draw the pages to be marked")
def draw(bench: Bench, body: Sample) -> Any:
    """Draw the pages to be marked; hosts take turns, so that large ones do not fill the sample.

    The order is blind: what was drawn is shuffled over all hosts.
    """
    rows = bench.tables.rows(
        """
        SELECT id FROM (
            SELECT id, url FROM (
                SELECT id, row_number() OVER (PARTITION BY host ORDER BY hash(url, ?)) AS turn, url
                FROM pages WHERE status = 200 AND (is_topic OR NOT ?))
            ORDER BY turn, hash(url, ?) LIMIT ?)
        ORDER BY hash(?, url), id
        """,
        [body.seed, body.topic, body.seed, body.size, body.seed],
    )
    sample = {**msgspec.structs.asdict(body), "ids": [row["id"] for row in rows]}
    bench.gold.save_sample(sample)
    return sample


@MARKING_OPERATIONS.add("GET /api/marking/agreement", "Agreement of two people")
def agree(bench: Bench, first: Marker, second: Marker) -> Any:
    """Agreement of two people."""
    return agreement(bench.gold.marks(first), bench.gold.marks(second))


@MARKING_OPERATIONS.add("GET /api/marking/{marker}/scores", "Methods against somebody's marks")
def scores(bench: Bench, marker: Marker) -> Any:
    """Scores of the methods on all pages that one person marked, with 95 % intervals.

    Pages whose marks began from what a method proposed are left out of its means and have some of
    their own, ``own``. What was not done within half a second is null; ask again.
    """
    marked = _marked_pages(bench, marker)
    entries = [entry for _, _, entry in marked]
    reply = bench.worker.ask("score", marked=marked, methods=METHODS, limit_s=_LIMIT_S)
    kinds = [
        {"kind": kind, "marked": a, "found": b, "both": c, "f1": round(2 * c / (a + b), 4)}
        for kind, (a, b, c) in reply["kinds"].items()
    ]
    return {"n_pages": len(marked), **method_scores(entries, reply["methods"]), "kinds": kinds}


def _marked_pages(bench: Bench, marker: str) -> list[tuple[str, int, dict[str, Any]]]:
    """Path, time of change and entry of each page that somebody marked, the first marks first."""
    entries = bench.gold.marks(marker).items()
    pages = []
    for name, entry in sorted(entries, key=lambda one: (one[1].get("at", 0), one[0])):
        path = bench.gold.page_path(marker, name)
        if path.exists():
            pages.append((str(path), path.stat().st_mtime_ns, entry))
    return pages


@MARKING_OPERATIONS.add("GET /api/marking/{marker}/queue", "What somebody marks next")
def queue(
    bench: Bench,
    marker: Marker,
    order: _Order = "blind",
    after: Annotated[str, string(40, "page from which one goes on")] = "",
    peers: PeerNames = "",
) -> Any:
    """What one person has left to mark; pages that were not compared come last by disagreement."""
    return bench.queue.of_marker(marker, order, after, chosen_peers(peers)[0])


@MARKING_OPERATIONS.add(
    "POST /api/marking/disagreement", "Compare the methods on some more pages of the sample"
)
def compare_methods(bench: Bench, peers: PeerNames = "") -> Any:
    """Find out how far the methods differ on further pages, for a third of a second or so."""
    installed, absent = chosen_peers(peers)
    bench.queue.read_on(installed)
    ids, values = bench.queue.order("disagreement", installed)
    return {"n_pages": len(ids), "n_compared": len(values), "peers": installed, "absent": absent}


@MARKING_OPERATIONS.add(
    "GET /api/marking/{marker}/export",
    "Marked pages as a gold set in JSON lines",
    media_type="application/gzip",
)
def export(bench: Bench, marker: Marker) -> Response:
    """A file for ``quarkcrawl evaluate content`` and, in a folder, ``quarkcrawl train lines``."""
    marked = _marked_pages(bench, marker)
    if not marked:
        raise ApiError(404, f"{marker} has marked no page")
    lines: list[str] = []
    while len(lines) < len(marked):
        some = marked[len(lines) : len(lines) + _EXPORT_PAGES]
        records = bench.worker.ask("exported", marked=some, limit_s=_LIMIT_S)
        lines += [json.dumps(one, ensure_ascii=False) for one in records]
    data = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
    name = f"attachment; filename*=UTF-8''{quote(f'gold-{marker}.jsonl.gz')}"
    headers = {"content-disposition": name}
    return Response(gzip.compress(data, mtime=0), 200, headers, "application/gzip")


@MARKING_OPERATIONS.add("GET /api/marking/{marker}/{id}", "Marks of a page by its blocks")
def marks(bench: Bench, request: OfMarker) -> Any:
    """Marks of a page by one person, and what that person noted; all noise if there are none."""
    document = bench.documents[request.id]
    note = bench.gold.notes(request.marker).get(document.id, NO_NOTE)
    entry = bench.gold.marks(request.marker).get(document.id)
    if entry:
        passages = entry.get("passages", [])
        return {"is_saved": True, "kinds": entry["kinds"], "passages": passages,
                "origin": origin_of(entry), **note}  # fmt: skip
    n_blocks = bench.worker.ask("block_count", document)
    return {"is_saved": False, "kinds": ["noise"] * n_blocks, "passages": [], "origin": BLANK,
            **note}  # fmt: skip


@MARKING_OPERATIONS.add(
    "PUT /api/marking/{marker}/{id}",
    "Save the marks of a page",
    max_body_bytes=4 << 20,
    errors=(409,),
)
def save_marks(bench: Bench, request: OfMarker, body: Marks) -> Any:
    """Save the marks of a page."""
    document = bench.documents[request.id]
    passages = [msgspec.structs.asdict(one) for one in body.passages]
    marked_page = bench.worker.ask(
        "mark", document, refusal=409, kinds=body.kinds, passages=passages
    )
    said = {"kinds": body.kinds, "origin": body.origin, "order": body.order}
    bench.gold.save(request.marker, document, said, marked_page)
    return {"n_marks": marked_page["n_marks"], "problems": marked_page["problems"]}


@MARKING_OPERATIONS.add("PUT /api/marking/{marker}/{id}/note", "Skip or flag a page")
def save_note(bench: Bench, request: OfMarker, body: Note) -> Any:
    """Skip a page, so that it comes last, or flag it for another look; with a note."""
    document = bench.documents[request.id]
    note = msgspec.structs.asdict(body)
    bench.gold.save_note(request.marker, document.id, note)
    return note


@MARKING_OPERATIONS.add("GET /api/pages/{id}/proposal", "What a method would mark on a page")
def proposal(bench: Bench, request: ByMethod) -> Any:
    """Kinds of the blocks and passages inside of them, as a method sees them."""
    return bench.worker.ask("proposal", bench.documents[request.id], method=request.method)


@MARKING_OPERATIONS.add("DELETE /api/marking/{marker}/{id}", "Take the marks of a page back")
def remove_marks(bench: Bench, request: OfMarker) -> Any:
    """Take the marks of a page back."""
    if not bench.gold.remove(request.marker, request.id):
        raise ApiError(404, "this page is not marked")
    return {"removed": True}
