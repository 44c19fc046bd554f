"""What the tables of all evaluations have in common."""

from __future__ import annotations

from rich.table import Table


def plain_table(title: str, *columns: str) -> Table:
    """A table without lines: names on the left, numbers on the right."""
    table = Table(box=None, pad_edge=False, title=title, title_justify="left")
    table.add_column(columns[0], no_wrap=True)
    for column in columns[1:]:
        table.add_column(column, justify="right")
    return table


def ratio(value: float) -> str:
    """A share or an F1, with three digits."""
    return f"{value:.3f}"
