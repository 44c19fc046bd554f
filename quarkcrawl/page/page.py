"""One web page: bytes, text, tree and links, each worked out once and only when asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quarkcrawl.page.charset import Charset, decide
from quarkcrawl.page.links import canonical_link, extract_links
from quarkcrawl.page.spans import locate_runs
from quarkcrawl.page.text import without_surrogates
from quarkcrawl.page.tree import PageTree

if TYPE_CHECKING:
    from collections.abc import Callable

    from quarkcrawl.page.layout import Layout
    from quarkcrawl.page.links import Link
    from quarkcrawl.page.spans import Spans

__all__ = ["Page", "prepare_trees"]

_prepare: Callable[[PageTree], object] | None = None


def prepare_trees(prepare: Callable[[PageTree], object] | None) -> None:
    """From now on have the tree of each page prepared when it has been parsed.

    Args:
        prepare: works out beforehand what most of the following steps will ask the tree for, see
            `quarkcrawl.page.treewalk.fill`; None for nothing.
    """
    global _prepare  # noqa: PLW0603  (a process has many pages to come, or has not)
    _prepare = prepare


class Page:
    """A page as it was received. Build with `from_bytes` or `from_html`; neither ever raises.

    Attributes:
        body: the entity as bytes (of `from_html`: the text in UTF-8).
        url: address of the page, "" when unknown.
        charset: how the text was decoded.
        layout: where a browser put the nodes of ``tree``; None for a page that was not rendered.
    """

    __slots__ = ("__weakref__", "_links", "_spans", "_tree", "body", "charset", "layout", "url")

    def __init__(self, body: bytes, charset: Charset, url: str = "") -> None:
        self.body = body
        self.charset = charset
        self.url = url
        self.layout: Layout | None = None
        self._tree: PageTree | None = None
        self._links: tuple[Link, ...] | None = None
        self._spans: Spans | None = None

    @classmethod
    def from_bytes(cls, body: bytes, url: str = "", content_type: str | None = None) -> Page:
        """Make a page from the bytes of a response.

        Args:
            body: entity with transfer and content encodings removed.
            url: address of the page; links are resolved against it.
            content_type: value of the Content-Type header, a hint for the charset.
        """
        return cls(bytes(body), decide(body, content_type), url)

    @classmethod
    def from_html(cls, text: str, url: str = "") -> Page:
        """Make a page from text; lone surrogates become U+FFFD.

        Args:
            text: the HTML source.
            url: address of the page; links are resolved against it.
        """
        text = without_surrogates(text)
        body = text.encode()
        return cls(body, Charset("utf-8", text, "utf-8", None, None, 0), url)

    @property
    def html(self) -> str:
        """The decoded source."""
        return self.charset.text

    @property
    def encoding(self) -> str:
        """Name of the encoding, such as ``"gb18030"``."""
        return self.charset.encoding

    @property
    def tree(self) -> PageTree:
        """The document as arrays."""
        if self._tree is None:
            self._tree = PageTree.parse(self.charset.text)
            if _prepare is not None:
                _prepare(self._tree)
        return self._tree

    @property
    def links(self) -> tuple[Link, ...]:
        """All http(s) links in document order, duplicates kept."""
        if self._links is None:
            self._links = tuple(extract_links(self))
        return self._links

    @property
    def title(self) -> str:
        """Text of the title element."""
        return self.tree.title

    @property
    def canonical(self) -> str | None:
        """Another URL that the page declares as its own, if it does (``link rel=canonical``)."""
        return canonical_link(self)

    @property
    def spans(self) -> Spans:
        """Where each text run stands in `html` and in `body` (costs a second parse)."""
        if self._spans is None:
            self._spans = locate_runs(self)
        return self._spans

    def __repr__(self) -> str:
        return f"<Page {self.url!r} {len(self.body)} bytes {self.encoding}>"
