"""Where words stand in a page, run by run, as its colored view shows them."""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.workbench.web.index import hit_spans
from quarkcrawl.workbench.web.worker.frames import run_parts
from quarkcrawl.workbench.web.worker.reading import read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.segment import Segmentation
    from quarkcrawl.workbench.web.documents import DocumentSource


MOST_HITS: Final = 1000
"""Hits of a page that are told one by one."""

_SPACES: Final = str.maketrans(dict.fromkeys("\t\n\f\r", " "))


def find_words(document: DocumentSource, words: Sequence[str]) -> dict[str, Any]:
    """Where words stand in the visible text of a page.

    A hit may begin in one text run and end in another of the same line. Its places are counted in
    characters of a run without white space, which a browser may show otherwise than it stands in
    the source.

    Args:
        document: the page.
        words: see `quarkcrawl.workbench.web.index.words_of`.
    """
    segmentation = read(document, "blocks").segmentation
    runs, starts, text = _joined(segmentation)
    spans, parts = hit_spans(text, words), run_parts(segmentation.page)
    hits = []
    for start, end in spans[:MOST_HITS]:
        first, last = bisect.bisect_right(starts, start) - 1, bisect.bisect_left(starts, end)
        pieces = [
            {"run": runs[place], "start": _inked(text, starts[place], max(start, starts[place])),
             "end": _inked(text, starts[place], min(end, starts[place + 1]))}
            for place in range(first, last)
        ]  # fmt: skip
        run = runs[first]
        hits.append(
            {
                "part": int(parts[run]),
                "block": int(segmentation.run_block[run]),
                "pieces": [piece for piece in pieces if piece["start"] < piece["end"]],
            }
        )
    return {"n_hits": len(spans), "hits": hits}


def _joined(segmentation: Segmentation) -> tuple[list[int], list[int], str]:
    """Runs that are shown, where each begins in the text of all, and this text.

    Runs of one line follow each other as they stand, a line end is between lines.
    """
    tree = segmentation.page.tree
    lines = tree.run_lines.piece
    runs = [
        run
        for run in range(len(tree.runs))
        if segmentation.run_block[run] >= 0 and not tree.run_raw[run]
    ]
    pieces: list[str] = []
    starts: list[int] = []
    n_chars, line = 0, -1
    for run in runs:
        if lines[run] != line and pieces:
            pieces[-1] += "\n"
            n_chars += 1
        line = lines[run]
        starts.append(n_chars)
        pieces.append(tree.runs[run].translate(_SPACES))
        n_chars += len(pieces[-1])
    return runs, [*starts, n_chars], "".join(pieces)


def _inked(text: str, start: int, end: int) -> int:
    """Characters of a stretch that are no white space."""
    stretch = text[start:end]
    return len(stretch) - stretch.count(" ") - stretch.count("\n")
