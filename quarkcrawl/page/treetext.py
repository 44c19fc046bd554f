"""Text of a tree that is asked for several places at once, and its title."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quarkcrawl.page.nodearrays import covered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page.tree import PageTree

    Places = NDArray[np.intp]

__all__ = ["inked_before", "texts_of", "title_of"]


def texts_of(tree: PageTree, nodes: Places) -> list[str]:
    """`PageTree.text` of several subtrees, without asking run by run.

    Args:
        tree: the page.
        nodes: numbers of their roots.
    """
    if not tree.run_class.is_exact:
        return list(map(tree.text, nodes.tolist()))
    return tree.run_class.texts(tree.run_start[nodes], tree.run_end[nodes])


def inked_before(tree: PageTree, runs: Places) -> Places:
    """The last run with a visible character before each of some runs, -1 for none.

    Args:
        tree: the page.
        runs: numbers of the runs.
    """
    if tree.folding is not None:
        return tree.folding.inked_before(runs)
    inked = tree.run_chars.nonzero()[0]
    return np.append(inked, -1)[inked.searchsorted(runs) - 1]


def title_of(tree: PageTree) -> str:
    """Text of the first ``title`` element outside pictures, white space folded.

    Args:
        tree: the page.
    """
    titles, pictures = tree.places("title"), tree.places("svg")
    if len(titles) and len(pictures) and pictures[0] < titles[0]:
        titles = titles[~covered(pictures, tree.end[pictures], len(tree))[titles]]
    return " ".join("".join(_runs_inside(tree, int(titles[0]))).split()) if len(titles) else ""


def _runs_inside(tree: PageTree, node: int) -> list[str]:
    """Runs of a subtree; for a childless node without what `end` costs for the whole page."""
    mark = int((tree.marks >= 0).nonzero()[0][node])  # a start is not negative
    first, after = tree.marks[mark], tree.marks[mark + 1]
    return tree.runs[first : ~after if after < 0 else tree.run_end[node]]
