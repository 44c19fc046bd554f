"""The simplified tree of a page: what remains of it under a `TagPolicy` (thesis of 2013, 2.2.2).

Elements are numbered in preorder; an element's text belongs to the innermost element that
remains around it.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.page.tree import TAG_IDS, TAG_NAMES
from quarkcrawl.template.structure.loops import keep_elements
from quarkcrawl.template.structure.policy import DEFAULT_POLICY

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page.tree import PageTree
    from quarkcrawl.template.structure.policy import TagPolicy

    IntArray = NDArray[np.int32]


CODE_BITS: Final = 21
"""Bits of a token that say which element; those above say at which depth."""

_N_KNOWN: Final = len(TAG_NAMES)


@dataclass(frozen=True, slots=True, eq=False)
class Skeleton:
    """A simplified tree.

    Args:
        node: number of each element in the page's tree.
        code: element name as a number, the same on all pages.
        depth: number of ancestors that remain.
        parent: number of the parent, -1 for none.
        end: one past the last element of each subtree.
        owner: for each node of the page's tree the innermost element that remains around it,
            -1 for none.
        names: names of codes that `quarkcrawl.page.tree.TAG_NAMES` does not have.
    """

    node: IntArray
    code: IntArray
    depth: IntArray
    parent: IntArray
    end: IntArray
    owner: IntArray
    names: dict[int, str]

    def __len__(self) -> int:
        return len(self.node)

    @property
    def tokens(self) -> IntArray:
        """Name and depth of each element in one number."""
        return (self.depth << CODE_BITS) | self.code


def simplify(
    tree: PageTree, policy: TagPolicy = DEFAULT_POLICY, opaque: NDArray[np.bool_] | None = None
) -> Skeleton:
    """Reduce a page to the elements that make its structure.

    Args:
        tree: the page.
        policy: what is removed.
        opaque: nodes whose content is hidden: the element stays, all in it goes.
    """
    codes, names = _codes(tree)
    action_of_code = policy.actions()
    actions = action_of_code[np.minimum(codes, _N_KNOWN - 1)]
    actions[codes >= _N_KNOWN] = 0
    is_opaque = np.zeros(len(tree), np.bool_) if opaque is None else opaque
    owner = np.full(len(tree), -1, np.int32)
    elements = np.empty((4, len(tree)), np.int32)
    n_kept = keep_elements(actions, is_opaque, tree.parent, tree.end, owner, elements)
    node, depth, parent, end = elements[:, :n_kept].copy()
    return Skeleton(node, codes[node], depth, parent, end, owner, names)


def tag_name(code: int, names: dict[int, str]) -> str:
    """Element name of a code."""
    return TAG_NAMES[code] if code < _N_KNOWN else names.get(code, "?")


def code_of(name: str) -> int:
    """Code of an element name; those of unusual names are hashed."""
    code = TAG_IDS.get(name)
    if code is not None:
        return code
    return _N_KNOWN + zlib.crc32(name.encode()) % ((1 << CODE_BITS) - _N_KNOWN)


def _codes(tree: PageTree) -> tuple[IntArray, dict[int, str]]:
    """Codes of a page's nodes; ids of unusual names hold for one page only, so these are hashed."""
    codes = tree.tag.astype(np.int32)
    names: dict[int, str] = {}
    for node in np.flatnonzero(codes >= _N_KNOWN).tolist():
        name = tree.tags[node]
        codes[node] = code = code_of(name)
        names[code] = name
    return codes, names
