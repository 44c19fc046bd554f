"""How well clusters agree with known classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Labels = Sequence[object] | NDArray[np.int64]


def _table(clusters: Labels, classes: Labels) -> NDArray[np.int64]:
    """Pages by cluster and class, only those pairs that occur, with the sums of both."""
    a, b = _numbers(clusters), _numbers(classes)
    pairs, counts = np.unique(np.stack([a, b]), axis=1, return_counts=True)
    return np.vstack([pairs, counts])


def _numbers(names: Labels) -> NDArray[np.int64]:
    """Names as numbers; whole numbers are compared as such, all else as text."""
    is_number = isinstance(names, np.ndarray) and names.dtype.kind in "iu"
    values = np.asarray(names if is_number else [str(one) for one in names])
    numbers: NDArray[np.int64] = np.unique(values, return_inverse=True)[1]
    return numbers


def _n_pairs(counts: NDArray[np.int64]) -> float:
    return float((counts * (counts - 1) // 2).sum())


def adjusted_rand_index(clusters: Labels, classes: Labels) -> float:
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


def purity(clusters: Labels, classes: Labels) -> float:
    """Share of pages that are of the most frequent class of their cluster.

    Args:
        clusters: number of the cluster of each page.
        classes: true class of each page, in the same order.
    """
    if not len(clusters):
        return 1.0
    a, _, counts = _table(clusters, classes)
    most = np.zeros(int(a.max()) + 1, np.int64)
    np.maximum.at(most, a, counts)
    return float(most.sum() / len(clusters))
