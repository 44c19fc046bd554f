"""The API of what the labels of a corpus say, and what they leave of it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec

from quarkcrawl.workbench.web.api.corpus import Listed, ListPage
from quarkcrawl.workbench.web.bench import Bench
from quarkcrawl.workbench.web.http import Operations, string

if TYPE_CHECKING:
    from quarkcrawl.workbench.web.labels import Decided


LABEL_OPERATIONS: Final = Operations()
_Label = Literal[
    "", "language", "script", "is_cantonese", "spam", "heuristics", "heuristics_noted",
    "quality_class", "contaminated", "opted_out", "noindex", "license", "personal",
]  # fmt: skip


class FunnelOfLabels(msgspec.Struct, forbid_unknown_fields=True):
    """What each rule of a data set leaves, and how many documents have which label."""

    as_of: float
    documents: int
    steps: list[dict[str, Any]]
    labels: dict[str, list[dict[str, Any]]]


@LABEL_OPERATIONS.add(
    "GET /api/labels",
    "What the rules of a data set leave, in their order, and values of the labels",
    reply=FunnelOfLabels,
)
def labels(bench: Bench) -> Any:
    """What the rules of a data set leave."""
    return labels_plain(bench.labels.decided())


def labels_plain(decided: Decided) -> dict[str, Any]:
    """Funnel and values as JSON.

    Args:
        decided: all documents.
    """
    funnel = decided.funnel
    return {
        "as_of": decided.as_of,
        "documents": funnel.documents,
        "steps": [dataclasses.asdict(step) for step in funnel.steps],
        "labels": {
            label: [{"name": name, "n": n} for name, n in values]
            for label, values in funnel.labels.items()
        },
    }


@LABEL_OPERATIONS.add(
    "GET /api/labels/documents", "Documents with a label, in an order by chance", reply=Listed
)
def labeled(
    bench: Bench,
    label: Annotated[_Label, msgspec.Meta(description="name of a label; empty: any")] = "",
    value: Annotated[str, string(200, "value of the label")] = "",
    reason: Annotated[str, string(60, "why left out; kept: not left out; empty: any")] = "",
    page: ListPage = 1,
) -> Any:
    """Documents with a label."""
    return bench.labels.documents(label, value, reason, page)[1].plain()
