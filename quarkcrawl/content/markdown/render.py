"""Selected text of a page as Markdown (GitHub flavour) or as plain data for JSON.

What is text stays text: every character that Markdown would read as markup is escaped. Emphasis
is left out: between Chinese characters Markdown's rules for ``*`` fail too often.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Final

from quarkcrawl.content.markdown.escape import (
    escaped_heading,
    escaped_line,
    escaped_text,
    link_target,
)
from quarkcrawl.content.markdown.model import BREAK, Part, Piece
from quarkcrawl.content.markdown.parts import parts_of

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from quarkcrawl.page.tree import PageTree


_TICKS: Final = re.compile("`+")
_UNSEEN: Final = " \u200b\ufeff"
"""What may stand around a line without being seen, as in links that only a style shows."""

_MAX_PLACES: Final = 100_000
"""Rows of a larger table are not filled up, which Markdown does not ask for."""


def markdown_of(tree: PageTree, run_mask: NDArray[np.bool_], url: str = "") -> str:
    """Markdown of selected text.

    Args:
        tree: the page.
        run_mask: which runs are selected, one entry a run.
        url: address of the page; links and pictures get absolute addresses.
    """
    return render(parts_of(tree, run_mask, url))


def structure_of(
    tree: PageTree, run_mask: NDArray[np.bool_], url: str = ""
) -> list[dict[str, object]]:
    """Selected text as a list of plain dictionaries, fit for JSON.

    Args:
        tree: the page.
        run_mask: which runs are selected, one entry a run.
        url: address of the page.

    Returns:
        Each with ``kind`` (paragraph, heading, list, item, table, code, quote, picture, caption)
        and, where they apply, ``text``, ``parts``, ``rows``, ``level``, ``start``, ``language``,
        ``url`` and ``links`` (text and URL).
    """
    return [_plain(part) for part in parts_of(tree, run_mask, url)]


def _plain(part: Part) -> dict[str, object]:
    fields: dict[str, object] = {"kind": part.kind}
    if part.pieces:
        fields["text"] = part.pieces[0].text if part.kind == "code" else _text(part.pieces)
    if part.kind in ("list", "item", "quote"):
        fields["parts"] = [_plain(inner) for inner in part.parts]
    if part.kind == "table":
        fields["rows"] = [[_text(cell) for cell in row] for row in part.rows]
    if part.start is not None:
        fields["start"] = part.start
    for name in ("level", "language", "url"):
        value = getattr(part, name)
        if value:
            fields[name] = value
    links = [
        {"text": _text(list(group)), "url": link}
        for link, group in groupby(part.pieces, key=lambda piece: piece.link)
        if link
    ]
    return {**fields, "links": links} if links else fields


def _text(pieces: list[Piece]) -> str:
    """Plain text of a line; its breaks are line feeds."""
    lines = "".join(piece.text for piece in pieces).split(BREAK)
    folded = (" ".join(line.split()).strip(_UNSEEN) for line in lines)
    return "\n".join(line for line in folded if line)


def render(parts: list[Part]) -> str:
    """Markdown of parts.

    Args:
        parts: parts of a document.
    """
    return "\n\n".join(filter(None, map(_rendered, parts)))


def _rendered(part: Part) -> str:
    return _RENDERERS.get(part.kind, _paragraph)(part)


def _paragraph(part: Part) -> str:
    return _line(part.pieces, "\\\n")


def _heading(part: Part) -> str:
    return "#" * part.level + " " + escaped_heading(_line(part.pieces, " "))


def _item(part: Part) -> str:
    return render(part.parts)


def _quote(part: Part) -> str:
    return _indented(render(part.parts), "> ", "> ")


def _picture(part: Part) -> str:
    return f"![{escaped_text(part.pieces[0].text)}]({link_target(part.url)})"


def _code_block(part: Part) -> str:
    return _fenced(part.pieces[0].text, part.language)


def _list(part: Part) -> str:
    items = []
    for number, item in enumerate(part.parts, part.start or 0):
        mark = "- " if part.start is None else f"{number}. "
        inner = render([item])
        if inner:
            items.append(_indented(inner, mark, " " * len(mark)))
    is_loose = any("\n\n" in item for item in items)
    return ("\n\n" if is_loose else "\n").join(items)


def _indented(text: str, first: str, others: str) -> str:
    lines = text.split("\n")
    rest = [(others + line).rstrip() if line else others.rstrip() for line in lines[1:]]
    return "\n".join([first + lines[0], *rest])


def _table(part: Part) -> str:
    rows = [[_cell(cell) for cell in row] for row in part.rows if any(map(_text, row))]
    width = max(map(len, rows), default=0)
    if not width:
        return ""
    if width * len(rows) <= _MAX_PLACES:
        rows = [row + [""] * (width - len(row)) for row in rows]
    rows[0] += [""] * (width - len(rows[0]))
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + " --- |" * width)
    caption = _line(part.pieces, " ")
    return caption + "\n\n" + "\n".join(lines) if caption else "\n".join(lines)


def _cell(pieces: list[Piece]) -> str:
    """A cell, whose formulas and code must not have the sign that ends it."""
    lines = _lines([_without_bars(piece) for piece in pieces])
    return " ".join(filter(None, lines))


def _without_bars(piece: Piece) -> Piece:
    if piece.is_formula:
        return replace(piece, text=_bars_named(piece.text))
    return replace(piece, text=piece.text.replace("|", "\\|")) if piece.is_code else piece


def _bars_named(tex: str) -> str:
    return tex.replace("\\|", "\\Vert ").replace("|", "\\vert ")


def _fenced(text: str, language: str) -> str:
    longest = max(map(len, _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _line(pieces: list[Piece], line_break: str) -> str:
    """Inline Markdown of one line."""
    return line_break.join(filter(None, map(escaped_line, _lines(pieces))))


def _lines(pieces: list[Piece]) -> list[str]:
    """Inline Markdown of what stands between the breaks of a line."""
    groups = groupby(pieces, key=lambda piece: piece.text == BREAK)
    return [_inline(list(group)) for is_break, group in groups if not is_break]


def _inline(pieces: list[Piece]) -> str:
    out = ""
    for (link, is_code, is_formula), group in groupby(pieces, key=_setting):
        raw = "".join(piece.text for piece in group)
        text = " ".join(raw.split())
        before = " " if raw[:1].isspace() and out and not out.endswith(" ") else ""
        if text:
            out += before + (text if is_formula else _marked(text, link, is_code=is_code))
        elif before:
            out += before
        if text and raw[-1:].isspace():
            out += " "
    return out.strip(_UNSEEN)


def _setting(piece: Piece) -> tuple[str, bool, bool]:
    """How a piece is set; a link around a formula is left out."""
    return ("" if piece.is_formula else piece.link), piece.is_code, piece.is_formula


def _marked(text: str, link: str, *, is_code: bool) -> str:
    marked = _code(text) if is_code else escaped_text(text)
    return f"[{marked}]({link_target(link)})" if link else marked


def _code(text: str) -> str:
    longest = max(map(len, _TICKS.findall(text)), default=0)
    ticks = "`" * (longest + 1)
    gap = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{ticks}{gap}{text}{gap}{ticks}"


_RENDERERS: Final[dict[str, Callable[[Part], str]]] = {
    "heading": _heading,
    "list": _list,
    "item": _item,
    "quote": _quote,
    "table": _table,
    "code": _code_block,
    "picture": _picture,
}
