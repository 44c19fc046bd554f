"""Statistics tables as text, Markdown, CSV, HTML and JSON."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any, Final

from rich.cells import cell_len

from quarkcrawl.workbench.theme import render

if TYPE_CHECKING:
    from collections.abc import Callable

    from quarkcrawl.corpus.stats import CorpusStatistics, StatisticsTable


def show_statistics(statistics: CorpusStatistics, form: str = "text", lang: str = "en") -> str:
    """All tables in one of the `STATISTICS_FORMATS`.

    Args:
        statistics: the tables.
        form: name of the format.
        lang: language of the format html, one of `quarkcrawl.workbench.theme.LANGUAGES`.
    """
    return _html(statistics, lang) if form == "html" else STATISTICS_FORMATS[form](statistics)


def _cell(column: str, value: Any) -> str:
    if column == "share":
        return f"{value:.3%}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _cells(table: StatisticsTable) -> list[list[str]]:
    return [
        [_cell(column, value) for column, value in zip(table.columns, row, strict=True)]
        for row in table.rows
    ]


def _text(statistics: CorpusStatistics) -> str:
    return "\n".join(_text_table(table) for table in statistics.tables)


def _text_table(table: StatisticsTable) -> str:
    rows = [list(table.columns), *_cells(table)]
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    lines = [table.title, ""]
    for first, *others in rows:
        cells = [first + " " * (widths[0] - cell_len(first))]
        cells += [x.rjust(width) for x, width in zip(others, widths[1:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join([*lines, *([table.note] if table.note else []), ""])


def _markdown(statistics: CorpusStatistics) -> str:
    parts = []
    for table in statistics.tables:
        lines = [f"## {table.title}", ""]
        lines.append("| " + " | ".join(table.columns) + " |")
        lines.append("|" + "---|" + "---:|" * (len(table.columns) - 1))
        lines += [
            "| " + " | ".join(x.replace("|", "\\|") for x in row) + " |" for row in _cells(table)
        ]
        parts.append("\n".join([*lines, *(["", table.note] if table.note else []), ""]))
    return "\n".join(parts)


def _csv(statistics: CorpusStatistics) -> str:
    """One row a value: table, row, column, value; any program can pivot it."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("table", "row", "column", "value"))
    for table in statistics.tables:
        for row in table.rows:
            for column, value in zip(table.columns[1:], row[1:], strict=True):
                writer.writerow((table.name, row[0], column, value))
    return out.getvalue()


def _html(statistics: CorpusStatistics, lang: str = "en") -> str:
    return render("report/statistics.html", lang, **_plain(statistics))


def _json(statistics: CorpusStatistics) -> str:
    return json.dumps(_plain(statistics), ensure_ascii=False) + "\n"


def _plain(statistics: CorpusStatistics) -> dict[str, Any]:
    tables = {
        table.name: {
            "title": table.title,
            "note": table.note,
            "columns": table.columns,
            "rows": table.rows,
        }
        for table in statistics.tables
    }
    return {"corpus": statistics.corpus, "tables": tables}


STATISTICS_FORMATS: Final[dict[str, Callable[[CorpusStatistics], str]]] = {
    "text": _text,
    "markdown": _markdown,
    "csv": _csv,
    "html": _html,
    "json": _json,
}
"""Formats by name."""
