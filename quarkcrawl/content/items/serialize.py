"""Items as JSON, HTML, Markdown and CSV."""

from __future__ import annotations

import csv
import html
import io
import json
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.content.items.model import escaped_lines, table_element
from quarkcrawl.content.markdown import escaped_heading, escaped_line, escaped_text, link_target

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from quarkcrawl.content.items.model import Cell, Item, Paragraph, Picture, Table


_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def item_fields(item: Item) -> dict[str, Any]:
    """An item as JSON values; what the page does not say is left out.

    Args:
        item: a paragraph, table or picture; ``kind`` in the result says which.
    """
    fields: dict[str, Any]
    if item.kind == "paragraph":
        fields = {"text": item.text, "heading": item.heading or None}
    elif item.kind == "table":
        rows = [[_cell_fields(cell) for cell in row] for row in item.rows]
        fields = {"caption": item.caption or None, "n_columns": item.n_columns, "rows": rows}
    else:
        fields = {
            "src": item.src,
            "alt": item.alt or None,
            "width_px": item.width_px,
            "height_px": item.height_px,
            "caption": item.caption or None,
            "link": item.link or None,
        }
    filled = {name: value for name, value in fields.items() if value is not None}
    return {"kind": item.kind, **filled}


def item_columns(item: Item) -> dict[str, Any]:
    """An item as a value of `quarkcrawl.store.tables.analysis_columns.ITEMS`.

    Args:
        item: a paragraph, table or picture; columns of the other kinds are left out.
    """
    fields = item_fields(item)
    fields.pop("n_columns", None)
    return fields


def _cell_fields(cell: Cell) -> dict[str, Any]:
    fields: dict[str, Any] = {"text": cell.text}
    if cell.is_header:
        fields["is_header"] = True
    if cell.row_span > 1:
        fields["row_span"] = cell.row_span
    if cell.col_span > 1:
        fields["col_span"] = cell.col_span
    return fields


def items_as_json(items: Sequence[Item]) -> str:
    """One JSON object a line, one line an item.

    Args:
        items: what `topic_items` gives; if there are none, the text is empty.
    """
    return "".join(json.dumps(item_fields(item), ensure_ascii=False) + "\n" for item in items)


def items_as_html(items: Sequence[Item]) -> str:
    """The items as plain elements without scripts, styles or attributes of the page.

    Args:
        items: what `topic_items` gives; they are written in this order.
    """
    return "".join(_element(item) + "\n" for item in items)


def _element(item: Item) -> str:
    if item.kind == "paragraph":
        name = f"h{item.heading}" if item.heading else "p"
        return f"<{name}>{escaped_lines(item.text)}</{name}>"
    return table_element(item) if item.kind == "table" else _picture_element(item)


def _picture_element(picture: Picture) -> str:
    size = "".join(
        f' {name}="{value:g}"'
        for name, value in (("width", picture.width_px), ("height", picture.height_px))
        if value is not None
    )
    image = f'<img src="{html.escape(picture.src)}" alt="{html.escape(picture.alt)}"{size}>'
    caption = f"<figcaption>{html.escape(picture.caption)}</figcaption>" if picture.caption else ""
    return f"<figure>{image}{caption}</figure>"


def items_as_markdown(items: Sequence[Item]) -> str:
    """The items as Markdown with pipe tables; spanning cells repeat their text.

    Args:
        items: what `topic_items` gives; if there are none, the text is empty.
    """
    return "\n\n".join(map(_markdown, items)) + "\n" if items else ""


def _markdown(item: Item) -> str:
    if item.kind == "table":
        return _pipe_table(item)
    if item.kind == "picture":
        return f"![{escaped_text(item.text)}]({link_target(item.src)})"
    return _paragraph(item)


def _paragraph(paragraph: Paragraph) -> str:
    lines = [escaped_line(escaped_text(line)) for line in paragraph.text.split("\n")]
    if paragraph.heading:
        return "#" * paragraph.heading + " " + escaped_heading(" ".join(lines))
    return "  \n".join(lines)


def _pipe_table(table: Table) -> str:
    lines = list(_pipe_rows(table))
    rule = "|" + " --- |" * table.n_columns
    caption = [f"**{escaped_text(table.caption)}**", ""] if table.caption else []
    return "\n".join([*caption, lines[0], rule, *lines[1:]])


def _pipe_rows(table: Table) -> Iterator[str]:
    """Rows; the first is the header, an empty one if the table has none."""
    grid = table.grid()
    if not all(cell.is_header for cell in table.rows[0]):
        yield "|" + "  |" * table.n_columns
    for row in grid:
        cells = (escaped_text(text).replace("\n", "<br>") for text in row)
        yield "| " + " | ".join(cells) + " |"


def table_as_csv(table: Table, *, for_spreadsheets: bool = False) -> str:
    """A table as comma-separated values (RFC 4180); spanning cells repeat their text.

    Args:
        table: its rows are written, its caption is not.
        for_spreadsheets: put an apostrophe in front of cells that spreadsheets would take for
            formulas.
    """
    out = io.StringIO()
    rows = table.grid()
    if for_spreadsheets:
        rows = [["'" + text if text.startswith(_FORMULA) else text for text in row] for row in rows]
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    return out.getvalue()
