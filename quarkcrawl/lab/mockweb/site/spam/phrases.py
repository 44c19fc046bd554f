"""What spam says: phrases composed of parts, with names and handles that mean nobody.

A slot ``{name}`` is filled by one of the choices of that name, which may have slots themselves.
The parts are syllables and short words, so that most phrases stand in no list.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from quarkcrawl.lab.mockweb.dice import Dice


Rules = dict[str, tuple[str, ...]]

_COMMON: Final = "common"


@cache
def _rules() -> dict[str, Rules]:
    """Choices by section and name."""
    sections: dict[str, Rules] = {}
    rules: Rules = {}
    for line in files(__package__).joinpath("phrases.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            rules = sections[line.strip("[]")] = {}
        elif " = " in line and not line.startswith("#"):
            name, _, rest = line.partition(" = ")
            rules[name] = tuple(part.strip() for part in rest.split(" / "))
    return sections


SUBJECT_KINDS: Final = ("gambling", "pornography", "pharmacy", "loans")
"""Kinds of spam that sell something by name."""

_SLOT: Final = re.compile(r"\{(\w+)\}")


def phrase(dice: Dice, kind: str, rule: str) -> str:
    """A phrase of a kind, by the name of its rule."""
    rules = _rules()[_COMMON] | _rules()[kind]

    def filled(match: re.Match[str]) -> str:
        if match[1] == "digits":
            return str(dice.between(1000, 99_999))
        return _SLOT.sub(filled, dice.pick(rules[match[1]]))

    return _SLOT.sub(filled, f"{{{rule}}}")
