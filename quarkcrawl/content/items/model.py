"""What stands on a page in reading order: paragraphs, tables, pictures."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

MAX_PLACES: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A line of text as a reader sees it.

    Args:
        text: the text, white space folded except in preformatted text.
        heading: rank of the heading that it is, 1–6; 0 for none.
        run: number of its first text run in the page's tree.
    """

    kind: ClassVar[Literal["paragraph"]] = "paragraph"
    text: str
    heading: int = 0
    run: int = -1


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a data table.

    Args:
        text: its visible text, one line of it a line.
        is_header: whether it is a ``th``.
        row: number of the row in which it begins.
        column: number of the column in which it begins.
        row_span: how many rows it covers.
        col_span: how many columns it covers.
    """

    text: str
    is_header: bool = False
    row: int = 0
    column: int = 0
    row_span: int = 1
    col_span: int = 1


@dataclass(frozen=True, slots=True)
class Table:
    """A data table.

    Args:
        rows: cells by the row in which they begin, in order of their columns.
        caption: text of its ``caption``, "" for none.
        node: number of the ``table`` element.
    """

    kind: ClassVar[Literal["table"]] = "table"
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    node: int = -1

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return max((cell.column + cell.col_span for row in self.rows for cell in row), default=0)

    @property
    def text(self) -> str:
        """Caption and cells, a line a row, cells parted by tabs."""
        lines = ["\t".join(" ".join(cell.text.split()) for cell in row) for row in self.rows]
        return "\n".join(filter(None, map(str.strip, [self.caption, *lines])))

    def _repr_html_(self) -> str:
        return table_element(self) + "\n"

    def grid(self) -> list[list[str]]:
        """Text at each place, repeated where a cell covers several; "" where no cell is.

        A table of more than `MAX_PLACES` places, which no reader could look at, comes as its cells
        in a row.
        """
        if len(self.rows) * self.n_columns > MAX_PLACES:
            return [[cell.text for cell in row] for row in self.rows]
        filled = [[""] * self.n_columns for _ in self.rows]
        for cell in (cell for row in self.rows for cell in row):
            columns = slice(cell.column, cell.column + cell.col_span)
            for line in filled[cell.row : cell.row + cell.row_span]:
                line[columns] = [cell.text] * cell.col_span
        return filled


def escaped_lines(text: str) -> str:
    """Text as HTML that keeps its lines."""
    return html.escape(text).replace("\n", "<br>")


def table_element(table: Table) -> str:
    """A table as HTML without anything that the page said of its looks."""
    caption = f"<caption>{html.escape(table.caption)}</caption>" if table.caption else ""
    rows = "".join(f"<tr>{''.join(map(_cell_element, row))}</tr>" for row in table.rows)
    return f"<table>{caption}{rows}</table>"


def _cell_element(cell: Cell) -> str:
    name = "th" if cell.is_header else "td"
    down = f' rowspan="{cell.row_span}"' if cell.row_span > 1 else ""
    across = f' colspan="{cell.col_span}"' if cell.col_span > 1 else ""
    return f"<{name}{down}{across}>{escaped_lines(cell.text)}</{name}>"


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that belongs to the topic.

    Args:
        src: absolute address; as written where it is none of the web (``data:``).
        alt: alternative text.
        width_px: declared width in CSS pixels, None if the page does not say.
        height_px: declared height, likewise.
        caption: text of its caption, "" for none.
        link: address of the larger picture that it links to, "" for none.
        node: number of the ``img`` element.
    """

    kind: ClassVar[Literal["picture"]] = "picture"
    src: str
    alt: str = ""
    width_px: float | None = None
    height_px: float | None = None
    caption: str = ""
    link: str = ""
    node: int = -1

    @property
    def size(self) -> tuple[float | None, float | None]:
        """Width and height in pixels, None for what the page does not say."""
        return self.width_px, self.height_px

    @property
    def text(self) -> str:
        """Caption, or the alternative text where there is none."""
        return self.caption or self.alt


Item = Paragraph | Table | Picture
"""A piece of the content in reading order; ``kind`` says what it is."""
