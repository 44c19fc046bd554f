"""What the views tell about the blocks of a page: at their runs, at their roots, in a list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.segment import KIND_NAMES, escape, shortened
from quarkcrawl.workbench.report.legend import counted
from quarkcrawl.workbench.report.pagecopy import ElementAttributes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from quarkcrawl.segment import Block, Segmentation
    from quarkcrawl.workbench.report.legend import Row


_SAMPLE_CHARS: Final = 60


def block_labels(
    segmentation: Segmentation,
    fills: Sequence[str],
    names: Sequence[str],
    roles: Mapping[int, str],
    *,
    fill_roots: bool,
) -> ElementAttributes:
    """Attributes that color and number the blocks of a page.

    Each run of text carries the fill of its block. Where another block begins, its name stands in
    front; where a block begins for the first time, it can be reached by keyboard and from the list,
    and tells its path and counts. The same is the title of its root, for the mouse.

    Args:
        segmentation: the blocks.
        fills: name of the fill of each block, a word.
        names: what stands in front of each block.
        roles: fills of runs that have one of their own: headline, date, byline.
        fill_roots: also color the area of the roots.
    """
    facts = [escape(_facts(block)) for block in segmentation]
    fill = [f' data-qk-fill="{escape(word)}"' for word in fills]
    of_run: dict[int, str] = {}
    seen: set[int] = set()
    last = (-1, "")
    is_wrapped = (segmentation.run_block >= 0) & (segmentation.tree.run_chars > 0)
    for run in np.flatnonzero(is_wrapped).tolist():
        block = int(segmentation.run_block[run])
        role = roles.get(run, "")
        name = f"{role} {names[block]}" if role else names[block]
        label = f' data-qk-label="{escape(name)}"' if (block, role) != last else ""
        first = "" if block in seen else _first(block, facts[block])
        of_run[run] = (f' data-qk-fill="{role}"' if role else fill[block]) + label + first
        seen.add(block)
        last = (block, role)
    of_node = {
        root: f' title="{facts[block]}"{fill[block] if fill_roots else ""}'
        for block, root in enumerate(segmentation.root.tolist())
    }
    return ElementAttributes(of_run, of_node)


def _first(block: int, facts: str) -> str:
    return f' id="qk-block-{block}" tabindex="0" data-qk-info="{facts}"'


def _facts(block: Block) -> str:
    kind = f"{KIND_NAMES.get(block.kind, block.kind)} · " if block.kind else ""
    return (
        f"Block {block.number} · {kind}{block.path} · {counted(block.n_chars, 'character')},"
        f" {block.n_anchor_chars} in {counted(block.n_links, 'link')},"
        f" {counted(block.n_punctuation, 'punctuation mark')}"
    )


BLOCK_HEADS: Final = ("Block", "Kind", "Path", "Characters", "in links", "Links", "Begins")
"""Heads of the list of blocks."""


def block_rows(segmentation: Segmentation, colors: Sequence[str]) -> list[Row]:
    """A row for each block, its number on its color.

    Args:
        segmentation: the blocks.
        colors: background of each block's number.
    """
    return [
        (
            block.number,
            color,
            (
                KIND_NAMES.get(block.kind, str(block.kind)) if block.kind else "–",
                block.path,
                f"{block.n_chars:,}",
                f"{block.n_anchor_chars:,}",
                f"{block.n_links:,}",
                shortened(block.text, _SAMPLE_CHARS),
            ),
        )
        for block, color in zip(segmentation, colors, strict=True)
    ]
