"""Near-duplicates of a corpus: fingerprints, groups, by several methods."""

from quarkcrawl.corpus.near.api import find_near, find_near_on_cluster, near_groups
from quarkcrawl.corpus.near.astasks import finish_near_tasks, near_task
from quarkcrawl.corpus.near.methods import NEAR_METHODS, near_method

__all__ = [
    "NEAR_METHODS",
    "find_near",
    "find_near_on_cluster",
    "finish_near_tasks",
    "near_groups",
    "near_method",
    "near_task",
]
