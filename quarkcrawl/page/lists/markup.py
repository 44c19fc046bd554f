"""Sitemaps and feeds in XML, read tag by tag: no tree is built, whatever the document holds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from quarkcrawl.page.lists.dates import epoch_s
from quarkcrawl.page.lists.mending import mended
from quarkcrawl.page.lists.model import ListEntry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quarkcrawl.page.lists.model import ListBuilder, ListKind


_KINDS: Final[dict[str, ListKind]] = {
    "sitemapindex": "index",
    "sitemap": "index",
    "urlset": "urlset",
    "url": "urlset",
    "rss": "rss",
    "rdf": "rss",
    "channel": "rss",
    "item": "rss",
    "feed": "atom",
    "entry": "atom",
}
"""By the first element, which is an entry where the beginning is missing."""

_ENTRIES: Final = {
    "index": frozenset({"sitemap", "url"}),
    "urlset": frozenset({"url", "sitemap"}),
    "rss": frozenset({"item", "entry"}),
    "atom": frozenset({"entry", "item"}),
}
_BASE: Final = "{http://www.w3.org/XML/1998/namespace}base"
_PIECE_CHARS: Final = 1 << 16
_VALUE_CHARS: Final = 8192
"""Of one value; dates and URLs have less, and the text of an article is not wanted."""

_SHELL: Final = b"<_>"
"""Around the document, which so may have several first elements, or text before the first."""

_ABSOLUTE: Final = re.compile(r"https?:|/", re.IGNORECASE)
"""What the URLs of a sitemap are: whole, as the protocol has it, or at least from the root."""

_DEEPEST: Final = 100
_NEWS: Final = 2
"""How deep the parts of a news article lie in an entry."""


def read_markup(text: str, builder: ListBuilder) -> None:
    """Add the entries of a document to a list; one that is no list adds nothing."""
    document = mended(text)
    reader = _Reader(builder)
    parser = etree.XMLParser(
        target=reader,
        encoding="utf-8",
        recover=True,
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
    )
    parser.feed(_SHELL)
    try:
        for start in range(0, len(document), _PIECE_CHARS):
            parser.feed(document[start : start + _PIECE_CHARS].encode())
            if reader.is_done or builder.is_full:
                break
    except etree.XMLSyntaxError:  # what came before is kept
        pass
    url_list = builder.list
    url_list.is_whole = bool(url_list.kind) and (reader.is_ended or builder.is_full)


class _Reader:
    """What the parser tells its findings: keeps the entry that is being read, and no other."""

    def __init__(self, builder: ListBuilder) -> None:
        self._builder = builder
        self._path: list[str] = []
        self._item: ListEntry | None = None
        self._item_depth = 0
        self._base = ""
        self._text: list[str] = []
        self._n_chars = 0
        self._is_permalink = True
        self._guid = ""
        self.is_done = False
        self.is_ended = False

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        name = _local(tag)
        self._path.append(name)
        self._text, self._n_chars = [], 0
        if self.is_done or len(self._path) > _DEEPEST:
            self.is_done = True
            return
        if name == "_" and len(self._path) == 1:
            return
        if not self._builder.list.kind:
            self._builder.list.kind = _KINDS.get(name, "")
            if not self._builder.list.kind:
                self.is_done = True
                return
            self._base = attributes.get(_BASE, "")
        kind = self._builder.list.kind
        if name in _ENTRIES["urlset" if kind == "news" else kind]:
            self._end_item()  # also of one whose end tag is missing
            self._item, self._item_depth = ListEntry(), len(self._path)
            self._item.base = attributes.get(_BASE, self._base)
            self._guid = next((v for n, v in attributes.items() if _local(n) == "about"), "")
        elif self._item is not None and len(self._path) == self._item_depth + 1:
            self._begin_part(name, attributes, self._item)

    def _begin_part(self, name: str, attributes: Mapping[str, str], item: ListEntry) -> None:
        if name == "guid":
            self._is_permalink = attributes.get("isPermaLink", "true").strip().lower() != "false"
        if name != "link" or not (target := attributes.get("href", "")):
            return
        relations = attributes.get("rel", "alternate").lower().split()
        language = attributes.get("hreflang", "")
        if "alternate" not in relations:
            return
        if self._builder.list.kind in {"rss", "atom"}:
            item.url = item.url or target
        elif language and len(item.alternates) < _DEEPEST:
            item.alternates.append((language, target))

    def data(self, text: str) -> None:
        """Characters of the element that began last."""
        if self._item is not None and self._n_chars < _VALUE_CHARS:
            self._text.append(text)
            self._n_chars += len(text)

    def end(self, tag: str) -> None:
        """An element ends."""
        name = _local(tag)
        depth = len(self._path)
        if self._item is not None and not self.is_done:
            value = "".join(self._text).strip()
            if depth == self._item_depth:
                self._end_item()
            elif depth == self._item_depth + 1 and value:
                self._take(name, value, self._item)
            elif depth == self._item_depth + _NEWS and self._path[-2] == "news" and value:
                self._take_news(name, value, self._item)
        self._text, self._n_chars = [], 0
        if self._path:
            self._path.pop()
        self.is_ended = len(self._path) <= 1

    def _take(self, name: str, value: str, item: ListEntry) -> None:
        if name == "loc":
            item.url = value if _ABSOLUTE.match(value) else ""
        elif (name == "link" and not item.url) or name == "origlink":
            item.url = value
        elif name in {"lastmod", "updated", "modified"}:
            item.lastmod = epoch_s(value)
        elif name in {"pubdate", "date", "published", "issued"}:
            item.published = epoch_s(value) if item.published is None else item.published
        elif name == "title":
            item.title = value
        elif name == "guid" and self._is_permalink and not self._guid:
            self._guid = value

    def _take_news(self, name: str, value: str, item: ListEntry) -> None:
        self._builder.list.kind = "news"
        if name == "publication_date":
            item.published = epoch_s(value)
        elif name == "title":
            item.title = value

    def _end_item(self) -> None:
        item, self._item = self._item, None
        if item is None:
            return
        if not item.url and self._guid[:4].lower() == "http":
            item.url = self._guid
        if item.url or self._path[-1:] != ["sitemap"]:
            self._builder.add(item)
        self._is_permalink, self._guid = True, ""

    def comment(self, text: str) -> None:
        """Nobody reads it."""

    def pi(self, target: str, data: str | None = None) -> None:
        """Nobody obeys it."""

    def close(self) -> Any:
        """The parser has come to its end."""
        return None


def _local(tag: str) -> str:
    """A name without its namespace, or without a prefix that was never declared."""
    return tag.rpartition("}")[2].rpartition(":")[2].lower()
