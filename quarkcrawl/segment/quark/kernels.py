"""The compiled loops of `quarkcrawl.segment.quark.recognizer` (thesis, section 3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.kernels import compiled
from quarkcrawl.page.tree import TAG_IDS, tag_flags
from quarkcrawl.segment.classes import TAG_CLASSES, TagClass
from quarkcrawl.segment.nesting import innermost

if TYPE_CHECKING:
    from numpy.typing import NDArray

    BoolArray = NDArray[np.bool_]
    ByteArray = NDArray[np.uint8]
    IntArray = NDArray[np.int32]
    SumArray = NDArray[np.int64]
    Places = NDArray[np.intp]


_SUPER, _BIG, _LAYOUT, _CUSTOM = 1, 2, 4, 8
_BITS: Final = {TagClass.SUPER: _SUPER, TagClass.BIG: _BIG, TagClass.LAYOUT: _LAYOUT}


def _bits_of_tags() -> ByteArray:
    """Bits of the class of each tag id."""
    found = tag_flags([])
    for kind, bit in _BITS.items():
        names = [name for name, of in TAG_CLASSES.items() if of is kind and name in TAG_IDS]
        found |= np.uint8(bit) * tag_flags(names)
    return found


_CLASS_BITS: Final = _bits_of_tags()


def class_bits(tag: NDArray[np.int16], custom: BoolArray) -> ByteArray:
    """Bits of the classes of each node."""
    bits: ByteArray = _CLASS_BITS.take(tag) | (custom.view(np.uint8) * np.uint8(_CUSTOM))
    return bits


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
def block_roots(
    end: IntArray,
    bits: ByteArray,
    hidden: BoolArray,
    text_chars: SumArray,
    ripe_chars: int,
    ripe_layout_share: float,
) -> IntArray:
    """Roots of the blocks in preorder."""
    n = len(end)
    layouts, bigs = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    for node in range(n):
        shown = not hidden[node]
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
    return asked[ripe]


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
def spread(
    roots: IntArray,
    run_start: IntArray,
    run_end: IntArray,
    run_hidden: BoolArray,
    run_chars: IntArray,
) -> tuple[Places, IntArray]:
    """Root of each block in document order, and block of each run."""
    run_block = innermost(run_start[roots], run_end[roots], len(run_chars))
    run_block[run_hidden] = -1
    rank = _in_order(run_block, run_chars, len(roots))
    ranked = np.empty(len(roots), np.intp)
    for number in range(len(roots)):
        ranked[rank[number]] = roots[number]
    return ranked, rank[run_block]
