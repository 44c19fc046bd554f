"""The API of a selection of seed sites: steps, hosts, evidence, families, elections, keeping."""

from __future__ import annotations

import dataclasses
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec

from quarkcrawl.errors import InputError
from quarkcrawl.select import (
    KEEP_FILE,
    PROPOSALS_FILE,
    HostState,
    change_decision,
    change_keep_list,
)
from quarkcrawl.workbench.web.api.corpus import Listed, ListPage
from quarkcrawl.workbench.web.bench import Bench
from quarkcrawl.workbench.web.http import END, ApiError, Operations, string
from quarkcrawl.workbench.web.index import PAGE_ROWS, Rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from quarkcrawl.select import SelectionReview


SEED_OPERATIONS: Final = Operations()
_Step = Literal["", "names", "check", "aliases", "services", "spam", "outliers", "digits", "pages"]
_Rule = Literal[
    "", "not_dropped", "redirect_target", "nicer_name", "most_pages", "shortest", "first"
]
_State = Annotated[HostState, msgspec.Meta(description="dropped at the step, or left by it")]
HostOrder = Literal["pages", "host"]
_BLANK: Final = r"\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""White space, spelled out: what ``\\s`` means differs between Python and JSON Schema."""

_Host = Annotated[str, string(260, "host, with its port if any", rf"^[^{_BLANK}#]+" + END)]
_Part = Annotated[str, string(260, "part of a host's name")]


@contextmanager
def _readable() -> Iterator[None]:
    """A broken file of the selection is no fault of who asks."""
    try:
        yield
    except InputError as error:
        raise ApiError(503, str(error)) from error


class Kept(msgspec.Struct, forbid_unknown_fields=True):
    """A host that is kept whatever a step says, and why."""

    host: _Host
    note: Annotated[str, string(200, "why; one line")] = ""


class Decision(msgspec.Struct, forbid_unknown_fields=True):
    """What is decided about a proposed spam family."""

    domain: _Host
    decision: Literal["accept", "reject", "?"]


@SEED_OPERATIONS.add("GET /api/seeds", "A selection of seed sites, step by step")
def seeds(bench: Bench) -> Any:
    """A selection, step by step."""
    with _readable():
        return seeds_summary(bench.seeds)


def seeds_summary(review: SelectionReview) -> dict[str, Any]:
    """Steps and numbers of a selection, and the hosts that a person keeps.

    Args:
        review: the selection.

    Raises:
        InputError: a file of it is missing or damaged.
    """
    summary = review.summary()
    notes = review.kept()
    seeded = review.seeds_among(notes) if notes else set()
    kept_hosts = [
        {"host": host, "note": note, "is_seed": host in seeded} for host, note in notes.items()
    ]
    return {
        "folder": str(review.work.root),
        "hosts": summary["hosts"],
        "seeds": summary["seeds"],
        "steps": summary["steps"],
        "alias_groups": summary["alias_groups"],
        "elections": summary["elections"],
        "families": len(summary["proposals"]),
        "kept": kept_hosts,
    }


@SEED_OPERATIONS.add(
    "GET /api/seeds/hosts", "Hosts that a step dropped, or left, with reasons", reply=Listed
)
def seed_hosts(
    bench: Bench,
    step: Annotated[_Step, msgspec.Meta(description="step; empty: all of them")] = "",
    state: _State = "any",
    reason: Annotated[str, string(60, "only this reason; empty: any")] = "",
    q: _Part = "",
    sort: Annotated[HostOrder, msgspec.Meta(description="order")] = "pages",
    page: ListPage = 1,
) -> Any:
    """Hosts of a step."""
    with _readable():
        return hosts_of_step(bench.seeds, step, state, (reason, q), sort, page).plain()


def hosts_of_step(
    review: SelectionReview,
    step: str,
    state: HostState,
    only: tuple[str, str],
    sort: str,
    page: int,
) -> Rows:
    """A page of the hosts of a step.

    Args:
        review: the selection.
        step: one of its steps, "" for all of them.
        state: dropped at the step, or left by it.
        only: hosts dropped for this reason, with this in their names; "" for any.
        sort: ``pages`` or ``host``.
        page: which fifty rows, counted from 1.
    """
    hosts = review.hosts(step, state, *only, by_name=sort == "host")
    names = ("host", "pages", "step", "reason", "detail")
    rows = hosts.select(names).slice(PAGE_ROWS * (page - 1), PAGE_ROWS).to_pylist()
    return Rows(rows, hosts.num_rows, page)


@SEED_OPERATIONS.add("GET /api/seeds/host", "The evidence for one host")
def seed_host(bench: Bench, host: _Host) -> Any:
    """The evidence for one host."""
    with _readable():
        evidence = bench.seeds.host(host)
    if evidence is None:
        raise ApiError(404, "this host is in no list of the selection")
    return dataclasses.asdict(evidence) | {
        "steps": [{"step": step, "outcome": outcome} for step, outcome in evidence.steps]
    }


@SEED_OPERATIONS.add(
    "GET /api/seeds/families",
    "Proposed spam families with decisions, and patterns of the spam list",
)
def seed_families(bench: Bench) -> Any:
    """Proposed spam families and what matched the spam list."""
    with _readable():
        return families_of(bench.seeds)


def families_of(review: SelectionReview) -> dict[str, Any]:
    """Proposed families with what a person decided, and patterns of the spam list.

    Args:
        review: the selection.
    """
    decisions = review.decisions()
    proposals = review.summary()["proposals"]
    families = [one | {"decision": decisions.get(one["domain"], "?")} for one in proposals]
    return {"families": families, "patterns": review.patterns()}


@SEED_OPERATIONS.add(
    "GET /api/seeds/aliases", "Names of one site: who was elected, and by what", reply=Listed
)
def seed_aliases(
    bench: Bench,
    rule: Annotated[_Rule, msgspec.Meta(description="only elected by this; empty: any")] = "",
    q: _Part = "",
    page: ListPage = 1,
) -> Any:
    """Elections of names."""
    with _readable():
        return paged(bench.seeds.elections(rule, q), page).plain()


def paged(rows: Sequence[dict[str, Any]], page: int) -> Rows:
    """A page of a list that is in memory.

    Args:
        rows: the whole list.
        page: number of the page, from 1.
    """
    first = PAGE_ROWS * (page - 1)
    return Rows(list(rows[first : first + PAGE_ROWS]), len(rows), page)


@SEED_OPERATIONS.add(
    "PUT /api/seeds/kept", "Keep a host whatever a step says, from the next filter on"
)
def keep_host(bench: Bench, body: Kept) -> Any:
    """Keep a host whatever a step says."""
    if bench.seeds.host(body.host) is None:
        raise ApiError(404, "this host is in no list of the selection")
    change_keep_list(bench.seeds.work.path(KEEP_FILE), body.host, body.note)
    return {"kept": bench.seeds.kept()}


@SEED_OPERATIONS.add("DELETE /api/seeds/kept", "Keep a host no longer")
def unkeep_host(bench: Bench, host: _Host) -> Any:
    """Keep a host no longer."""
    if not change_keep_list(bench.seeds.work.path(KEEP_FILE), host, None):
        raise ApiError(404, "nobody keeps this host")
    return {"kept": bench.seeds.kept()}


@SEED_OPERATIONS.add("PUT /api/seeds/decisions", "Decide about a proposed spam family")
def decide_family(bench: Bench, body: Decision) -> Any:
    """Decide about a proposed spam family."""
    if body.domain not in bench.seeds.decisions():
        raise ApiError(404, "this domain is not proposed")
    change_decision(bench.seeds.work.path(PROPOSALS_FILE), body.domain, body.decision)
    return {"domain": body.domain, "decision": body.decision}
