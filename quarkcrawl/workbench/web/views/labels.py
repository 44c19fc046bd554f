"""The views of labels: what they leave of a corpus, and documents that have one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.dataset import ALWAYS, COPIES, LABEL_VALUES, RULES
from quarkcrawl.errors import QuarkError
from quarkcrawl.workbench.web.api import labels_plain
from quarkcrawl.workbench.web.http import PendingError

if TYPE_CHECKING:
    from quarkcrawl.workbench.web.bench import Bench
    from quarkcrawl.workbench.web.http import ViewQuery


_REASONS: Final = ("", "kept", *(rule.reason for rule in (*ALWAYS, *RULES, *COPIES)))


def labels(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """The funnel of a data set, and the values of the labels."""
    del query
    values: dict[str, Any] = {"view": "labels", "found": None, "failure": ""}
    try:
        if bench.labels.are_there:
            values["found"] = labels_plain(bench.labels.decided())
    except PendingError:
        raise
    except QuarkError as error:
        values["failure"] = str(error)
    return values


def labeled(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """Documents with a label, in an order by chance that stays."""
    label = query.choice("label", ("", *LABEL_VALUES))
    reason = query.choice("reason", _REASONS)
    value = query.text("value", 200) if label else ""
    values: dict[str, Any] = {
        "view": "labels", "label": label, "value": value, "reason": reason, "reasons": _REASONS,
        "found": None, "failure": "", "steps": {},
    }  # fmt: skip
    try:
        if bench.labels.are_there:
            decided, values["found"] = bench.labels.documents(label, value, reason, query.page)
            values["steps"] = {one.reason: one.dropped for one in decided.funnel.steps}
            values["steps"]["kept"] = decided.funnel.steps[-1].left
    except PendingError:
        raise
    except QuarkError as error:
        values["failure"] = str(error)
    return values
