"""Gathers the blocks of rendered pages for the training of block importance by boxes.

Chinese marked pages are drawn by Chromium without network (so without style sheets of their own
files), cut into Quark blocks and labeled by their gold text; what is written are numbers only.

    python benchmarks/importance_boxes.py blocks.npz [--minutes 9]
    quarkcrawl train importance blocks.npz --folds 5 --out MODEL.npz
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import time
from dataclasses import fields
from pathlib import Path

import numpy as np

from quarkcrawl.content.importance.features import (
    block_counts_of,
    box_features,
    importance_features,
)
from quarkcrawl.lab.training.data import read_marked_pages
from quarkcrawl.lab.training.importance import MarkedBlocks, _levels
from quarkcrawl.page import Page
from quarkcrawl.render import Renderer
from quarkcrawl.segment import block_boxes, segmentation_of

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "extraction"


async def gather(minutes):
    marked = [one for one in read_marked_pages(DATA) if not one.dataset.endswith("_en")]
    random.Random(1).shuffle(marked)
    found, end = [], time.monotonic() + 60 * minutes
    async with Renderer() as renderer:
        for one in marked:
            if time.monotonic() > end:
                break
            drawn = await renderer.render(Page.from_bytes(one.body, one.url))
            cut = segmentation_of(drawn.page) if drawn.page is not None else []
            boxes = block_boxes(cut) if len(cut) else None
            if boxes is not None:
                counts = block_counts_of(cut)
                matrix = np.hstack([importance_features(counts), box_features(counts.ptr, boxes)])
                found.append((one, matrix, _levels(cut, one.gold), cut.n_chars, cut.n_links))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=9.0)
    given = parser.parse_args()
    pages = asyncio.run(gather(given.minutes))
    ones, matrices, levels, chars, links = zip(*pages, strict=True)
    blocks = MarkedBlocks(
        np.concatenate(matrices),
        np.concatenate(levels),
        np.repeat(np.arange(len(pages)), list(map(len, levels))),
        tuple(one.site for one in ones),
        tuple(one.dataset for one in ones),
        np.concatenate(chars).astype(np.int64),
        np.concatenate(links).astype(np.int64),
    )
    np.savez_compressed(given.out, **{f.name: getattr(blocks, f.name) for f in fields(blocks)})
    print(json.dumps({"pages": len(pages), "blocks": len(blocks.level)}))


if __name__ == "__main__":
    main()
