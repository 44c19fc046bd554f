"""Pages as sequences of tags: skeletons, repeats, filters, weights."""

from quarkcrawl.template.structure.filters import FilterOptions, Reason, reason_to_leave_out
from quarkcrawl.template.structure.policy import DEFAULT_POLICY, THESIS_POLICY, TagPolicy
from quarkcrawl.template.structure.repeats import REPEATS
from quarkcrawl.template.structure.sequence import (
    PageSequence,
    SequenceOptions,
    TagSequence,
    sequence_of_page,
)
from quarkcrawl.template.structure.sequenceset import SequenceSet, distinct, flatten
from quarkcrawl.template.structure.signs import NO_SIGNS, Signs
from quarkcrawl.template.structure.skeleton import CODE_BITS, code_of
from quarkcrawl.template.structure.weights import depth_weights, token_weights

__all__ = [
    "CODE_BITS",
    "DEFAULT_POLICY",
    "NO_SIGNS",
    "REPEATS",
    "THESIS_POLICY",
    "FilterOptions",
    "PageSequence",
    "Reason",
    "SequenceOptions",
    "SequenceSet",
    "Signs",
    "TagPolicy",
    "TagSequence",
    "code_of",
    "depth_weights",
    "distinct",
    "flatten",
    "reason_to_leave_out",
    "sequence_of_page",
    "token_weights",
]
