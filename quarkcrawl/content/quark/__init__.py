"""Content by the Quark thesis: words shared with the longest block, and naive Bayes."""

from importlib import import_module
from typing import TYPE_CHECKING

from quarkcrawl.content.quark.analyzer import SIMILARITY_THRESHOLD, content_of_blocks, quark_content
from quarkcrawl.content.quark.bayes import FEATURES, Priors, features, posterior
from quarkcrawl.content.quark.similarity import MAX_COMPARED_CHARS, similarity
from quarkcrawl.content.quark.tokens import words

if TYPE_CHECKING:
    from quarkcrawl.content.quark.kernels import distances

__all__ = [
    "FEATURES",
    "MAX_COMPARED_CHARS",
    "SIMILARITY_THRESHOLD",
    "Priors",
    "content_of_blocks",
    "distances",
    "features",
    "posterior",
    "quark_content",
    "similarity",
    "words",
]


def __getattr__(name: str) -> object:
    if name == "distances":  # its module loads numba (.3 s), which not every process needs
        return import_module("quarkcrawl.content.quark.kernels").distances
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
