"""An endpoint of the JSON API: declared once, checked, run in a thread, described.

    Endpoint("GET", "/api/hosts", hosts, "Hosts with their pages", (PAGE, SORT), reply=…)

What comes in is checked against the declaration; a handler sees checked values only. Errors are
``application/problem+json`` (RFC 9457).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from quarkcrawl.errors import FetchError, InputError, QuarkError
from quarkcrawl.workbench.web.http.pending import PendingError
from quarkcrawl.workbench.web.http.schema import complaint, of_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request

    from quarkcrawl.workbench.web.http.security import Access


SMALL_BYTES: Final = 256 << 10
_JSON: Final = "application/json"
_PROBLEM: Final = "application/problem+json"


class Guarded(Protocol):
    """What handlers work on; it knows who may write."""

    access: Access


class ApiError(Exception):
    """A request that cannot be answered.

    Args:
        status: HTTP status of the answer, such as 404.
        detail: what is wrong, for people.
    """

    def __init__(self, status: int, detail: str) -> None:
        self.status = status
        super().__init__(detail)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A value in the path or the query of a request.

    Args:
        name: what it is called in the query, or between braces in the path.
        schema: which values it may have, in JSON Schema.
        summary: what it means.
        where: path or query.
        default: value of a query parameter that is not given; None if it must be given.
    """

    name: str
    schema: Mapping[str, Any]
    summary: str = ""
    where: Literal["path", "query"] = "query"
    default: Any = None


@dataclass(frozen=True, slots=True)
class Call:
    """A checked request.

    Args:
        values: what each parameter of the endpoint has, defaults among them.
        body: from JSON; or the bytes of a body of another type.
    """

    values: Mapping[str, Any]
    body: Any = None

    def __getitem__(self, name: str) -> Any:
        return self.values[name]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One operation.

    Args:
        method: HTTP method in capitals, such as ``GET``.
        path: with ``{name}`` for parameters.
        handler: gives what is sent as JSON, or a whole response.
        summary: one line.
        parameters: in path and query.
        body: schema of a JSON body; ``"bytes"``: any bytes; None: no body.
        reply: schema of the answer; None: the media type says what it is.
        media_type: what the answer is declared as.
        max_body_bytes: longer bodies are refused.
        errors: statuses besides those that every endpoint can give.
        is_write: whether the token is needed.
    """

    method: str
    path: str
    handler: Callable[[Any, Call], Any]
    summary: str
    parameters: tuple[Parameter, ...] = ()
    body: Mapping[str, Any] | Literal["bytes"] | None = None
    reply: Mapping[str, Any] | None = field(default_factory=lambda: {"type": "object"})
    media_type: str = _JSON
    max_body_bytes: int = SMALL_BYTES
    errors: tuple[int, ...] = ()
    is_write: bool = False

    @property
    def name(self) -> str:
        """Name of the operation, such as ``get_hosts``."""
        return f"{self.method.lower()}_{self.handler.__name__}"


async def answer(endpoint: Endpoint, bench: Guarded, request: Request) -> Response:
    """Check a request, run the handler in a thread, write the reply.

    Args:
        endpoint: what the request asks for.
        bench: what handlers work on.
        request: Starlette's object; parameters that ``endpoint`` does not declare are refused.
    """
    try:
        _admit(endpoint, bench, request)
        values = _values(endpoint, request)
        body = await _body(endpoint, request)
        found = await run_in_threadpool(endpoint.handler, bench, Call(values, body))
    except ApiError as error:
        return problem(error.status, str(error))
    except PendingError as error:
        return problem(503, str(error), {"retry-after": "1"})
    except FetchError as error:
        return problem(502, f"{error.reason}: {error}")
    except InputError as error:
        return problem(400, str(error))
    except QuarkError as error:
        return problem(503, str(error))
    return found if isinstance(found, Response) else _Json(found)


def _admit(endpoint: Endpoint, bench: Guarded, request: Request) -> None:
    if endpoint.is_write and not bench.access.may_write(request):
        raise ApiError(403, "writing needs the token that was printed when the server started")


class _Json(JSONResponse):
    """JSON in UTF-8; lone surrogates, which UTF-8 has no bytes for, as question marks."""

    def render(self, content: Any) -> bytes:
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return text.encode("utf-8", "replace")


def problem(status: int, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    """An error as RFC 9457 wants it."""
    content = {"status": status, "title": HTTPException(status).detail, "detail": detail}
    return _Json(content, status, headers, media_type=_PROBLEM)


def _values(endpoint: Endpoint, request: Request) -> dict[str, Any]:
    given = request.query_params
    known = {one.name for one in endpoint.parameters if one.where == "query"}
    for name in given:
        if name not in known:
            raise ApiError(400, f"no parameter {name!r}")
    return {one.name: _value(one, request) for one in endpoint.parameters}


def _value(parameter: Parameter, request: Request) -> Any:
    if parameter.where == "path":
        text = request.path_params[parameter.name]
    else:
        found = request.query_params.getlist(parameter.name)
        if len(found) > 1:
            raise ApiError(400, f"{parameter.name} is given more than once")
        if not found:
            if parameter.default is None:
                raise ApiError(400, f"{parameter.name} is missing")
            return parameter.default
        text = found[0]
    value = of_text(text, parameter.schema)
    if wrong := complaint(value, parameter.schema, parameter.name):
        raise ApiError(404 if parameter.where == "path" else 400, wrong)
    return value


async def _body(endpoint: Endpoint, request: Request) -> Any:
    if endpoint.body is None:
        return None
    data = bytearray()
    async for piece in request.stream():
        data += piece
        if len(data) > endpoint.max_body_bytes:
            raise ApiError(413, f"a body may have at most {endpoint.max_body_bytes} bytes")
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if endpoint.body == "bytes":
        return bytes(data)
    if kind != _JSON:
        raise ApiError(415, f"the body must be {_JSON}")
    try:
        value = json.loads(data.decode(), parse_float=_number)
    except (ValueError, RecursionError) as error:
        raise ApiError(400, f"the body is no JSON: {error}") from error
    if wrong := complaint(value, endpoint.body):
        raise ApiError(400, wrong)
    return value


def _number(text: str) -> float:
    """A number with a point; for JSON Schema, 1.0 is an integer."""
    value = float(text)
    return int(value) if value.is_integer() else value
