"""How well weights of blocks tell what people marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.lab.training.importance import MarkedBlocks


def scores(
    blocks: MarkedBlocks, weights: NDArray[np.floating], chosen: NDArray[np.bool_] | None = None
) -> dict[str, float]:
    """Measures of weights between .5 and 1.5.

    Args:
        blocks: marked blocks.
        weights: weight of each.
        chosen: which blocks are looked at, whole pages of them; None: all.

    Returns:
        ``content_f1`` (blocks of a weight above 1 against those of high importance),
        ``content_f1_chars`` (the same by characters, mean over pages), ``mean_error`` (from the
        weights of the true levels, mean over pages), and of links: ``content_links`` (share of a
        page's link weight that is that of links in content, mean over pages with both kinds) and
        ``content_links_true`` (the same by true levels).
    """
    kept = np.ones(len(weights), np.bool_) if chosen is None else chosen
    level, weight = blocks.level[kept], weights[kept].astype(np.float64)
    _, page = np.unique(blocks.page[kept], return_inverse=True)
    n_chars, n_links = blocks.n_chars[kept], blocks.n_links[kept]
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
    found: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """F1 of each group; not a number where nothing is true."""
    both, true, taken = (np.bincount(group, size * mask) for mask in (truth & found, truth, found))
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
