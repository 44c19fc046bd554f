"""Checks a value against a JSON Schema, as far as our own schemas need it.

The same dictionaries describe the API (`openapi`) and check what comes in, so the description
cannot promise what the server does not do.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Schema = Mapping[str, Any]


_TYPES: Final[dict[str, type | tuple[type, ...]]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "boolean": bool,
    "null": type(None),
}

_NO_NUL: Final = r"^[^\u0000]*$"


def string(max_chars: int = 2000, **more: Any) -> dict[str, Any]:
    """Schema of a text without NUL characters.

    Args:
        max_chars: longest allowed.
        more: further keywords.
    """
    return {"type": "string", "maxLength": max_chars, "pattern": _NO_NUL, **more}


def integer(least: int = 0, most: int = 2**31 - 1, **more: Any) -> dict[str, Any]:
    """Schema of a whole number."""
    return {"type": "integer", "minimum": least, "maximum": most, **more}


def array(items: Schema, most: int = 1_000_000) -> dict[str, Any]:
    """Schema of a list."""
    return {"type": "array", "items": items, "maxItems": most}


def object_of(required: str = "", **properties: Any) -> dict[str, Any]:
    """Schema of an object with these keys and no others.

    Args:
        required: names of the keys that must be there, separated by spaces.
        properties: schema of each key.
    """
    return {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }


def complaint(value: object, schema: Schema, where: str = "") -> str:
    """What is wrong with a value, "" if nothing is.

    Args:
        value: read from JSON.
        schema: what it should be.
        where: name of the value, for the message.
    """
    return next(_complaints(value, schema, where or "body"), "")


def _complaints(value: Any, schema: Schema, where: str) -> Iterator[str]:
    kind = schema.get("type", "")
    is_bool = isinstance(value, bool) and kind != "boolean"
    if kind and (is_bool or not isinstance(value, _TYPES[kind])):
        yield f"{where} must be of type {kind}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where} must be one of {', '.join(map(str, schema['enum']))}"
    if kind in _BY_KIND:
        yield from _BY_KIND[kind](value, schema, where)


def _text(value: str, schema: Schema, where: str) -> Iterator[str]:
    if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
        yield f"{where} is too short or longer than {schema.get('maxLength')} characters"
    if "pattern" in schema and not _has_form(value, schema["pattern"]):
        yield f"{where} has the wrong form; expected {schema['pattern']}"


def _range(value: int, schema: Schema, where: str) -> Iterator[str]:
    if not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        yield f"{where} must be between {schema.get('minimum')} and {schema.get('maximum')}"


def _entries(value: list[Any], schema: Schema, where: str) -> Iterator[str]:
    if len(value) > schema.get("maxItems", len(value)):
        yield f"{where} may have at most {schema['maxItems']} entries"
    for place, one in enumerate(value):
        yield from _complaints(one, schema.get("items", {}), f"{where}[{place}]")


def _has_form(text: str, pattern: str) -> bool:
    """Whether a text fits a pattern, whose ``$`` is the very end, not the place before a line end.

    JSON Schema takes its patterns from JavaScript; ours have no other ``$``.
    """
    return re.search(pattern.replace("$", r"\Z"), text) is not None


def _members(value: dict[str, Any], schema: Schema, where: str) -> Iterator[str]:
    known = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{where}.{name} is missing"
    for name, one in value.items():
        if name in known:
            yield from _complaints(one, known[name], f"{where}.{name}")
        elif schema.get("additionalProperties") is False:
            yield f"{where}.{name} is unknown"
        elif isinstance(extra := schema.get("additionalProperties"), dict):
            yield from _complaints(one, extra, f"{where}.{name}")


_BY_KIND: Final[dict[str, Callable[[Any, Schema, str], Iterator[str]]]] = {
    "string": _text,
    "integer": _range,
    "array": _entries,
    "object": _members,
}


def of_text(text: str, schema: Schema) -> Any:
    """The value that a text in a URL stands for; the text itself if it stands for none."""
    kind = schema.get("type")
    if kind == "integer" and re.fullmatch(r"-?[0-9]{1,12}", text):
        return int(text)
    if kind == "boolean" and text in {"true", "false"}:
        return text == "true"
    return text
