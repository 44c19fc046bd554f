"""The views of a selection of seed sites."""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, cast

from quarkcrawl.errors import InputError, QuarkError
from quarkcrawl.select import (
    COUNTS_FILE,
    METHODS,
    OUTLIER_METHODS,
    PROBES_FILE,
    STEPS,
    HostState,
)
from quarkcrawl.workbench.web.api import (
    families_of,
    filter_told,
    hosts_of_step,
    paged,
    seeds_summary,
)
from quarkcrawl.workbench.web.http import ApiError

if TYPE_CHECKING:
    from collections.abc import Callable

    from quarkcrawl.select import SelectionReview
    from quarkcrawl.workbench.web.bench import Bench
    from quarkcrawl.workbench.web.http import ViewQuery

    ViewModel = Callable[[Bench, ViewQuery], dict[str, Any]]
    SeedsModel = Callable[[Bench, SelectionReview, ViewQuery], dict[str, Any]]


_STATES: Final = ("any", "dropped", "left")
_SORTS: Final = ("pages", "host")


def _of_selection(
    view: str,
) -> Callable[[SeedsModel], ViewModel]:
    """A view that says so where there is no selection, or a table of it cannot be read."""

    def made(model: SeedsModel) -> ViewModel:
        def shown(bench: Bench, query: ViewQuery) -> dict[str, Any]:
            values: dict[str, Any] = {"view": view, "found": None, "failure": "", "folder": ""}
            try:
                review = bench.seeds
            except ApiError:
                return values
            values["folder"] = str(review.work.root.resolve())
            try:
                return values | model(bench, review, query)
            except InputError as error:
                return values | {"failure": str(error)}

        shown.__doc__ = model.__doc__
        return shown

    return made


@_of_selection("seeds")
def seeds(bench: Bench, review: SelectionReview, query: ViewQuery) -> dict[str, Any]:
    """The steps of a selection, who is kept by hand, and the form that filters anew."""
    del query
    values: dict[str, Any] = {"counted": None, "filter": None, "filter_failure": ""}
    values["is_checked"] = review.work.path(PROBES_FILE).is_file()
    values |= {"steps": STEPS, "aliases": METHODS, "outliers": OUTLIER_METHODS}
    if bench.services.selection is not None:
        try:
            values["filter"] = filter_told(bench)
        except QuarkError as error:  # somebody has changed the file of the job
            values["filter_failure"] = str(error)
    if not review.work.result_version() and review.work.path(COUNTS_FILE).is_file():
        return values | {"counted": review.work.counts().num_rows}
    try:
        return values | {"found": seeds_summary(review)}
    except InputError as error:
        return values | {"failure": str(error)}


@_of_selection("seedhosts")
def seed_hosts(bench: Bench, review: SelectionReview, query: ViewQuery) -> dict[str, Any]:
    """Hosts that a step dropped, or left."""
    del bench
    step, state = query.choice("step", ("", *STEPS)), query.choice("state", _STATES)
    reason, text = query.text("reason", 60), query.text("q", 260).strip()
    sort = query.choice("sort", _SORTS)
    rows = hosts_of_step(review, step, cast("HostState", state), (reason, text), sort, query.page)
    steps = {one["name"]: one for one in review.summary()["steps"]}
    return {
        "found": rows, "step": step, "state": state, "reason": reason, "q": text, "sort": sort,
        "sorts": _SORTS, "states": _STATES, "steps": steps, "kept": review.kept(),
    }  # fmt: skip


@_of_selection("seedhosts")
def seed_host(bench: Bench, review: SelectionReview, query: ViewQuery) -> dict[str, Any]:
    """The evidence for one host."""
    host = query.text("host", 260).strip().lower()
    evidence = review.host(host)
    n_stored = 0
    if bench.index is not None and evidence is not None:
        with suppress(QuarkError):  # the tables are being read, or broken: no matter here
            stored = "SELECT count(*) AS n FROM pages WHERE host = ?"
            n_stored = bench.tables.row(stored, [host])["n"]
    return {
        "host": host, "found": None if evidence is None else dataclasses.asdict(evidence),
        "n_stored": n_stored,
    }  # fmt: skip


@_of_selection("seedfamilies")
def seed_families(bench: Bench, review: SelectionReview, query: ViewQuery) -> dict[str, Any]:
    """Proposed spam families with samples, and patterns of the spam list."""
    del bench
    both = families_of(review)
    patterns = both["patterns"]
    return {"found": paged(both["families"], query.page), "patterns": patterns}


@_of_selection("seedaliases")
def seed_aliases(bench: Bench, review: SelectionReview, query: ViewQuery) -> dict[str, Any]:
    """Names of one site: who was elected, and by what."""
    del bench
    rules, text = review.summary()["elections"], query.text("q", 260).strip()
    rule = query.choice("rule", ("", *rules))
    return {
        "found": paged(review.elections(rule, text), query.page), "rule": rule, "q": text,
        "rules": rules,
    }  # fmt: skip
