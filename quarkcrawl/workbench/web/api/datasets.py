"""The API of data sets of the corpus."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec

from quarkcrawl.dataset import COPIES, DEFAULT_FIELDS, RULES, ExportOptions
from quarkcrawl.engines import sql_columns
from quarkcrawl.refine import DOCUMENT_COLUMNS, LABEL_COLUMNS, LABEL_SCHEMA
from quarkcrawl.store import schema_of
from quarkcrawl.workbench.web.api.campaigns import JobName, asked_settings
from quarkcrawl.workbench.web.bench import Bench
from quarkcrawl.workbench.web.http import ApiError, Operations, string
from quarkcrawl.workbench.web.services import DatasetRunner

DATASET_OPERATIONS: Final = Operations()
RULE_NAMES: Final = tuple(rule.reason for rule in (*RULES, *COPIES))
"""Rules that a data set can do without."""

_Condition = Annotated[str, string(500, "SQL", min_length=1)]
_Word = Annotated[str, string(200)]
_Share = Annotated[float, msgspec.Meta(ge=0, lt=1)]


_SOURCES: Final = """
SELECT len(string_split(tree, '"from_table":')) - 1, contains(tree, '"from_table":{{"type":"EMPTY"')
FROM ({}) AS parsed
"""
"""How many sources of rows a parsed statement names, and whether one of them is none: in its tree
the quotes of texts are escaped, so that no text looks like a key."""


class DatasetForm(msgspec.Struct, forbid_unknown_fields=True):
    """What `quarkcrawl export` takes; with `refine`, texts without labels are labeled before."""

    name: JobName
    refine: bool = True
    method: Annotated[str, string(40, "of the texts", r"^[a-z0-9_-]+$")] = "default"
    where: Annotated[list[_Condition], msgspec.Meta(max_length=20)] = []
    without: Annotated[list[_Word], msgspec.Meta(max_length=20)] = []
    fields: Annotated[list[_Word], msgspec.Meta(max_length=100)] = []
    form: Literal["parquet", "jsonl", "text"] = "parquet"
    personal: Literal["mask", "keep", "drop"] = "mask"
    repeats: Literal["remove", "keep"] = "remove"
    validation: _Share = 0.0
    test: _Share = 0.0
    seed: Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)] = 1
    contact: _Word = ""
    license: _Word = "other"


class DatasetOrder(msgspec.Struct, forbid_unknown_fields=True):
    """What the making of a data set shall do."""

    state: Literal["started", "stopped"]


def dataset_runner(bench: Bench) -> DatasetRunner:
    """What makes data sets.

    Raises:
        ApiError: none can be made here.
    """
    if bench.services.datasets is None:
        raise ApiError(404, "no data sets are made here")
    return bench.services.datasets


@DATASET_OPERATIONS.add("GET /api/datasets", "Data sets that were made here")
def datasets(bench: Bench) -> Any:
    """Name, state and size of each data set."""
    runner = dataset_runner(bench)
    return {"folder": str(runner.folder), "rows": runner.listed()}


@DATASET_OPERATIONS.add("POST /api/datasets", "Make a data set", errors=(409,))
def new_dataset(bench: Bench, body: DatasetForm) -> Any:
    """Begin a new data set; none that is there is changed."""
    runner = dataset_runner(bench)
    values = {name: getattr(body, name) for name in body.__struct_fields__ if name != "refine"}
    values |= {"where": tuple(body.where), "without": tuple(body.without)}
    values["fields"] = tuple(body.fields) or DEFAULT_FIELDS
    for reason in body.without:
        if reason not in RULE_NAMES:
            raise ApiError(400, f"no rule {reason!r}; there are {', '.join(RULE_NAMES)}")
    for condition in body.where:
        _check_condition(bench, condition)
    with asked_settings():
        runner.add(ExportOptions(**values), refine=body.refine)
    return {"name": body.name}


@DATASET_OPERATIONS.add("GET /api/datasets/{name}", "What became of a data set")
def dataset(bench: Bench, name: JobName) -> Any:
    """Its steps, and once it is whole its report, card and files."""
    return dataset_runner(bench).told(name)


@DATASET_OPERATIONS.add("GET /api/datasets/{name}/log", "Log of a data set", is_private=True)
def dataset_log(bench: Bench, name: JobName) -> Any:
    """The last lines of its log."""
    return {"lines": dataset_runner(bench).log(name)}


@DATASET_OPERATIONS.add(
    "PUT /api/datasets/{name}/state", "Stop the making of a data set, or go on", errors=(409,)
)
def order_dataset(bench: Bench, name: JobName, body: DatasetOrder) -> Any:
    """Stop, or go on where it was stopped."""
    with asked_settings():
        dataset_runner(bench).order(name, body.state)
    return {"state": body.state}


def _check_condition(bench: Bench, condition: str) -> None:
    """See that a condition is one and asks nothing but the columns of a document.

    The export runs it as the command does, with files and network; so whatever could name them, a
    query inside of it, is refused. It is looked at by the process for SQL, which has neither.

    Raises:
        ApiError: it is none, or holds a query.
    """
    if any(sign in condition for sign in (";", "--", "/*")):
        raise ApiError(400, f"{condition!r}: a condition has no ; and no comments")
    columns = ", ".join(f'NULL::{kind} AS "{name}"' for name, kind in _column_types().items())
    bound = f"SELECT ({condition}) AS holds FROM (SELECT {columns}) AS labelled WHERE 1 = 0"  # noqa: S608
    literal = f"SELECT ({condition}) AS holds".replace("'", "''")
    parsed = f"SELECT json_serialize_sql('{literal}')::VARCHAR AS tree"
    database = bench.tables.database_path
    try:
        reply = bench.sql.rows(database, bound, 1)
        ((n_sources, is_bare),) = bench.sql.rows(database, _SOURCES.format(parsed), 1)["rows"]
    except ApiError as error:
        raise ApiError(400, f"{condition!r}: {error}") from None
    if n_sources != 1 or not is_bare:
        raise ApiError(400, f"{condition!r}: a condition has no query inside")
    kind = reply["columns"][0]["type"]
    if len(reply["columns"]) != 1 or kind != "BOOLEAN":
        raise ApiError(400, f"{condition!r} is no condition but a {kind}")


def _column_types() -> dict[str, str]:
    """What a condition may ask, with the types as DuckDB calls them."""
    types = dict.fromkeys((*DOCUMENT_COLUMNS, *LABEL_COLUMNS), "string")
    for schema in (schema_of("page"), LABEL_SCHEMA):
        types |= sql_columns(schema, [name for name in types if name in schema.names])
    types["repeated_chars"] = "bigint"
    return {name: "string[]" if kind.startswith("array") else kind for name, kind in types.items()}
