"""A page as the sequence of its elements with their depths, repeated records merged."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from quarkcrawl.template.structure.mask import prose_nodes
from quarkcrawl.template.structure.policy import DEFAULT_POLICY
from quarkcrawl.template.structure.repeats import repeats_of
from quarkcrawl.template.structure.signs import NO_SIGNS, Signs, signs_of
from quarkcrawl.template.structure.skeleton import CODE_BITS, simplify, tag_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page import Page
    from quarkcrawl.template.structure.policy import TagPolicy
    from quarkcrawl.template.structure.repeats import Merged, Repeats
    from quarkcrawl.template.structure.skeleton import Skeleton

    IntArray = NDArray[np.int32]
    BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class SequenceOptions:
    """How a page becomes a sequence.

    Args:
        policy: which elements count.
        repeats: how repeated records are found.
        mask_prose: hide what is inside the element that holds the prose of the page: what an
            author writes there is not the template's doing.
        signs: also read what tells pages of equal structure apart.
    """

    policy: TagPolicy = field(default=DEFAULT_POLICY)
    repeats: Repeats = "all"
    mask_prose: bool = True
    signs: bool = True


@dataclass(frozen=True, eq=False)
class TagSequence:
    """Elements in preorder.

    Args:
        tokens: name and depth of each in one number; equal tokens are equal elements.
        repeated: which stand for several records.
        names: names of unusual elements by code.
        signs: what else tells pages apart; no part of what is compared.
    """

    tokens: IntArray
    repeated: BoolArray
    names: dict[int, str] = field(default_factory=dict)
    signs: Signs = NO_SIGNS

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def depths(self) -> IntArray:
        """Depth of each element."""
        return self.tokens >> CODE_BITS

    @property
    def tags(self) -> list[str]:
        """Name of each element."""
        codes = self.tokens & ((1 << CODE_BITS) - 1)
        return [tag_name(code, self.names) for code in codes.tolist()]

    @cached_property
    def digest(self) -> bytes:
        """16 bytes that equal sequences share, whatever is flagged as repeated."""
        return blake2b(self.tokens.tobytes(), digest_size=16).digest()

    def __str__(self) -> str:
        pairs = zip(self.tags, self.depths.tolist(), self.repeated.tolist(), strict=True)
        return " ".join(f"{tag}{depth}{'+' if again else ''}" for tag, depth, again in pairs)


@dataclass(frozen=True, eq=False)
class PageSequence:
    """A sequence with the way back to the page.

    Args:
        page: the page that nodes and text runs are of.
        skeleton: its simplified tree.
        merged: what became of its repeats.
        sequence: the result.
    """

    page: Page
    skeleton: Skeleton
    merged: Merged
    sequence: TagSequence

    @cached_property
    def _groups(self) -> tuple[IntArray, IntArray]:
        """Elements sorted by what stands for them, and where each group begins."""
        order = np.argsort(self.merged.stands_for, kind="stable").astype(np.int32)
        begins = np.searchsorted(
            self.merged.stands_for[order], np.arange(len(self.merged.elements) + 1)
        )
        return order, begins.astype(np.int32)

    def nodes(self, position: int) -> list[int]:
        """Nodes of the page's tree that an element of the sequence stands for.

        Args:
            position: index in the sequence.
        """
        order, begins = self._groups
        members = order[begins[position] : begins[position + 1]]
        return [int(node) for node in self.skeleton.node[members]]

    @cached_property
    def run_position(self) -> IntArray:
        """For each text run the element of the sequence whose own text it is; -1 for none."""
        tree = self.page.tree
        owner = self.skeleton.owner[tree.run_node]
        has_place = (owner >= 0) & ~tree.run_raw
        place = np.append(self.merged.stands_for, np.int32(-1))
        return np.where(has_place, place[owner], -1).astype(np.int32)


def sequence_of_page(page: Page, options: SequenceOptions | None = None) -> PageSequence:
    """Simplify a page, merge its repeats and keep the way back.

    Args:
        page: any page; the result holds it.
        options: what is left out, hidden and merged; None for the defaults.
    """
    how = options or SequenceOptions()
    prose = prose_nodes(page.tree)
    skeleton = simplify(page.tree, how.policy, prose if how.mask_prose else None)
    merged = repeats_of(skeleton, how.repeats)
    signs = signs_of(page.tree, prose) if how.signs else NO_SIGNS
    sequence = TagSequence(skeleton.tokens[merged.elements], merged.repeated, skeleton.names, signs)
    return PageSequence(page, skeleton, merged, sequence)
