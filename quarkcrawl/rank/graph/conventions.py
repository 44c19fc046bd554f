"""What counts as a link: every choice that a ranking rests on has a name and a default here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from quarkcrawl.errors import ConfigError

_CHOICES: Final = {
    "repeated": ("block", "each"),
    "nofollow": ("skip", "count"),
    "unknown": ("node", "drop"),
}


@dataclass(frozen=True, slots=True)
class Conventions:
    """Which links count, and for whom.

    Beyond choice: a URL that redirects counts for the one it ends at, a page left out as an exact
    duplicate for the one that is kept, with its links; a chain that comes back to itself ends
    nowhere. Links of all kinds count (``a``, ``area``, frames, refresh).

    Args:
        repeated: ``"block"``: several links of a block to one target are one link; ``"each"``:
            they count each.
        nofollow: ``"skip"``: links marked so are no links; ``"count"``: they are.
        unknown: ``"node"``: a URL that is linked to and not stored gets rank, and has no links of
            its own; ``"drop"``: links to it are no links.
        self_links: whether links of a page to itself count (after redirects and the like).
        canonical: whether a page that declares another stored page as its canonical URL counts
            for that one; its own links are then left out.

    Raises:
        ConfigError: there is no such choice.
    """

    repeated: str = "block"
    nofollow: str = "skip"
    unknown: str = "node"
    self_links: bool = False
    canonical: bool = True

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                values = " or ".join(choices)
                message = f"{name} is {values}, not {getattr(self, name)!r}"
                raise ConfigError(message, where="Conventions")
