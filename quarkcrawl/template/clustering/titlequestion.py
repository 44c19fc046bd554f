"""How the titles of a cluster's pages begin or end, if that tells them apart.

Programs write what a list is about into its title, before or after the name: ``Tag: Java | Site``,
``Java - Tag - Site``. No word is known beforehand, in no language.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

from quarkcrawl.template.clustering.questions import (
    MOST_ANSWERS,
    WITNESSES,
    Question,
    frequent,
    own_segments,
    title_answer,
    title_segments,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.template.clustering.questions import KindOptions
    from quarkcrawl.template.structure import Signs


_SITE_SHARE: Final = 0.95
"""A part that this share of the titles of a cluster has is the name of the site."""

_MOST_CONSTANT: Final = 3
"""Titles of lists of one kind may be one and the same (``Archive``); more of them are names."""


def title_question(signs: Sequence[Signs], how: KindOptions) -> Question | None:
    """A question about the titles of a cluster's pages, if there is one."""
    segments = [title_segments(one.title) for one in signs]
    site = _site_segments(segments)
    titles = [own_segments(parts, site) for parts in segments]
    answers_by_witness = {
        witness: _title_answers([title_answer(witness, parts) for parts in titles], how)
        for witness in WITNESSES[:-1]
    }
    best = next((witness for witness, answers in answers_by_witness.items() if answers), None)
    return Question(best, answers_by_witness[best], site) if best else None


def _site_segments(titles: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Parts that nearly all titles of a cluster have: the name of the site, mostly."""
    counts = Counter(part for parts in titles for part in set(parts))
    return tuple(sorted(p for p, count in counts.items() if count >= _SITE_SHARE * len(titles)))


def _title_answers(said: list[tuple[str, str]], how: KindOptions) -> tuple[str, ...]:
    """The answers, none unless they divide the pages and nearly all pages give one."""
    counts = Counter(answer for answer, _ in said)
    common = frequent(counts, len(said), how.least_share)
    if sum(counts[answer] for answer in common) < how.least_cover * len(said):
        return ()
    rests: defaultdict[str, set[str]] = defaultdict(set)
    for answer, rest in said:
        rests[answer].add(rest)
    constant = {answer for answer in common if answer and len(rests[answer]) < 2}
    names = constant if len(constant) > _MOST_CONSTANT else set()
    kinds = tuple(sorted(common - names))
    are_few = len(kinds) + bool(names) > 1 and len(kinds) <= MOST_ANSWERS
    return kinds if are_few and not _are_names(kinds, rests) else ()


def _are_names(answers: tuple[str, ...], rests: dict[str, set[str]]) -> bool:
    """Whether answers go with fewer different rests than there are: names go with kinds."""
    with_rest = [rests[answer] - {""} for answer in answers if rests[answer] - {""}]
    return len(set().union(*with_rest)) < len(with_rest)
