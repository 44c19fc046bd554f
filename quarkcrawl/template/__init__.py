"""Templates: pages of one kind grouped by structure, and what they have in common.

After the thesis on finding extraction templates in large collections (Tsinghua 2013). A page is
simplified to the elements that make its structure (``policy``, ``skeleton``), what an author wrote
is hidden (``mask``), repeated records are merged into one (``repeats``; ``suffixtree`` is the
thesis' own way), and the rest is read as a sequence of elements with their depths (``sequence``).
Sequences are compared by their heaviest common subsequence (``weights``, ``lcs``), pages grouped
around medoids (``sequenceset``, ``pairs``, ``components``, ``agglomerate``, ``leader``,
``cluster``) and groups compared with known classes (``scores``).
"""

from quarkcrawl.template.cluster import Clustering, ClusterOptions, cluster
from quarkcrawl.template.lcs import similarity, similarity_bound
from quarkcrawl.template.policy import DEFAULT_POLICY, THESIS_POLICY, TagPolicy
from quarkcrawl.template.scores import adjusted_rand_index, purity
from quarkcrawl.template.sequence import (
    PageSequence,
    SequenceOptions,
    TagSequence,
    sequence_of_page,
)

__all__ = [
    "DEFAULT_POLICY",
    "THESIS_POLICY",
    "ClusterOptions",
    "Clustering",
    "PageSequence",
    "SequenceOptions",
    "TagPolicy",
    "TagSequence",
    "adjusted_rand_index",
    "cluster",
    "purity",
    "sequence_of_page",
    "similarity",
    "similarity_bound",
]
