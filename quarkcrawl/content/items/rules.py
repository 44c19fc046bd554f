"""Our rules for the topic region: what the paper's method does, where the paper saw it fail.

==================================  ===========================================================
failure that the paper names        here
==================================  ===========================================================
topic text outside div and table    sections, articles, cells, lists … are blocks too
noise in the form of paragraphs     blocks that are called comment, related, footer … are noise
data tables full of links           typed by what data looks like, see `tables_typing`
topic pictures inside a link        stay if the link opens a picture, see `pictures_rules`
==================================  ===========================================================

The order is turned round: noise is found first, over the whole page, and weighs nothing when the
region is located. A block's weight is the number of characters outside links that stand in runs
with a comma or full stop, in long runs, or in data tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.items.ibdom import Blocks, descend, shares
from quarkcrawl.content.items.noise import NoiseFinder
from quarkcrawl.content.items.options import ItemOptions
from quarkcrawl.content.items.picture_rules import PictureReader
from quarkcrawl.content.items.region import TopicRegion, kept_nodes, kept_runs
from quarkcrawl.content.items.tables import TableIndex, data_tables, definition_lists, outermost
from quarkcrawl.page.tree import covered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page import Page, PageTree

    BoolArray = NDArray[np.bool_]
    Counts = NDArray[np.int64]
    Places = NDArray[np.intp]


_NAMES: Final = """
    div section article main aside nav header footer figure details form fieldset center
    blockquote ul ol dl table td th
"""
BLOCK_TAGS: Final = tuple(_NAMES.split())
"""Elements that are blocks, unless they belong to a data table."""

_CONTROLS: Final = ("select", "button", "textarea", "option")
_DEFAULT: Final = ItemOptions()


class TopicRules:
    """Our method.

    Args:
        options: constants.
    """

    __slots__ = ("options",)

    def __init__(self, options: ItemOptions = _DEFAULT) -> None:
        self.options = options

    def region(self, page: Page) -> TopicRegion:
        """Find the topic region of a page; never raises."""
        tree = page.tree
        index = TableIndex(tree)
        tables = outermost(index, data_tables(index, self.options))
        nodes = index.table[tables].tolist()
        blocks = Blocks(tree, block_nodes(tree, nodes))
        weight = self._weight(tree, nodes)
        rules = NoiseFinder(blocks, weight, self.options).rules(nodes)
        noise = np.array(sorted(rules), np.intp)
        weight[covered(tree.run_start[noise], tree.run_end[noise], len(weight))] = 0
        weights = blocks.over_runs(weight)
        path = descend(blocks, weights, self.options.region_share)
        root, end = int(blocks.node[path[-1]]), int(blocks.end[path[-1]])
        in_region = kept_nodes(tree, root, noise)
        reader = PictureReader(page, blocks, self.options)
        pictures = tuple(reader.read(_pictures(tree, in_region)))
        return TopicRegion(
            page=page,
            method="rules",
            root=root,
            descent=shares(blocks, weights, path),
            runs=kept_runs(tree, root, np.array([*rules, *tree.nodes(*_CONTROLS)], np.intp)),
            removed={node: rule for node, rule in rules.items() if root < node < end},
            tables=tuple(tables[in_region[nodes]].tolist()),
            pictures=pictures,
            dropped=reader.dropped,
            index=index,
            captions=_runs_of(tree, reader.captions),
            definitions=self._definitions(tree, nodes, in_region),
        )

    def _definitions(
        self, tree: PageTree, tables: list[int], in_region: BoolArray
    ) -> tuple[int, ...]:
        """Definition lists of the region outside its data tables."""
        lists = definition_lists(tree, self.options) if tree.nodes("dl") else []
        in_table = covered(tables, tree.end[tables], len(tree))
        return tuple(node for node in lists if in_region[node] and not in_table[node])

    def _weight(self, tree: PageTree, tables: list[int]) -> NDArray[np.int32]:
        """Weight of each text run."""
        counts = _runs_of(tree, tables) | (tree.run_class.stops > 0)
        counts |= tree.run_chars >= self.options.min_plain_chars
        return np.where(counts & ~tree.run_anchor, tree.run_chars, 0)


def block_nodes(tree: PageTree, tables: list[int]) -> BoolArray:
    """Which nodes are blocks: block elements outside data tables.

    Args:
        tree: the page.
        tables: the data tables.
    """
    is_block = np.zeros(len(tree), np.bool_)
    is_block[tree.places(*BLOCK_TAGS)] = True
    return is_block & ~covered(tables, tree.end[tables], len(tree))


def _pictures(tree: PageTree, in_region: BoolArray) -> list[int]:
    return [node for node in tree.nodes("img") if in_region[node] and not tree.hidden[node]]


def _runs_of(tree: PageTree, nodes: list[int]) -> BoolArray:
    return covered(tree.run_start[nodes], tree.run_end[nodes], len(tree.runs))
