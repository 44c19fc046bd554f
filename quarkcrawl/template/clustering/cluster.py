"""Pages grouped by structure.

Equal sequences are one item with a multiplicity. Two pages of different connected components of
the graph of similar pairs can never come together, so `similar_pairs` finds the graph without
comparing all pairs, and each component is clustered by itself: the result is that of the full
matrix of similarities.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from quarkcrawl.errors import ConfigError
from quarkcrawl.progress import no_progress, reported
from quarkcrawl.template.clustering.centers import agglomerate, lead
from quarkcrawl.template.clustering.lcs import ONE
from quarkcrawl.template.clustering.pairs import NO_PAIRS, PairCounts, similar_pairs
from quarkcrawl.template.structure import depth_weights, distinct, flatten

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from quarkcrawl.progress import Progress
    from quarkcrawl.template.clustering.pairs import Pairs
    from quarkcrawl.template.clustering.questions import Kind
    from quarkcrawl.template.structure import SequenceSet, TagSequence

    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Measure:
    """Another way to compare two pages than by their heaviest common subsequence.

    Args:
        name: by which it is chosen.
        features: what it looks at on one page.
        compare: similarity of the features of two pages, 0–1.
    """

    name: str
    features: Callable[[TagSequence], Any]
    compare: Callable[[Any, Any], float]


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """How pages are grouped.

    Args:
        min_similarity: least similarity of the centers of two clusters that are joined.
        weight: weight of an element by depth, see `quarkcrawl.template.structure.weights.WEIGHTS`.
        method: ``"medoid"`` (thesis, algorithm 3) or ``"leader"``, which takes each page once
            and is approximate.
        max_component: distinct sequences of a component above which ``leader`` is used for it;
            the matrix takes four bytes a pair.
        workers: threads, at least one.
        measure: name of the `Measure` that is given with the pages; "": they are compared by their
            heaviest common subsequence.

    Raises:
        ConfigError: a value is not one of these.
    """

    min_similarity: float = 0.9
    weight: str = "inverse"
    method: Literal["medoid", "leader"] = "medoid"
    max_component: int = 12_000
    workers: int = 2
    measure: str = ""

    def __post_init__(self) -> None:
        if not 0 < self.min_similarity <= 1:
            raise ConfigError(f"min_similarity is {self.min_similarity}, not above 0 and up to 1")
        if self.method not in {"medoid", "leader"}:
            raise ConfigError(f"no clustering method {self.method!r}; there is medoid, leader")
        if self.workers < 1:
            raise ConfigError(f"workers is {self.workers}, not 1 or more")
        depth_weights(self.weight)


@dataclass(frozen=True, slots=True, eq=False)
class Clustering:
    """Which pages belong together.

    Args:
        labels: cluster of each page; clusters are numbered by size, the largest first.
        centers: for each cluster a page that has its central sequence.
        n_distinct: number of distinct sequences.
        n_approximate: those in components that were too large for the exact method.
        counts: what the search for similar pairs looked at.
        kinds: for each cluster the kind of page, None where structure alone made the cluster;
            empty if kinds were not looked at, see `quarkcrawl.template.clustering.kinds`.
    """

    labels: LongArray
    centers: LongArray
    n_distinct: int
    n_approximate: int = 0
    counts: PairCounts = NO_PAIRS
    kinds: tuple[Kind | None, ...] = ()

    def __len__(self) -> int:
        return len(self.centers)

    def members(self, number: int) -> LongArray:
        """Pages of a cluster, ascending.

        Args:
            number: number of the cluster.
        """
        return np.flatnonzero(self.labels == number)


def floor_of(min_similarity: float) -> int:
    """Least similarity as a whole number of parts."""
    return max(1, int(np.ceil(min_similarity * ONE)))


def cluster(
    sequences: Sequence[TagSequence],
    options: ClusterOptions | None = None,
    groups: Sequence[str] | None = None,
    measure: Measure | None = None,
    *,
    on_progress: Progress = no_progress,
) -> Clustering:
    """Group pages by structure.

    Args:
        sequences: one a page.
        options: how; None for the defaults.
        groups: host of each page, to cluster each host by itself; None: all together.
        measure: the one that the options name.
        on_progress: is told of the pages, host by host.

    Raises:
        ConfigError: it is another one; or a group has too many distinct pages for it.
    """
    how = options or ClusterOptions()
    if how.measure != (measure.name if measure else ""):
        raise ConfigError(f"measure is {how.measure!r}, but another one is given")
    members: defaultdict[str, list[int]] = defaultdict(list)
    for page, group in enumerate(groups if groups is not None else [""] * len(sequences)):
        members[group].append(page)
    lists = [np.array(pages, np.int64) for _, pages in sorted(members.items())]
    parts = [
        (pages, _cluster_group([sequences[page] for page in pages], how, measure=measure))
        for pages in reported(lists, "grouping", on_progress, total=len(sequences), size=len)
    ]
    return _numbered(parts, len(sequences))


def cluster_counted(
    sequences: Sequence[TagSequence], counts: LongArray, options: ClusterOptions
) -> Clustering:
    """Group sequences that stand for several pages each.

    Args:
        sequences: may contain equal ones.
        counts: pages that each stands for.
        options: how.
    """
    everything = np.arange(len(sequences), dtype=np.int64)
    return _numbered([(everything, _cluster_group(sequences, options, counts))], len(sequences))


def _cluster_group(
    sequences: Sequence[TagSequence],
    how: ClusterOptions,
    counts: LongArray | None = None,
    measure: Measure | None = None,
) -> Clustering:
    first, item_of = distinct(sequences)
    count = np.bincount(item_of, counts, minlength=len(first)).astype(np.int64)
    representatives = [sequences[page] for page in first.tolist()]
    items = flatten(representatives, how.weight, count)
    floor = floor_of(how.min_similarity)
    if measure is not None:
        medoid = agglomerate(_measured(representatives, measure, how), floor, items)
        return Clustering(medoid[item_of].astype(np.int64), first, len(first))
    if how.method == "leader":
        appearance = np.argsort(first, kind="stable")
        center = lead(items, appearance, floor)
        return Clustering(center[item_of], first, len(first))
    pairs = similar_pairs(items, floor, how.workers)
    center, n_approximate = _cluster_items(items, pairs, floor, how)
    return Clustering(center[item_of], first, len(first), n_approximate, pairs.counts)


def _measured(
    pages: Sequence[TagSequence], measure: Measure, how: ClusterOptions
) -> NDArray[np.int32]:
    """Similarity of each pair in parts of `lcs.ONE`; no bound is known to leave pairs out by."""
    if len(pages) > how.max_component:
        raise ConfigError(
            f"{len(pages)} distinct pages of one group are too many for {measure.name!r}, which"
            f" compares all pairs; the most is {how.max_component}"
        )
    features = [measure.features(page) for page in pages]
    similarity = np.full((len(pages), len(pages)), ONE, np.int32)
    for a, one in enumerate(features):
        for b in range(a):
            share = min(1.0, max(0.0, measure.compare(features[b], one)))
            # Rounded as the least similarity is, but for what a float adds to a whole number.
            similarity[a, b] = similarity[b, a] = np.ceil(share * ONE - 1e-6)
    return similarity


def _cluster_items(
    items: SequenceSet, pairs: Pairs, floor: int, how: ClusterOptions
) -> tuple[LongArray, int]:
    """Centre of each item, by number."""
    n_items = len(items.total)
    center = np.arange(n_items, dtype=np.int64)
    n_approximate = 0
    for component, edges in _components(n_items, pairs.a, pairs.b):
        part = items.take(component)
        if len(component) > how.max_component:
            n_approximate += len(component)
            center[component] = component[lead(part, np.arange(len(component)), floor)]
            continue
        similarity = np.full((len(component), len(component)), -1, np.int32)
        a = np.searchsorted(component, pairs.a[edges])
        b = np.searchsorted(component, pairs.b[edges])
        similarity[a, b] = similarity[b, a] = pairs.similarity[edges]
        center[component] = component[agglomerate(similarity, floor, part)]
    return center, n_approximate


def _components(n: int, a: IntArray, b: IntArray) -> Iterator[tuple[LongArray, LongArray]]:
    """Components of two or more nodes: their nodes, ascending, and the numbers of their pairs.

    Pairs are given by one end of each, and by the other.
    """
    name = smallest_connected(n, a, b)
    by_name = np.argsort(name, kind="stable")
    pairs_by_name = np.argsort(name[a], kind="stable")
    names, n_nodes = np.unique(name, return_counts=True)
    ends = np.cumsum(n_nodes)
    pair_ends = np.searchsorted(name[a][pairs_by_name], names, side="right")
    for number in np.flatnonzero(n_nodes > 1).tolist():
        begin = ends[number] - n_nodes[number]
        pair_begin = pair_ends[number - 1] if number else 0
        yield by_name[begin : ends[number]], pairs_by_name[pair_begin : pair_ends[number]]


def smallest_connected(n: int, a: IntArray, b: IntArray) -> LongArray:
    """For each of n nodes the smallest that pairs connect it with."""
    smallest = np.arange(n)
    while (smallest[a] != smallest[b]).any():
        ends = smallest[a], smallest[b]
        for end in ends:
            np.minimum.at(smallest, end, np.minimum(*ends))
        while (smallest[smallest] != smallest).any():
            smallest = smallest[smallest]
    return smallest


def _numbered(parts: list[tuple[LongArray, Clustering]], n_pages: int) -> Clustering:
    """Join the clusterings of groups."""
    center = np.empty(n_pages, np.int64)
    for pages, clustering in parts:
        center[pages] = pages[clustering.centers[clustering.labels]]
    counts = [
        sum(column) for column in zip(*(clustering.counts for _, clustering in parts), strict=True)
    ]
    none = np.zeros(0, np.int64)
    joined = Clustering(
        none,
        none,
        sum(clustering.n_distinct for _, clustering in parts),
        sum(clustering.n_approximate for _, clustering in parts),
        PairCounts(*counts) if parts else NO_PAIRS,
    )
    return renumbered(joined, center)


def renumbered(clustering: Clustering, center: LongArray) -> Clustering:
    """A clustering with other clusters, numbered by size, then first page.

    Args:
        clustering: what else is known of it.
        center: for each page the page in the center of its cluster.
    """
    centers, first, labels, sizes = np.unique(
        center, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.lexsort((first, -sizes))
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    numbers = number[labels] if len(center) else labels.astype(np.int64)
    return replace(clustering, labels=numbers, centers=centers[order])
