"""Extractors side by side: ours, baselines and other projects'."""

from quarkcrawl.lab.evaluate.extractors.bootstrap import (
    Difference,
    macro_difference,
    paired_bootstrap,
)
from quarkcrawl.lab.evaluate.extractors.extractors import (
    DEFAULT_EXTRACTORS,
    content_method,
    extractor,
    peer_text,
    topic_method,
)
from quarkcrawl.lab.evaluate.extractors.leftout import with_left_out
from quarkcrawl.lab.evaluate.extractors.peers import PEERS
from quarkcrawl.lab.evaluate.extractors.plaintext import (
    MAX_COMPARED_CHARS,
    comparable,
    compose,
    score_text,
)
from quarkcrawl.lab.evaluate.extractors.sidebyside import Comparison, compare, load_jobs
from quarkcrawl.lab.evaluate.extractors.tables import (
    Differences,
    comparison_json,
    comparison_tables,
)

__all__ = [
    "DEFAULT_EXTRACTORS",
    "MAX_COMPARED_CHARS",
    "PEERS",
    "Comparison",
    "Difference",
    "Differences",
    "comparable",
    "compare",
    "comparison_json",
    "comparison_tables",
    "compose",
    "content_method",
    "extractor",
    "load_jobs",
    "macro_difference",
    "paired_bootstrap",
    "peer_text",
    "score_text",
    "topic_method",
    "with_left_out",
]
