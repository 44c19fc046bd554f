"""What selected text is cut into: parts, and pieces of lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

Kind = Literal[
    "paragraph", "heading", "list", "item", "table", "code", "quote", "picture", "caption"
]

BREAK: Final = "\0"
"""Text of the piece that stands for a line break; no parsed text contains it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a line.

    Args:
        text: text, white space as in the source; `BREAK` for a line break.
        link: absolute URL if it is linked, else "".
        is_code: set as code.
        is_formula: TeX between dollar signs.
    """

    text: str
    link: str = ""
    is_code: bool = False
    is_formula: bool = False

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing to see."""
        return self.text == BREAK or not self.text.strip()


@dataclass(slots=True)
class Part:
    """A part of a document.

    Args:
        kind: what it is.
        pieces: its text (paragraph, heading, caption), or one piece of raw text (code).
        parts: what it contains (list, item, quote).
        rows: rows of cells (table).
        level: 1–6 in a heading, else 0.
        start: number of the first item of a numbered list, None for other lists.
        language: language of code where it is stated, else "".
        url: address of a picture, else "".
    """

    kind: Kind
    pieces: list[Piece] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    rows: list[list[list[Piece]]] = field(default_factory=list)
    level: int = 0
    start: int | None = None
    language: str = ""
    url: str = ""
