"""The views of data sets: those of the corpus with the form for a new one, and one by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quarkcrawl.dataset import DEFAULT_FIELDS, FIELDS
from quarkcrawl.workbench.web.api import METHODS, RULE_NAMES, dataset_runner

if TYPE_CHECKING:
    from quarkcrawl.workbench.web.bench import Bench
    from quarkcrawl.workbench.web.http import ViewQuery


def datasets(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """The data sets of the corpus."""
    del query
    runner = dataset_runner(bench)
    return {
        "view": "datasets", "folder": str(runner.folder), "rows": runner.listed(),
        "rules": RULE_NAMES, "methods": METHODS, "fields": FIELDS,
        "default_fields": DEFAULT_FIELDS,
    }  # fmt: skip


def dataset(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """One data set: how far it is, or what is in it."""
    name = query.path["name"]
    dataset_runner(bench).told(name)  # says that there is none
    return {"view": "datasets", "name": name}
