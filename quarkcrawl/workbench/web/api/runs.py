"""The API of two runs of a crawl beside each other."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec

from quarkcrawl.workbench.web.api.corpus import Listed, ListPage
from quarkcrawl.workbench.web.bench import Bench
from quarkcrawl.workbench.web.http import Operations, string

if TYPE_CHECKING:
    from quarkcrawl.workbench.web.runs import TwoRuns


RUN_OPERATIONS: Final = Operations()
_Change = Literal["", "came", "went", "changed", "same"]


@RUN_OPERATIONS.add("GET /api/runs", "What came, went and changed since an earlier run")
def runs(bench: Bench) -> Any:
    """What came, went and changed since an earlier run."""
    return runs_plain(bench.runs)


def runs_plain(runs: TwoRuns) -> dict[str, Any]:
    """The comparison as JSON.

    Args:
        runs: the two runs.

    Raises:
        PendingError: they are being compared.
        EngineError: they cannot be compared.
    """
    compared = runs.compared()
    changes = dataclasses.asdict(compared.comparison)
    changes |= {name: list(changes[name]) for name in ("pages", "body_bytes")}
    return {"as_of": compared.as_of, "before": str(runs.before), **changes}


@RUN_OPERATIONS.add("GET /api/runs/pages", "Pages that came, went or changed", reply=Listed)
def run_pages(
    bench: Bench,
    change: Annotated[_Change, msgspec.Meta(description="what became of them; empty: any")] = "",
    elsewhere: Annotated[str, string(60, "what the other run says of them; empty: any")] = "",
    host: Annotated[str, string(300, "only this host; empty: any")] = "",
    page: ListPage = 1,
) -> Any:
    """Pages that came, went or changed."""
    return bench.runs.pages(change, elsewhere, host, page).plain()
