"""QuarkRecognizer (thesis, section 3.1) in compiled loops: the same blocks in half the time.

Loading the loops takes as long as a thousand pages, so array operations cut pages until
`quarkcrawl.segment.quark.use_compiled_loops` is called. Both give the same arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.kernels import compiled
from quarkcrawl.page.text import PUNCTUATION
from quarkcrawl.page.tree import CELL, LINE, PREFORMATTED, TAG_IDS, fill, tag_flags
from quarkcrawl.segment.classes import TAG_CLASSES, TagClass
from quarkcrawl.segment.lines import BLOCK_LEVEL_TAGS, CELLS, PREFORMATTED_TAGS
from quarkcrawl.segment.segmentation import Segmentation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page import Page, PageTree
    from quarkcrawl.page.tree import Structure
    from quarkcrawl.segment.quark.options import SegmentOptions

    BoolArray = NDArray[np.bool_]
    ByteArray = NDArray[np.uint8]
    IntArray = NDArray[np.int32]
    SumArray = NDArray[np.int64]
    Places = NDArray[np.intp]


_SUPER, _BIG, _LAYOUT, _CUSTOM = 1, 2, 4, 8
_BITS: Final = {TagClass.SUPER: _SUPER, TagClass.BIG: _BIG, TagClass.LAYOUT: _LAYOUT}


def _class_bits() -> ByteArray:
    """Bits of the class of each tag id."""
    found = tag_flags([])
    for kind, bit in _BITS.items():
        names = [name for name, of in TAG_CLASSES.items() if of is kind and name in TAG_IDS]
        found |= np.uint8(bit) * tag_flags(names)
    return found


_CLASS_BITS: Final = _class_bits()
_BREAKS: Final = (
    LINE * tag_flags(BLOCK_LEVEL_TAGS)
    + CELL * tag_flags(CELLS)
    + PREFORMATTED * tag_flags(PREFORMATTED_TAGS)
)


@compiled
def _asked(end: IntArray, bits: ByteArray, text_chars: SumArray) -> tuple[IntArray, IntArray]:
    """S, C and B elements with text and the root, and the one just around each, -1 for none."""
    n = len(end)
    asked, above, stack = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
    n_asked = depth = 0
    for node in range(n):
        if not text_chars[node] or (node and not bits[node] & (_SUPER | _CUSTOM | _BIG)):
            continue
        while depth and end[asked[stack[depth - 1]]] <= node:
            depth -= 1
        asked[n_asked] = node
        above[n_asked] = stack[depth - 1] if depth else -1
        stack[depth] = n_asked
        depth += 1
        n_asked += 1
    return asked[:n_asked], above[:n_asked]


@compiled
def _roots(
    end: IntArray,
    bits: ByteArray,
    hidden: ByteArray,
    text_chars: SumArray,
    ripe_chars: int,
    ripe_layout_share: float,
) -> tuple[IntArray, IntArray]:
    """Roots of the blocks in preorder, and the block just around each, -1 for none."""
    n = len(end)
    layouts, bigs = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    for node in range(n):
        shown = 1 - hidden[node]
        layouts[node + 1] = layouts[node] + (shown if bits[node] & _LAYOUT else 0)
        bigs[node + 1] = bigs[node] + (shown if bits[node] & _BIG else 0)
    asked, above = _asked(end, bits, text_chars)
    n_asked = len(asked)
    ripe = np.zeros(n_asked, np.bool_)
    less = np.zeros((n_asked + 1, 3), np.int64)  # the last row is for what is above all
    for number in range(n_asked - 1, -1, -1):
        node, around = asked[number], above[number]
        chars = text_chars[node]
        layout, big = layouts[end[node]] - layouts[node], bigs[end[node]] - bigs[node]
        rest = chars - less[number, 0]
        if rest > 0:
            own_layout = layout - less[number, 1]
            both = own_layout + big - less[number, 2]
            is_forced = node == 0 or bits[node] & (_SUPER | _CUSTOM)
            ripe[number] = is_forced or rest > ripe_chars or own_layout > ripe_layout_share * both
        if ripe[number]:
            less[around, 0] += chars
            less[around, 1] += layout
            less[around, 2] += big
        else:
            less[around] += less[number]
    nearest = np.full(n_asked + 1, -1, np.int32)
    roots, outer = np.empty(n_asked, np.int32), np.empty(n_asked, np.int32)
    n_roots = 0
    for number in range(n_asked):
        nearest[number] = nearest[above[number]]
        if ripe[number]:
            roots[n_roots], outer[n_roots] = asked[number], nearest[number]
            nearest[number] = n_roots
            n_roots += 1
    return roots[:n_roots], outer[:n_roots]


@compiled
def _innermost(starts: IntArray, ends: IntArray, above: IntArray, n_places: int) -> IntArray:
    """Number of the innermost slice at each place; see `quarkcrawl.segment.innermost`."""
    found = np.full(n_places + 1, -2, np.int32)
    found[0] = -1
    for number in range(len(starts) - 1, -1, -1):
        found[ends[number]] = above[number]
    for number in range(len(starts)):
        found[starts[number]] = number
    for place in range(1, n_places + 1):
        if found[place] == -2:
            found[place] = found[place - 1]
    return found[:n_places]


@compiled
def _in_order(run_block: IntArray, run_chars: IntArray, n_blocks: int) -> IntArray:
    """Rank of each block by its first run with a visible character."""
    rank = np.full(n_blocks + 1, -1, np.int32)  # the last entry: runs of no block stay in none
    n_ranked = 0
    for run in range(len(run_block)):
        block = run_block[run]
        if block >= 0 and run_chars[run] and rank[block] < 0:
            rank[block] = n_ranked
            n_ranked += 1
    return rank


@compiled
def _spread(
    roots: IntArray,
    above: IntArray,
    end: IntArray,
    run_start: IntArray,
    run_end: IntArray,
    run_hidden: ByteArray,
    run_chars: IntArray,
) -> tuple[Places, IntArray, IntArray]:
    """Root of each block in document order, block of each run, block of each node."""
    run_block = _innermost(run_start[roots], run_end[roots], above, len(run_chars))
    run_block[run_hidden > 0] = -1
    rank = _in_order(run_block, run_chars, len(roots))
    ranked = np.empty(len(roots), np.intp)
    for number in range(len(roots)):
        ranked[rank[number]] = roots[number]
    node_block = _innermost(roots, end[roots], above, len(end))
    return ranked, rank[run_block], rank[node_block]


@compiled
def _counts(
    run_block: IntArray,
    run_chars: IntArray,
    run_link: ByteArray,
    run_marks: IntArray,
    n_blocks: int,
) -> tuple[SumArray, SumArray, SumArray]:
    """Characters, characters in links and punctuation marks of each block."""
    chars, anchor = np.zeros(n_blocks + 1, np.int64), np.zeros(n_blocks + 1, np.int64)
    marks = np.zeros(n_blocks + 1, np.int64)
    for run in range(len(run_block)):
        block = run_block[run]  # -1 is the entry that is cut off
        chars[block] += run_chars[run]
        anchor[block] += run_chars[run] * run_link[run]
        marks[block] += run_marks[run]
    return chars[:n_blocks], anchor[:n_blocks], marks[:n_blocks]


@compiled
def _by_block(
    run_block: IntArray, run_chars: IntArray, n_blocks: int
) -> tuple[Places, Places, SumArray]:
    """Runs sorted by block, where each block's runs start, and characters before each."""
    edges = np.zeros(n_blocks + 2, np.intp)
    for block in run_block:
        edges[block + 1] += 1
    edges = edges.cumsum()
    order, places = np.empty(len(run_block), np.intp), np.zeros(n_blocks + 1, np.intp)
    places[1:] = edges[:n_blocks]
    for run in range(len(run_block)):
        slot = run_block[run] + 1
        order[places[slot]] = run
        places[slot] += 1
    upto = np.zeros(len(order) + 1, np.int64)
    for place in range(len(order)):
        upto[place + 1] = upto[place] + run_chars[order[place]]
    return order, edges[: n_blocks + 1], upto


@compiled
def _over_nodes(nodes: Places, node_block: IntArray, n_blocks: int) -> SumArray:
    """How many of these nodes each block holds."""
    found = np.zeros(n_blocks + 1, np.int64)
    for node in nodes:
        found[node_block[node]] += 1
    return found[:n_blocks]


def prepare(tree: PageTree) -> Structure | None:
    """Walk through a page beforehand, see `quarkcrawl.page.tree.fill`.

    Args:
        tree: the page.
    """
    return fill(tree, _BREAKS)


def recognize(page: Page, custom: BoolArray, options: SegmentOptions) -> Segmentation | None:
    """Cut a page; see `quarkcrawl.segment.QuarkRecognizer.recognize`.

    ``custom`` marks the nodes of class C.

    Returns:
        The blocks with most of their counts; None for a page nested too deeply, see
        `quarkcrawl.page.tree.fill`.
    """
    tree = page.tree
    walked = tree.structure or prepare(tree)
    if walked is None:
        return None
    bits = _CLASS_BITS.take(tree.tag) | (custom.view(np.uint8) * np.uint8(_CUSTOM))
    limits = options.ripe_chars, options.ripe_layout_share
    roots, above = _roots(walked.end, bits, walked.hidden, tree.text_chars, *limits)
    root, run_block, node_block = _spread(
        *(roots, above, walked.end, walked.run_start, walked.run_end, walked.run_hidden),
        tree.run_chars,
    )
    found = Segmentation(page, root, run_block, custom)
    n = len(root)
    marks = tree.run_class.count(PUNCTUATION)
    counts = _counts(run_block, tree.run_chars, walked.run_link, marks, n)
    order, edges, upto = _by_block(run_block, tree.run_chars, n)
    shown = (custom & ~tree.hidden).nonzero()[0]
    vars(found).update(
        node_block=node_block,
        n_chars=counts[0],
        n_anchor_chars=counts[1],
        n_punctuation=counts[2],
        has_custom=_over_nodes(shown, node_block, n) > 0,
        _runs=(order, edges),
        _run_chars_upto=upto,
    )
    return found
