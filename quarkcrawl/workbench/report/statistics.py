"""Statistics tables as text, Markdown, CSV, HTML and JSON."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any, Final

from rich.cells import cell_len

from quarkcrawl.segment import escape
from quarkcrawl.workbench.report.pagecopy import FONTS, policy

if TYPE_CHECKING:
    from collections.abc import Callable

    from quarkcrawl.corpus.stats import CorpusStatistics, StatisticsTable


TABLE_SHEET: Final = f"""
:root{{color-scheme:light dark}}
body{{font:15px/1.5 {FONTS};margin:2rem auto;max-width:60rem;padding:0 1rem;color:#1b1b1f;
 background:#fff}}
h1{{font-size:1.5rem}} h2{{font-size:1.15rem;margin:2rem 0 .4rem}}
table{{border-collapse:collapse;min-width:20rem}}
th,td{{padding:.15rem .9rem .15rem 0;text-align:right;border-bottom:1px solid #ddd;
 font-variant-numeric:tabular-nums}}
th:first-child,td:first-child{{text-align:left;overflow-wrap:anywhere}}
thead th{{border-bottom:2px solid #767676}}
.note{{color:#555;font-size:.9rem;overflow-wrap:anywhere}}
@media (prefers-color-scheme:dark){{body{{color:#eee;background:#1b1b1f}}
 th,td{{border-color:#444}} .note{{color:#bbb}}}}
"""
"""Style of pages with tables of counts."""


def show_statistics(statistics: CorpusStatistics, form: str = "text") -> str:
    """All tables in one of the `STATISTICS_FORMATS`.

    Args:
        statistics: the tables.
        form: name of the format.
    """
    return STATISTICS_FORMATS[form](statistics)


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


def html_table(table: StatisticsTable) -> str:
    """One table with heading and note."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in table.columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
        for row in _cells(table)
    )
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    return (
        f'<h2 id="{escape(table.name)}">{escape(table.title)}</h2><table><thead><tr>{head}</tr>'
        f"</thead><tbody>{body}</tbody></table>{note}"
    )


def _html(statistics: CorpusStatistics) -> str:
    title = f"Statistics of {escape(statistics.corpus)}"
    tables = "".join(html_table(table) for table in statistics.tables)
    return (
        f'<!DOCTYPE html><html lang="en"><head>{policy(offline=True)}<title>{title}</title>'
        f"<style>{TABLE_SHEET}</style></head><body><h1>{title}</h1>{tables}</body></html>\n"
    )


def _json(statistics: CorpusStatistics) -> str:
    tables = {
        table.name: {
            "title": table.title,
            "note": table.note,
            "columns": table.columns,
            "rows": table.rows,
        }
        for table in statistics.tables
    }
    return json.dumps({"corpus": statistics.corpus, "tables": tables}, ensure_ascii=False) + "\n"


STATISTICS_FORMATS: Final[dict[str, Callable[[CorpusStatistics], str]]] = {
    "text": _text,
    "markdown": _markdown,
    "csv": _csv,
    "html": _html,
    "json": _json,
}
"""Formats by name."""
