"""Definition lists as tables: a term and what it means are an attribute and its value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quarkcrawl.content.items.model import Cell, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from quarkcrawl.content.items.options import ItemOptions
    from quarkcrawl.page import PageTree


def entries(tree: PageTree, lists: Sequence[int]) -> list[list[int]]:
    """Terms and definitions of each list, as nodes in document order.

    Args:
        tree: the page.
        lists: ``dl`` elements.
    """
    nodes = tree.nodes("dt", "dd")
    starts = np.searchsorted(nodes, lists).tolist()
    ends = np.searchsorted(nodes, tree.end[np.array(lists, np.intp)]).tolist()
    return [nodes[start:end] for start, end in zip(starts, ends, strict=True)]


def definition_lists(tree: PageTree, options: ItemOptions) -> list[int]:
    """The ``dl`` elements that hold data: short terms, each with a definition, few links.

    Args:
        tree: the page.
        options: constants.
    """
    lists = [node for node in tree.nodes("dl") if not tree.hidden[node]]
    following = [*lists, len(tree)][1:]
    lists = [node for node, after in zip(lists, following, strict=True) if after >= tree.end[node]]
    pairs = zip(lists, entries(tree, lists), strict=True)
    return [node for node, inside in pairs if _is_data(tree, node, inside, options)]


def _is_data(tree: PageTree, node: int, inside: list[int], options: ItemOptions) -> bool:
    filled = [entry for entry in inside if tree.text_chars[entry]]
    terms = [entry for entry in filled if tree.tags[entry] == "dt"]
    if len(terms) < 2 or 2 * len(terms) > len(filled) or filled[0] != terms[0]:
        return False
    n_chars = sum(int(tree.text_chars[term]) for term in terms)
    if n_chars > options.max_term_chars * len(terms):
        return False
    linked = sum(bool(tree.anchor_chars[entry]) for entry in filled)
    tags = tree.tags[node : int(tree.end[node])]
    return linked <= options.max_linked_cells * len(filled) and "img" not in tags


def read_definitions(
    tree: PageTree, node: int, inside: Sequence[int], texts: Mapping[int, str]
) -> Table:
    """Read one list: a row for each definition, its term in front of the first.

    Args:
        tree: the page.
        node: the ``dl`` element.
        inside: its terms and definitions.
        texts: text of each of them by its node.
    """
    groups: list[list[int]] = []
    for entry in filter(texts.get, inside):
        if tree.tags[entry] == "dt" or not groups:
            groups.append([])
        groups[-1].append(entry)
    rows: list[tuple[Cell, ...]] = []
    for term, *definitions in groups:
        first = len(rows)
        head = Cell(texts[term], is_header=True, row=first, row_span=max(1, len(definitions)))
        cells = [Cell(texts[entry], row=first + n, column=1) for n, entry in enumerate(definitions)]
        rows += [(head, *cells[:1]), *((cell,) for cell in cells[1:])]
    return Table(tuple(rows), "", node)
