"""From a topic region to its items in reading order."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from quarkcrawl.content.items.model import Item, Paragraph
from quarkcrawl.content.items.tables import entries, read_definitions, read_table
from quarkcrawl.page.tree import covered
from quarkcrawl.segment import LineReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from quarkcrawl.content.items.model import Picture, Table
    from quarkcrawl.content.items.region import TopicRegion
    from quarkcrawl.page import PageTree

    BoolArray = NDArray[np.bool_]
    Lines = list[tuple[int, str]]


def items_of(region: TopicRegion) -> list[Item]:
    """Paragraphs, tables and pictures of a region, in the order of the page.

    A picture within a line of text follows that line.

    Args:
        region: what a method of `ITEM_METHODS` found on a page.
    """
    tree = region.page.tree
    reader = LineReader(tree)
    nodes = [*region.index.table[list(region.tables)].tolist(), *region.definitions]
    in_table = covered(tree.run_start[nodes], tree.run_end[nodes], len(tree.runs))
    outside = region.runs & ~in_table
    if region.captions is not None:
        outside &= ~region.captions
    ranks = _heading_ranks(tree)
    last = len(tree)
    placed: list[tuple[int, int, Item]] = [
        (run, last, Paragraph(text, ranks[run], run)) for run, text in reader.lines(outside)
    ]
    embedded: list[Table | Picture] = [*region.pictures]
    if nodes:
        lines = reader.lines(region.runs & in_table)
        embedded += _tables(region, lines) if region.tables else []
        embedded += _definitions(region, lines) if region.definitions else []
    placed += [(int(tree.run_start[item.node]), item.node, item) for item in embedded]
    placed.sort(key=lambda entry: entry[:2])
    return [item for _, _, item in placed]


def _heading_ranks(tree: PageTree) -> list[int]:
    """Rank of the heading around each run, 0 for none."""
    ranks = np.zeros(len(tree.runs), np.int8)
    for rank in range(1, 7):
        nodes = tree.places(f"h{rank}")
        ranks[covered(tree.run_start[nodes], tree.run_end[nodes], len(ranks))] = rank
    return ranks.tolist()


def _tables(region: TopicRegion, lines: Lines) -> list[Table]:
    """Tables of the region that hold text; lines outside cells are their captions."""
    index = region.index
    tables = np.array(region.tables, np.intp)
    cells = np.flatnonzero(np.isin(index.cell_table, tables))
    texts = _by_element(region.page.tree, index.cell[cells], lines)
    joined = {cells[place]: text for place, text in enumerate(texts) if text}
    captions = _captions(region, lines)
    read_tables = [read_table(index, table, joined, captions[table]) for table in region.tables]
    return [table for table in read_tables if table.text]


def _captions(region: TopicRegion, lines: Lines) -> defaultdict[int, str]:
    """Text of each table's own ``caption``."""
    tree, index = region.page.tree, region.index
    nodes = [node for node in tree.nodes("caption") if index.node_table[node] >= 0]
    captions: defaultdict[int, str] = defaultdict(str)
    if nodes:
        for node, text in zip(nodes, _by_element(tree, np.array(nodes), lines), strict=True):
            captions[int(index.node_table[node])] += " ".join(text.split())
    return captions


def _definitions(region: TopicRegion, lines: Lines) -> list[Table]:
    tree = region.page.tree
    inside = entries(tree, region.definitions)
    nodes = list(chain.from_iterable(inside))
    texts = dict(zip(nodes, _by_element(tree, np.array(nodes), lines), strict=True))
    pairs = zip(region.definitions, inside, strict=True)
    definitions = [read_definitions(tree, node, own, texts) for node, own in pairs]
    return [table for table in definitions if table.rows]


def _by_element(tree: PageTree, nodes: NDArray[np.intp], lines: Lines) -> list[str]:
    """Text of each of some elements that do not nest, one line of it a line."""
    runs = np.array([run for run, _ in lines], np.intp)
    holder = np.searchsorted(tree.run_start[nodes], runs, side="right") - 1
    inside = runs < np.append(tree.run_end[nodes], 0)[holder]
    texts: list[list[str]] = [[] for _ in range(len(nodes))]
    for (_, text), place, is_inside in zip(lines, holder.tolist(), inside.tolist(), strict=True):
        if is_inside:
            texts[place].append(text)
    return ["\n".join(parts) for parts in texts]


def text_of(items: Sequence[Item]) -> str:
    """Paragraphs and tables as text, one paragraph or table row a line."""
    return "\n".join(item.text for item in items if item.kind != "picture")
