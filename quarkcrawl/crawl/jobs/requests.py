"""Scrapy requests as rows of JSON, without pickle.

A row is a request's attributes by their names; those at their default are left out. Callbacks are
the names of the spider's methods.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Final

import orjson
from scrapy import Request, Spider
from scrapy.http.request import NO_CALLBACK

from quarkcrawl.crawl.jobs.values import (
    OddValueError,
    StoredClasses,
    ValueCodec,
    headers_of,
    headers_row,
)
from quarkcrawl.errors import QuarkError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_PLAIN: Final[tuple[tuple[str, object], ...]] = (
    ("encoding", "utf-8"),
    ("priority", 0),
    ("cookies", {}),
    ("flags", []),
    ("meta", {}),
    ("cb_kwargs", {}),
)
_MOST_DEPTH: Final = 200
_TOO_DEEP: Final = f"it has more than {_MOST_DEPTH} levels"
_BASE: Final = frozenset(Request.attributes)
_KINDS: Final[Mapping[str, tuple[type, ...]]] = {
    "url": (str,),
    "method": (str,),
    "encoding": (str,),
    "priority": (int,),
    "dont_filter": (bool,),
    "meta": (dict,),
    "cb_kwargs": (dict,),
    "flags": (list,),
    "cookies": (dict, list),
}
_NOT_CALLED: Final = (frozenset(vars(Spider)) | {"closed"}) - {"parse", "_parse"}
_OPEN_SCHEMES: Final = ("http://", "https://", "data:")


class NotStorableError(Exception):
    """A request that cannot be said in JSON.

    Args:
        attribute: which of its attributes, with the key: ``meta['loader']``.
        reason: why not.
    """

    def __init__(self, attribute: str, reason: str) -> None:
        super().__init__(f"{attribute}: {reason}")
        self.attribute = attribute


class StoredRequestError(QuarkError):
    """A stored request that is damaged, or that nobody who may be trusted wrote."""


class RequestCodec:
    """Requests of a spider to bytes of JSON and back.

    Args:
        spider: whose methods are the callbacks.
        trusted: whether the rows are read from a file of our own. From a server, where anybody
            may have written them, nothing is imported; classes are loaded ones of requests, items
            and the spider's own package, callbacks what the spider's class adds to `scrapy.Spider`,
            and URLs those of the Web.
    """

    def __init__(self, spider: Spider, *, trusted: bool) -> None:
        self._spider = spider
        self._trusted = trusted
        package = type(spider).__module__.partition(".")[0]
        self._classes = StoredClasses(package, trusted=trusted)
        self.values = ValueCodec(self._classes, self._row, self._request)
        functions = _functions(type(spider))
        self._callable = {name for name in functions if trusted or _may_be_called(name)}
        self._names = {
            function: name for name, function in functions.items() if name in self._callable
        }

    def encode(self, request: Request) -> bytes:
        """A request as JSON.

        Args:
            request: it is not changed.

        Raises:
            NotStorableError: an attribute holds what JSON cannot say.
        """
        row = self._row(request)
        try:
            data = orjson.dumps(row)
        except TypeError as error:  # half a character in a URL, or too deep
            raise NotStorableError(_undumpable(row), str(error)) from None
        if _is_too_deep(data):
            raise NotStorableError(_deepest(row), _TOO_DEEP)
        return data

    def decode(self, data: bytes) -> Request:
        """The request again.

        Args:
            data: what `encode` gave, or anything.

        Raises:
            StoredRequestError: it is not what `encode` gives.
        """
        try:
            return self._request(_row_of(data))
        except Exception as error:  # noqa: BLE001 (whatever hostile bytes bring about)
            reason = str(error) or type(error).__name__
            raise StoredRequestError(f"stored request refused: {reason}: {data[:200]!r}") from None

    def _row(self, request: Request) -> dict[str, Any]:
        """A request as a dict of JSON values."""
        if not self._may_ask(request.url):
            raise NotStorableError("url", f"{request.url!r:.200} is no URL of the Web")
        row: dict[str, Any]
        row = self._of_subclass(request) if type(request) is not Request else {"url": request.url}
        if request.method != "GET":
            row["method"] = request.method
        if request.dont_filter:
            row["dont_filter"] = bool(request.dont_filter)
        if request.callback is not None:
            row["callback"] = self._method_name("callback", request.callback)
        if request.errback is not None:
            row["errback"] = self._method_name("errback", request.errback)
        if headers := request.headers:
            row["headers"] = headers_row(headers)
        if request.body:
            row["body"] = _body_row(request.body)
        for name, default in _PLAIN:
            values = getattr(request, name)
            if values != default:
                row[name] = self._said(name, values)
        return row

    def _of_subclass(self, request: Request) -> dict[str, Any]:
        """URL, class and own attributes of a request that is more than a `scrapy.Request`."""
        cls = type(request)
        try:
            row: dict[str, Any] = {"url": request.url, "class": self._classes.path(cls)}
        except OddValueError as error:
            raise NotStorableError("class", str(error)) from None
        row |= {"method": request.method, "dont_filter": False}  # it may have other defaults
        for name in cls.attributes:
            if name not in _BASE:
                row[name] = self._said(name, getattr(request, name))
        return row

    def _may_ask(self, url: str) -> bool:
        """Whether rows may hold this URL: anybody's must not lead to our own files."""
        return self._trusted or url.startswith(_OPEN_SCHEMES)

    def _said(self, name: str, values: object) -> Any:
        """An attribute as JSON, or the error that names it."""
        try:
            return self.values.encode(values)
        except (OddValueError, RecursionError) as error:
            if isinstance(values, dict):
                for key, value in values.items():
                    self._said(f"{name}[{key!r}]", value)
            reason = "it is too deep, or holds itself"
            raise NotStorableError(
                name, reason if isinstance(error, RecursionError) else str(error)
            ) from None

    def _method_name(self, attribute: str, method: Callable[..., object]) -> str | bool:
        """Name by which the spider of the next run finds a callback; False for none ever."""
        if method is NO_CALLBACK:
            return False
        owner = getattr(method, "__self__", None)
        function = getattr(method, "__func__", method)
        if owner is None or owner is self._spider or owner is type(self._spider):
            name = self._names.get(function) if isinstance(function, FunctionType) else None
            if name is not None and getattr(self._spider, name) == method:
                return name
            for name, value in vars(self._spider).items() if self._trusted else ():
                if isinstance(value, MethodType) and value == method:
                    return name
        said = getattr(function, "__qualname__", None) or type(function).__qualname__
        raise NotStorableError(attribute, f"{said} is not found by name as a method of the spider")

    def _method(self, name: object) -> Callable[..., Any]:
        """The callback of a stored name."""
        if name is False:
            return NO_CALLBACK
        if isinstance(name, str):
            own = self._trusted and isinstance(vars(self._spider).get(name), MethodType)
            if own or name in self._callable:
                method: Callable[..., Any] = getattr(self._spider, name)
                return method
        raise ValueError(f"{name!r:.200} is not a callback of spider {self._spider.name}")

    def _request(self, row: object) -> Request:
        """The request of a row."""
        if type(row) is not dict or "url" not in row:
            raise ValueError("it is no object with a url")
        cls = self._classes.find(row.pop("class"), Request) if "class" in row else Request
        decode = self.values.decode
        arguments: dict[str, Any] = {}
        for name, value in row.items():
            if name not in cls.attributes:
                raise ValueError(f"a request has no {name!r:.80}")
            if name in {"callback", "errback"}:
                arguments[name] = self._method(value)
            elif name == "headers":
                arguments[name] = headers_of(value)
            elif name == "body":
                arguments[name] = _body_of(value)
            else:
                arguments[name] = argument = decode(value)
                if name in _KINDS and not _is_one_of(argument, _KINDS[name]):
                    raise ValueError(f"{name} is {argument!r:.80}")
        request = cls(**arguments)
        if not self._may_ask(request.url):
            raise ValueError(f"{request.url!r:.200} is no URL of the Web")
        return request


def _functions(cls: type) -> dict[str, FunctionType]:
    """The functions of a class by the name that leads to them; names of the language left out."""
    attributes: dict[str, object] = {}
    for base in reversed(cls.__mro__):
        attributes.update(vars(base))
    functions = {
        name: value.__func__ if isinstance(value, staticmethod | classmethod) else value
        for name, value in attributes.items()
        if not name.startswith("__")
    }
    return {name: value for name, value in functions.items() if isinstance(value, FunctionType)}


def _may_be_called(name: str) -> bool:
    """Whether a row that anybody may have written may name this method."""
    return name not in _NOT_CALLED


def _is_one_of(value: object, kinds: tuple[type, ...]) -> bool:
    """Whether a value is of these types; a truth value is no number."""
    return isinstance(value, kinds) and (type(value) is not bool or bool in kinds)


def _undumpable(row: Mapping[str, object]) -> str:
    """The attribute that `orjson` does not take."""
    for name, value in row.items():
        try:
            orjson.dumps(value)
        except TypeError:
            return name
    return "meta"  # the row as a whole is one step deeper


def _is_too_deep(data: bytes) -> bool:
    """Whether a row has more levels than any process reads, whatever its recursion limit."""
    if data.count(b"[") + data.count(b"{") <= _MOST_DEPTH:
        return False
    level, depth = [orjson.loads(data)], 0
    while level and depth <= _MOST_DEPTH:
        depth += 1
        level = [
            part
            for value in level
            if isinstance(value, list | dict)
            for part in (value.values() if isinstance(value, dict) else value)
        ]
    return bool(level)


def _row_of(data: bytes) -> object:
    """What stands in a stored row."""
    if _is_too_deep(data):
        raise ValueError(_TOO_DEEP)
    return orjson.loads(data)


def _deepest(row: Mapping[str, object]) -> str:
    """The attribute that makes a row too deep."""
    return next((name for name, value in row.items() if _is_too_deep(orjson.dumps(value))), "meta")


def _body_row(body: bytes) -> str | dict[str, str]:
    """A body as JSON: as text where it is some."""
    try:
        return body.decode()
    except UnicodeDecodeError:
        return {"!bytes": b64encode(body).decode()}


def _body_of(value: object) -> bytes:
    """The reverse of `_body_row`."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, dict) and value.keys() == {"!bytes"}:
        return b64decode(value["!bytes"], validate=True)
    raise ValueError(f"body is {value!r:.80}")
