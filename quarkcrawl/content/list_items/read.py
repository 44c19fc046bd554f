"""Reads the items of a page's main list."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.list_items.prices import price_in
from quarkcrawl.content.list_items.text import MAX_DATE_CHARS, ItemText, is_mark
from quarkcrawl.content.list_items.titles import ItemTitle, titles_of
from quarkcrawl.content.listing import ListLimits, main_list, node_looks
from quarkcrawl.content.metadata import first_date
from quarkcrawl.page import base_url
from quarkcrawl.page.urls import LinkResolver

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from quarkcrawl.page import PageTree


_LIMITS: Final = ListLimits(share=0.5, covered=0.5)
_OF_CONTENT: Final = 0x1D0B
"""Told from menus of the same look are elements in one that holds some of the content."""

_MAX_TITLE_CHARS: Final = 300
_MIN_TEASER_CHARS: Final = 12
_MAX_URL_CHARS: Final = 4000
_MIN_TITLED: Final = 0.5
"""So many items of a list have a title that is a link; parts of an article mostly have none."""

_CENTS: Final = re.compile(r"\d\d\s?")
_BETWEEN: Final = " ,，:：-–—―|｜·•"
"""What stands between a title and a teaser in the same line."""


@dataclass(frozen=True, slots=True)
class ListItem:
    """One item of a list.

    Args:
        title: its headline, or the text of its main link.
        link: where it leads, absolute, "" if nowhere.
        teaser: the longest other text of it, "" if there is none.
        price: a price as it is shown, "" if there is none.
        date: when it is from, ISO 8601, "" if no date is shown.
    """

    title: str
    link: str
    teaser: str = ""
    price: str = ""
    date: str = ""


def list_items_of(
    tree: PageTree, content: NDArray[np.bool_], url: str = ""
) -> tuple[ListItem, ...]:
    """Items of the main list of a page, in document order; none where its content is no list.

    Args:
        tree: the page.
        content: which text runs are content.
        url: address of the page.
    """
    chars = np.where(content, tree.run_chars, 0)
    has_content = tree.over_runs(chars) > 0
    looks = node_looks(tree)
    kinds = looks + has_content[tree.parent] * _OF_CONTENT
    nodes = main_list(tree, chars.astype(np.float64), kinds, _LIMITS)
    if nodes is None:
        return ()
    nodes = nodes[has_content[nodes] & ~_is_header_row(tree, nodes)]
    reader = _Reader(tree, url)
    items = [
        reader.read(*one) for one in zip(nodes.tolist(), reader.titles(nodes, looks), strict=True)
    ]
    n_titled = sum(bool(item.link) for item in items)
    if n_titled < _MIN_TITLED * len(items):
        return ()
    return tuple(item for item in items if item.title)


def list_item_fields(item: ListItem) -> dict[str, str]:
    """An item as JSON values; what is unknown is left out.

    Args:
        item: an item of a list.
    """
    fields: dict[str, str] = {name: value for name, value in asdict(item).items() if value}
    return {"title": "", **fields}


def _is_header_row(tree: PageTree, items: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which items have header cells and no other cells, where some have others."""
    headers, cells = (
        nodes.searchsorted(tree.end[items]) - nodes.searchsorted(items)
        for nodes in (tree.places("th"), tree.places("td"))
    )
    is_header: NDArray[np.bool_] = (headers > 0) & (cells == 0) & (cells > 0).any()
    return is_header


class _Reader:
    """Reads items of one page."""

    def __init__(self, tree: PageTree, url: str) -> None:
        self._tree = tree
        self._text = ItemText(tree)
        self._times = tree.places("time")
        self._struck = tree.places("del", "s", "strike")
        self._inserted = tree.places("ins")
        self._resolve = LinkResolver(base_url(tree, url), max_chars=_MAX_URL_CHARS).resolve

    def read(self, item: int, title: ItemTitle) -> ListItem:
        """One item; without a link if none in it is a title."""
        rows = self._text.rows(*self._text.runs_of(item)).values()
        rest = [[run for run in row if not title.start <= run < title.end] for row in rows]
        lines = list(filter(None, map(self._text.said, rest)))
        href = self._tree.attr(title.link, "href") if title.link >= 0 else None
        return ListItem(
            title.text[:_MAX_TITLE_CHARS],
            (self._resolve(href) or "") if href else "",
            _teaser(lines, title.text),
            self._price(item, rest),
            self._date(item, [*lines, title.text[-MAX_DATE_CHARS + 1 :]]),
        )

    def titles(self, items: NDArray[np.intp], looks: NDArray[np.int64]) -> list[ItemTitle]:
        """The title of each item."""
        return titles_of(self._text, items.tolist(), looks)

    def _price(self, item: int, rows: list[list[int]]) -> str:
        """A price of an item: one that replaces another, one that is not struck out, or any."""
        for node in self._text.outermost(self._inserted, item):
            if price := price_in(self._text.text(node)):
                return price
        struck = [self._text.runs_of(node) for node in self._text.outermost(self._struck, item)]
        gone = {run for start, end in struck for run in range(start, end)}
        valid = ([run for run in row if run not in gone] for row in rows)
        return self._first_price(valid) or (self._first_price(rows) if gone else "")

    def _first_price(self, rows: Iterable[list[int]]) -> str:
        return next(filter(None, (price_in(self._said(row)) for row in rows)), "")

    def _said(self, runs: list[int]) -> str:
        """What some runs say, with a point before cents that are raised."""
        is_raised = [self._tree.tags[self._tree.run_node[run]] == "sup" for run in runs]
        if not any(is_raised):
            return self._text.said(runs)
        texts = [self._tree.runs[run] for run in runs]
        for n, text in enumerate(texts):
            if is_raised[n] and _CENTS.fullmatch(text) and n and texts[n - 1][-1:].isdecimal():
                texts[n] = f".{text}"
        return " ".join("".join(texts).split())

    def _date(self, item: int, lines: list[str]) -> str:
        """The first date of an item, in short lines only."""
        times = self._text.inside(self._times, item)
        stamps = (self._tree.attr(node, "datetime") for node in times)
        texts = [stamp[:MAX_DATE_CHARS] for stamp in stamps if stamp]
        texts += [line for line in lines if len(line) < MAX_DATE_CHARS]
        return next((date for text in texts if (date := first_date(text))), "")


def _teaser(lines: list[str], title: str) -> str:
    """The longest line that is more than the title, a date or a price, "" if there is none."""
    stripped = (line.lstrip(_BETWEEN) for line in lines)
    others = (
        line
        for line in stripped
        if len(line.removeprefix(title)) >= _MIN_TEASER_CHARS
        and not (is_mark(line) or price_in(line))
    )
    return max(others, key=len, default="")
