"""Python values as JSON, without pickle: what requests and ``spider.state`` hold.

A value that JSON has no word for is an object with one key, the tag: ``{"!bytes": "AP8="}``. A dict
with such a key, or with keys that are no strings, is a tag of pairs.
"""

from __future__ import annotations

import dataclasses
import sys
from base64 import b64decode, b64encode
from collections import OrderedDict
from datetime import date, datetime, time, timedelta
from datetime import timezone as fixed_offset
from decimal import Decimal
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, TypeVar
from uuid import UUID
from zoneinfo import ZoneInfo

import attrs
from scrapy import Item, Request
from scrapy.http import Headers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_T = TypeVar("_T")

_LEAST_INTEGER: Final = -(1 << 63)
_INTEGERS_END: Final = 1 << 64
_SEQUENCES: Final[dict[type, str]] = {tuple: "!tuple", set: "!set", frozenset: "!frozenset"}
_TEXTS: Final[dict[type, tuple[str, Callable[[Any], str]]]] = {
    bytes: ("!bytes", lambda value: b64encode(value).decode()),
    bytearray: ("!bytearray", lambda value: b64encode(value).decode()),
    date: ("!date", date.isoformat),
    Decimal: ("!decimal", str),
    UUID: ("!uuid", str),
}


class OddValueError(Exception):
    """A value that cannot be stored; says what it is, not where it stood."""


def class_path(cls: type) -> str:
    """A class as ``module:name``."""
    return f"{cls.__module__}:{cls.__qualname__}"


def _is_record(cls: type) -> bool:
    """Whether the fields of a class's objects are known: a dataclass or a class of attrs."""
    return dataclasses.is_dataclass(cls) or attrs.has(cls)


def _field_names(cls: type) -> list[str]:
    """Names of the fields of a dataclass or a class of attrs."""
    if dataclasses.is_dataclass(cls):
        return [field.name for field in dataclasses.fields(cls)]
    return [field.name for field in attrs.fields(cls)]


class StoredClasses:
    """Finds a class by its stored name, and says which classes may be stored.

    What comes from a server may have been written by anybody: no module is imported for it, and
    records (dataclasses, classes of attrs, enumerations) are those of the spider's own package.

    Args:
        package: first name of the module that the spider stands in.
        trusted: whether the rows were written by ourselves.
    """

    def __init__(self, package: str, *, trusted: bool) -> None:
        self._package = package
        self._trusted = trusted
        self._by_path: dict[tuple[str, type], type] = {}
        self._paths: dict[type, str] = {}

    def path(self, cls: type) -> str:
        """Name under which a class is stored; `OddValueError` if it cannot be found again."""
        path = self._paths.get(cls)
        if path is None:
            path = class_path(cls)
            try:
                same = self._look_up(path) is cls
            except ValueError as error:
                raise OddValueError(str(error)) from None
            if not same or not self._is_allowed(cls):
                kind = "is not found by its name" if not same else "is of another package"
                raise OddValueError(f"the class {path} {kind}")
            self._paths[cls] = path
        return path

    def find(self, path: object, base: type[_T]) -> type[_T]:
        """The class of a stored name; `ValueError` if it is not one of ``base`` or not allowed."""
        if not isinstance(path, str):
            raise ValueError(f"a class's name is {path!r:.80}")  # noqa: TRY004 (a row, no argument)
        cls = self._by_path.get((path, base))
        if cls is None:
            cls = self._look_up(path)
            if not issubclass(cls, base) or not self._is_allowed(cls):
                raise ValueError(f"{path!r:.200} is not a class that may stand here")
            self._by_path[path, base] = cls
        return cls

    def _is_allowed(self, cls: type) -> bool:
        """Whether rows may name this class."""
        if issubclass(cls, Request | Item):
            return True
        if not issubclass(cls, Enum) and not _is_record(cls):
            return False
        return self._trusted or cls.__module__.partition(".")[0] == self._package

    def _look_up(self, path: str) -> type:
        """The class at ``module:name``, imported only for a file of our own."""
        module_name, _, name = path.partition(":")
        if any(part.startswith("__") for part in name.split(".")):
            raise ValueError(f"{path!r:.200} is not the name of a class")
        module = sys.modules.get(module_name)
        if module is None and self._trusted:
            try:
                module = import_module(module_name)
            except Exception as error:  # noqa: BLE001 (a project's module may fail in any way)
                raise ValueError(
                    f"the module of {path!r:.200} cannot be imported: {error}"
                ) from None
        value: object = module
        for part in name.split("."):
            value = getattr(value, "__dict__", {}).get(part)  # a module's __getattr__ may import
        if not isinstance(value, type):
            raise ValueError(f"there is no class {path!r:.200} here")  # noqa: TRY004
        return value


class ValueCodec:
    """Python values to values of JSON and back.

    Args:
        classes: classes that may be stored.
        to_row: a request as a dict of JSON values.
        from_row: the reverse.
    """

    def __init__(
        self,
        classes: StoredClasses,
        to_row: Callable[[Request], dict[str, Any]],
        from_row: Callable[[object], Request],
    ) -> None:
        self._classes = classes
        self._to_row = to_row
        self._from_row = from_row
        self._untag: dict[str, Callable[[Any], object]] = {
            "!dict": lambda pairs: {self.decode(key): self.decode(value) for key, value in pairs},
            "!ordered": lambda pairs: OrderedDict(
                (self.decode(key), self.decode(value)) for key, value in pairs
            ),
            "!tuple": lambda values: tuple(map(self.decode, _listed(values))),
            "!set": lambda values: set(map(self.decode, _listed(values))),
            "!frozenset": lambda values: frozenset(map(self.decode, _listed(values))),
            "!bytes": lambda text: b64decode(text, validate=True),
            "!bytearray": lambda text: bytearray(b64decode(text, validate=True)),
            "!text": lambda text: b64decode(text, validate=True).decode("utf-8", "surrogatepass"),
            "!integer": lambda text: int(text, 16),
            "!float": lambda text: float(text) if text in {"nan", "inf", "-inf"} else _bad(text),
            "!date": date.fromisoformat,
            "!datetime": _moment,
            "!time": lambda parts: time.fromisoformat(parts[0]).replace(fold=parts[1]),
            "!timedelta": lambda parts: timedelta(*map(int, parts)),
            "!decimal": Decimal,
            "!uuid": UUID,
            "!headers": lambda rows: Headers(headers_of(rows)),
            "!request": self._from_row,
            "!item": self._item,
            "!record": self._record,
            "!enum": lambda pair: self._classes.find(pair[0], Enum)(self.decode(pair[1])),
        }

    def encode(self, value: object) -> Any:  # noqa: PLR0911 (JSON; one branch a type)
        """A value as `orjson` takes it; raises `OddValueError` for what cannot be said so."""
        kind = type(value)
        if value is None or kind is bool:
            return value
        if kind is str:
            return value if value.isascii() else _text(value)  # type: ignore[attr-defined,arg-type]
        if kind is int:
            small = _LEAST_INTEGER <= value < _INTEGERS_END  # type: ignore[operator]
            return value if small else {"!integer": hex(value)}  # type: ignore[arg-type]
        if kind is float:
            return value if value - value == 0 else {"!float": str(value)}  # type: ignore[operator]
        if kind is list:
            encode = self.encode
            return [encode(part) for part in value]  # type: ignore[attr-defined]
        if kind is dict:
            return self._dict(value)  # type: ignore[arg-type]
        if sequence := _SEQUENCES.get(kind):
            return {sequence: [self.encode(part) for part in value]}  # type: ignore[attr-defined]
        if text := _TEXTS.get(kind):
            return {text[0]: text[1](value)}
        return self._object(value)

    def decode(self, value: Any) -> Any:
        """The value again; raises `ValueError`, `TypeError` and the like for what is none."""
        kind = type(value)
        if kind is list:
            decode = self.decode
            return [decode(part) for part in value]
        if kind is not dict:
            return value
        if len(value) == 1:
            (tag,) = value
            if tag[:1] == "!":
                untag = self._untag.get(tag)
                if untag is None:
                    raise ValueError(f"the tag {tag!r:.40} is not known")
                return untag(value[tag])
        return {key: self.decode(part) for key, part in value.items()}

    def _dict(self, values: dict[object, object]) -> dict[str, Any]:
        """A dict: as it is if its keys can be keys of JSON."""
        encode = self.encode
        encoded: dict[str, Any] = {}
        for key, value in values.items():
            if type(key) is not str or (not key.isascii() and _text(key) is not key):
                return {"!dict": [[encode(key), encode(value)] for key, value in values.items()]}
            encoded[key] = encode(value)
        if len(encoded) == 1 and next(iter(encoded))[:1] == "!":
            return {"!dict": [next(iter(encoded.items()))]}
        return encoded

    def _object(self, value: object) -> Any:  # noqa: C901, PLR0911 (one branch a type)
        """A value of one of the rarer types."""
        kind = type(value)
        encode = self.encode
        if kind is datetime:
            return {"!datetime": _moment_parts(value)}  # type: ignore[arg-type]
        if kind is time and value.tzinfo is None:  # type: ignore[attr-defined]
            return {"!time": [value.isoformat(), value.fold]}  # type: ignore[attr-defined]
        if kind is timedelta:
            return {"!timedelta": [value.days, value.seconds, value.microseconds]}  # type: ignore[attr-defined]
        if kind is OrderedDict:
            return {"!ordered": [[encode(key), encode(part)] for key, part in value.items()]}  # type: ignore[attr-defined]
        if kind is Headers:
            return {"!headers": headers_row(value)}  # type: ignore[arg-type]
        if isinstance(value, Request):
            return {"!request": self._to_row(value)}
        if isinstance(value, Item):
            return {"!item": [self._classes.path(kind), self._dict(dict(value.items()))]}
        if isinstance(value, Enum):
            return {"!enum": [self._classes.path(kind), encode(value.value)]}
        if _is_record(kind):
            return {"!record": [self._classes.path(kind), self._fields(value)]}
        for plain in (str, int, float, bytes):
            # Such as the text of a link, which for lxml is a str that knows its element.
            if isinstance(value, plain):
                return encode(plain(value))  # type: ignore[arg-type]
        raise OddValueError(f"a {kind.__module__}.{kind.__qualname__} cannot be stored")

    def _fields(self, value: object) -> dict[str, Any]:
        """Fields of a dataclass or an object of attrs; nothing else may hang on it."""
        names = _field_names(type(value))
        extra = set(getattr(value, "__dict__", ())).difference(names)
        if extra:
            raise OddValueError(f"{type(value).__qualname__}.{min(extra)} is no field of its class")
        return {name: self.encode(getattr(value, name)) for name in names if hasattr(value, name)}

    def _item(self, pair: Any) -> Item:
        """A Scrapy item."""
        path, fields = pair
        item = self._classes.find(path, Item)()
        for name, value in _mapped(self.decode(fields)).items():
            item[name] = value
        return item

    def _record(self, pair: Any) -> object:
        """A dataclass or an object of attrs, filled without its constructor."""
        path, fields = pair
        cls = self._classes.find(path, object)
        if not _is_record(cls):
            raise ValueError(f"{path!r:.200} has no fields")
        record = object.__new__(cls)
        names = frozenset(_field_names(cls))
        for name, value in fields.items():
            if name not in names:
                raise ValueError(f"{path} has no field {name!r:.80}")
            object.__setattr__(record, name, self.decode(value))
        return record


def headers_row(headers: Mapping[bytes, list[bytes]]) -> dict[str, Any]:
    """Headers as JSON: one value as text, several as a list."""
    return {
        name.decode("latin-1"): (
            values[0].decode("latin-1")
            if len(values) == 1
            else [value.decode("latin-1") for value in values]
        )
        for name, values in headers.items()
    }


def headers_of(row: object) -> dict[bytes, list[bytes]]:
    """The reverse of `headers_row`."""
    return {
        name.encode("latin-1"): [
            value.encode("latin-1") for value in ([values] if isinstance(values, str) else values)
        ]
        for name, values in _mapped(row).items()
    }


def _listed(values: object) -> list[Any]:
    """A list of a row."""
    if type(values) is not list:
        raise ValueError(f"{values!r:.80} is no list")
    return values


def _mapped(values: object) -> dict[Any, Any]:
    """A dict of a row."""
    if type(values) is not dict:
        raise ValueError(f"{values!r:.80} is no object")
    return values


def _bad(text: object) -> float:
    """A number that is none."""
    raise ValueError(f"{text!r:.80} is no number")


def _text(text: str) -> str | dict[str, str]:
    """A text, tagged if it holds half a character that UTF-8 has no bytes for."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return {"!text": b64encode(text.encode("utf-8", "surrogatepass")).decode()}
    return text


def _moment_parts(value: datetime) -> list[object]:
    """A point in time: local text, which of two equal hours, and the zone if it has a name."""
    zone = value.tzinfo
    if zone is None or type(zone) is fixed_offset:
        return [value.isoformat(), value.fold]
    if type(zone) is ZoneInfo and zone.key is not None:
        return [value.replace(tzinfo=None).isoformat(), value.fold, zone.key]
    raise OddValueError(f"a time zone of {type(zone).__module__} cannot be stored")


def _moment(parts: list[Any]) -> datetime:
    """The reverse of `_moment_parts`."""
    text, fold, *zones = parts
    moment = datetime.fromisoformat(text).replace(fold=fold)
    for zone in zones:
        moment = moment.replace(tzinfo=ZoneInfo(zone))
    return moment
