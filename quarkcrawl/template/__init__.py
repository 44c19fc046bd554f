"""Templates: pages of one kind grouped by structure, and what they have in common.

After the thesis on finding extraction templates in large collections (Tsinghua 2013). A page is
simplified to the elements that make its structure (``policy``, ``skeleton``), what an author wrote
is hidden (``mask``), repeated records are merged into one (``repeats``; ``suffixtree`` is the
thesis' own way), and the rest is read as a sequence of elements with their depths (``sequence``).
Sequences are compared by their heaviest common subsequence (``weights``, ``lcs``), pages grouped
around medoids (``sequenceset``, ``pairs``, ``components``, ``agglomerate``, ``leader``,
``cluster``, ``curve``) and groups compared with known classes (``scores``). Lists of equal
structure are then told apart by what they say of themselves (``signs``, ``questions``,
``titlequestion``, ``classquestion``, ``kinds``). ``measures`` has the other measures of the
literature by name (``paths``, ``treedistance``). A group becomes a template (``induce``, ``model``,
``texts``, ``train``), templates are kept in a file (``templateset``, ``templatefile``) and labelled
(``labels``); pages are laid on them (``alignment``), fields read (``fields``, ``output``), what
nobody explains is kept until it makes templates of its own (``unknown``, ``matcher``), and what a
site repeats helps the content extractor (``evidence``). ``filters`` says which pages are no detail
pages, ``stored`` reads pages of a corpus.
"""

from quarkcrawl.template.clustering.cluster import Clustering, ClusterOptions, cluster
from quarkcrawl.template.clustering.kinds import divide_by_kind
from quarkcrawl.template.clustering.lcs import similarity, similarity_bound
from quarkcrawl.template.clustering.measures import MEASURES
from quarkcrawl.template.clustering.questions import Kind, KindOptions
from quarkcrawl.template.clustering.scores import adjusted_rand_index, purity
from quarkcrawl.template.matcher import TemplateMatcher
from quarkcrawl.template.model.evidence import (
    boilerplate_runs,
    content_runs,
    learn_content,
    site_content,
)
from quarkcrawl.template.model.fields import Extraction, extract_fields
from quarkcrawl.template.model.labels import propose, spread, variables
from quarkcrawl.template.model.model import Position, Template
from quarkcrawl.template.model.templatefile import read_templates, write_templates
from quarkcrawl.template.model.templateset import TemplateSet
from quarkcrawl.template.structure.filters import FilterOptions, reason_to_leave_out
from quarkcrawl.template.structure.policy import DEFAULT_POLICY, THESIS_POLICY, TagPolicy
from quarkcrawl.template.structure.sequence import (
    PageSequence,
    SequenceOptions,
    TagSequence,
    sequence_of_page,
)
from quarkcrawl.template.train import Training, TrainOptions, train
from quarkcrawl.template.unknown import UnknownBuffer

__all__ = [
    "DEFAULT_POLICY",
    "MEASURES",
    "THESIS_POLICY",
    "ClusterOptions",
    "Clustering",
    "Extraction",
    "FilterOptions",
    "Kind",
    "KindOptions",
    "PageSequence",
    "Position",
    "SequenceOptions",
    "TagPolicy",
    "TagSequence",
    "Template",
    "TemplateMatcher",
    "TemplateSet",
    "TrainOptions",
    "Training",
    "UnknownBuffer",
    "adjusted_rand_index",
    "boilerplate_runs",
    "cluster",
    "content_runs",
    "divide_by_kind",
    "extract_fields",
    "learn_content",
    "propose",
    "purity",
    "read_templates",
    "reason_to_leave_out",
    "sequence_of_page",
    "similarity",
    "similarity_bound",
    "site_content",
    "spread",
    "train",
    "variables",
    "write_templates",
]
