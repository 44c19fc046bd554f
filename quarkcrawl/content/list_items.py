"""Items of a page's main list as users see them: title, teaser, link, price, date."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.listing import ListLimits, main_list, node_looks
from quarkcrawl.content.metadata import first_date
from quarkcrawl.page import base_url
from quarkcrawl.page.urls import LinkResolver

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page import PageTree


_LIMITS: Final = ListLimits(share=0.5, covered=0.5)
_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_MAX_TITLE_CHARS: Final = 300
_MAX_DATE_CHARS: Final = 60
_MAX_PRICE_CHARS: Final = 80
_MIN_TEASER_CHARS: Final = 12
_MAX_URL_CHARS: Final = 4000
_MIN_TITLED: Final = 0.5
"""So many items of a list have a title that is a link; parts of an article mostly have none."""

_AMOUNT: Final = r"\d[\d.,\u00a0 ]{0,15}"
_MONEY: Final = r"[¥￥$€£₽₹₩]|\b(?:RMB|CNY|USD|EUR|GBP|PLN|HK\$|NT\$)"
_PRICE: Final = re.compile(
    rf"(?:{_MONEY})\s?{_AMOUNT}|{_AMOUNT}\s?(?:万元|元(?!旦)|[€£₽₹₩]|(?:zł|руб|CNY|RMB|USD|EUR)\b)",
    re.IGNORECASE,
)


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
    chars = np.where(content, tree.run_chars, 0).astype(np.float64)
    nodes = main_list(tree, chars, node_looks(tree), _LIMITS)
    if nodes is None:
        return ()
    reader = _Reader(tree, url)
    items = [reader.read(node) for node in nodes.tolist()]
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


class _Reader:
    """Reads items of one page."""

    def __init__(self, tree: PageTree, url: str) -> None:
        self._tree = tree
        self._piece = tree.run_lines.piece.tolist()
        self._is_shown = (tree.run_chars > 0).tolist()
        self._links = tree.places("a")
        self._headings = tree.places(*_HEADINGS)
        self._times = tree.places("time")
        self._resolve = LinkResolver(base_url(tree, url), max_chars=_MAX_URL_CHARS).resolve

    def read(self, item: int) -> ListItem:
        """One item; without a link if none in it is a title."""
        tree = self._tree
        lines = self._lines(item)
        links = [link for link in self._inside(self._links, item) if tree.attr(link, "href")]
        named = [(self._text(link), link) for link in links]
        heading = self._heading(item)
        if heading:
            named = [(text, link) for text, link in named if text and text in heading] or named
        is_title = {*lines, heading}.__contains__  # rather than words within a sentence
        named = [(text, link) for text, link in named if is_title(text)]
        linked, link = max(named, key=lambda pair: len(pair[0]), default=("", self._around(item)))
        title = (heading or linked or next(iter(lines), ""))[:_MAX_TITLE_CHARS]
        rest = list(filter(None, (line.removeprefix(title).strip() for line in lines)))
        prices = [*map(_price, rest)]
        others = (line for line, price in zip(rest, prices, strict=True) if not price)
        teaser = max(others, key=len, default="")
        target = self._resolve(tree.attr(link, "href") or "") if link >= 0 else ""
        return ListItem(
            title,
            target or "",
            teaser if len(teaser) >= _MIN_TEASER_CHARS else "",
            next(filter(None, prices), ""),
            self._date(item, [*rest, title[-_MAX_DATE_CHARS + 1 :]]),
        )

    def _heading(self, item: int) -> str:
        """Text of the first heading in an item."""
        texts = map(self._text, self._inside(self._headings, item))
        return next(filter(None, texts), "")

    def _inside(self, nodes: NDArray[np.intp], item: int) -> list[int]:
        start, end = nodes.searchsorted([item, self._tree.end[item]])
        inner: list[int] = nodes[start:end].tolist()
        return inner

    def _around(self, item: int) -> int:
        """The link that an item is or stands in, -1 for none."""
        tags = self._tree.tags
        node = next((n for n in (item, int(self._tree.parent[item])) if tags[n] == "a"), -1)
        return node if node >= 0 and self._tree.attr(node, "href") else -1

    def _text(self, node: int) -> str:
        """Text of a node on one line."""
        return " ".join(self._lines(node))

    def _lines(self, node: int) -> list[str]:
        """Text of a node line by line."""
        rows: dict[int, list[str]] = {}
        for run in range(int(self._tree.run_start[node]), int(self._tree.run_end[node])):
            if self._is_shown[run]:
                rows.setdefault(self._piece[run], []).append(self._tree.runs[run])
        return list(filter(None, (" ".join("".join(texts).split()) for texts in rows.values())))

    def _date(self, item: int, lines: list[str]) -> str:
        """The first date of an item, in short lines only."""
        stamps = (self._tree.attr(node, "datetime") for node in self._inside(self._times, item))
        texts = [stamp[:_MAX_DATE_CHARS] for stamp in stamps if stamp]
        texts += [line for line in lines if len(line) < _MAX_DATE_CHARS]
        return next((date for text in texts if (date := first_date(text))), "")


def _price(line: str) -> str:
    match = _PRICE.search(line) if len(line) < _MAX_PRICE_CHARS else None
    return " ".join(match[0].split()) if match else ""
