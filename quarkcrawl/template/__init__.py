"""Templates: pages of one kind grouped by structure, and what they have in common.

After the thesis on finding extraction templates in large collections (Tsinghua 2013). A page is
simplified to the elements that make its structure (``policy``, ``skeleton``), what an author wrote
is hidden (``mask``), repeated records are merged into one (``repeats``; ``suffixtree`` is the
thesis' own way), and the rest is read as a sequence of elements with their depths (``sequence``).
Sequences are compared by their heaviest common subsequence (``weights``, ``lcs``), pages grouped
around medoids (``sequenceset``, ``pairs``, ``agglomerate``, ``leader``,
``cluster``, ``curve``) and groups compared with known classes (``scores``). Lists of equal
structure are then told apart by what they say of themselves (``signs``, ``questions``,
``titlequestion``, ``classquestion``, ``kinds``). Other measures of the literature are in
`quarkcrawl.lab.baselines`. A group becomes a template (``induce``, ``model``,
``texts``, ``train``), templates are kept in a file (``templateset``, ``templatefile``) and labeled
(``labels``); pages are laid on them (``alignment``), fields read (``fields``, ``output``), what
nobody explains is kept until it makes templates of its own (``unknown``, ``matcher``), and what a
site repeats helps the content extractor (``evidence``; ``site`` does without templates).
``filters`` says which pages are no detail pages, ``stored`` reads pages of a corpus.
"""

from quarkcrawl.template.clustering import (
    Clustering,
    ClusterOptions,
    Kind,
    KindOptions,
    adjusted_rand_index,
    cluster,
    divide_by_kind,
    purity,
    similarity,
    similarity_bound,
)
from quarkcrawl.template.matcher import TemplateMatcher
from quarkcrawl.template.model import (
    Position,
    Template,
    TemplateFields,
    TemplateSet,
    boilerplate_runs,
    content_runs,
    extract_fields,
    learn_content,
    propose,
    read_templates,
    site_content,
    spread,
    variables,
    write_templates,
)
from quarkcrawl.template.stored import PagePlace, StoredPages, prepare, prepare_stored, read_stored
from quarkcrawl.template.structure import (
    DEFAULT_POLICY,
    THESIS_POLICY,
    FilterOptions,
    PageSequence,
    SequenceOptions,
    TagPolicy,
    TagSequence,
    reason_to_leave_out,
    sequence_of_page,
)
from quarkcrawl.template.train import Training, TrainOptions, train, train_sequences
from quarkcrawl.template.unknown import BufferOptions, UnknownBuffer

__all__ = [
    "DEFAULT_POLICY",
    "THESIS_POLICY",
    "BufferOptions",
    "ClusterOptions",
    "Clustering",
    "FilterOptions",
    "Kind",
    "KindOptions",
    "PagePlace",
    "PageSequence",
    "Position",
    "SequenceOptions",
    "StoredPages",
    "TagPolicy",
    "TagSequence",
    "Template",
    "TemplateFields",
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
    "prepare",
    "prepare_stored",
    "propose",
    "purity",
    "read_stored",
    "read_templates",
    "reason_to_leave_out",
    "sequence_of_page",
    "similarity",
    "similarity_bound",
    "site_content",
    "spread",
    "train",
    "train_sequences",
    "variables",
    "write_templates",
]
