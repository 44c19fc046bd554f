"""What is learned: linear models that read words, and boosted trees that judge lines."""

from quarkcrawl.content.lines.scoring.linear import (
    CLASS_BITS,
    MAX_HEAD,
    MAX_TAIL,
    TEXT_BITS,
    class_scores,
    line_tokens,
    text_scores,
    word_hash,
)
from quarkcrawl.content.lines.scoring.loops import best_f1
from quarkcrawl.content.lines.scoring.smoothing import smoothed_scores
from quarkcrawl.content.lines.scoring.trees import COLUMN_SHIFT, LEAF, LEFT_MASK, Trees

__all__ = [
    "CLASS_BITS",
    "COLUMN_SHIFT",
    "LEAF",
    "LEFT_MASK",
    "MAX_HEAD",
    "MAX_TAIL",
    "TEXT_BITS",
    "Trees",
    "best_f1",
    "class_scores",
    "line_tokens",
    "smoothed_scores",
    "text_scores",
    "word_hash",
]
