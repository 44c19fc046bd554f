"""The topic region of a page whose content another method has chosen run by run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.items.ibdom import Blocks
from quarkcrawl.content.items.noise import NoiseFinder
from quarkcrawl.content.items.options import ItemOptions
from quarkcrawl.content.items.picture_rules import PictureReader
from quarkcrawl.content.items.region import TopicRegion, kept_nodes
from quarkcrawl.content.items.rules import block_nodes
from quarkcrawl.content.items.tables import TableIndex, data_tables, outermost
from quarkcrawl.page.tree import prefix_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page import Page, PageTree

    BoolArray = NDArray[np.bool_]
    Places = NDArray[np.intp]


_DEFAULT: Final = ItemOptions()


def region_of_runs(
    page: Page, runs: BoolArray, method: str, options: ItemOptions = _DEFAULT
) -> TopicRegion:
    """Put tables and pictures to text that was found elsewhere.

    Data tables with at least half of their text among the content come whole. Pictures are those
    that our rules keep in the lowest element around all content.

    Args:
        page: the page whose text runs ``runs`` marks.
        runs: which text runs are content.
        method: name of the method that found them.
        options: limits for tables and pictures.
    """
    tree = page.tree
    index = TableIndex(tree)
    weight = np.where(runs, tree.run_chars, 0)
    root = _around(tree, weight)
    places = outermost(index, data_tables(index, options))
    nodes = index.table[places]
    places = places[_mostly_content(tree, nodes, weight)]
    nodes = index.table[places].tolist()
    blocks = Blocks(tree, block_nodes(tree, nodes))
    rules = NoiseFinder(blocks, weight, options).rules(nodes)
    in_region = kept_nodes(tree, root, np.array(sorted(rules), np.intp))
    reader = PictureReader(page, blocks, options)
    is_found = weight.any()
    images = [node for node in tree.nodes("img") if is_found and in_region[node]]
    pictures = tuple(reader.read([node for node in images if not tree.hidden[node]]))
    content = runs & ~tree.run_raw
    for node in nodes:
        table = slice(tree.run_start[node], tree.run_end[node])
        content[table] = ~tree.run_raw[table]
    return TopicRegion(
        page=page,
        method=method,
        root=root,
        descent=((root, 1.0),),
        runs=content,
        removed={},
        tables=tuple(places.tolist()),
        pictures=pictures,
        dropped=reader.dropped,
        index=index,
    )


def _around(tree: PageTree, weight: NDArray[np.integer]) -> int:
    """The lowest element around all runs that weigh something."""
    weighty = np.flatnonzero(weight)
    if not len(weighty):
        return 0
    holds = (tree.run_start <= weighty[0]) & (tree.run_end > weighty[-1])
    return int(np.flatnonzero(holds)[-1])


def _mostly_content(tree: PageTree, tables: Places, weight: NDArray[np.integer]) -> BoolArray:
    total = prefix_sums(weight)
    inside = total[tree.run_end[tables]] - total[tree.run_start[tables]]
    return (2 * inside >= tree.text_chars[tables]) & (inside > 0)
