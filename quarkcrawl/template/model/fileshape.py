"""Shapes of the JSON that templates are kept in, which can hold anything at any place."""

from __future__ import annotations

import math
from typing import Any, Final

from quarkcrawl.errors import InputError

_MOST: Final = 2**53
_TEXTS: Final = [str]
_KIND: Final = {"witness": str, "answers": _TEXTS, "site": _TEXTS, "answer": (str, None)}

OPTIONS_SHAPE: Final = {
    "dropped": _TEXTS,
    "unwrapped": _TEXTS,
    "repeats": str,
    "mask_prose": bool,
    "signs?": bool,
    "cluster": {
        "min_similarity": float,
        "weight": str,
        "method": str,
        "max_component": int,
        "workers": int,
        "measure?": str,
    },
}
"""How the templates were made."""

TEMPLATE_SHAPE: Final = {
    "id": str,
    "host": str,
    "n_pages": int,
    "example": str,
    "reach": float,
    "section": str,
    "kind?": (_KIND, None),
    "content?": _TEXTS,
    "buffer_pages?": int,
    "centre": str,
    "parts": [{"essential?": str, "optional?": [{"p": float, "nodes": str}]}],
    "labels": {"*": str},
    "texts": {"*": {"constant": (str, None), "samples": _TEXTS}},
}
"""One template."""


def check_shape(value: object, shape: Any, where: str = "") -> None:
    """Compare data with a shape.

    Args:
        value: what ``json.loads`` gave.
        shape: a type; a list with the shape of the elements; a tuple of alternatives, of which
            the last is None; a dict of shapes by name, where a name with ``?`` may be missing and
            ``*`` stands for all names.
        where: place of the value, for the error.

    Raises:
        InputError: naming the first place that differs.
    """
    if isinstance(shape, tuple):
        if value is not None:
            check_shape(value, shape[0], where)
    elif isinstance(shape, list):
        _expect(isinstance(value, list), "a list", where)
        elements: Any = value
        for number, one in enumerate(elements):
            check_shape(one, shape[0], f"{where}.{number}")
    elif isinstance(shape, dict):
        _expect(isinstance(value, dict), "an object", where)
        members: Any = value
        _check_names(members, shape, where)
    else:
        _expect(_FITS[shape](value), _WORDS[shape], where)


def _check_names(value: dict[str, object], shape: dict[str, Any], where: str) -> None:
    for name, one in value.items():
        _expect(_is_text(name), "a name of whole characters", where)
        if "*" in shape:
            check_shape(one, shape["*"], f"{where}.{name}")
    for name, inner in shape.items():
        plain = name.removesuffix("?")
        if plain in value:
            check_shape(value[plain], inner, f"{where}.{plain}")
        else:
            _expect(name.endswith("?") or name == "*", f"{plain!r}, which it lacks,", where)


def _expect(holds: bool, what: str, where: str) -> None:  # noqa: FBT001 - reads as a sentence
    if not holds:
        raise InputError(f"{what} is expected at {where.lstrip('.') or 'the top'}")


def _is_text(value: object) -> bool:
    """Whether a string can be written again: no half of a surrogate pair."""
    return isinstance(value, str) and not any("\ud800" <= char <= "\udfff" for char in value)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _MOST


def _is_number(value: object) -> bool:
    return _is_whole(value) or (isinstance(value, float) and math.isfinite(value))


_FITS: Final = {
    str: _is_text,
    bool: lambda value: isinstance(value, bool),
    int: _is_whole,
    float: _is_number,
}
_WORDS: Final = {str: "text", bool: "true or false", int: "a whole number", float: "a number"}
