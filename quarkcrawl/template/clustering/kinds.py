"""Clusters of equal structure divided by kind of page.

Programs make lists of everything that has a tag, is in a category, or was written in a month with
the same elements. After clustering by structure, a cluster of lists is divided by what its pages
answer to a question about their titles or, if there is none, about their class names
(`quarkcrawl.template.clustering.questions`). No address is looked at. Clusters of which most pages
hold prose stay whole: what begins the titles of articles is the author's doing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.template.clustering.classquestion import class_question
from quarkcrawl.template.clustering.cluster import renumbered
from quarkcrawl.template.clustering.lcs import similarity
from quarkcrawl.template.clustering.questions import Kind, KindOptions
from quarkcrawl.template.clustering.titlequestion import title_question

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from quarkcrawl.template.clustering.cluster import Clustering
    from quarkcrawl.template.clustering.questions import Question
    from quarkcrawl.template.structure import Signs, TagSequence

    LongArray = NDArray[np.int64]


_LEAST_PAGES: Final = 6
"""Fewer pages show no kinds."""


def divide_by_kind(
    clustering: Clustering,
    sequences: Sequence[TagSequence],
    options: KindOptions | None = None,
    weight: str = "inverse",
) -> Clustering:
    """Divide clusters of lists by kind of page.

    Args:
        clustering: clusters by structure.
        sequences: one a page, with signs.
        options: how; None for the defaults.
        weight: weight of an element by depth.

    Returns:
        The clustering with ``kinds``; the center of a part is the page that is most like the
        center of the whole.
    """
    how = options or KindOptions()
    center = clustering.centers[clustering.labels]
    kind_of: dict[int, Kind] = {}
    for number in range(len(clustering)):
        pages = clustering.members(number)
        for kind, part in _parts(pages, [sequences[page].signs for page in pages.tolist()], how):
            middle = _middle(part, sequences, int(clustering.centers[number]), weight)
            center[part] = middle
            kind_of[middle] = kind
    divided = renumbered(clustering, center)
    return replace(divided, kinds=tuple(map(kind_of.get, divided.centers.tolist())))


def question_for(signs: Sequence[Signs], how: KindOptions) -> Question | None:
    """What the pages of a cluster of lists can be asked, if anything."""
    n_prose = sum(one.has_prose for one in signs)
    if len(signs) < _LEAST_PAGES or n_prose > how.max_prose * len(signs):
        return None
    finders = {"title": title_question, "class": class_question}
    return next(filter(None, (finders[word](signs, how) for word in how.ask)), None)


def _parts(
    pages: LongArray, signs: Sequence[Signs], how: KindOptions
) -> Iterator[tuple[Kind, LongArray]]:
    question = question_for(signs, how)
    if question is None:
        return
    members: defaultdict[str | None, list[int]] = defaultdict(list)
    for page, one in zip(pages.tolist(), signs, strict=True):
        members[question.answer(one)].append(page)
    for answer, part in members.items():
        yield Kind(question, answer), np.array(part, np.int64)


def _middle(pages: LongArray, sequences: Sequence[TagSequence], center: int, weight: str) -> int:
    """The first page with the sequence most like the center, of like ones the most frequent."""
    digests = [sequences[page].digest for page in pages.tolist()]
    counts = Counter(digests)
    first: dict[bytes, int] = dict(zip(reversed(digests), reversed(pages.tolist()), strict=True))
    near = {
        digest: similarity(sequences[page], sequences[center], weight)
        for digest, page in first.items()
    }
    return first[min(near, key=lambda digest: (-near[digest], -counts[digest], digest))]
