"""The links of a page, in document order, as a crawler follows and a ranker counts them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count, repeat
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, overload

from quarkcrawl.page.urls import TOO_LONG, LinkResolver, canonicalize

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quarkcrawl.page.tree import PageTree


LinkKind = Literal["a", "area", "frame", "refresh", "feed"]

_SOURCE: Final[dict[str, tuple[str, LinkKind]]] = {
    "area": ("href", "area"),
    "frame": ("src", "frame"),
    "iframe": ("src", "frame"),
}
_FEEDS: Final = frozenset(
    {
        "application/rss+xml",
        "application/atom+xml",
        "application/rdf+xml",
        "application/feed+json",
    }
)
"""Media types of feeds. Not ``application/json``: links of that type lead to interfaces."""

_REFRESH: Final = re.compile(
    r"""\s*+[\d.]*+(?:\s*+[;,]|\s)\s*+(?>(?:url\s*+=\s*+)?)(?:'([^']*)|"([^"]*)|([^'"\s].*))""",
    re.IGNORECASE | re.DOTALL,
)
"""Nothing is given back: if white space could be shared out among its parts, 6,400 spaces would
take two seconds."""


class Link(NamedTuple):
    """One link of a page.

    Args:
        url: canonical absolute http(s) URL of the target.
        text: visible text of the anchor, white space folded; "" for the other kinds.
        nofollow: ``rel=nofollow`` on the link, or nofollow in the page's meta robots; a feed, which
            is no page, always has it.
        kind: the element it came from; ``iframe`` counts as ``"frame"``, and ``link`` with
            ``rel=alternate`` and the type of a feed is ``"feed"``.
        node: number of that element in the page's tree; -1 if the link comes from a table.
        position: ordinal among the page's links, from 0.
    """

    url: str
    text: str
    nofollow: bool
    kind: LinkKind
    node: int
    position: int


class LinkBounds(NamedTuple):
    """How much of a page's links is kept.

    Args:
        max_url_chars: longer links are counted, not kept.
        max_bytes: bound of the characters of URLs and texts and some bytes for each link; what
            comes behind is counted, not kept.
        feeds: whether feeds that the page names are among the links.
    """

    max_url_chars: int = 1 << 16
    max_bytes: int = 16 << 20
    feeds: bool = False


_LINK_BYTES: Final = 16
_BOUNDS: Final = LinkBounds()


@dataclass(frozen=True, slots=True)
class Links(Sequence[Link]):
    """The links of a page, column by column; iterating makes a `Link` of each.

    Args:
        url, text, nofollow, kind: what a `Link` says of one, here of all.
        node: elements that they came from; empty if the links come from a table. Two are equal
            whatever their nodes.
        n_too_long: how many links were not kept because their URLs were too long.
        n_cut: how many were not kept because those before had used up the page's bytes.
    """

    url: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    nofollow: list[bool] = field(default_factory=list)
    kind: list[LinkKind] = field(default_factory=list)
    node: list[int] = field(default_factory=list, compare=False)
    n_too_long: int = field(default=0, compare=False)
    n_cut: int = field(default=0, compare=False)

    def __len__(self) -> int:
        return len(self.url)

    def __iter__(self) -> Iterator[Link]:
        nodes = self.node or repeat(-1)
        return map(Link, self.url, self.text, self.nofollow, self.kind, nodes, count())

    @overload
    def __getitem__(self, index: int) -> Link: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Link, ...]: ...

    def __getitem__(self, index: int | slice) -> Link | tuple[Link, ...]:
        if isinstance(index, slice):
            return tuple(self)[index]
        number = range(len(self))[index]
        node = self.node[number] if self.node else -1
        return Link(
            self.url[number],
            self.text[number],
            self.nofollow[number],
            self.kind[number],
            node,
            number,
        )

    def field_lists(self) -> dict[str, list[Any]]:
        """The columns of a table of links."""
        return {
            "url": self.url,
            "text": self.text,
            "nofollow": self.nofollow,
            "kind": self.kind,
            "position": list(range(len(self))),
        }


def base_url(tree: PageTree, url: str) -> str:
    """URL against which the page's links are resolved (first ``base`` with ``href``).

    Args:
        tree: the parsed page.
        url: address of the page.
    """
    for node in tree.nodes("base"):
        href = tree.attr(node, "href")
        if href is not None:
            return LinkResolver(url).resolve(href) or url
    return url


def canonical_link(tree: PageTree, url: str, encoding: str) -> str | None:
    """The URL that a page declares as its own (first ``link rel=canonical``, RFC 6596).

    It is a canonical absolute http(s) URL; None if the page declares none, or its own address.
    """
    for node in tree.nodes("link"):
        attrs = tree.attrs(node)
        if "canonical" in attrs.get("rel", "").lower().split() and attrs.get("href"):
            resolver = LinkResolver(base_url(tree, url), encoding=encoding)
            declared = resolver.resolve(attrs["href"])
            return None if declared == canonicalize(url) else declared
    return None


def robots_directives(tree: PageTree) -> frozenset[str]:
    """Directives of all ``meta name=robots`` elements, lower case."""
    directives: set[str] = set()
    for node in tree.nodes("meta"):
        attrs = tree.attrs(node)
        if attrs.get("name", "").strip().lower() == "robots":
            directives.update(part.strip().lower() for part in attrs.get("content", "").split(","))
    return frozenset(directives)


def extract_links(
    tree: PageTree, page_url: str, encoding: str, bounds: LinkBounds = _BOUNDS
) -> Links:
    """Links of a page, without targets that are not http(s).

    Args:
        tree: the parsed page.
        page_url: address of the page.
        encoding: the page's, in which non-ASCII characters of a query are sent.
        bounds: how much is kept.
    """
    base = base_url(tree, page_url)
    resolver = LinkResolver(base, encoding=encoding, max_chars=bounds.max_url_chars)
    resolve = cache(resolver.resolve)
    page_nofollow = not robots_directives(tree).isdisjoint({"nofollow", "none"})
    has_feeds = bounds.feeds and not page_nofollow
    names = ("a", "area", "frame", "iframe", "meta", *(("link",) if has_feeds else ()))
    nodes = tree.nodes(*names)
    places = zip(tree.run_start[nodes].tolist(), tree.run_end[nodes].tolist(), strict=True)
    links, runs = Links(), tree.visible_runs
    anchors = tree.anchors
    n_too_long = n_cut = used_bytes = 0
    for node, (start, end) in zip(nodes, places, strict=True):
        anchor = anchors.get(node)
        kind: LinkKind = "a"
        if anchor:
            target, rel = anchor
        else:
            target, kind, rel = _target(tree, node)
        url = resolve(target) if target is not None else None
        if url is None:
            continue
        if url == TOO_LONG:
            n_too_long += 1
        elif used_bytes >= bounds.max_bytes:
            n_cut += 1
        else:
            # Links within links have their text in common: its length counts for each.
            text = "".join(runs[start:end])
            used_bytes += len(url) + len(text) + end - start + _LINK_BYTES
            nofollow = page_nofollow or (rel is not None and "nofollow" in rel.lower().split())
            links.url.append(url)
            links.text.append(" ".join(text.split()))
            links.nofollow.append(nofollow)
            links.kind.append(kind)
            links.node.append(node)
    return replace(links, n_too_long=n_too_long, n_cut=n_cut) if n_too_long or n_cut else links


def _target(tree: PageTree, node: int) -> tuple[str | None, LinkKind, str | None]:
    """Target as written, kind, and ``rel`` of an element but ``a``; target None if no link."""
    source = _SOURCE.get(tree.tags[node])
    if source is None:
        if tree.tags[node] == "link":
            return _feed(tree.attrs(node)), "feed", "nofollow"
        if tree.attr(node, "http-equiv") is None:
            return None, "refresh", None
        return _refresh(tree.attrs(node)), "refresh", None
    name, kind = source
    return tree.attr(node, name), kind, tree.attr(node, "rel")


def _feed(attrs: dict[str, str]) -> str | None:
    is_alternate = "alternate" in attrs.get("rel", "").lower().split()
    media_type = attrs.get("type", "").partition(";")[0].strip().lower()
    return attrs.get("href") or None if is_alternate and media_type in _FEEDS else None


def _refresh(attrs: dict[str, str]) -> str | None:
    if attrs.get("http-equiv", "").strip().lower() != "refresh":
        return None
    match = _REFRESH.match(attrs.get("content", ""))
    return (match[1] or match[2] or match[3]) if match else None
