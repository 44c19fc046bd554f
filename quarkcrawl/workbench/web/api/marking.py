"""The API of marking: samples, marks, scores against marks, agreement."""

from __future__ import annotations

from itertools import compress
from typing import Annotated, Any, Final, Literal

import msgspec

from quarkcrawl.lab.gold import BLANK
from quarkcrawl.workbench.web.api.corpus import OfPage
from quarkcrawl.workbench.web.api.pages import METHODS
from quarkcrawl.workbench.web.bench import Bench
from quarkcrawl.workbench.web.gold import MARKER, agreement, origin_of
from quarkcrawl.workbench.web.http import ApiError, Operations, integer, string

Marker = Annotated[str, string(40, "who marks", MARKER)]
MARKING_OPERATIONS: Final = Operations()
_LIMIT_S: Final = 0.5


class Sample(msgspec.Struct, forbid_unknown_fields=True):
    """How many pages are drawn; with ``topic`` only pages with a text of their own."""

    size: Annotated[int, integer(1, 5000)]
    seed: Annotated[int, integer()]
    topic: bool = False


_Origin = Literal["unknown", "blank", "default", "quark", "ibdom", "rules"]


class Marks(msgspec.Struct, forbid_unknown_fields=True):
    """Kinds of the blocks of a page, in order, and the method whose proposal they began from."""

    kinds: Annotated[
        list[Literal["content", "rel_link", "noise"]], msgspec.Meta(max_length=200_000)
    ]
    origin: Annotated[_Origin, msgspec.Meta(description="blank: from no proposal")] = "unknown"


class OfMarker(OfPage):
    """Whose marks of which page are meant."""

    marker: Marker


def progress(bench: Bench) -> dict[str, Any]:
    """Who has marked how much, and what the sample is."""
    sample = bench.gold.sample()
    wanted = set(sample.get("ids", ()))
    markers = []
    for name in bench.gold.markers():
        marks = bench.gold.marks(name)
        markers.append(
            {
                "name": name,
                "n_pages": len(marks),
                "n_sample": len(wanted.intersection(marks)),
                "origins": dict(bench.gold.origins(name).most_common()),
            }
        )
    return {"markers": markers, "sample": sample, "folder": str(bench.gold.root)}


@MARKING_OPERATIONS.add("GET /api/marking", "Who marked how much of which sample")
def marking(bench: Bench) -> Any:
    """Markers and sample."""
    return progress(bench)


@MARKING_OPERATIONS.add("POST /api/marking/sample", "Draw the pages to be marked")
def draw(bench: Bench, body: Sample) -> Any:
    """Draw the pages to be marked; hosts take turns, so that large ones do not fill the sample."""
    found = bench.tables.rows(
        """
        SELECT id FROM (
            SELECT id, row_number() OVER (PARTITION BY host ORDER BY hash(url, ?)) AS turn, url
            FROM pages WHERE status = 200 AND (is_topic OR NOT ?))
        ORDER BY turn, hash(url, ?) LIMIT ?
        """,
        [body.seed, body.topic, body.seed, body.size],
    )
    sample = {**msgspec.structs.asdict(body), "ids": [row["id"] for row in found]}
    bench.gold.save_sample(sample)
    return sample


@MARKING_OPERATIONS.add("GET /api/marking/agreement", "Agreement of two people")
def agree(bench: Bench, first: Marker, second: Marker) -> Any:
    """Agreement of two people."""
    return agreement(bench.gold.marks(first), bench.gold.marks(second))


@MARKING_OPERATIONS.add("GET /api/marking/{marker}/scores", "Methods against somebody's marks")
def scores(bench: Bench, marker: Marker) -> Any:
    """Scores of the methods on all pages that one person marked.

    Pages whose marks began from what a method proposed are left out of its means and have some of
    their own, ``own``. What was not done within half a second is null; ask again.
    """
    entries = sorted(bench.gold.marks(marker).items())
    marked = [(bench.gold.page_path(marker, name), origin_of(entry)) for name, entry in entries]
    marked = [(path, origin) for path, origin in marked if path.exists()]
    changed = [(str(path), path.stat().st_mtime_ns) for path, _ in marked]
    found = bench.worker.ask("score", paths=changed, methods=METHODS, limit_s=_LIMIT_S)
    methods = []
    for name in METHODS:
        is_own = [origin == name for _, origin in marked]
        own = list(compress(found[name], is_own))
        others = [score for score, mine in zip(found[name], is_own, strict=True) if not mine]
        methods.append({"method": name, **_means(others), "own": _means(own)})
    return {"n_pages": len(changed), "methods": methods}


def _means(scores: list[Any]) -> dict[str, Any]:
    known = [score for score in scores if score]
    n = len(known)
    return {
        "n_scored": n,
        "n_waiting": sum(score == "" for score in scores),
        "precision": round(sum(score[0] for score in known) / n, 4) if n else None,
        "recall": round(sum(score[1] for score in known) / n, 4) if n else None,
        "f1": round(sum(score[2] for score in known) / n, 4) if n else None,
    }


@MARKING_OPERATIONS.add("GET /api/marking/{marker}/{id}", "Marks of a page by its blocks")
def marks(bench: Bench, asked: OfMarker) -> Any:
    """Marks of a page by one person; all noise if there are none."""
    document = bench.documents[asked.id]
    entry = bench.gold.marks(asked.marker).get(document.id)
    if entry:
        return {"is_saved": True, "kinds": entry["kinds"], "origin": origin_of(entry)}
    n_blocks = bench.worker.ask("block_count", document)
    return {"is_saved": False, "kinds": ["noise"] * n_blocks, "origin": BLANK}


@MARKING_OPERATIONS.add(
    "PUT /api/marking/{marker}/{id}",
    "Save the marks of a page",
    max_body_bytes=4 << 20,
    errors=(409,),
)
def save_marks(bench: Bench, asked: OfMarker, body: Marks) -> Any:
    """Save the marks of a page."""
    document = bench.documents[asked.id]
    made = bench.worker.ask("mark", document, refusal=409, kinds=body.kinds)
    bench.gold.save(asked.marker, document, body.kinds, body.origin, made)
    return {"n_marks": made["n_marks"], "problems": made["problems"]}


@MARKING_OPERATIONS.add("DELETE /api/marking/{marker}/{id}", "Take the marks of a page back")
def remove_marks(bench: Bench, asked: OfMarker) -> Any:
    """Take the marks of a page back."""
    if not bench.gold.remove(asked.marker, asked.id):
        raise ApiError(404, "this page is not marked")
    return {"removed": True}
