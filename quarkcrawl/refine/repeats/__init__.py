"""Repeats inside and between the texts of a corpus, exactly, in bounded memory."""

from quarkcrawl.refine.repeats.documents import (
    REASONS,
    RepeatedSpan,
    SourceText,
    Texts,
    without,
)
from quarkcrawl.refine.repeats.paragraphs import (
    ParagraphOptions,
    normalized_paragraph,
    repeated_paragraphs,
)
from quarkcrawl.refine.repeats.substrings import SubstringOptions, repeated_substrings

__all__ = [
    "REASONS",
    "ParagraphOptions",
    "RepeatedSpan",
    "SourceText",
    "SubstringOptions",
    "Texts",
    "normalized_paragraph",
    "repeated_paragraphs",
    "repeated_substrings",
    "without",
]
