"""From a topic region to its items in reading order."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from quarkcrawl.content.items_model import Item, Paragraph
from quarkcrawl.content.tables_read import read_table
from quarkcrawl.page.tree import covered
from quarkcrawl.segment.lines import LineReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from quarkcrawl.content.items_model import Picture, Table
    from quarkcrawl.content.items_region import TopicRegion
    from quarkcrawl.page import PageTree

    BoolArray = NDArray[np.bool_]
    Lines = list[tuple[int, str]]

__all__ = ["items_of", "text_of"]


def items_of(region: TopicRegion) -> list[Item]:
    """Paragraphs, tables and pictures of a region, in the order of the page.

    A picture within a line of text follows that line.

    Args:
        region: the region.
    """
    tree = region.page.tree
    reader = LineReader(tree)
    nodes = region.index.table[list(region.tables)]
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
    if region.tables:
        embedded += _tables(region, reader.lines(region.runs & in_table))
    placed += [(int(tree.run_start[item.node]), item.node, item) for item in embedded]
    placed.sort(key=lambda entry: entry[:2])
    return [item for _, _, item in placed]


def _heading_ranks(tree: PageTree) -> list[int]:
    """Rank of the heading around each run, 0 for none."""
    ranks = np.zeros(len(tree.runs), np.int8)
    for rank in range(1, 7):
        for node in tree.nodes(f"h{rank}"):
            ranks[tree.run_start[node] : tree.run_end[node]] = rank
    return ranks.tolist()


def _tables(region: TopicRegion, lines: Lines) -> list[Table]:
    """Tables of the region that hold text; lines outside cells are their captions."""
    tree, index = region.page.tree, region.index
    tables = np.array(region.tables, np.intp)
    cells = np.flatnonzero(np.isin(index.cell_table, tables))
    runs = np.array([run for run, _ in lines], np.intp)
    table_of = np.searchsorted(tree.run_start[index.table[tables]], runs, side="right") - 1
    cell_of = np.searchsorted(tree.run_start[index.cell[cells]], runs, side="right") - 1
    outside = runs >= np.append(tree.run_end[index.cell[cells]], 0)[cell_of]
    captions: defaultdict[int, list[str]] = defaultdict(list)
    texts: defaultdict[int, list[str]] = defaultdict(list)
    owners = zip(tables[table_of].tolist(), cell_of.tolist(), outside.tolist(), strict=True)
    for (_, text), (table, cell, is_caption) in zip(lines, owners, strict=True):
        (captions[table] if is_caption else texts[int(cells[cell])]).append(text)
    joined = {cell: "\n".join(parts) for cell, parts in texts.items()}
    found = [read_table(index, table, joined, " ".join(captions[table])) for table in region.tables]
    return [table for table in found if table.text]


def text_of(items: Sequence[Item]) -> str:
    """Paragraphs and tables as text, one paragraph or table row a line.

    Args:
        items: the items.
    """
    return "\n".join(item.text for item in items if item.kind != "picture")
