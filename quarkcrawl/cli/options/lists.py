"""Lists given as one word, with commas between."""

from __future__ import annotations

import typer


def listed(text: str | None) -> list[str]:
    """The words of a list.

    >>> listed("default, quark,")
    ['default', 'quark']
    """
    return [word.strip() for word in (text or "").split(",") if word.strip()]


def listed_some(text: str, option: str) -> list[str]:
    """The words of a list that must have some.

    Raises:
        BadParameter: there is none.
    """
    if not (words := listed(text)):
        raise typer.BadParameter("is empty", param_hint=option)
    return words
