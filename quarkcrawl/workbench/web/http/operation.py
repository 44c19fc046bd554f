"""An operation of the JSON API: a function whose signature says what may be asked.

    @HOSTS.add("GET /api/hosts", "Hosts with their pages", reply=Listed)
    def hosts(bench: Bench, q: Part = "", page: ListPage = 1) -> Any: ...

msgspec checks what comes in against the signature; a handler sees checked values only, and
`openapi` describes the same signature. Errors are ``application/problem+json`` (RFC 9457).
"""

from __future__ import annotations

import html
import json
from dataclasses import dataclass, field
from functools import cache
from inspect import signature
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeVar, get_type_hints

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, Response

from quarkcrawl.errors import FetchError, InputError, QuarkError
from quarkcrawl.workbench.web.http.pending import PendingError
from quarkcrawl.workbench.web.http.security import frame_policy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from starlette.requests import Request

    from quarkcrawl.workbench.web.http.security import Access


Handler = TypeVar("Handler", bound="Callable[..., Any]")

SMALL_BYTES: Final = 256 << 10
_JSON: Final = "application/json"
_PROBLEM: Final = "application/problem+json"
_WORDS: Final = "font: 15px/1.6 system-ui; margin: 16px; color: #555; overflow-wrap: anywhere"

END: Final = r"$(?!\n)"
"""The very end, for Python, too, to which ``$`` may stand before a line end."""


def string(
    max_chars: int = 2000, description: str = "", pattern: str = r"^[^\u0000]*$", **more: Any
) -> msgspec.Meta:
    """What a text may be; without a pattern of its own, any without NUL characters.

    Args:
        max_chars: longest allowed.
        description: what it means.
        pattern: regular expression that it fits.
        more: further limits, as `msgspec.Meta` names them.
    """
    about = description or None
    return msgspec.Meta(max_length=max_chars, description=about, pattern=pattern, **more)


def integer(least: int = 0, most: int = 2**31 - 1, description: str = "") -> msgspec.Meta:
    """What a whole number may be.

    Args:
        least: smallest allowed.
        most: largest allowed.
        description: what it means.
    """
    return msgspec.Meta(ge=least, le=most, description=description or None)


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


class Parameter(NamedTuple):
    """A value in the path or the query; its default is NODEFAULT where it must be given."""

    name: str
    type: Any
    default: Any
    is_in_path: bool


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation.

    Args:
        method: HTTP method in capitals, such as ``GET``; any other changes something and needs
            the token.
        path: with ``{name}`` for parameters.
        summary: one line.
        handler: gives what is sent as JSON, or a whole response. It takes the workbench and then
            parameters by their names, those of a msgspec structure as fields of it; ``body`` is
            the body: a structure, from JSON, or bytes.
        reply: type of the answer; for an answer that is no JSON the media type says what it is.
        media_type: what the answer is declared as.
        max_body_bytes: longer bodies are refused.
        errors: statuses besides those that every operation can give.
        is_private: reading, too, needs the token, or the cookie in a request of our own pages.
    """

    method: str
    path: str
    summary: str
    handler: Callable[..., Any]
    reply: Any = dict[str, Any]
    media_type: str = _JSON
    max_body_bytes: int = SMALL_BYTES
    errors: tuple[int, ...] = ()
    is_private: bool = False
    parameters: tuple[Parameter, ...] = field(init=False)
    groups: dict[str, type[msgspec.Struct]] = field(init=False, default_factory=dict)
    body: Any = field(init=False)

    def __post_init__(self) -> None:
        hints = get_type_hints(self.handler, include_extras=True)
        object.__setattr__(self, "body", hints.pop("body", None))
        object.__setattr__(self, "parameters", tuple(self._parameters(hints)))

    def _parameters(self, hints: dict[str, Any]) -> Iterator[Parameter]:
        for name, one in list(signature(self.handler).parameters.items())[1:]:
            if name == "body":
                continue
            hint, default = hints[name], one.default
            if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
                self.groups[name] = hint
                fields = [(of.name, of.type, of.default) for of in msgspec.structs.fields(hint)]
            else:
                required = default is one.empty
                fields = [(name, hint, msgspec.NODEFAULT if required else default)]
            for entry in fields:
                yield Parameter(*entry, is_in_path=f"{{{entry[0]}}}" in self.path)

    @property
    def name(self) -> str:
        """Name of the operation, such as ``get_hosts``."""
        return f"{self.method.lower()}_{self.handler.__name__}"

    @property
    def is_write(self) -> bool:
        """Whether something is changed."""
        return self.method != "GET"

    @property
    def needs_token(self) -> bool:
        """Whether the token is needed."""
        return self.is_write or self.is_private

    def __call__(self, bench: Guarded, values: dict[str, Any]) -> Any:
        """What the handler answers to checked values."""
        for name, group in self.groups.items():
            values[name] = group(**{of: values.pop(of) for of in group.__struct_fields__})
        return self.handler(bench, **values)


class Operations(list[Operation]):
    """Operations in the order in which they are looked through for an address."""

    def add(self, route: str, summary: str, **options: Any) -> Callable[[Handler], Handler]:
        """Make the function below an operation.

        Args:
            route: method and path, such as ``GET /api/hosts``.
            summary: one line.
            options: others of `Operation`.
        """
        method, path = route.split()

        def register(handler: Handler) -> Handler:
            self.append(Operation(method, path, summary, handler, **options))
            return handler

        return register


async def answer(operation: Operation, bench: Guarded, request: Request) -> Response:
    """Check a request, run the handler in a thread, write the reply.

    Args:
        operation: what the request asks for.
        bench: what handlers work on.
        request: Starlette's object; parameters that ``operation`` does not declare are refused.
    """
    reply = await _answered(operation, bench, request)
    if reply.status_code >= 400 and request.headers.get("sec-fetch-dest") == "iframe":
        return _framed(reply)
    return reply


async def _answered(operation: Operation, bench: Guarded, request: Request) -> Response:
    try:
        values = await _checked(operation, bench, request)
        reply = await run_in_threadpool(operation, bench, values)
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
    return reply if isinstance(reply, Response) else _Json(reply)


class _Json(JSONResponse):
    """JSON in UTF-8; lone surrogates, which UTF-8 has no bytes for, as question marks."""

    def render(self, content: Any) -> bytes:
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return text.encode("utf-8", "replace")


def _framed(reply: Response) -> Response:
    """An error where a frame of ours shows a page: its words, as a document that does nothing."""
    words = html.escape(json.loads(bytes(reply.body))["detail"])
    text = f'<!DOCTYPE html><meta charset="utf-8"><p style="{_WORDS}">{words}</p>'
    headers = {"content-security-policy": frame_policy()}
    return HTMLResponse(text, reply.status_code, headers)


def problem(status: int, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    """An error as RFC 9457 wants it."""
    content = {"status": status, "title": HTTPException(status).detail, "detail": detail}
    return _Json(content, status, headers, media_type=_PROBLEM)


async def _checked(operation: Operation, bench: Guarded, request: Request) -> dict[str, Any]:
    if operation.is_write and not bench.access.may_write(request):
        raise ApiError(403, "writing needs the token that was printed when the server started")
    if operation.is_private and not bench.access.is_signed_in(request):
        raise ApiError(403, "this needs the token that was printed when the server started")
    query_names = {one.name for one in operation.parameters if not one.is_in_path}
    for name in request.query_params:
        if name not in query_names:
            raise ApiError(400, f"no parameter {name!r}")
    values = {one.name: _value(one, request) for one in operation.parameters}
    if operation.body is not None:
        values["body"] = await _body(operation, request)
    return values


def _value(parameter: Parameter, request: Request) -> Any:
    name = parameter.name
    if parameter.is_in_path:
        given = [request.path_params[name]]
    else:
        given = request.query_params.getlist(name)
    if len(given) > 1:
        raise ApiError(400, f"{name} is given more than once")
    if not given:
        if parameter.default is msgspec.NODEFAULT:
            raise ApiError(400, f"{name} is missing")
        return parameter.default
    try:
        return msgspec.convert(given[0], parameter.type, strict=False)
    except msgspec.ValidationError:
        status = 404 if parameter.is_in_path else 400
        raise ApiError(status, f"{name} must be {_expected(parameter.type)}") from None


@cache
def _expected(kind: Any) -> str:
    """What a value should have been, from its schema."""
    schema = msgspec.json.schema(kind)
    if "enum" in schema:
        return f"one of {', '.join(schema['enum'])}"
    if schema["type"] == "integer":
        return f"a whole number between {schema['minimum']} and {schema['maximum']}"
    return f"at most {schema['maxLength']} characters of the form {schema['pattern']}"


async def _body(operation: Operation, request: Request) -> Any:
    data = bytearray()
    async for piece in request.stream():
        data += piece
        if len(data) > operation.max_body_bytes:
            raise ApiError(413, f"a body may have at most {operation.max_body_bytes} bytes")
    if operation.body is bytes:
        return bytes(data)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != _JSON:
        raise ApiError(415, f"the body must be {_JSON}")
    try:
        value = json.loads(data.decode(), parse_float=_number)
    except (ValueError, RecursionError) as error:
        raise ApiError(400, f"the body is no JSON: {error}") from error
    try:
        return msgspec.convert(value, operation.body)
    except msgspec.ValidationError as error:
        raise ApiError(400, f"the body does not fit: {error}") from error


def _number(text: str) -> float:
    """A number with a point; for JSON Schema, 1.0 is an integer."""
    value = float(text)
    return int(value) if value.is_integer() else value
