"""How well clusters agree with known classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["adjusted_rand_index", "purity"]


def _table(clusters: Sequence[object], classes: Sequence[object]) -> NDArray[np.int64]:
    """Pages by cluster and class, only those pairs that occur, with the sums of both."""
    a = np.unique([str(name) for name in clusters], return_inverse=True)[1]
    b = np.unique([str(name) for name in classes], return_inverse=True)[1]
    pairs, counts = np.unique(np.stack([a, b]), axis=1, return_counts=True)
    return np.vstack([pairs, counts])


def _n_pairs(counts: NDArray[np.int64]) -> float:
    return float((counts * (counts - 1) // 2).sum())


def adjusted_rand_index(clusters: Sequence[object], classes: Sequence[object]) -> float:
    """Agreement of two partitions, corrected for chance (Hubert and Arabie 1985); at most 1.

    Args:
        clusters: cluster of each page.
        classes: its class.
    """
    if not len(clusters):
        return 1.0
    a, b, counts = _table(clusters, classes)
    together = _n_pairs(counts)
    in_clusters = _n_pairs(np.bincount(a, counts).astype(np.int64))
    in_classes = _n_pairs(np.bincount(b, counts).astype(np.int64))
    expected = in_clusters * in_classes / max(1.0, len(clusters) * (len(clusters) - 1) / 2)
    most = (in_clusters + in_classes) / 2
    return 1.0 if most == expected else (together - expected) / (most - expected)


def purity(clusters: Sequence[object], classes: Sequence[object]) -> float:
    """Share of pages that are of the most frequent class of their cluster."""
    if not len(clusters):
        return 1.0
    a, _, counts = _table(clusters, classes)
    most = np.zeros(int(a.max()) + 1, np.int64)
    np.maximum.at(most, a, counts)
    return float(most.sum() / len(clusters))
