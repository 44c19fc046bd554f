"""The links of a page, in document order, as a crawler follows and a ranker counts them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np

from quarkcrawl.page.tree import prefix_sums
from quarkcrawl.page.urls import LinkResolver, canonicalize

if TYPE_CHECKING:
    from quarkcrawl.page.tree import PageTree


LinkKind = Literal["a", "area", "frame", "refresh"]

_SOURCE: Final[dict[str, tuple[str, LinkKind]]] = {
    "area": ("href", "area"),
    "frame": ("src", "frame"),
    "iframe": ("src", "frame"),
}
_REFRESH: Final = re.compile(
    r"""\s*+[\d.]*+(?:\s*+[;,]|\s)\s*+(?:url\s*+=\s*+)?+(?:'([^']*)|"([^"]*)|([^'"\s].*))""",
    re.IGNORECASE | re.DOTALL,
)
"""Possessive throughout: if white space could be shared out among its parts, 6,400 spaces would
take two seconds."""


class Link(NamedTuple):
    """One link of a page.

    Args:
        url: canonical absolute http(s) URL of the target.
        text: visible text of the anchor, white space folded; "" for the other kinds.
        nofollow: ``rel=nofollow`` on the link, or nofollow in the page's meta robots.
        kind: the element it came from; ``iframe`` counts as ``"frame"``.
        node: number of that element in the page's tree.
        position: ordinal among the page's links, from 0.
    """

    url: str
    text: str
    nofollow: bool
    kind: LinkKind
    node: int
    position: int


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
    found: set[str] = set()
    for node in tree.nodes("meta"):
        attrs = tree.attrs(node)
        if attrs.get("name", "").strip().lower() == "robots":
            found.update(part.strip().lower() for part in attrs.get("content", "").split(","))
    return frozenset(found)


def extract_links(tree: PageTree, page_url: str, encoding: str) -> list[Link]:
    """Links of a page, without targets that are not http(s).

    The encoding of the page is that of non-ASCII query strings.
    """
    resolve = LinkResolver(base_url(tree, page_url), encoding=encoding).resolve
    page_nofollow = not robots_directives(tree).isdisjoint({"nofollow", "none"})
    nodes = tree.nodes("a", "area", "frame", "iframe", "meta")
    links: list[Link] = []
    for node, text in zip(nodes, _texts(tree, nodes), strict=True):
        target, kind, rel = _target(tree, node)
        url = resolve(target) if target is not None else None
        if url is not None:
            nofollow = page_nofollow or (rel is not None and "nofollow" in rel.lower().split())
            links.append(Link(url, text, nofollow, kind, node, len(links)))
    return links


def _texts(tree: PageTree, nodes: list[int]) -> list[str]:
    """Visible text of each node, white space folded."""
    first, last = tree.run_start[nodes], tree.run_end[nodes]
    if tree.folding is not None:
        return tree.folding.slices(first, last)
    runs = tree.runs
    n_raw = prefix_sums(tree.run_raw)
    mixed = n_raw[last] > n_raw[first]
    texts = [
        " ".join("".join(runs[start:end]).split()) if end > start else ""
        for start, end in zip(first.tolist(), last.tolist(), strict=True)
    ]
    for place in np.flatnonzero(mixed).tolist():
        texts[place] = " ".join(tree.text(nodes[place]).split())
    return texts


def _target(tree: PageTree, node: int) -> tuple[str | None, LinkKind, str | None]:
    """Target as written, kind, and ``rel`` of one element; target None if it is no link."""
    if node in tree.anchors:
        target, rel = tree.anchors[node]
        return target, "a", rel
    source = _SOURCE.get(tree.tags[node])
    if source is None:
        return _refresh(tree.attrs(node)), "refresh", None
    name, kind = source
    return tree.attr(node, name), kind, tree.attr(node, "rel")


def _refresh(attrs: dict[str, str]) -> str | None:
    if attrs.get("http-equiv", "").strip().lower() != "refresh":
        return None
    match = _REFRESH.match(attrs.get("content", ""))
    return (match[1] or match[2] or match[3]) if match else None
