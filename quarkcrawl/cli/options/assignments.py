"""What one word of the command line holds: a setting, or a list with commas between."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from quarkcrawl.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def assigned(texts: Iterable[str]) -> dict[str, str]:
    """Names and values.

    >>> assigned(["delay_s = 2", "levels=3"])
    {'delay_s': '2', 'levels': '3'}

    Raises:
        ConfigError: a text has no ``=``.
    """
    values = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise ConfigError(f"--set takes NAME=VALUE, not {text!r}")
        values[name.strip()] = value.strip()
    return values


def listed(text: str | None) -> list[str]:
    """The words of a list.

    >>> listed("default, quark,")
    ['default', 'quark']
    """
    return [word.strip() for word in (text or "").split(",") if word.strip()]


def listed_all(texts: Sequence[str] | None) -> list[str]:
    """The words of ``--method`` that may be repeated, each a list with commas between.

    >>> listed_all(["default,quark", "rules"])
    ['default', 'quark', 'rules']

    Raises:
        BadParameter: it was given, but nothing in it.
    """
    words = [word for text in texts or () for word in listed(text)]
    if texts and not words:
        raise typer.BadParameter("is empty", param_hint="--method")
    return words
