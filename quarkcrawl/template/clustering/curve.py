"""How the number of clusters depends on the least similarity, to choose it for a site."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from quarkcrawl.progress import no_progress, reported
from quarkcrawl.template.clustering.cluster import ClusterOptions, Measure, cluster

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from quarkcrawl.progress import Progress
    from quarkcrawl.template.structure import TagSequence


THRESHOLDS: Final = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)


class CurvePoint(NamedTuple):
    """Clusters at one least similarity.

    Args:
        min_similarity: the value.
        n_clusters: all clusters.
        n_large: those of ``least_pages`` or more, see `threshold_curve`.
        share_in_large: share of pages in these.
    """

    min_similarity: float
    n_clusters: int
    n_large: int
    share_in_large: float


def threshold_curve(
    sequences: Sequence[TagSequence],
    groups: Sequence[str] | None = None,
    options: ClusterOptions | None = None,
    thresholds: Sequence[float] = THRESHOLDS,
    least_pages: int = 5,
    measure: Measure | None = None,
    on_progress: Progress = no_progress,
) -> Iterator[CurvePoint]:
    """Cluster at several least similarities.

    Args:
        sequences: one a page.
        groups: host of each page; None: all together.
        options: everything but the least similarity; None for the defaults.
        thresholds: the values to try.
        least_pages: pages of a large cluster.
        measure: the one that the options name.
        on_progress: is told of each value.
    """
    n_values = len(thresholds)
    for value in reported(thresholds, "least similarities", on_progress, total=n_values):
        clustering = cluster(
            sequences, replace(options or ClusterOptions(), min_similarity=value), groups, measure
        )
        sizes = [len(clustering.members(number)) for number in range(len(clustering))]
        large = [size for size in sizes if size >= least_pages]
        share = sum(large) / max(1, len(sequences))
        yield CurvePoint(value, len(clustering), len(large), round(share, 4))
