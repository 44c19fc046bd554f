"""What a page says about its own kind, apart from its structure.

Tag, category and archive pages of a site are often the same elements; what differs is a word that
the program writes into the title (``Tag: Java | Site``) or a class name that occurs once
(``div.tag``). Both are kept beside the sequence; `quarkcrawl.template.clustering.kinds` uses them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import compress, islice
from sys import intern
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from quarkcrawl.page.tree import PageTree


_MOST_MARKS: Final = 1000
"""Pages have 82 on the average; those made to be endless keep the first."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What tells pages of equal structure apart.

    Args:
        title: the page's title.
        marks: class names (``div/3.tag``: element, depth, name) and ids (``div/3#tag``) outside
            the prose that the page has once.
        has_prose: whether there is an element that holds most of the text, see
            `quarkcrawl.template.structure.mask`.
    """

    title: str = ""
    marks: tuple[str, ...] = ()
    has_prose: bool = False

    def __reduce__(self) -> tuple[object, ...]:
        """On its way to another process as one string; equal marks are one object there."""
        return _signs, (self.title, " ".join(self.marks), self.has_prose)


NO_SIGNS = Signs()


def signs_of(tree: PageTree, prose: NDArray[np.bool_]) -> Signs:
    """Read the signs of a page.

    Args:
        tree: the page.
        prose: its prose nodes, of which nothing inside is read.
    """
    holders = np.flatnonzero(prose)
    read = np.ones(len(tree), np.bool_)
    for node in holders.tolist():
        read[node + 1 : tree.end[node]] = False
    counts = Counter(_marks(tree, read))
    once = (intern(mark) for mark, count in counts.items() if count == 1)
    return Signs(tree.title, tuple(islice(once, _MOST_MARKS)), bool(len(holders)))


def _signs(title: str, marks: str, has_prose: bool) -> Signs:  # noqa: FBT001 - pickle's arguments
    return Signs(title, tuple(map(intern, marks.split(" "))) if marks else (), has_prose)


def _marks(tree: PageTree, read: NDArray[np.bool_]) -> Iterator[str]:
    nodes = zip(tree.tags, tree.depth.tolist(), tree.all_attrs, strict=True)
    for tag, depth, attrs in compress(nodes, read.tolist()):
        for name, value in attrs:
            if value and name == "class":
                for word in value.split():
                    yield f"{tag}/{depth}.{word}"
            elif value and name == "id":
                yield f"{tag}/{depth}#{'_'.join(value.split())}"
