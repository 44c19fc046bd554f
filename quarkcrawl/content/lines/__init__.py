"""The default extractor: every line of a page judged by boosted trees."""

from quarkcrawl.content.lines.compose import (
    choose_lines,
    kept_texts,
    line_texts,
)
from quarkcrawl.content.lines.extractor import default_extraction, judged_lines
from quarkcrawl.content.lines.matrix import (
    LineFeatures,
    LineScorer,
    fill_word_scores,
    line_features,
)
from quarkcrawl.content.lines.model import BlockModel, load_model, read_model, write_model
from quarkcrawl.content.lines.names import NameReader, name_hashes, node_names
from quarkcrawl.content.lines.scoring import (
    CLASS_BITS,
    COLUMN_SHIFT,
    LEAF,
    TEXT_BITS,
    Trees,
    smoothed_scores,
    text_scores,
)

__all__ = [
    "CLASS_BITS",
    "COLUMN_SHIFT",
    "LEAF",
    "TEXT_BITS",
    "BlockModel",
    "LineFeatures",
    "LineScorer",
    "NameReader",
    "Trees",
    "choose_lines",
    "default_extraction",
    "fill_word_scores",
    "judged_lines",
    "kept_texts",
    "line_features",
    "line_texts",
    "load_model",
    "name_hashes",
    "node_names",
    "read_model",
    "smoothed_scores",
    "text_scores",
    "write_model",
]
