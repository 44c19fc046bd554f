"""The API of marking: samples, marks, scores against marks, agreement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.workbench.web.api.corpus import ID
from quarkcrawl.workbench.web.api.pages import METHODS
from quarkcrawl.workbench.web.gold import MARKER, agreement
from quarkcrawl.workbench.web.http import (
    ApiError,
    Endpoint,
    Parameter,
    array,
    integer,
    object_of,
    string,
)

if TYPE_CHECKING:
    from quarkcrawl.workbench.web.bench import Bench
    from quarkcrawl.workbench.web.http import Call


_LIMIT_S: Final = 0.5
_NAME: Final = string(40, pattern=MARKER)
_MARKER: Final = Parameter("marker", _NAME, "who marks", "path")
_KIND: Final = string(10, enum=["content", "rel_link", "noise"])


def progress(bench: Bench) -> dict[str, Any]:
    """Who has marked how much, and what the sample is."""
    sample = bench.gold.sample()
    wanted = set(sample.get("ids", ()))
    markers = []
    for name in bench.gold.markers():
        marks = bench.gold.marks(name)
        markers.append(
            {"name": name, "n_pages": len(marks), "n_sample": len(wanted.intersection(marks))}
        )
    return {"markers": markers, "sample": sample, "folder": str(bench.gold.root)}


def marking(bench: Bench, call: Call) -> dict[str, Any]:
    """Markers and sample."""
    del call
    return progress(bench)


def draw(bench: Bench, call: Call) -> dict[str, Any]:
    """Draw the pages to be marked; hosts take turns, so that large ones do not fill the sample."""
    size, seed, topic = call.body["size"], call.body["seed"], call.body.get("topic", False)
    found = bench.tables.rows(
        """
        SELECT id FROM (
            SELECT id, row_number() OVER (PARTITION BY host ORDER BY hash(url, ?)) AS turn, url
            FROM pages WHERE status = 200 AND (is_topic OR NOT ?))
        ORDER BY turn, hash(url, ?) LIMIT ?
        """,
        [seed, topic, seed, size],
    )
    sample = {"size": size, "seed": seed, "topic": topic, "ids": [row["id"] for row in found]}
    bench.gold.save_sample(sample)
    return sample


def marks(bench: Bench, call: Call) -> dict[str, Any]:
    """Marks of a page by one person; all noise if there are none."""
    document = bench.documents[call["id"]]
    entry = bench.gold.marks(call["marker"]).get(document.id)
    if entry:
        return {"is_saved": True, "kinds": entry["kinds"]}
    n_blocks = bench.worker.ask("block_count", document)
    return {"is_saved": False, "kinds": ["noise"] * n_blocks}


def save_marks(bench: Bench, call: Call) -> dict[str, Any]:
    """Save the marks of a page."""
    document = bench.documents[call["id"]]
    kinds = call.body["kinds"]
    made = bench.worker.ask("mark", document, refusal=409, kinds=kinds)
    bench.gold.save(call["marker"], document, kinds, made)
    return {"n_marks": made["n_marks"], "problems": made["problems"]}


def remove_marks(bench: Bench, call: Call) -> dict[str, Any]:
    """Take the marks of a page back."""
    if not bench.gold.remove(call["marker"], call["id"]):
        raise ApiError(404, "this page is not marked")
    return {"removed": True}


def scores(bench: Bench, call: Call) -> dict[str, Any]:
    """Scores of the methods on all pages that one person marked.

    What was not done within half a second is null; ask again.
    """
    names = sorted(bench.gold.marks(call["marker"]))
    paths = [bench.gold.page_path(call["marker"], name) for name in names]
    changed = [(str(path), path.stat().st_mtime_ns) for path in paths if path.exists()]
    found = bench.worker.ask("score", paths=changed, methods=METHODS, limit_s=_LIMIT_S)
    return {
        "n_pages": len(changed),
        "methods": [{"method": name, **_means(found[name])} for name in METHODS],
    }


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


def agree(bench: Bench, call: Call) -> dict[str, Any]:
    """Agreement of two people."""
    return agreement(bench.gold.marks(call["first"]), bench.gold.marks(call["second"]))


MARKING_ENDPOINTS: Final = (
    Endpoint("GET", "/api/marking", marking, "Who marked how much of which sample"),
    Endpoint(
        "POST", "/api/marking/sample", draw, "Draw the pages to be marked", (),
        object_of("size seed", size=integer(1, 5000), seed=integer(), topic={"type": "boolean"}),
        is_write=True,
    ),
    Endpoint(
        "GET", "/api/marking/agreement", agree, "Agreement of two people",
        (Parameter("first", _NAME, "one"), Parameter("second", _NAME, "the other")),
    ),
    Endpoint(
        "GET", "/api/marking/{marker}/scores", scores, "Methods against somebody's marks",
        (_MARKER,),
    ),
    Endpoint(
        "GET", "/api/marking/{marker}/{id}", marks, "Marks of a page by its blocks", (_MARKER, ID),
    ),
    Endpoint(
        "PUT", "/api/marking/{marker}/{id}", save_marks, "Save the marks of a page",
        (_MARKER, ID), object_of("kinds", kinds=array(_KIND, 200_000)),
        max_body_bytes=4 << 20, errors=(409,), is_write=True,
    ),
    Endpoint(
        "DELETE", "/api/marking/{marker}/{id}", remove_marks, "Take the marks of a page back",
        (_MARKER, ID), is_write=True,
    ),
)  # fmt: skip
