"""Content by the Quark thesis: words shared with the longest block, and naive Bayes."""

from quarkcrawl.content.quark.analyzer import (
    SIMILARITY_THRESHOLD,
    AnalyzerOptions,
    extraction_of_blocks,
    quark_extraction,
)
from quarkcrawl.content.quark.bayes import features, posterior
from quarkcrawl.content.quark.priors import FEATURES, Priors
from quarkcrawl.content.quark.similarity import MAX_COMPARED_CHARS, Idf, Reference, similarity
from quarkcrawl.content.quark.tokens import jieba_tokens, words

__all__ = [
    "FEATURES",
    "MAX_COMPARED_CHARS",
    "SIMILARITY_THRESHOLD",
    "AnalyzerOptions",
    "Idf",
    "Priors",
    "Reference",
    "extraction_of_blocks",
    "features",
    "jieba_tokens",
    "posterior",
    "quark_extraction",
    "similarity",
    "words",
]
