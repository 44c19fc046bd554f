"""Measures of structural similarity by name: ours and those it is compared with.

All work on the same sequences. A measure first reduces a page to features, once, and then compares
the features of two pages; the result is 0–1. Distances are turned into similarities by dividing
them by the most they can be. (Cruz et al. 1998 for tags, Joshi et al. 2003 for paths, Buttler 2004
for shingles and the comparison, Flesca et al. 2005 for the Fourier transform; the thesis'
appendix reports them side by side.)
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quarkcrawl.lab.baselines.loops import hash_paths, hash_windows
from quarkcrawl.lab.baselines.treedistance import tree_distance, tree_of
from quarkcrawl.page.tree import MAX_DEPTH
from quarkcrawl.template.clustering import Measure, similarity
from quarkcrawl.template.structure import CODE_BITS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.template.structure import TagSequence

    Features = Any
    HashArray = NDArray[np.uint64]


_SKETCH: Final = 128
_BASE: Final = 2.0


def compare(name: str, a: TagSequence, b: TagSequence) -> float:
    """Similarity of two pages by a named measure.

    Args:
        name: one of `MEASURES`.
        a: a page.
        b: another.
    """
    measure = MEASURES[name]
    return measure.compare(measure.features(a), measure.features(b))


def _codes(page: TagSequence) -> list[int]:
    codes: list[int] = (page.tokens & ((1 << CODE_BITS) - 1)).tolist()
    return codes


def _tag_set(page: TagSequence) -> frozenset[int]:
    return frozenset(_codes(page))


def _jaccard(a: frozenset[int], b: frozenset[int]) -> float:
    return len(a & b) / len(a | b) if a or b else 1.0


def _tag_counts(page: TagSequence) -> Counter[int]:
    return Counter(_codes(page))


def _euclidean(a: Counter[int], b: Counter[int]) -> float:
    """1 − Euclidean distance over the sum of both lengths."""
    distance = sum((a[tag] - b[tag]) ** 2 for tag in a | b) ** 0.5
    most = sum(n * n for n in a.values()) ** 0.5 + sum(n * n for n in b.values()) ** 0.5
    return 1 - distance / most if most else 1.0


def _shared(a: Counter[Any], b: Counter[Any]) -> float:
    """Twice what both have over what each has: the weighted tag similarity."""
    most = a.total() + b.total()
    return 2 * (a & b).total() / most if most else 1.0


def paths(tokens: NDArray[np.int32]) -> HashArray:
    """A hash of the path to each element of a sequence.

    Args:
        tokens: elements with their depths, at most `MAX_DEPTH`, in preorder.
    """
    path_hashes = np.empty(len(tokens), np.uint64)
    hash_paths(tokens, CODE_BITS, np.zeros(MAX_DEPTH + 1, np.uint64), path_hashes)
    return path_hashes


def shingles(path_hashes: HashArray, width: int) -> HashArray:
    """A hash of each window of paths that follow each other; of one window if there are fewer.

    Args:
        path_hashes: the paths.
        width: paths in a window.
    """
    n = max(1, len(path_hashes) - width + 1) if len(path_hashes) else 0
    shingle_hashes = np.empty(n, np.uint64)
    hash_windows(path_hashes, width, shingle_hashes)
    return shingle_hashes


def _path_set(page: TagSequence) -> frozenset[int]:
    return frozenset(paths(page.tokens).tolist())


def _path_counts(page: TagSequence) -> Counter[int]:
    """Each path as often as it occurs, weighted by the depth it leads to."""
    counts: Counter[int] = Counter()
    for path, depth in zip(paths(page.tokens).tolist(), page.depths.tolist(), strict=True):
        counts[path] += 1 + depth
    return counts


def _shingle_set(page: TagSequence, width: int) -> frozenset[int]:
    return frozenset(np.unique(shingles(paths(page.tokens), width))[:_SKETCH].tolist())


def _resemblance(a: frozenset[int], b: frozenset[int]) -> float:
    """Share of the smallest hashes of both together that are in both (Broder 1997)."""
    if not a or not b:
        return float(a == b)
    least = set(sorted(a | b)[:_SKETCH])
    return len(least & a & b) / len(least)


def _containment(a: frozenset[int], b: frozenset[int]) -> float:
    """Share of the smaller sketch that is in the other."""
    fewest = min(len(a), len(b))
    return len(a & b) / fewest if fewest else float(len(a) == len(b))


def _tree_edit(a: Features, b: Features) -> float:
    most = max(len(a[0]), len(b[0]))
    return 1 - tree_distance(a, b) / most if most else 1.0


def _signal(page: TagSequence) -> NDArray[np.float64]:
    """Start and end tags as a signal: each with those around it, the outer ones louder.

    The base is 2 instead of the number of tags: with more, all but the outermost levels drown.
    What all levels are multiplied with drops out of the comparison, so it is left out.
    """
    depths = page.depths.tolist()
    values: list[float] = []
    around: list[float] = []  # sums of the open elements
    kinds: list[int] = []

    def close(down_to: int) -> None:
        while len(kinds) > down_to:
            code = kinds.pop()
            before = around.pop()
            values.append(before - code * _BASE ** -len(kinds))

    for code, depth in zip(_codes(page), depths, strict=True):
        close(depth)
        before = around[-1] + kinds[-1] * _BASE ** (1 - depth) if kinds else 0.0
        around.append(before)
        kinds.append(code + 1)
        values.append(before + (code + 1) * _BASE**-depth)
    close(0)
    return np.array(values)


def _fourier(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """1 − distance of the magnitudes of the lower half of the frequencies, over its bound."""
    n = max(len(a), len(b))
    if n == 0:
        return 1.0
    one, other = (np.abs(np.fft.fft(signal, n))[: max(1, n // 2)] for signal in (a, b))
    most = float(np.linalg.norm(one) + np.linalg.norm(other))
    return 1 - float(np.linalg.norm(one - other)) / most if most else 1.0


def _same(page: TagSequence) -> TagSequence:
    return page


_ALL: Final = (
    Measure("lcs-inverse", _same, partial(similarity, weight="inverse")),
    Measure("lcs-geometric", _same, partial(similarity, weight="geometric")),
    Measure("lcs", _same, partial(similarity, weight="constant")),
    Measure("tag-jaccard", _tag_set, _jaccard),
    Measure("tag-vector", _tag_counts, _euclidean),
    Measure("weighted-tags", _tag_counts, _shared),
    Measure("path-set", _path_set, _jaccard),
    Measure("path-weighted", _path_counts, _shared),
    Measure("path-shingles", partial(_shingle_set, width=3), _resemblance),
    Measure("path-shingles-containment", partial(_shingle_set, width=3), _containment),
    Measure("tree-edit", tree_of, _tree_edit),
    Measure("fourier", _signal, _fourier),
)

MEASURES: Final[dict[str, Measure]] = {measure.name: measure for measure in _ALL}
"""All measures; ``lcs-inverse`` is the one that clustering uses."""
