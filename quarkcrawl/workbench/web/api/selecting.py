"""The API of the filter of a selection: started, watched and stopped here."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec

from quarkcrawl.errors import InputError
from quarkcrawl.select import AliasMethod, OutlierMethod, StepOfSelection
from quarkcrawl.workbench.web.api.campaigns import asked_settings
from quarkcrawl.workbench.web.bench import Bench
from quarkcrawl.workbench.web.http import ApiError, Operations, integer, string
from quarkcrawl.workbench.web.services import HostFilterOptions, SelectionRunner

if TYPE_CHECKING:
    from quarkcrawl.select import SelectionReview

SELECTING_OPERATIONS: Final = Operations()
_ListName = Annotated[str, string(400, "file of patterns in the work folder", min_length=1)]


class FilterForm(msgspec.Struct, forbid_unknown_fields=True):
    """What `quarkcrawl select filter` takes, and the result that it may take the place of."""

    min_pages: Annotated[int, integer(0, description="hosts with fewer pages are dropped")] = 10
    aliases: AliasMethod = "default"
    outliers: OutlierMethod = "default"
    drop_undecided: bool = False
    unchecked: bool = False
    skip: Annotated[list[StepOfSelection], msgspec.Meta(max_length=8)] = []
    spam_list: Annotated[list[_ListName], msgspec.Meta(max_length=20)] = []
    replaces: Annotated[
        str, string(64, "version of the result that may be replaced; empty: there is none")
    ] = ""


class FilterOrder(msgspec.Struct, forbid_unknown_fields=True):
    """What the filter shall do."""

    state: Literal["stopped"]


def selection_runner(bench: Bench) -> SelectionRunner:
    """What filters the selection.

    Raises:
        ApiError: there is no selection, or nothing is started here.
    """
    root = bench.seeds.work.root
    if bench.services.selection is None:
        raise ApiError(404, "no selection is filtered here")
    return bench.services.selection(root)


def filter_told(bench: Bench) -> dict[str, Any]:
    """What is known of the filter, and with which options its form begins.

    Args:
        bench: the workbench.

    Raises:
        ApiError: there is no selection, or nothing is started here.
    """
    status = selection_runner(bench).told()
    return status | {"options": _form(bench.seeds, status["default_lists"])}


def _form(review: SelectionReview, default_lists: list[str]) -> dict[str, Any]:
    """What the form begins with: the options of the result that is there.

    Lists in the work folder are named as the form takes them; ``elsewhere`` are the others.
    """
    noted: dict[str, Any] = {}
    with suppress(InputError):  # there is no result, or it is broken
        noted = review.summary().get("options", {})
    options = {name: noted.get(name, default) for name, default in _defaults().items()}
    root = review.work.root.resolve()
    paths = [Path(path) for path in options["spam_list"] if path not in default_lists]
    inside = [str(path.relative_to(root)) for path in paths if path.is_relative_to(root)]
    elsewhere = [str(path) for path in paths if not path.is_relative_to(root)]
    return options | {"spam_list": inside, "elsewhere": elsewhere, "is_noted": bool(noted)}


def _defaults() -> dict[str, Any]:
    return {one.name: one.default_factory() if one.default is msgspec.NODEFAULT else one.default
            for one in msgspec.structs.fields(FilterForm) if one.name != "replaces"}  # fmt: skip


@SELECTING_OPERATIONS.add("GET /api/seeds/filter", "The filter of the selection: how far it is")
def filter_state(bench: Bench) -> Any:
    """State, time and error of the last run from here, and the options of the result."""
    return filter_told(bench)


@SELECTING_OPERATIONS.add("POST /api/seeds/filter", "Filter the hosts anew", errors=(409,))
def begin_filter(bench: Bench, body: FilterForm) -> Any:
    """Start the filter; a result that is there is replaced only if it is the one named."""
    values = {name: getattr(body, name) for name in body.__struct_fields__ if name != "replaces"}
    values |= {"skip": tuple(body.skip), "spam_list": tuple(body.spam_list)}
    runner = selection_runner(bench)
    with asked_settings():
        runner.begin(HostFilterOptions(**values), body.replaces)
    return {"state": "started"}


@SELECTING_OPERATIONS.add("GET /api/seeds/filter/log", "Log of the filter", is_private=True)
def filter_log(bench: Bench) -> Any:
    """The last lines of its log."""
    return {"lines": selection_runner(bench).lines()}


@SELECTING_OPERATIONS.add("PUT /api/seeds/filter/state", "Stop the filter", errors=(409,))
def order_filter(bench: Bench, body: FilterOrder) -> Any:
    """Stop the filter; the result of before stays."""
    selection_runner(bench).end()
    return {"state": body.state}
