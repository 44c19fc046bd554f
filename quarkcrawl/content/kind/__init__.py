"""The kind of a page, such as article, forum or listing, from its bytes and its address."""

from quarkcrawl.content.kind.model import (
    KINDS,
    N_RANGES,
    KindModel,
    PageFacts,
    PageKind,
    is_one_of,
    kind_probabilities,
    load_kind_model,
    page_facts,
    page_kind,
    read_kind_model,
    rounded,
    write_kind_model,
)
from quarkcrawl.content.kind.words import WORD_BITS

__all__ = [
    "KINDS",
    "N_RANGES",
    "WORD_BITS",
    "KindModel",
    "PageFacts",
    "PageKind",
    "is_one_of",
    "kind_probabilities",
    "load_kind_model",
    "page_facts",
    "page_kind",
    "read_kind_model",
    "rounded",
    "write_kind_model",
]
