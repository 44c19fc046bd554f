"""The OpenAPI 3.1 description of the API, written from the declarations of its endpoints."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quarkcrawl.workbench.web.http.endpoint import Endpoint, Parameter


_PROBLEM: Final = {
    "type": "object",
    "required": ["status", "title", "detail"],
    "properties": {
        "status": {"type": "integer"},
        "title": {"type": "string"},
        "detail": {"type": "string"},
    },
}


def describe(endpoints: Iterable[Endpoint]) -> dict[str, Any]:
    """The description as plain data.

    Args:
        endpoints: all of them.
    """
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        path = re.sub(r":\w+\}", "}", endpoint.path)
        paths.setdefault(path, {})[endpoint.method.lower()] = _operation(endpoint)
    return {
        "openapi": "3.1.0",
        "info": {"title": "quarkcrawl workbench", "version": __version__},
        "paths": paths,
        "components": {
            "schemas": {"Problem": _PROBLEM},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    statuses = {400, 403, 404, 405, 503, *endpoint.errors}
    if endpoint.body is not None:
        statuses |= {413, 415}
    made: dict[str, Any] = {
        "summary": endpoint.summary,
        "operationId": endpoint.name,
        "parameters": [_parameter(one) for one in endpoint.parameters],
        "responses": {
            "200": _success(endpoint),
            **{str(status): _failure() for status in sorted(statuses)},
        },
    }
    if endpoint.body is not None:
        is_bytes = endpoint.body == "bytes"
        kind = "application/octet-stream" if is_bytes else "application/json"
        schema = {} if is_bytes else endpoint.body
        made["requestBody"] = {"required": True, "content": {kind: {"schema": schema}}}
    if endpoint.is_write:
        made["security"] = [{"token": []}]
    return made


def _success(endpoint: Endpoint) -> dict[str, Any]:
    schema = endpoint.reply or {}
    return {"description": "done", "content": {endpoint.media_type: {"schema": schema}}}


def _failure() -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": "not done", "content": {"application/problem+json": {"schema": schema}}}


def _parameter(parameter: Parameter) -> dict[str, Any]:
    schema = dict(parameter.schema)
    if parameter.default is not None:
        schema["default"] = parameter.default
    return {
        "name": parameter.name,
        "in": parameter.where,
        "required": parameter.where == "path" or parameter.default is None,
        "description": parameter.summary,
        "schema": schema,
    }
