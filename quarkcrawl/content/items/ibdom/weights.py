"""Information blocks and their positive and negative weights (IB-DOM paper, sections 3.3, 3.4)."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.items.ibdom.blocks import Blocks
from quarkcrawl.page.tree import covered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.content.items.tables import TableIndex

    BoolArray = NDArray[np.bool_]
    Counts = NDArray[np.int64]
    Places = NDArray[np.intp]


_NEGATIVE: Final = ("a", "iframe", "frame", "input", "form")


class BlockWeights(Blocks):
    """The information blocks of a page, ``div`` and layout tables, with their weights.

    Args:
        index: the tables of the page.
        is_data: which of them are data tables.
        heading_weight: what a heading counts.
    """

    def __init__(self, index: TableIndex, is_data: BoolArray, heading_weight: int = 2) -> None:
        self._index = index
        self._is_data = is_data
        self._heading_weight = heading_weight
        is_block = np.zeros(len(index.tree), np.bool_)
        is_block[index.tree.places("div")] = True
        is_block[index.table[~is_data]] = True
        super().__init__(index.tree, is_block)

    def _nodes(self, *tags: str) -> Places:
        """Visible elements of these names; a frame's content is hidden, the frame is not."""
        nodes = self.tree.places(*tags)
        return nodes[~self.tree.hidden[self.tree.parent[nodes]]]

    @cached_property
    def n_sentences(self) -> Counts:
        """NS: commas and full stops of the text outside data tables."""
        tree, tables = self.tree, self._index.table[self._is_data]
        in_table = covered(tree.run_start[tables], tree.run_end[tables], len(tree.runs))
        return self.over_runs(tree.run_class.stops * ~(tree.run_raw | in_table))

    @cached_property
    def n_cells(self) -> Counts:
        """NTC: cells of data tables that hold text."""
        index = self._index
        return self.n_inside(index.cell[self._is_data[index.cell_table] & (index.cell_chars > 0)])

    @cached_property
    def n_paragraphs(self) -> Counts:
        """NP: ``p`` with text and ``br`` beside text, outside data tables.

        The paper counts those "that shape paragraphs" and does not say how to tell.
        """
        tree, tables = self.tree, self._index.table[self._is_data]
        paragraphs, breaks = self._nodes("p"), self._nodes("br")
        shaping = np.zeros(len(tree), np.bool_)
        shaping[paragraphs] = tree.text_chars[paragraphs] > 0
        shaping[breaks] = tree.own_chars[tree.parent[breaks]] > 0
        return self.n_inside(
            np.flatnonzero(shaping & ~covered(tables, tree.end[tables], len(tree)))
        )

    @cached_property
    def n_headings(self) -> Counts:
        """NH: ``h1`` with text."""
        headings = self._nodes("h1")
        return self.n_inside(headings[self.tree.text_chars[headings] > 0])

    @cached_property
    def positive(self) -> Counts:
        """Positive weight without pictures (formula 1)."""
        units = self.n_sentences + self.n_cells + self.n_paragraphs
        return units + self._heading_weight * self.n_headings

    @cached_property
    def negative(self) -> Counts:
        """Negative weight: elements that lead elsewhere or ask for something."""
        return self.n_inside(self._nodes(*_NEGATIVE))

    @cached_property
    def n_text_nodes(self) -> Counts:
        """Text nodes with a visible character."""
        return self.over_runs(self.tree.run_chars > 0)
