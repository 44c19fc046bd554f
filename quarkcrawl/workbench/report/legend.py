"""The copy of a page under a bar that tells which color means what and how much there is of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from quarkcrawl.segment import INK, shortened
from quarkcrawl.workbench.report.pagecopy import wrapped_copy
from quarkcrawl.workbench.theme import render

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from quarkcrawl.page import Page
    from quarkcrawl.workbench.report.pagecopy import ElementAttributes

    Row = tuple[int | None, str, Sequence[str]]
    """A row of the list behind the bar: number of a block or None for a picture, color, cells."""


_NAME_CHARS: Final = 80


class Fill(NamedTuple):
    """How runs of one kind look.

    Args:
        name: what a legend calls the kind.
        color: background of its runs.
        line: border below them, without its color.
    """

    name: str
    color: str
    line: str


def fill_sheet(fills: Mapping[str, Fill]) -> str:
    """Rules for runs by the name of their fill.

    Args:
        fills: how runs look, by what ``data-qk-fill`` says of them.
    """
    return "".join(
        f'[data-qk-fill="{kind}"]{{background:{fill.color}!important;'
        f"border-bottom:{fill.line} {INK}!important}}"
        for kind, fill in fills.items()
    )


class Legend(NamedTuple):
    """What the bar says.

    Args:
        heading: what the view shows.
        facts: texts at the end of the bar.
        samples: kinds that occur, and how much there is of each.
        summary: what stands on the button that opens the list; "": there is none.
        heads: what stands over the columns of the list.
        rows: one entry of the list each.
        name: what the page is called; "": its title, or its address.
    """

    heading: str
    facts: Sequence[str]
    samples: Sequence[tuple[Fill, str]] = ()
    summary: str = ""
    heads: Sequence[str] = ()
    rows: Iterable[Row] = ()
    name: str = ""


def labeled_copy(
    page: Page, labels: ElementAttributes, legend: Legend, sheet: str, *, offline: bool
) -> str:
    """A document: the copy of a page under its legend; ``sheet`` has rules for what is labeled."""
    name = shortened(legend.name or page.title or page.url, _NAME_CHARS)
    bar = render("report/legend.html", "en", legend=legend, name=name)
    title = f"{legend.heading}: {name}"
    return wrapped_copy(page, labels, title=title, legend=bar, sheet=sheet, offline=offline)


def char_samples(fills: Mapping[str, Fill], n_chars: Mapping[str, int]) -> list[tuple[Fill, str]]:
    """Each fill with its number of characters."""
    return [(fill, counted(n_chars.get(kind, 0), "character")) for kind, fill in fills.items()]


def counted(n: int, thing: str) -> str:
    """A number with its noun, such as ``"1 link"`` or ``"1,234 links"``."""
    return f"{n:,} {thing}" if n == 1 else f"{n:,} {thing}s"
