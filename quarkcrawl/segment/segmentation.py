"""The blocks of a page as arrays, one entry a block, and one block as a view of a row of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal, overload

import numpy as np

from quarkcrawl.page.tree import prefix_sums
from quarkcrawl.segment.classes import TagClass, tag_class
from quarkcrawl.segment.lines import LineReader
from quarkcrawl.segment.loops import (
    add_by_block,
    count_in_blocks,
    mark_custom,
    sort_by_block,
    spread_blocks,
)
from quarkcrawl.segment.markup import markup
from quarkcrawl.segment.show import BlockRow, blocks_html
from quarkcrawl.segment.spans import block_spans

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page import Page, PageTree
    from quarkcrawl.segment.spans import BlockSpans, Span

    Counts = NDArray[np.int64]
    BoolArray = NDArray[np.bool_]


Kind = Literal["content", "post", "comment", "rel_link", "noise"]
"""What a block is for the reader of the page."""

CONTENT_KINDS: Final = frozenset[Kind | None](("content", "post"))
"""Kinds of blocks that belong to the content: the posts of a thread are what it says."""


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a page; everything but its number is looked up when asked for.

    Args:
        segmentation: the blocks of the page.
        number: place of this block among them, in document order.
    """

    segmentation: Segmentation
    number: int

    @property
    def root(self) -> int:
        """Number of the root node in ``page.tree``."""
        return int(self.segmentation.root[self.number])

    @property
    def tag(self) -> str:
        """Element name of the root."""
        return self.segmentation.tags[self.number]

    @property
    def tag_class(self) -> TagClass:
        """Class of the root: C where it was customized, else that of its name."""
        return self.segmentation.tag_classes[self.number]

    @property
    def path(self) -> str:
        """XPath of the root, such as ``/html/body/div[2]``."""
        return self.segmentation.tree.path(self.root)

    @property
    def kind(self) -> Kind | None:
        """What it is for the reader; None as long as nobody has told.

        ``"content"``; ``"post"``: content, too, text of a post of a thread; ``"comment"``: what
        readers wrote below an article; ``"rel_link"``: related links; ``"noise"``.
        """
        return self.segmentation.kinds[self.number]

    @property
    def text(self) -> str:
        """The block's own text in lines."""
        return self.segmentation.texts[self.number]

    @property
    def html(self) -> str:
        """The block's own markup, written anew: without lower blocks and hidden elements."""
        blocks, tree = self.segmentation, self.segmentation.tree
        inside = slice(self.root, tree.end[self.root])
        own = (blocks.node_block[inside] == self.number) & ~tree.hidden[inside]
        nodes = np.flatnonzero(own) + self.root
        return markup(tree, nodes.tolist(), blocks.runs_of(self.number).tolist())

    @property
    def spans(self) -> list[Span]:
        """Where the block's text stands in the source (costs a second parse of the page)."""
        return self.segmentation.spans.of(self.number)

    @property
    def n_unlocated_runs(self) -> int:
        """Visible runs of the block that are in none of its spans."""
        return int(self.segmentation.spans.n_unlocated[self.number])

    @property
    def n_chars(self) -> int:
        """Visible characters, white space not counted."""
        return int(self.segmentation.n_chars[self.number])

    @property
    def n_anchor_chars(self) -> int:
        """Visible characters in links."""
        return int(self.segmentation.n_anchor_chars[self.number])

    @property
    def n_links(self) -> int:
        """Links (``a`` elements with ``href``)."""
        return int(self.segmentation.n_links[self.number])

    @property
    def n_images(self) -> int:
        """Images."""
        return int(self.segmentation.n_images[self.number])

    @property
    def n_punctuation(self) -> int:
        """Punctuation marks."""
        return int(self.segmentation.n_punctuation[self.number])

    @property
    def has_custom(self) -> bool:
        """Whether an element of class C is in the block."""
        return bool(self.segmentation.has_custom[self.number])

    def _repr_html_(self) -> str:
        return blocks_html([_row(self)], 1)

    def __repr__(self) -> str:
        return f"<Block {self.number} {self.path} {self.n_chars} characters, kind {self.kind}>"


def _row(block: Block) -> BlockRow:
    counts = block.n_chars, block.n_anchor_chars, block.n_links
    return BlockRow(block.number, block.kind, block.path, *counts, block.text)


class Segmentation(Sequence[Block]):
    """The blocks of one page, in document order.

    Counts are taken over what belongs to the block itself and not to a block inside it. Arrays
    are computed when they are first asked for.

    Attributes:
        page: the page.
        root: root node of each block.
        run_block: block of each text run, -1 for runs in no block: text that browsers do not
            show, and white space outside all blocks.
        kinds: kind of each block, None where nobody has told.
    """

    def __init__(
        self,
        page: Page,
        root: NDArray[np.intp],
        run_block: NDArray[np.int32],
        custom: BoolArray,
        kinds: Sequence[Kind | None] | None = None,
    ) -> None:
        self.page = page
        self.root = root
        self.run_block = np.ascontiguousarray(run_block, np.int32)
        self.kinds: tuple[Kind | None, ...] = tuple(kinds or [None] * len(root))
        self._custom = custom

    @property
    def tree(self) -> PageTree:
        """The tree that was cut."""
        return self.page.tree

    def with_kinds(self, kinds: Sequence[Kind | None]) -> Segmentation:
        """The same blocks, labeled.

        Args:
            kinds: one for each block.

        Raises:
            ValueError: there are more or fewer kinds than blocks.
        """
        if len(kinds) != len(self):
            message = f"{len(kinds)} kinds for {len(self)} blocks"
            raise ValueError(message)
        twin = Segmentation(self.page, self.root, self.run_block, self._custom, kinds)
        computed = {name: value for name, value in vars(self).items() if name not in vars(twin)}
        vars(twin).update(computed)
        return twin

    # Blocks

    def __len__(self) -> int:
        return len(self.root)

    @overload
    def __getitem__(self, index: int) -> Block: ...
    @overload
    def __getitem__(self, index: slice) -> list[Block]: ...
    def __getitem__(self, index: int | slice) -> Block | list[Block]:
        numbers = range(len(self))[index]
        if isinstance(numbers, range):
            return [Block(self, number) for number in numbers]
        return Block(self, numbers)

    def _repr_html_(self) -> str:
        return blocks_html(map(_row, self), len(self))

    def __repr__(self) -> str:
        return f"<Segmentation of {self.page!r}: {len(self)} blocks>"

    @cached_property
    def tags(self) -> list[str]:
        """Element name of each root."""
        return [self.tree.tags[root] for root in self.root.tolist()]

    @cached_property
    def tag_classes(self) -> list[TagClass]:
        """Class of each root: C where it was customized, else that of its name."""
        classes = list(map(tag_class, self.tags))
        for number in self._custom[self.root].nonzero()[0].tolist():
            classes[number] = TagClass.CUSTOM
        return classes

    # Counts

    @cached_property
    def node_block(self) -> NDArray[np.int32]:
        """Block of each node: the nearest root above it, -1 outside all blocks."""
        block_of_node = np.full(len(self.tree), -1, np.int32)
        spread_blocks(self.root, self.tree.parent, block_of_node)
        return block_of_node

    def over_runs(self, values: NDArray[np.integer] | BoolArray) -> Counts:
        """Sum of a quantity of runs over the runs of each block.

        Args:
            values: one number a text run.
        """
        sums = np.zeros(len(self), np.int64)
        add_by_block(self.run_block, np.ascontiguousarray(values, np.int64), sums)
        return sums

    def runs_in(self, is_block: BoolArray) -> BoolArray:
        """Which runs stand in the wanted blocks.

        Args:
            is_block: one entry a block.
        """
        of_slot = np.zeros(len(self) + 1, np.bool_)  # the last one: runs in no block, -1
        of_slot[:-1] = is_block
        return of_slot[self.run_block]

    def over_nodes(self, nodes: list[int] | NDArray[np.integer]) -> Counts:
        """How many of these nodes each block holds.

        Args:
            nodes: numbers of nodes.
        """
        blocks = self.node_block[nodes]
        return np.bincount(blocks + 1, minlength=len(self) + 1)[1:].astype(np.int64)

    @cached_property
    def _sums(self) -> tuple[Counts, Counts, Counts]:
        """Characters, those in links and punctuation marks."""
        sums, tree = np.zeros((3, len(self)), np.int64), self.tree
        marks = tree.run_class.punctuation
        count_in_blocks(self.run_block, tree.run_chars, tree.run_anchor, marks, sums)
        return sums[0], sums[1], sums[2]

    @property
    def n_chars(self) -> Counts:
        """Visible characters that are not white space."""
        return self._sums[0]

    @property
    def n_anchor_chars(self) -> Counts:
        """Those of them that stand in links."""
        return self._sums[1]

    @property
    def n_punctuation(self) -> Counts:
        """Punctuation marks."""
        return self._sums[2]

    @cached_property
    def n_stops(self) -> Counts:
        """Commas and full stops."""
        return self.over_runs(self.tree.run_class.stops)

    @cached_property
    def n_runs(self) -> Counts:
        """Text runs with a visible character."""
        return self.over_runs(self.tree.run_chars > 0)

    @cached_property
    def n_links(self) -> Counts:
        """``a`` elements with ``href``."""
        return self.over_nodes(self.tree.link_nodes)

    @cached_property
    def link_block(self) -> NDArray[np.int32]:
        """Block that each entry of ``page.links`` stands in; -1: in no block's text."""
        tree = self.tree
        nodes = np.array(self.page.links.node, np.intp)
        first = tree.run_start[nodes]
        block = np.append(self.run_block, np.int32(-1))[np.minimum(first, len(tree.runs))]
        return np.where(first < tree.run_end[nodes], block, np.int32(-1))

    @cached_property
    def n_images(self) -> Counts:
        """``img`` elements."""
        return self.over_nodes(self.tree.places("img"))

    @cached_property
    def n_nodes(self) -> Counts:
        """Elements of the block, its root among them."""
        return self.over_nodes(np.arange(len(self.tree)))

    @cached_property
    def has_custom(self) -> BoolArray:
        """Blocks with an element of class C that browsers show (``title`` is not shown)."""
        is_custom = np.zeros(len(self), np.bool_)
        mark_custom(self._custom, self.tree.hidden, self.node_block, is_custom)
        return is_custom

    # Text and source

    @cached_property
    def _runs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Runs sorted by block, and where each block's runs start; those of none come first."""
        order, edges = np.empty(len(self.run_block), np.intp), np.zeros(len(self) + 2, np.intp)
        sort_by_block(self.run_block, edges, order)
        return order, edges[1:]

    def runs_of(self, number: int) -> NDArray[np.intp]:
        """The text runs of one block, white space among them.

        Args:
            number: number of the block.
        """
        order, edges = self._runs
        return order[edges[number] : edges[number + 1]]

    def first_texts(self, numbers: Sequence[int], n_chars: int) -> list[str]:
        """First lines of some blocks, for what looks at no more than the beginning of each.

        Args:
            numbers: the blocks.
            n_chars: each text is given as far as this many visible characters at least.
        """
        block_numbers = np.array(numbers, np.intp)
        return self.line_reader.first_texts(
            self._runs, self._run_chars_upto, block_numbers, n_chars
        )

    def first_lines(
        self, numbers: NDArray[np.intp], n_chars: int
    ) -> tuple[list[str], NDArray[np.intp]]:
        """First line of some blocks, for what reads headings: a third of `first_texts`.

        Args:
            numbers: the blocks.
            n_chars: each line is given as far as this many visible characters at least.

        Returns:
            The lines, and the run that each begins with.
        """
        return self.line_reader.first_lines(self._runs, self._run_chars_upto, numbers, n_chars)

    @cached_property
    def _run_chars_upto(self) -> Counts:
        """Visible characters before each of the runs sorted by block."""
        return prefix_sums(self.tree.run_chars[self._runs[0]])

    @cached_property
    def texts(self) -> list[str]:
        """Text of every block."""
        order, edges = self._runs
        first = edges[0]
        return self.line_reader.texts_of(order[first:], edges - first)

    @cached_property
    def line_reader(self) -> LineReader:
        """Reads runs of this page as lines."""
        return LineReader(self.tree)

    @cached_property
    def spans(self) -> BlockSpans:
        """Where the blocks stand in the source (costs a second parse)."""
        return block_spans(self.page, self.run_block, len(self))
