"""How important each block of a page is."""

from quarkcrawl.content.importance.features import (
    BOX_FEATURES,
    FEATURES,
    BlockCounts,
    block_counts_of,
    importance_features,
)
from quarkcrawl.content.importance.model import ImportanceModel, table_importance, write_importance

__all__ = [
    "BOX_FEATURES",
    "FEATURES",
    "BlockCounts",
    "ImportanceModel",
    "block_counts_of",
    "importance_features",
    "table_importance",
    "write_importance",
]
