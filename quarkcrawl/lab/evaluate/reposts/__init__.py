"""Near-duplicates with a known truth: edited and reposted texts."""

from quarkcrawl.lab.evaluate.reposts.pages import page_of
from quarkcrawl.lab.evaluate.reposts.reposts import Repost, make_reposts, usable_articles
from quarkcrawl.lab.evaluate.reposts.scores import ClassScore, paper_table, score_classes

__all__ = [
    "ClassScore",
    "Repost",
    "make_reposts",
    "page_of",
    "paper_table",
    "score_classes",
    "usable_articles",
]
