"""Which of several class names that exclude each other a cluster's pages have."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.template.clustering.questions import MOST_ANSWERS, Question, frequent
from quarkcrawl.template.clustering.scores import adjusted_rand_index

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from quarkcrawl.template.clustering.questions import KindOptions
    from quarkcrawl.template.structure import Signs

    IntArray = NDArray[np.int64]


_OVERLAP: Final = 0.01
"""Share of the pages that may have two names that exclude each other."""

_AGREEMENT: Final = 0.95
_MOST_SETS: Final = 20
_PLACE: Final = re.compile(r"[^/]*/\d+[.#]")


def class_question(signs: Sequence[Signs], how: KindOptions) -> Question | None:
    """A question about class names and ids, if there is one.

    Of the class names of elements of one name and depth, some must exclude each other and be on
    nearly all pages together; if there are several such sets, the one that most of them agree
    with is taken.
    """
    splits = list(islice(_exclusive(signs, how), _MOST_SETS))
    if not splits:
        return None
    votes = [
        sum(adjusted_rand_index(one, other) > _AGREEMENT for _, other in splits)
        for _, one in splits
    ]
    return Question("class", splits[int(np.argmax(votes))][0])


def _place(mark: str) -> str:
    """Element, depth and attribute of a mark."""
    match = _PLACE.match(mark)
    return match[0] if match else mark


def _exclusive(
    signs: Sequence[Signs], how: KindOptions
) -> Iterator[tuple[tuple[str, ...], IntArray]]:
    """Sets of marks that exclude each other and cover the pages, and which each page has."""
    n = len(signs)
    pages: defaultdict[str, list[int]] = defaultdict(list)
    for page, one in enumerate(signs):
        for mark in one.marks:
            pages[mark].append(page)
    common = frequent(
        Counter({mark: len(pages_of_mark) for mark, pages_of_mark in pages.items()}),
        n,
        how.least_share,
    )
    places: defaultdict[str, list[str]] = defaultdict(list)
    for mark in sorted(common, key=lambda mark: (-len(pages[mark]), mark)):
        if len(pages[mark]) <= (1 - how.least_share) * n:
            places[_place(mark)].append(mark)
    for _, marks in sorted(places.items()):
        answers, which = _apart(marks, pages, n)
        if 1 < len(answers) <= MOST_ANSWERS and (which >= 0).sum() >= how.least_cover * n:
            yield tuple(answers), which


def _apart(marks: list[str], pages: Mapping[str, list[int]], n: int) -> tuple[list[str], IntArray]:
    """Marks of one place that hardly share pages, the most frequent first; which each page has."""
    which = np.full(n, -1)
    answers: list[str] = []
    for mark in marks:
        here = np.array(pages[mark])
        if (which[here] >= 0).sum() <= _OVERLAP * n:
            which[here[which[here] < 0]] = len(answers)
            answers.append(mark)
    return answers, which
