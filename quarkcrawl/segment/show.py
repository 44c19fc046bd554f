"""Blocks as small safe HTML, for notebooks; whole pages are built on it by the reports."""

from __future__ import annotations

import html
import itertools
from typing import TYPE_CHECKING, Final, NamedTuple

from quarkcrawl.page.text import without_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterable


KIND_COLORS: Final[dict[str | None, str]] = {
    "content": "#ff9d94",
    "post": "#ffc670",
    "comment": "#9fcbff",
    "rel_link": "#8fe09a",
    "noise": "#d3b0f2",
    None: "#d9dde3",
}
"""Background of each kind of block: red, green and purple as in the thesis, orange and blue for
what users wrote, and gray for blocks nobody labeled. Text of `INK` has a contrast of at least
9 : 1 on each."""

KIND_NAMES: Final[dict[str | None, str]] = {
    "content": "content",
    "post": "post",
    "comment": "comment",
    "rel_link": "related links",
    "noise": "noise",
    None: "not labelled",
}

INK: Final = "#111"
_MAX_ROWS: Final = 200
_MAX_CHARS: Final = 160
_TABLE: Final = "border-collapse:collapse;text-align:left;max-width:100%"
_CELL: Final = "text-align:left;vertical-align:top;padding:2px 8px;overflow-wrap:anywhere"


def escape(text: str) -> str:
    """Text for HTML, in elements and in quoted attributes alike.

    A carriage return is written as a reference, because parsers turn a bare one into a newline;
    NUL and lone surrogates, which no document may hold, become U+FFFD.

    Args:
        text: any text.
    """
    safe = html.escape(without_surrogates(text))
    if "\r" in safe or "\0" in safe:
        safe = safe.replace("\r", "&#13;").replace("\0", "\ufffd")
    return safe


def shortened(text: str, n_chars: int = _MAX_CHARS) -> str:
    """White space folded, cut after some characters.

    Args:
        text: any text.
        n_chars: most characters to keep.
    """
    text = text.strip()
    folded = " ".join(text[: 4 * n_chars].split())
    is_whole = len(folded) <= n_chars and len(text) <= 4 * n_chars
    return folded if is_whole else folded[: n_chars - 1] + "…"


class BlockRow(NamedTuple):
    """What the table says about a block."""

    number: int
    kind: str | None
    path: str
    n_chars: int
    n_anchor_chars: int
    n_links: int
    text: str


def blocks_html(rows: Iterable[BlockRow], n_blocks: int) -> str:
    """A table of blocks, one row each; beyond the first 200 only their number is told."""
    shown = "".join(map(_row, itertools.islice(rows, _MAX_ROWS)))
    n_more = max(n_blocks - _MAX_ROWS, 0)
    more = f"<p>… and {n_more} more blocks</p>" if n_more else ""
    names = ("Block", "Kind", "Path", "Characters", "in links", "Links", "Text")
    head = "".join(f'<th scope="col" style="{_CELL}">{name}</th>' for name in names)
    body = f"<thead><tr>{head}</tr></thead><tbody>{shown}</tbody>"
    return f'<table style="{_TABLE}">{body}</table>{more}'


def _row(block: BlockRow) -> str:
    color = KIND_COLORS.get(block.kind, KIND_COLORS[None])
    kind = escape(KIND_NAMES.get(block.kind, str(block.kind)))
    cells = (
        f'<th scope="row" style="{_CELL}">{block.number}</th>',
        f'<td style="{_CELL};background:{color};color:{INK}">{kind}</td>',
        _cell(block.path),
        _cell(str(block.n_chars)),
        _cell(str(block.n_anchor_chars)),
        _cell(str(block.n_links)),
        _cell(shortened(block.text)),
    )
    return f"<tr>{''.join(cells)}</tr>"


def _cell(text: str) -> str:
    return f'<td style="{_CELL}">{escape(text)}</td>'
