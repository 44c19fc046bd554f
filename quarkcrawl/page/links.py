"""The links of a page, in document order, as a crawler follows and a ranker counts them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from quarkcrawl.page.urls import LinkResolver

if TYPE_CHECKING:
    from quarkcrawl.page.page import Page
    from quarkcrawl.page.tree import PageTree

__all__ = ["Link", "LinkKind", "base_url", "extract_links", "robots_directives"]

LinkKind = Literal["a", "area", "frame", "refresh"]

_SOURCE: Final[dict[str, tuple[str, LinkKind]]] = {
    "a": ("href", "a"),
    "area": ("href", "area"),
    "frame": ("src", "frame"),
    "iframe": ("src", "frame"),
}
_REFRESH: Final = re.compile(
    r"""\s*[\d.]*\s*[;,\s]\s*(?:url\s*=\s*)?(?:'([^']*)|"([^"]*)|([^'"].*))""",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Link:
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
    """URL against which the page's links are resolved (first ``base`` with ``href``)."""
    for node in tree.nodes("base"):
        href = tree.attr(node, "href")
        if href is not None:
            return LinkResolver(url).resolve(href) or url
    return url


def robots_directives(tree: PageTree) -> frozenset[str]:
    """Directives of all ``meta name=robots`` elements, lower case."""
    found: set[str] = set()
    for node in tree.nodes("meta"):
        attrs = tree.attrs(node)
        if attrs.get("name", "").strip().lower() == "robots":
            found.update(part.strip().lower() for part in attrs.get("content", "").split(","))
    return frozenset(found)


def extract_links(page: Page) -> list[Link]:
    """Collect the links of a page; targets that are not http(s) are left out.

    Args:
        page: the page; its encoding is that of non-ASCII query strings.
    """
    tree = page.tree
    resolve = LinkResolver(base_url(tree, page.url), encoding=page.encoding).resolve
    no_follow_page = not robots_directives(tree).isdisjoint({"nofollow", "none"})
    links: list[Link] = []
    for node in tree.nodes("a", "area", "frame", "iframe", "meta"):
        target, kind = _target(tree, node)
        url = resolve(target) if target is not None else None
        if url is None:
            continue
        text = " ".join(tree.text(node).split()) if kind == "a" else ""
        nofollow = no_follow_page or "nofollow" in (tree.attr(node, "rel") or "").lower().split()
        links.append(Link(url, text, nofollow, kind, node, len(links)))
    return links


def _target(tree: PageTree, node: int) -> tuple[str | None, LinkKind]:
    source = _SOURCE.get(tree.tag_name(node))
    if source is not None:
        return tree.attr(node, source[0]), source[1]
    attrs = tree.attrs(node)
    if attrs.get("http-equiv", "").strip().lower() != "refresh":
        return None, "refresh"
    match = _REFRESH.match(attrs.get("content", ""))
    return (match[1] or match[2] or match[3] if match else None), "refresh"
