"""Where a part of a page stands, as a CSS selector that finds the same part of other pages.

Names of elements are worth more than their order. A name is used if other pages of the site have
it, too; of a site with one page, if no digit is in it, since numbers are mostly of the page.
"""

from __future__ import annotations

import re
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from quarkcrawl.page.tree import CssFinder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from quarkcrawl.page import Page, PageTree


_MOST_CLASSES: Final = 2
_MOST_NAME_CHARS: Final = 60
_MOST_SELECTORS: Final = 6
_MOST_ELEMENTS: Final = 200
_NAME: Final = re.compile(r"-?[A-Za-z_\u0080-\uffff][\w\u0080-\uffff-]*")
_TAG: Final = re.compile(r"[a-z][a-z0-9-]*")


class Places(NamedTuple):
    """Where a part of a page stands.

    Args:
        select: CSS selector.
        own: whether the elements that it finds have other parts of the page in them.
    """

    select: str
    own: bool


def names_of(tree: PageTree) -> frozenset[str]:
    """All ids and classes of a page, as selectors have them.

    Args:
        tree: the page.
    """
    names: set[str] = set()
    for node in range(len(tree)):
        names.update(_names(tree, node))
    return frozenset(names)


def _names(tree: PageTree, node: int) -> Iterator[str]:
    """Id and classes of an element that selectors can hold."""
    for name, value in tree.raw_attrs(node):
        if value and name in {"id", "class"}:
            words = [value.strip()] if name == "id" else value.split()
            for word in words:
                if len(word) <= _MOST_NAME_CHARS and _NAME.fullmatch(word):
                    yield f"{'#' if name == 'id' else '.'}{word}"


def places_of(page: Page, runs: Sequence[int], others: Iterable[frozenset[str]] = ()) -> Places:
    """A selector for the elements that a part of a page is made of.

    Elements with nothing else in them are named one by one, or all that are alike. Where there are
    too many, or text stands between them, it is the element around all of it that is named.

    Args:
        page: where it is.
        runs: text runs of the part, one with a visible character at least.
        others: names of some other pages of the site, see `names_of`.
    """
    tree = page.tree
    is_part = np.zeros(len(tree.runs), np.bool_)
    is_part[np.array(runs, np.intp)] = True
    n_inside = tree.over_runs(tree.run_chars * is_part)
    is_whole = (n_inside > 0) & (n_inside == tree.text_chars)
    around = _element_of(tree, [run for run in runs if tree.run_chars[run]])
    namer = _Namer(page, others)
    if is_whole[around]:
        same = [node for node in _upwards(tree, around) if is_whole[node]]
        named = next(filter(namer.is_named, same), around)
        return Places(namer.selector(named, {named}), own=False)
    inside = range(around + 1, int(tree.end[around]))
    elements = [node for node in inside if is_whole[node] and not is_whole[tree.parent[node]]]
    if n_inside[elements].sum() == n_inside[around] and len(elements) <= _MOST_ELEMENTS:
        allowed = set(is_whole.nonzero()[0].tolist())
        selectors: list[str] = []
        while elements and len(selectors) < _MOST_SELECTORS:
            selectors.append(namer.selector(elements[0], allowed))
            done = namer.covered(selectors[-1])
            elements = [node for node in elements if node not in done]
        if not elements:
            return Places(", ".join(selectors), own=False)
    return Places(namer.selector(around, {around}), own=True)


def _element_of(tree: PageTree, runs: Sequence[int]) -> int:
    """The innermost element that holds some text runs."""
    first, last = min(runs), max(runs)
    return next(
        node
        for node in _upwards(tree, int(tree.run_node[first]))
        if tree.run_start[node] <= first and last < tree.run_end[node]
    )


class _Namer:
    """Makes selectors for elements of a page, of its names that other pages of the site have."""

    def __init__(self, page: Page, others: Iterable[frozenset[str]]) -> None:
        self._tree, self._finder = page.tree, CssFinder(page.html, page.tree)
        names_of_others = list(others)
        self._stable = frozenset().union(*names_of_others) if names_of_others else None

    def covered(self, selector: str) -> set[int]:
        """Elements that a selector finds, and all within them."""
        nodes = self._finder.select(selector)
        return {inner for node in nodes for inner in range(node, int(self._tree.end[node]))}

    def is_named(self, node: int) -> bool:
        """Whether an element has a name that is of the site."""
        return any(self._is_stable(name) for name in _names(self._tree, node))

    def selector(self, node: int, allowed: set[int]) -> str:
        """The shortest chain of parents that finds an element, and only such as are allowed.

        It begins with an element that has a name, if there is one. Elements that their names do not
        tell apart are told by their number among their likes.
        """
        chain = list(_upwards(self._tree, node))
        names = [self._compound(one) for one in chain]
        numbered = [
            f"{name}{_number(self._tree, one)}" for name, one in zip(names, chain, strict=True)
        ]
        least = next((n for n, one in enumerate(chain) if self.is_named(one)), len(chain) - 1)
        for n_numbered in range(len(chain) + 1):
            words = [*numbered[:n_numbered], *names[n_numbered:]]
            chains = accumulate(words, lambda inner, outer: f"{outer} > {inner}")
            for selector in islice(chains, max(least, n_numbered - 1), None):
                nodes = self._finder.select(selector)
                if node in nodes and allowed.issuperset(nodes):
                    return selector
        return " > ".join(reversed(numbered))

    def _compound(self, node: int) -> str:
        """An element by its tag and its names that are of the site."""
        tag = self._tree.tags[node].lower()
        names = [name for name in dict.fromkeys(_names(self._tree, node)) if self._is_stable(name)]
        ids = [name for name in names if name[0] == "#"]
        parts = ids[:1] or names[:_MOST_CLASSES]
        return (tag if _TAG.fullmatch(tag) else "*") + "".join(parts)

    def _is_stable(self, name: str) -> bool:
        if self._stable is not None:
            return name in self._stable
        return not any(char.isdigit() for char in name)


def _upwards(tree: PageTree, node: int) -> Iterator[int]:
    """An element and those around it, the outermost last."""
    while node >= 0:
        yield node
        node = int(tree.parent[node])


def _number(tree: PageTree, node: int) -> str:
    """Which one of its kind an element is among its siblings; the last one is that."""
    parent = int(tree.parent[node])
    if parent < 0:
        return ""
    like = [
        one
        for one in range(parent + 1, int(tree.end[parent]))
        if tree.parent[one] == parent and tree.tags[one] == tree.tags[node]
    ]
    if len(like) == 1:
        return ""
    place = like.index(node) + 1
    return ":last-of-type" if place == len(like) else f":nth-of-type({place})"
