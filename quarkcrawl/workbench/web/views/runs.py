"""The views of two runs of a crawl beside each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.corpus import CHANGES
from quarkcrawl.errors import QuarkError
from quarkcrawl.workbench.web.api import runs_plain
from quarkcrawl.workbench.web.http import PendingError

if TYPE_CHECKING:
    from quarkcrawl.workbench.web.bench import Bench
    from quarkcrawl.workbench.web.http import ViewQuery


_MOST_HOSTS: Final = 50


def runs(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """What came, went and changed since an earlier run."""
    del query
    values: dict[str, Any] = {"view": "runs", "found": None, "failure": ""}
    if not bench.has_before:
        return values
    try:
        return values | {"found": runs_plain(bench.runs), "most_hosts": _MOST_HOSTS}
    except PendingError:
        raise
    except QuarkError as error:
        return values | {"failure": str(error)}


def run_pages(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """Pages that came, went or changed."""
    change = query.choice("change", ("", *CHANGES))
    elsewhere, host = query.text("elsewhere", 60), query.text("host", 300)
    values: dict[str, Any] = {
        "view": "runs", "found": None, "failure": "", "change": change, "changes": CHANGES,
        "filters": {"elsewhere": elsewhere, "host": host},
    }  # fmt: skip
    values["filters"] = {name: value for name, value in values["filters"].items() if value}
    if not bench.has_before:
        return values
    try:
        return values | {"found": bench.runs.pages(change, elsewhere, host, query.page)}
    except PendingError:
        raise
    except QuarkError as error:
        return values | {"failure": str(error)}
