"""Facets of a list of pages: which values there are, how often, and the conditions they make.

Several values of one facet are alternatives, those of different facets must all hold. Values of a
facet are counted under the conditions of all others, so that one sees what a further one adds.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


SEPARATOR: Final = "|"
"""Between the values of a facet in an address."""

NONE: Final = "-"
"""The value of pages that have none."""

SHOWN_VALUES: Final = 10
MOST_VALUES: Final = 200

_TOPIC: Final = "CASE WHEN is_topic THEN 'yes' WHEN NOT is_topic THEN 'no' END"
_LISTS: Final = {"reason": "reasons", "labels": "labels"}
_COLUMNS: Final = {
    **{name: name for name in ("host", "page_type", "language", "template")},
    "topic": _TOPIC,
    "date": "substring(published, 1, 4)",  # ten times as fast as published[:4]
    **{name: name for name in ("charset", "mime", "domain")},
    "status": "status::VARCHAR",
    "level": "level::VARCHAR",
}

FACETS: Final = (
    "host",
    "page_type",
    "language",
    "reason",
    "template",
    "topic",
    "date",
    "labels",
)
"""Facets that are counted, in the order in which they are shown."""

PAGE_FILTERS: Final = (*FACETS, "charset", "mime", "domain", "status", "level")
"""Everything that a list of pages can be narrowed by."""

COMMANDS: Final = {
    "page_type": "extract",
    "language": "refine",
    "template": "template apply",
    "topic": "extract",
    "date": "extract",
    "labels": "refine",
}
"""What makes the data of a facet."""

COUNTED_COLUMNS: Final = "host, page_type, language, reasons, template, is_topic, published, labels"
"""Columns that facets are counted by."""

Condition = tuple[str, list[str]]
"""SQL with ``?`` for each of some values."""


@dataclass(frozen=True, slots=True)
class FacetValue:
    """A value of a facet.

    Args:
        value: as it stands in the address.
        n: pages that have it, under the other conditions.
        is_chosen: whether the address asks for it.
    """

    value: str
    n: int
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Facet:
    """A facet of a list of pages.

    Args:
        name: one of `FACETS`.
        values: the most frequent first, of dates the latest; what is chosen is among them.
        n_values: how many there are in all.
    """

    name: str
    values: list[FacetValue]
    n_values: int

    @property
    def command(self) -> str:
        """The command that fills a facet without values; "" if there is none."""
        return "" if self.n_values else COMMANDS.get(self.name, "")

    def toggled(self, value: str) -> str:
        """What stands in the address when a value is chosen, or is not any more.

        A month takes the place of its year, and a year that of its months.
        """
        choices = [one.value for one in self.values if one.is_chosen]
        if value in choices:
            return SEPARATOR.join(one for one in choices if one != value)
        if self.name == "date":
            choices = [
                one for one in choices if not (one.startswith(value) or value.startswith(one))
            ]
        return SEPARATOR.join([*choices, value])

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        values = [{"value": v.value, "n": v.n, "is_chosen": v.is_chosen} for v in self.values]
        return {"name": self.name, "values": values, "n_values": self.n_values,
                "command": self.command}  # fmt: skip


def chosen_values(text: str) -> list[str]:
    """The values of a facet in an address, each once."""
    return list(dict.fromkeys(one for one in text.split(SEPARATOR) if one))


def conditions(filters: Mapping[str, str], without: str = "") -> list[Condition]:
    """What pages must be, by the values of the filters; ``without``: but for this one."""
    return [
        _condition(name, values)
        for name in PAGE_FILTERS
        if name != without and (values := chosen_values(filters.get(name, "")))
    ]


def _condition(name: str, values: Sequence[str]) -> Condition:
    some = [value for value in values if value != NONE]
    marks = ", ".join("?" * len(some))
    alternatives: list[str] = []
    if some and name in _LISTS:
        alternatives.append(f"list_has_any({_LISTS[name]}, [{marks}])")
    elif some and name == "date":
        parts = (f"substring(published, 1, {n_chars}) IN ({marks})" for n_chars in (4, 7))
        alternatives.append(f"({' OR '.join(parts)})")
        some = some * 2
    elif some:
        alternatives.append(f"{_COLUMNS[name]} IN ({marks})")
    if NONE in values:
        is_none = f"len({_LISTS[name]}) = 0" if name in _LISTS else f"{_COLUMNS[name]} IS NULL"
        alternatives.append(is_none)
    return f"({' OR '.join(alternatives)})", some


def counting(name: str, source: str, values: Sequence[str], most: int) -> Condition:
    """SQL that counts the values of a facet in a source, those that are chosen among them.

    Of dates years are counted, and the months of the years that are chosen.
    """
    expression = f"unnest({_LISTS[name]})" if name in _LISTS else _COLUMNS[name]
    counted, given = "SELECT value FROM found", list[str]()
    if name == "date" and (years := sorted({value[:4] for value in values if value != NONE})):
        marks = ", ".join("?" * len(years))
        month = "substring(published, 1, 7)"
        months = f"{month} FROM found WHERE value IN ({marks}) AND len(published) >= 7"
        counted += f" UNION ALL SELECT {months}"
        given += years
    order = "value[:4] DESC, len(value), value DESC" if name == "date" else "n DESC, value"
    marks = ", ".join("?" * len(values)) or "''"
    sql = f"""
    WITH found AS (SELECT {expression} AS value, published FROM {source}),
         counted AS (SELECT value, count(*) AS n FROM ({counted})
                     WHERE value IS NOT NULL GROUP BY value)
    SELECT '{name}' AS facet, value, n, count(*) OVER () AS n_values,
           row_number() OVER (ORDER BY {order}) AS place
    FROM counted QUALIFY place <= {most} OR value IN ({marks})
    """  # noqa: S608 - our own words
    return sql, [*given, *values]


def facet_of(name: str, rows: Sequence[Mapping[str, Any]], choices: Sequence[str]) -> Facet:
    """A facet of what was counted; what is chosen and has no page is there, too."""
    own = sorted((row for row in rows if row["facet"] == name), key=itemgetter("place"))
    values = [FacetValue(row["value"], row["n"], row["value"] in choices) for row in own]
    counted_values = {one.value for one in values}
    values += [FacetValue(value, 0, True) for value in choices if value not in counted_values]
    return Facet(name, values, own[0]["n_values"] if own else 0)
