"""Settings given as ``--set NAME=VALUE``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quarkcrawl.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable


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
