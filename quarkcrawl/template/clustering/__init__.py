"""Pages grouped by structure: distances, clusters, splits of groups."""

from quarkcrawl.template.clustering.centers import nearest
from quarkcrawl.template.clustering.cluster import (
    Clustering,
    ClusterOptions,
    Measure,
    cluster,
    cluster_counted,
    floor_of,
)
from quarkcrawl.template.clustering.curve import threshold_curve
from quarkcrawl.template.clustering.groups import groups_of, section_of
from quarkcrawl.template.clustering.kinds import divide_by_kind
from quarkcrawl.template.clustering.lcs import (
    ONE,
    align,
    similarity,
    similarity_bound,
)
from quarkcrawl.template.clustering.questions import Kind, KindOptions, Question
from quarkcrawl.template.clustering.scores import adjusted_rand_index, purity

__all__ = [
    "ONE",
    "ClusterOptions",
    "Clustering",
    "Kind",
    "KindOptions",
    "Measure",
    "Question",
    "adjusted_rand_index",
    "align",
    "cluster",
    "cluster_counted",
    "divide_by_kind",
    "floor_of",
    "groups_of",
    "nearest",
    "purity",
    "section_of",
    "similarity",
    "similarity_bound",
    "threshold_curve",
]
