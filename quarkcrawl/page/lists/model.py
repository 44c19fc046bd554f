"""What a sitemap or a feed says: its kind, and its entries column by column."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from quarkcrawl.page.urls import TOO_LONG, LinkResolver

if TYPE_CHECKING:
    from collections.abc import Iterator


ListKind = Literal["", "index", "urlset", "news", "text", "rss", "atom", "json"]

_TITLE_CHARS: Final = 500
_MOST_ALTERNATES: Final = 200


class ListBounds(NamedTuple):
    """How much of a list is read.

    Args:
        max_bytes: bound of its bytes after decompression; what lies behind is left out.
        max_entries: most entries.
        max_url_chars: entries with longer URLs are counted, not kept.
    """

    max_bytes: int = 16 << 20
    max_entries: int = 50_000
    max_url_chars: int = 2000


class ListedUrl(NamedTuple):
    """One entry of a list.

    Args:
        url: canonical absolute http(s) URL.
        lastmod: when the page was last changed, or failing that published, as the list says; epoch
            seconds.
        published: when it was published, as news sitemaps and feeds say.
        title: headline that the list gives, "" if none.
        alternates: the page in other languages: language tag and URL.
    """

    url: str
    lastmod: float | None = None
    published: float | None = None
    title: str = ""
    alternates: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class PublishedList:
    """The entries of a sitemap or a feed; iterating makes a `ListedUrl` of each.

    Args:
        kind: ``"index"`` for an index of sitemaps, ``"urlset"``, ``"news"`` (a urlset in which news
            articles are), ``"text"``, ``"rss"``, ``"atom"``, ``"json"``; "" for what is no list.
        url, lastmod, published, title, alternates: what a `ListedUrl` says of one, here of all.
        n_refused: entries without a URL that can be requested.
        is_cut: whether a bound was reached: there may be more entries.
        is_whole: whether the document came to its proper end, and the stream that it came in.
    """

    kind: ListKind = ""
    url: list[str] = field(default_factory=list)
    lastmod: list[float | None] = field(default_factory=list)
    published: list[float | None] = field(default_factory=list)
    title: list[str] = field(default_factory=list)
    alternates: list[tuple[tuple[str, str], ...]] = field(default_factory=list)
    n_refused: int = 0
    is_cut: bool = False
    is_whole: bool = True

    def __len__(self) -> int:
        return len(self.url)

    def __iter__(self) -> Iterator[ListedUrl]:
        return map(ListedUrl, self.url, self.lastmod, self.published, self.title, self.alternates)


@dataclass(slots=True)
class ListEntry:
    """An entry that is being read: values as they are written."""

    url: str = ""
    base: str = ""
    lastmod: float | None = None
    published: float | None = None
    title: str = ""
    alternates: list[tuple[str, str]] = field(default_factory=list)


class ListBuilder:
    """Takes entries until the bounds are reached; each URL once."""

    def __init__(self, base: str, encoding: str, bounds: ListBounds) -> None:
        self.list = PublishedList()
        self._base, self._encoding, self._bounds = base, encoding, bounds
        self._resolvers: dict[str, LinkResolver] = {}
        self._resolver = self._resolver_of("")
        self._urls: set[str] = set()

    @property
    def is_full(self) -> bool:
        """Whether no entry is taken any more."""
        return self.list.is_cut

    def add(self, item: ListEntry) -> None:
        """Take an entry, unless its URL cannot be requested or was there before."""
        resolver = self._resolver_of(item.base) if item.base else self._resolver
        url = resolver.resolve(item.url) if item.url else None
        if url is None or url == TOO_LONG:
            self.list.n_refused += 1
            return
        if url in self._urls:
            return
        if len(self._urls) >= self._bounds.max_entries:
            self.list.is_cut = True
            return
        self._urls.add(url)
        url_list = self.list
        url_list.url.append(url)
        url_list.lastmod.append(item.published if item.lastmod is None else item.lastmod)
        url_list.published.append(item.published)
        url_list.title.append(" ".join(item.title.split())[:_TITLE_CHARS])
        url_list.alternates.append(self._alternates(item, resolver) if item.alternates else ())

    def _alternates(self, item: ListEntry, resolver: LinkResolver) -> tuple[tuple[str, str], ...]:
        pairs = ((lang[:32], resolver.resolve(url)) for lang, url in item.alternates)
        return tuple((lang, url) for lang, url in pairs if url)[:_MOST_ALTERNATES]

    def _resolver_of(self, base: str) -> LinkResolver:
        """Of an address to which others are relative, itself relative to that of the list."""
        resolver = self._resolvers.get(base)
        if resolver is None:
            bound = self._bounds.max_url_chars
            url = LinkResolver(self._base, max_chars=bound).resolve(base) if base else self._base
            resolver = LinkResolver(url or self._base, encoding=self._encoding, max_chars=bound)
            if len(self._resolvers) < 100:
                self._resolvers[base] = resolver
        return resolver
