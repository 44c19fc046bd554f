"""What the address of a view asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


_MOST_PAGES: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class ViewQuery:
    """What the address of a view says; values that make no sense count as none.

    Args:
        query: behind the question mark.
        path: parameters of the path.
        is_signed_in: whether somebody with the token asks, see `Access.is_signed_in`.
    """

    query: Mapping[str, str]
    path: Mapping[str, str]
    is_signed_in: bool = False

    @property
    def page(self) -> int:
        """Number of the page of a list."""
        text = self.query.get("page", "1")
        is_number = text.isascii() and text.isdecimal() and len(text) < 8
        return min(max(1, int(text)), _MOST_PAGES) if is_number else 1

    def text(self, name: str, most_chars: int = 500) -> str:
        """A text; what is longer is cut."""
        return self.query.get(name, "").replace("\0", "")[:most_chars]

    def number(self, name: str) -> int:
        """A whole number, 0 if it is none."""
        text = self.query.get(name, "")
        return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0

    def choice(self, name: str, choices: Any) -> str:
        """One of some words; the first if it is none of them."""
        word = self.query.get(name, "")
        return word if word in choices else next(iter(choices))
