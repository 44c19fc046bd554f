"""How many pages of each kind a site of a given size has."""

from __future__ import annotations

from dataclasses import dataclass

from quarkcrawl.lab.mockweb.site import words


@dataclass(frozen=True, slots=True)
class Shape:
    """How many pages of each kind a site has.

    Args:
        topics: topic pages.
        columns: columns, each with lists.
        per_page: entries of a list page.
        per_month: topics published in a month.
        months: month archives.
        infos: info pages.
    """

    topics: int
    columns: int
    per_page: int
    per_month: int
    months: int
    infos: int

    def in_column(self, column: int) -> int:
        """Topics of a column."""
        return max(0, (self.topics - column + self.columns - 1) // self.columns)

    def list_pages(self, column: int) -> int:
        """List pages of a column."""
        return max(1, -(-self.in_column(column) // self.per_page))


def shape_of(n_pages: int, *, has_months: bool) -> Shape:
    """Divide pages among kinds: as many topics as fit, the rest info pages."""
    topics = n_pages - 1
    while topics > 0:
        shape = _shape(topics, has_months=has_months, infos=0)
        used = 1 + topics + shape.months + sum(map(shape.list_pages, range(shape.columns)))
        if used <= n_pages:
            return _shape(topics, has_months=has_months, infos=n_pages - used)
        topics -= max(1, (used - n_pages) // 2)
    return Shape(0, 0, 20, 12, 0, n_pages - 1)


def _shape(topics: int, *, has_months: bool, infos: int) -> Shape:
    columns = max(1, min(len(words.COLUMNS), topics // 40 + 1))
    per_page = max(20, min(60, -(-topics // columns)))
    per_month = max(12, -(-topics // 96))
    months = -(-topics // per_month) if has_months else 0
    return Shape(topics, columns, per_page, per_month, months, infos)
