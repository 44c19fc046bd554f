"""Training of block importance, and how well it does on sites that it has not seen.

``quarkcrawl train importance FOLDER --out MODEL.npz`` reads hand-marked pages.
A Quark block most of which is found in the gold text is of high importance. Nobody has marked
related links there; blocks that `quarkcrawl.content.related` takes for such beside the gold
content are middling, and the rest is low. A page counts by the root of its number of blocks, so
that portals of a thousand do not drown the others. With ``--folds 5`` it first measures by
cross-validation in which no site is in training and test at once. The model for pages that a
browser has drawn takes an archive of `MarkedBlocks` instead of a folder, which
``benchmarks/importance_boxes.py`` makes. Needs scikit-learn.
"""

from __future__ import annotations

from dataclasses import dataclass
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
from quarkcrawl.lab.training.data import matched_share, read_marked_pages, squeeze
from quarkcrawl.lab.training.fit import flat_trees
from quarkcrawl.page import Page
from quarkcrawl.progress import no_progress, reported
from quarkcrawl.segment import segmentation_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

    from quarkcrawl.content.lines import Trees
    from quarkcrawl.lab.training.data import MarkedPage
    from quarkcrawl.progress import Progress


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
        marked: pages with their gold text; those without blocks, or of whose content only pieces
            are known, are passed over.
    """
    whole = (page for page in marked if not page.has_pieces_only)
    pages = [(page, cut) for page in whole if len(cut := _cut(page))]
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
    blocks: MarkedBlocks, mask: NDArray[np.bool_] | None = None
) -> ImportanceModel:
    """Train on all blocks, or on those that ``mask`` marks."""
    is_used = np.ones(len(blocks.level), np.bool_) if mask is None else mask
    matrix, weights = blocks.matrix[is_used], blocks.block_weights[is_used]
    middling, high = (_fit(matrix, blocks.level[is_used] >= level, weights) for level in (1, 2))
    about: dict[str, Any] = {
        "features": [*FEATURES, *BOX_FEATURES][: matrix.shape[1]],
        "pages": len(set(blocks.page[is_used].tolist())),
        "blocks": int(is_used.sum()),
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
    trees = flat_trees(model, np.arange(matrix.shape[1]))
    # Every block needs its probability, not only those that are likely content.
    return type(trees)(trees.roots, trees.node, trees.value, trees.start)


def left_out_weights(
    blocks: MarkedBlocks, n_folds: int = 5, on_progress: Progress = no_progress
) -> NDArray[np.float32]:
    """Weight of each block by a model that knows nothing of its site."""
    weights = np.zeros(len(blocks.level), np.float32)
    sites = np.array(blocks.sites)[blocks.page]
    parts = GroupKFold(n_folds).split(blocks.matrix, blocks.level, sites)
    for _, tested in reported(parts, "sites left out", on_progress, total=n_folds):
        is_tested = np.isin(np.arange(len(weights)), tested)
        model = train_importance(blocks, ~is_tested)
        weights[is_tested] = model.weights(blocks.matrix[is_tested])
    return weights


def scores(
    blocks: MarkedBlocks, weights: NDArray[np.floating], mask: NDArray[np.bool_] | None = None
) -> dict[str, float]:
    """Measures of weights between .5 and 1.5.

    Args:
        blocks: marked blocks.
        weights: weight of each.
        mask: which blocks are looked at, whole pages of them; None: all.

    Returns:
        ``content_f1`` (blocks of a weight above 1 against those of high importance),
        ``content_f1_chars`` (the same by characters, mean over pages), ``mean_error`` (from the
        weights of the true levels, mean over pages), and of links: ``content_links`` (share of a
        page's link weight that is that of links in content, mean over pages with both kinds) and
        ``content_links_true`` (the same by true levels).
    """
    is_used = np.ones(len(weights), np.bool_) if mask is None else mask
    level, weight = blocks.level[is_used], weights[is_used].astype(np.float64)
    _, page = np.unique(blocks.page[is_used], return_inverse=True)
    n_chars, n_links = blocks.n_chars[is_used], blocks.n_links[is_used]
    is_content, is_found = level == 2, weight > 1
    true_weight = 0.5 + 0.5 * level.astype(np.float64)
    of_blocks = np.zeros(len(page), np.intp)
    return {
        "content_f1": float(_f1(of_blocks, np.ones(len(page)), is_content, is_found)[0]),
        "content_f1_chars": float(np.nanmean(_f1(page, n_chars, is_content, is_found))),
        "mean_error": _page_mean(page, abs(weight - true_weight)),
        "content_links": _link_share(page, n_links, weight, is_content),
        "content_links_true": _link_share(page, n_links, true_weight, is_content),
    }


def _f1(
    group: NDArray[np.intp],
    size: NDArray[np.floating] | NDArray[np.integer],
    truth: NDArray[np.bool_],
    is_predicted: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """F1 of each group; not a number where nothing is true."""
    both, true, taken = (
        np.bincount(group, size * mask) for mask in (truth & is_predicted, truth, is_predicted)
    )
    scored: NDArray[np.float64] = np.full(len(true), np.nan)
    np.divide(2 * both, true + taken, out=scored, where=true > 0)
    return scored


def _page_mean(page: NDArray[np.intp], values: NDArray[np.float64]) -> float:
    return float(np.mean(np.bincount(page, values) / np.bincount(page)))


def _link_share(
    page: NDArray[np.intp],
    n_links: NDArray[np.int64],
    weight: NDArray[np.float64],
    is_content: NDArray[np.bool_],
) -> float:
    sent = n_links * weight
    total, inside = np.bincount(page, sent), np.bincount(page, sent * is_content)
    mixed = (np.bincount(page, n_links * is_content) > 0) & (
        np.bincount(page, n_links * ~is_content) > 0
    )
    return float(np.mean(inside[mixed] / total[mixed])) if mixed.any() else float("nan")


def _gathered(path: Path, on_progress: Progress) -> MarkedBlocks:
    """Blocks of marked pages, or those that were gathered of rendered ones."""
    if path.suffix != ".npz":
        return gather_blocks(read_marked_pages(path, on_progress=on_progress))
    with model_arrays(path, "archive of marked blocks") as stored:
        names: dict[str, Any] = {key: tuple(stored[key].tolist()) for key in ("sites", "datasets")}
        return MarkedBlocks(**{**stored, **names})


def train_block_importance(
    source: Path,
    out: Path | None = None,
    *,
    n_folds: int = 0,
    on_progress: Progress = no_progress,
) -> dict[str, Any]:
    """Measure on sites left out, train on all blocks, write the model.

    Args:
        source: folder of marked pages, NAME.jsonl.gz; or an .npz of rendered blocks.
        out: file of the model (.npz); None: it is not trained.
        n_folds: parts of the cross-validation; 0: it is not measured.
        on_progress: is told of each page, and of each part of the cross-validation.

    Returns:
        The scores, empty if it is not measured.
    """
    blocks = _gathered(source, on_progress)
    quality = scores(blocks, left_out_weights(blocks, n_folds, on_progress)) if n_folds else {}
    if out is not None:
        on_progress("fitting", 0, None)
        model = train_importance(blocks)
        model.about.update(sites=len(set(blocks.sites)), expected=quality)
        write_importance(out, model)
    return quality
