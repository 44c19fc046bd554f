"""VIPS: blocks as a reader sees them (Cai, Yu, Wen and Ma, MSR-TR-2003-79; thesis 2.2).

Three steps are repeated. Rules cut the DOM tree into a pool of visual blocks (`vipsblocks`).
Separators between these are found and weighted (`vipsseparators`). The content structure is built
from them: the report merges blocks over the weakest separators first, and gives each merged block
a degree of coherence by its strongest; read from the top, that is to part the blocks at the
strongest separators first, which is what is done here, for as long as a block is less coherent
than permitted (PDoC). A visual block that is still too incoherent goes back to the first step.

The report is of 2003, when pages were tables. ``rules="quarkcrawl"`` differs in three points: a
node with a ground of its own is set apart whatever its tag (rule 8 for all, rule 7 for none);
cells are treated as other containers are (rule 12 for 11 and 13); and a node without a ground of
its own is as large as what is drawn in it, so that paddings count as distances.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.errors import InputError
from quarkcrawl.segment.segmentation import Segmentation
from quarkcrawl.segment.vips.blocks import ExtractionRound
from quarkcrawl.segment.vips.options import VipsOptions
from quarkcrawl.segment.vips.separators import PlacedBlock, Separator, find_separators
from quarkcrawl.segment.vips.view import Box, VisualPage, around

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from quarkcrawl.page import Page, PageTree
    from quarkcrawl.segment.vips.blocks import Pooled


_DEFAULT: Final = VipsOptions()
_ALIKE: Final = 1.0
"""Separators whose weights differ by less part blocks at the same time."""

_MAX_LEVELS: Final = 100
"""Blocks this deep in the structure are not parted: no reader sees that many levels."""


@dataclass(frozen=True, slots=True)
class VisualBlock:
    """A node of the content structure.

    Args:
        items: nodes and (as complements) runs that it is made of.
        box: where it is.
        doc: degree of coherence, 1 to 10.
        separators: what parts its children; none for a leaf.
        children: its parts.
    """

    items: tuple[int, ...]
    box: Box
    doc: int
    separators: tuple[Separator, ...] = ()
    children: tuple[VisualBlock, ...] = ()

    def leaves(self) -> list[VisualBlock]:
        """The blocks that are not parted any more, in order."""
        leaf_blocks: list[VisualBlock] = []
        waiting = [self]
        while waiting:
            block = waiting.pop()
            if block.children:
                waiting += reversed(block.children)
            else:
                leaf_blocks.append(block)
        return leaf_blocks


class VisualSegmentation(Segmentation):
    """The visual blocks of a page: sets of neighboring subtrees, so that roots do not tell them.

    Attributes:
        structure: the content structure; None for a page on which nothing is drawn.
    """

    def __init__(
        self,
        page: Page,
        root: NDArray[np.intp],
        run_block: NDArray[np.int32],
        node_block: NDArray[np.int32],
        structure: VisualBlock | None,
    ) -> None:
        super().__init__(page, root, run_block, np.zeros(len(page.tree), np.bool_))
        # In place of the computed one, which goes by the nesting of roots.
        vars(self)["node_block"] = node_block
        self.structure = structure


class VipsSegmenter:
    """Cuts rendered pages into visual blocks.

    Args:
        options: permitted degree of coherence, thresholds, whose rules.
    """

    __slots__ = ("options",)

    def __init__(self, options: VipsOptions = _DEFAULT) -> None:
        self.options = options

    def segment(self, page: Page) -> VisualSegmentation:
        """Cut a page.

        Args:
            page: a page with its layout, see `quarkcrawl.render`.

        Returns:
            The blocks with visible text, in document order.

        Raises:
            InputError: the page was not rendered.
        """
        structure = self.structure(page)
        blocks = [] if structure is None else structure.leaves()
        return _segmentation(page, blocks, structure)

    def structure(self, page: Page) -> VisualBlock | None:
        """The content structure of a page, None if nothing is drawn on it.

        Args:
            page: a page with its layout.

        Raises:
            InputError: the page was not rendered.
        """
        if page.layout is None:
            message = "visual blocks need a rendered page (quarkcrawl.render)"
            raise InputError(message, where=page.url or None)
        view = VisualPage(page.tree, page.layout, ink=self.options.rules == "quarkcrawl")
        if not view.children[0]:
            return None
        return _Building(view, self.options).build((0,), view.box(0), 1, self.options.max_rounds)


class _Building:
    """Builds the content structure of one page."""

    def __init__(self, view: VisualPage, options: VipsOptions) -> None:
        self._view = view
        self._options = options
        self._limit = 10 - options.pdoc

    def build(
        self,
        items: tuple[int, ...],
        box: Box,
        doc: int,
        rounds: int,
        levels: int = _MAX_LEVELS,
    ) -> VisualBlock:
        """One round: the structure of the blocks in some items, those parted again that must be.

        Args:
            items: nodes and runs.
            box: around them.
            doc: their degree of coherence if they are not parted.
            rounds: rounds that are left, this one counted.
            levels: levels of the structure that are left.
        """
        extraction = ExtractionRound(self._view, self._options, box.area, len(items) == 1)
        pool = extraction.pool(items)
        if not pool or (len(pool) == 1 and pool[0].item == items[0]):
            return VisualBlock(items, box, pool[0].doc if pool else doc)
        return self._part(pool, rounds - 1, levels)

    def _part(self, pool: Sequence[Pooled], rounds: int, levels: int) -> VisualBlock:
        """Part blocks at their strongest separators until each group is coherent enough."""
        if len(pool) == 1:
            return self._leaf(pool[0], rounds, levels)
        placed = [self._placed(block.item) for block in pool]
        separators = self._separators(placed)
        strongest = max((s.weight for s in separators), default=0.0)
        # The strongest alone: once they part the blocks, others come to light, such as those
        # between columns below a heading, which may be stronger than the rest.
        strong = [s for s in separators if s.weight > max(self._limit, strongest - _ALIKE)]
        groups = _between(pool, placed, strong) if strong else self._coherent(pool, rounds)
        items, box = tuple(block.item for block in pool), around([one.box for one in placed])
        doc = max(1, round(10 - strongest)) if separators else min(block.doc for block in pool)
        if len(groups) == 1 or not levels:
            return VisualBlock(items, box, doc)
        parts = tuple(self._part(group, rounds, levels - 1) for group in groups)
        return VisualBlock(items, box, doc, tuple(strong), parts)

    def _coherent(self, pool: Sequence[Pooled], rounds: int) -> list[list[Pooled]]:
        """Neighbours that belong together; blocks that must be divided stand alone."""
        groups: list[list[Pooled]] = []
        was_alone = True
        for block in pool:
            is_alone = bool(rounds) and block.doc < self._options.pdoc and not block.is_final
            if is_alone or was_alone:
                groups.append([])
            groups[-1].append(block)
            was_alone = is_alone
        return groups

    def _leaf(self, block: Pooled, rounds: int, levels: int) -> VisualBlock:
        items, box = (block.item,), self._view.box(block.item)
        if block.doc >= self._options.pdoc or block.is_final or not rounds:
            return VisualBlock(items, box, block.doc)
        return self.build(items, box, block.doc, rounds, levels)

    def _placed(self, item: int) -> PlacedBlock:
        view = self._view
        is_text = item < 0 or not view.is_replaced(item)
        return PlacedBlock(view.box(item), view.look(item), is_text, view.ground_around(item))

    def _separators(self, placed: Sequence[PlacedBlock]) -> list[Separator]:
        """The separators of the direction that has the strongest."""
        rules = self._view.rules
        both = [find_separators(placed, axis, rules) for axis in ("horizontal", "vertical")]
        return max(both, key=lambda separators: max((s.weight for s in separators), default=-1.0))


def _between(
    pool: Sequence[Pooled], placed: Sequence[PlacedBlock], strong: Sequence[Separator]
) -> list[list[Pooled]]:
    """The blocks between separators of one direction."""
    low = 1 if strong[0].axis == "horizontal" else 0
    middles = np.array([(s.start + s.end) / 2 for s in strong])
    centers = np.array([(block.box[low] + block.box[low + 2]) / 2 for block in placed])
    groups: dict[int, list[Pooled]] = {}
    for block, number in zip(pool, np.searchsorted(middles, centers).tolist(), strict=True):
        groups.setdefault(number, []).append(block)
    return [groups[number] for number in sorted(groups)]


def _segmentation(
    page: Page, blocks: Sequence[VisualBlock], structure: VisualBlock | None
) -> VisualSegmentation:
    """Blocks as arrays; those without visible text are left out."""
    tree = page.tree
    run_block = np.full(len(tree.runs), -1, np.int32)
    node_block = np.full(len(tree), -1, np.int32)
    roots: list[int] = []
    order = sorted(blocks, key=lambda block: _first_run(tree, block.items))
    for block in order:
        runs = _runs_of(tree, block.items)
        if not tree.run_chars[runs].any():
            continue
        run_block[runs] = len(roots)
        for item in block.items:
            if item >= 0:
                node_block[item : tree.end[item]] = len(roots)
        roots.append(_common_root(tree, block.items))
    _adopt(tree, run_block)
    run_block[tree.run_raw] = -1
    return VisualSegmentation(page, np.array(roots, np.intp), run_block, node_block, structure)


def _runs_of(tree: PageTree, items: Sequence[int]) -> NDArray[np.intp]:
    pieces = [
        np.arange(~item, ~item + 1)
        if item < 0
        else np.arange(int(tree.run_start[item]), int(tree.run_end[item]))
        for item in items
    ]
    return np.concatenate(pieces).astype(np.intp)


def _first_run(tree: PageTree, items: Sequence[int]) -> int:
    return min(~item if item < 0 else int(tree.run_start[item]) for item in items)


def _common_root(tree: PageTree, items: Sequence[int]) -> int:
    """The lowest node around all items."""
    holders = [int(tree.run_node[~item]) if item < 0 else item for item in items]
    root, last = min(holders), max(holders)
    while not root <= last < tree.end[root]:
        root = int(tree.parent[root])
    return root


def _adopt(tree: PageTree, run_block: NDArray[np.int32]) -> None:
    """Give text that the browser does not show to the block before it: no character is lost."""
    lost = (run_block < 0) & ~tree.run_raw
    if not lost.any() or not (run_block >= 0).any():
        return
    placed_runs = np.flatnonzero(run_block >= 0)
    near = np.maximum(np.searchsorted(placed_runs, np.flatnonzero(lost), side="right") - 1, 0)
    run_block[lost] = run_block[placed_runs[near]]
