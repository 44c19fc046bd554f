"""Training of block importance, and how well it does on sites that it has not seen.

``python -m quarkcrawl.lab.training.importance FOLDER --out MODEL.npz`` reads hand-marked pages.
A Quark block most of which is found in the gold text is of high importance. Nobody has marked
related links there; blocks that `quarkcrawl.content.related` takes for such beside the gold
content are middling, and the rest is low. A page counts by the root of its number of blocks, so
that portals of a thousand do not drown the others. With ``--folds 5`` it first measures by
cross-validation in which no site is in training and test at once. The model for pages that a
browser has drawn takes an archive of `MarkedBlocks` instead of a folder, which
``benchmarks/importance_boxes.py`` makes. Needs scikit-learn.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GroupKFold

from quarkcrawl.content import model_arrays, related_blocks
from quarkcrawl.content.importance import (
    BOX_FEATURES,
    FEATURES,
    ImportanceModel,
    block_counts_of,
    importance_features,
    write_importance,
)
from quarkcrawl.content.lines import squeeze
from quarkcrawl.lab.training.data import matched_share, read_marked_pages
from quarkcrawl.lab.training.fit import flat_trees
from quarkcrawl.page import Page
from quarkcrawl.segment import segmentation_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from quarkcrawl.content.lines import Trees
    from quarkcrawl.lab.training.data import MarkedPage


_N_TREES: Final = 60
_N_LEAVES: Final = 8


@dataclass(frozen=True, slots=True, eq=False)
class MarkedBlocks:
    """Blocks of marked pages, page after page.

    Args:
        matrix: features.
        level: 0 low, 1 middling, 2 high.
        page: number of the page.
        sites: site of each page.
        datasets: set of each page.
        n_chars: characters of each block.
        n_links: links of each block.
    """

    matrix: NDArray[np.float32]
    level: NDArray[np.int8]
    page: NDArray[np.intp]
    sites: tuple[str, ...]
    datasets: tuple[str, ...]
    n_chars: NDArray[np.int64]
    n_links: NDArray[np.int64]

    @property
    def block_weights(self) -> NDArray[np.float64]:
        """How much each block counts in training."""
        weights: NDArray[np.float64] = 1 / np.sqrt(np.bincount(self.page))[self.page]
        return weights


def gather_blocks(marked: Iterable[MarkedPage]) -> MarkedBlocks:
    """Cut and label pages.

    Args:
        marked: pages with their gold text; those without blocks are passed over.
    """
    pages = [(page, cut) for page in marked if len(cut := _cut(page))]
    return MarkedBlocks(
        np.concatenate([importance_features(block_counts_of(cut)) for _, cut in pages]),
        np.concatenate([_levels(cut, page.gold) for page, cut in pages]),
        np.repeat(np.arange(len(pages)), [len(cut) for _, cut in pages]),
        tuple(page.site for page, _ in pages),
        tuple(page.dataset for page, _ in pages),
        np.concatenate([cut.n_chars for _, cut in pages]).astype(np.int64),
        np.concatenate([cut.n_links for _, cut in pages]).astype(np.int64),
    )


def _cut(page: MarkedPage) -> Any:
    return segmentation_of(Page.from_bytes(page.body, page.url))


def _levels(cut: Any, gold: str) -> NDArray[np.int8]:
    content = matched_share([squeeze(text) for text in cut.texts], gold) >= 0.5
    levels: NDArray[np.int8] = np.maximum(2 * content, related_blocks(cut, content)).astype(np.int8)
    return levels


def train_importance(
    blocks: MarkedBlocks, chosen: NDArray[np.bool_] | None = None
) -> ImportanceModel:
    """Train on all blocks, or on those that ``chosen`` marks."""
    kept = np.ones(len(blocks.level), np.bool_) if chosen is None else chosen
    matrix, weights = blocks.matrix[kept], blocks.block_weights[kept]
    middling, high = (_fit(matrix, blocks.level[kept] >= level, weights) for level in (1, 2))
    about: dict[str, Any] = {
        "features": [*FEATURES, *BOX_FEATURES][: matrix.shape[1]],
        "pages": len(set(blocks.page[kept].tolist())),
        "blocks": int(kept.sum()),
    }
    return ImportanceModel(middling, high, about)


def _fit(
    matrix: NDArray[np.float32], label: NDArray[np.bool_], weights: NDArray[np.float64]
) -> Trees:
    model = HistGradientBoostingClassifier(
        max_iter=_N_TREES,
        learning_rate=0.1,
        max_leaf_nodes=_N_LEAVES,
        min_samples_leaf=40,
        l2_regularization=5.0,
        early_stopping=False,
        random_state=2008,
    )
    model.fit(matrix, label, sample_weight=weights)
    found = flat_trees(model, np.arange(matrix.shape[1]))
    # Every block needs its probability, not only those that are likely content.
    return type(found)(found.roots, found.node, found.value, found.start)


def left_out_weights(blocks: MarkedBlocks, n_folds: int = 5) -> NDArray[np.float32]:
    """Weight of each block by a model that knows nothing of its site."""
    found = np.zeros(len(blocks.level), np.float32)
    sites = np.array(blocks.sites)[blocks.page]
    for _, tested in GroupKFold(n_folds).split(blocks.matrix, blocks.level, sites):
        is_tested = np.isin(np.arange(len(found)), tested)
        model = train_importance(blocks, ~is_tested)
        found[is_tested] = model.weights(blocks.matrix[is_tested])
    return found


def _gathered(path: Path) -> MarkedBlocks:
    """Blocks of marked pages, or those that were gathered of rendered ones."""
    if path.suffix != ".npz":
        return gather_blocks(read_marked_pages(path))
    with model_arrays(path, "archive of marked blocks") as stored:
        names: dict[str, Any] = {key: tuple(stored[key].tolist()) for key in ("sites", "datasets")}
        return MarkedBlocks(**{**stored, **names})


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; see the module."""
    parser = argparse.ArgumentParser(description="train block importance")
    parser.add_argument(
        "folder", type=Path, help="marked pages, NAME.jsonl.gz; or an .npz of rendered blocks"
    )
    parser.add_argument("--out", type=Path, help="model file to write (.npz)")
    parser.add_argument("--folds", type=int, default=0, help="parts of the cross-validation")
    given = parser.parse_args(arguments)
    blocks = _gathered(given.folder)
    quality = {}
    if given.folds:
        from quarkcrawl.lab.training.importance_scores import scores  # noqa: PLC0415 - rarely wanted

        quality = scores(blocks, left_out_weights(blocks, given.folds))
        sys.stdout.write(json.dumps(quality) + "\n")
    if given.out:
        model = train_importance(blocks)
        model.about.update(sites=len(set(blocks.sites)), expected=quality)
        write_importance(given.out, model)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
