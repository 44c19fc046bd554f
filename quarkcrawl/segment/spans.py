"""Where blocks stand in the source: their runs, neighbors joined over markup of their own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page import Page

    Places = NDArray[np.int64]


_NO_TEXT: Final = re.compile(
    r"""(?>(?:
        \s+
      | <!--.*?-->
      | <script\b[^<>]*>\s*</script\s*>
      | <iframe\b[^<>]*>\s*</iframe\s*>
      | </?(?!(?:script|style|iframe|noembed|noframes|xmp|plaintext|title|textarea|template)\b)
        [a-zA-Z][^<>]*>
      | &(?:nbsp|ensp|emsp|\#160|\#12288|\#x(?:a0|3000));?
    )*)""",
    re.DOTALL | re.IGNORECASE | re.VERBOSE,
)
"""Tags, comments and white space; no element whose content is read otherwise. What cannot be told
to be that joins nothing."""


class Span(NamedTuple):
    """A piece of the source.

    Args:
        start: first character in ``page.html``.
        end: one past its last character.
        byte_start: first byte in ``page.body``; -1 where the encoding does not tell.
        byte_end: one past its last byte.
    """

    start: int
    end: int
    byte_start: int
    byte_end: int


@dataclass(frozen=True, slots=True, eq=False)
class BlockSpans:
    """The spans of all blocks, sorted by block, then place.

    Args:
        block: block of each span.
        start: first character of each span.
        end: one past its last character.
        byte_start: first byte of each span.
        byte_end: one past its last byte.
        n_unlocated: visible runs of each block whose place is not known.
    """

    block: Places
    start: Places
    end: Places
    byte_start: Places
    byte_end: Places
    n_unlocated: Places

    def of(self, number: int) -> list[Span]:
        """Spans of one block.

        Args:
            number: number of the block.
        """
        first, last = np.searchsorted(self.block, [number, number + 1]).tolist()
        columns = (self.start, self.end, self.byte_start, self.byte_end)
        rows = zip(*(column[first:last].tolist() for column in columns), strict=True)
        return [Span(*row) for row in rows]


def block_spans(page: Page, run_block: NDArray[np.int32], n_blocks: int) -> BlockSpans:
    """Spans of the blocks of a page.

    Args:
        page: the page that was cut; places refer to its source.
        run_block: block of each run, -1 for none.
        n_blocks: number of blocks.
    """
    spans = page.spans
    visible = (run_block >= 0) & (page.tree.run_chars > 0)
    n_unlocated = np.bincount(run_block[visible & (spans.start < 0)], minlength=n_blocks)
    runs = np.flatnonzero(visible & (spans.start >= 0))
    runs = runs[np.lexsort((spans.start[runs], run_block[runs]))]
    block, start, end = run_block[runs], spans.start[runs], spans.end[runs]
    joined = block[1:] == block[:-1]
    for place in np.flatnonzero(joined).tolist():
        gap = _NO_TEXT.fullmatch(page.html, int(end[place]), int(start[place + 1]))
        joined[place] = gap is not None
    first = np.flatnonzero(np.append(True, ~joined)[: len(runs)])
    last = np.flatnonzero(np.append(~joined, True)[: len(runs)])
    byte_start, byte_end = spans.byte_start[runs[first]], spans.byte_end[runs[last]]
    return BlockSpans(
        block[first].astype(np.int64), start[first], end[last], byte_start, byte_end, n_unlocated
    )
