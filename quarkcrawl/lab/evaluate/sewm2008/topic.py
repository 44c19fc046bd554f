"""Task 1 of SEWM2008: which pages are topic pages.

Precision is the share of the found pages that are topic pages, recall the share of the topic pages
that are found (the thesis prints the same denominator twice: a misprint).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quarkcrawl.errors import InputError
from quarkcrawl.lab.gold import Score, read_marks

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from quarkcrawl.lab.gold import GoldPage


@dataclass(frozen=True, slots=True)
class TopicResult:
    """Scores of one run of task 1.

    Args:
        name: what the run is called, as in `TopicRun`.
        score: precision, recall and F1 over all pages.
        n_found: pages that the run takes for topic pages.
        n_correct: those that are.
        n_topic: topic pages in the gold.
        n_pages: pages in the gold.
    """

    name: str
    score: Score
    n_found: int
    n_correct: int
    n_topic: int
    n_pages: int


def topic_gold(pages: Iterable[GoldPage]) -> dict[str, bool]:
    """Whether each page is a topic page: as its record says, else whether content is marked on it.

    Args:
        pages: gold pages.

    Raises:
        InputError: if a page neither says it nor is marked.
    """
    return {page.number: _is_topic(page) for page in pages}


def _is_topic(page: GoldPage) -> bool:
    if page.is_topic is not None:
        if not isinstance(page.is_topic, bool):
            raise InputError("is_topic must be true or false", where=page.where)
        return page.is_topic
    return read_marks(page.page(), page.where, keep_marks=True).is_topic


def score_topic(
    name: str, document_numbers: Collection[str], gold: Mapping[str, bool]
) -> TopicResult:
    """Score a run of task 1.

    Args:
        name: what the result calls the run.
        document_numbers: pages it takes for topic pages; those without gold do not count.
        gold: whether each page is a topic page.
    """
    judged = {number for number in document_numbers if number in gold}
    n_correct = sum(gold[number] for number in judged)
    n_topic = sum(gold.values())
    score = Score.of(n_correct, len(judged), n_topic)
    return TopicResult(name, score, len(judged), n_correct, n_topic, len(gold))
