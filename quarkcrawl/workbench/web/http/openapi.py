"""The OpenAPI 3.1 description of the API, written from the signatures of its operations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from quarkcrawl import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.workbench.web.http.operation import Operation


_REF: Final = "#/components/schemas/{name}"
_JSON: Final = "application/json"
_PROBLEM: Final = msgspec.defstruct("Problem", [("status", int), ("title", str), ("detail", str)])


def describe(operations: Sequence[Operation]) -> dict[str, Any]:
    """The description as plain data.

    Args:
        operations: all of them.
    """
    types = [_PROBLEM, *(one.reply for one in operations if one.media_type == _JSON)]
    types += [one.body for one in operations if one.body not in {None, bytes}]
    _, schemas = msgspec.json.schema_components(types, ref_template=_REF)
    paths: dict[str, dict[str, Any]] = {}
    for one in operations:
        paths.setdefault(one.path, {})[one.method.lower()] = _operation(one)
    return {
        "openapi": "3.1.0",
        "info": {"title": "quarkcrawl workbench", "version": __version__},
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(operation: Operation) -> dict[str, Any]:
    statuses = {400, 403, 404, 405, 503, *operation.errors}
    spec: dict[str, Any] = {
        "summary": operation.summary,
        "operationId": operation.name,
        "parameters": [],
    }
    for name, kind, default, is_in_path in operation.parameters:
        schema = _schema(kind)
        about = {"description": schema.pop("description", "")}
        is_required = default is msgspec.NODEFAULT
        if not is_required:
            schema["default"] = default
        where = "path" if is_in_path else "query"
        entry = {"name": name, "in": where, "required": is_required, **about, "schema": schema}
        spec["parameters"].append(entry)
    if operation.body is not None:
        statuses |= {413, 415}
        is_bytes = operation.body is bytes
        media_type = "application/octet-stream" if is_bytes else _JSON
        content = _content(media_type, Any if is_bytes else operation.body)
        spec["requestBody"] = {"required": True, **content}
    if operation.needs_token:
        spec["security"] = [{"token": []}]
    reply = operation.reply if operation.media_type == _JSON else Any
    failure = {"description": "not done", **_content("application/problem+json", _PROBLEM)}
    spec["responses"] = {
        "200": {"description": "done", **_content(operation.media_type, reply)},
        **{str(status): failure for status in sorted(statuses)},
    }
    return spec


def _content(media_type: str, kind: Any) -> dict[str, Any]:
    return {"content": {media_type: {"schema": _schema(kind)}}}


def _schema(kind: Any) -> dict[str, Any]:
    (schema,), _ = msgspec.json.schema_components([kind], ref_template=_REF)
    return schema
