"""Measure extraction and topic decisions against marked pages.

Gold comes as hand-marked HTML, in the form of SEWM2008, or as plain text (`gold`, `marks`). The two
SEWM2008 tasks take run files: topic pages (`topic`) and spans of content with exact offsets
(`finding`, on the characters that `places` locates). Plain-text gold is compared by the longest
common subsequence (`plaintext`). `sidebyside` runs our methods, the baselines of the SEWM2008 teams
(`baselines`) and other projects' extractors (`peers`) over the same pages in a crash-proof pool;
`bootstrap` says what a difference is worth. `marking` writes marks into a page without changing
another byte of it. Formulas: chapter 4 of the Quark thesis, as corrected in spec/evaluation.md.
"""

from quarkcrawl.lab.evaluate.annotations.gold import GoldPage, load_gold
from quarkcrawl.lab.evaluate.annotations.marks import read_marks, without_marks
from quarkcrawl.lab.evaluate.extractors.bootstrap import Difference, paired_bootstrap
from quarkcrawl.lab.evaluate.extractors.plaintext import score_text
from quarkcrawl.lab.evaluate.extractors.sidebyside import Comparison, compare, load_jobs
from quarkcrawl.lab.evaluate.scores import Score, macro
from quarkcrawl.lab.evaluate.sewm2008.finding import (
    ContentGold,
    content_gold,
    score_content,
    score_page,
)
from quarkcrawl.lab.evaluate.sewm2008.runfile import (
    ContentRun,
    TopicRun,
    read_content_run,
    read_topic_run,
    write_content_run,
    write_topic_run,
)
from quarkcrawl.lab.evaluate.sewm2008.topic import score_topic, topic_gold

__all__ = [
    "Comparison",
    "ContentGold",
    "ContentRun",
    "Difference",
    "GoldPage",
    "Score",
    "TopicRun",
    "compare",
    "content_gold",
    "load_gold",
    "load_jobs",
    "macro",
    "paired_bootstrap",
    "read_content_run",
    "read_marks",
    "read_topic_run",
    "score_content",
    "score_page",
    "score_text",
    "score_topic",
    "topic_gold",
    "without_marks",
    "write_content_run",
    "write_topic_run",
]
