"""Questions that tell pages of equal structure apart, and how they are found.

A question has few answers that nearly all pages of a cluster give: how their titles begin or end
once the site's own part is taken off, or which of several class names that exclude each other
they have. What an author wrote gives many answers, and no question.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.errors import ConfigError, InputError
from quarkcrawl.template.scores import adjusted_rand_index

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from quarkcrawl.template.signs import Signs

__all__ = [
    "WITNESSES", "Kind", "KindOptions", "Question", "class_question",
    "title_question", "title_segments",
]  # fmt: skip

_MOST_CONSTANT: Final = 3
"""Titles of lists of one kind may be one and the same (``Archive``); more of them are names."""

_OVERLAP: Final = 0.01
"""Share of the pages that may have two names that exclude each other."""

_AGREEMENT: Final = 0.95
_LEAST_ANSWERS: Final = 3

WITNESSES: Final = ("title-start", "title-end", "word-start", "word-end", "class")

_SEPARATOR: Final = re.compile(r"""\s*[|｜·•»«›‹:：–—_"“”「」『』]+\s*|\s+[-=/~]+\s+""")
_NUMBER: Final = re.compile(r"\d+")
_PLACE: Final = re.compile(r"[^/]*/\d+[.#]")


@dataclass(frozen=True, slots=True)
class KindOptions:
    """How kinds of pages are told apart.

    Args:
        ask: what is asked, in this order: ``"title"``, ``"class"``.
        least_cover: share of the pages of a cluster that must give one of the answers.
        least_share: share of the pages that must give an answer for it to be one.
        max_prose: clusters of which a larger share of pages holds prose are left whole.
    """

    ask: tuple[str, ...] = ("title", "class")
    least_cover: float = 0.95
    least_share: float = 0.05
    max_prose: float = 0.5

    def __post_init__(self) -> None:
        unknown = [word for word in self.ask if word not in {"title", "class"}]
        if unknown:
            raise ConfigError(f"kinds cannot be asked of {unknown[0]!r}; there is title, class")
        for name in ("least_cover", "least_share", "max_prose"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"{name} is {getattr(self, name)}, not from 0 to 1")


@dataclass(frozen=True, slots=True)
class Question:
    """What pages of one cluster are asked.

    Args:
        witness: one of `WITNESSES`.
        answers: those that make a kind; pages that give none of them are a kind together.
        site: parts of titles that are the site's.
    """

    witness: str
    answers: tuple[str, ...]
    site: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.witness not in WITNESSES:
            raise InputError(f"no witness {self.witness!r}; there is {', '.join(WITNESSES)}")

    def answer(self, signs: Signs) -> str | None:
        """What a page answers; None if that is no kind of its own."""
        if self.witness == "class":
            return next((mark for mark in self.answers if mark in signs.marks), None)
        said, _ = _said(self.witness, _own(title_segments(signs.title), self.site))
        return said if said in self.answers else None


@dataclass(frozen=True, slots=True)
class Kind:
    """Which pages of a cluster: those with one answer to a question.

    Args:
        question: the question.
        answer: the answer, None for pages that give none of the answers.
    """

    question: Question
    answer: str | None

    def has(self, signs: Signs) -> bool:
        """Whether a page with these signs is of this kind."""
        return self.question.answer(signs) == self.answer

    def __str__(self) -> str:
        return f"{self.question.witness} {'-' if self.answer is None else repr(self.answer)}"


def title_segments(title: str) -> tuple[str, ...]:
    """Parts of a title between separators, each number as 0.

    >>> title_segments("Tag: Java 17 | My site")
    ('Tag', 'Java 0', 'My site')
    """
    parts = (_NUMBER.sub("0", part).strip() for part in _SEPARATOR.split(title))
    return tuple(part for part in parts if part)


def _site_segments(titles: Sequence[tuple[str, ...]], share: float) -> tuple[str, ...]:
    """Parts that nearly all titles of a cluster have: the name of the site, mostly."""
    counts = Counter(part for parts in titles for part in set(parts))
    return tuple(sorted(p for p, count in counts.items() if count >= share * len(titles)))


def title_question(signs: Sequence[Signs], how: KindOptions) -> Question | None:
    """A question about the titles of a cluster's pages, if there is one.

    Args:
        signs: of the pages.
        how: when there is one.
    """
    segments = [title_segments(one.title) for one in signs]
    site = _site_segments(segments, how.least_cover)
    titles = [_own(parts, site) for parts in segments]
    for witness in WITNESSES[:-1]:
        answers = _title_answers([_said(witness, parts) for parts in titles], how)
        if answers:
            return Question(witness, answers, site)
    return None


def _own(segments: tuple[str, ...], site: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part for part in segments if part not in site)


def _said(witness: str, parts: tuple[str, ...]) -> tuple[str, str]:
    """The part of a title that may be a kind, and the rest; two empty ones for no title."""
    if not parts:
        return "", ""
    at_end = witness.endswith("end")
    if witness.startswith("title"):
        return (parts[-1], " ".join(parts[:-1])) if at_end else (parts[0], " ".join(parts[1:]))
    words = " ".join(parts).split()
    return (words[-1], " ".join(words[:-1])) if at_end else (words[0], " ".join(words[1:]))


def _title_answers(said: list[tuple[str, str]], how: KindOptions) -> tuple[str, ...]:
    """The answers, none unless they divide the pages and nearly all pages give one."""
    counts = Counter(answer for answer, _ in said)
    frequent = _frequent(counts, len(said), how.least_share)
    if sum(counts[answer] for answer in frequent) < how.least_cover * len(said):
        return ()
    rests: defaultdict[str, set[str]] = defaultdict(set)
    for answer, rest in said:
        rests[answer].add(rest)
    constant = {answer for answer in frequent if answer and len(rests[answer]) < 2}
    names = constant if len(constant) > _MOST_CONSTANT else set()
    kinds = tuple(sorted(frequent - names))
    return kinds if len(kinds) + bool(names) > 1 else ()


def _frequent(counts: Counter[str], n: int, share: float) -> set[str]:
    least = max(_LEAST_ANSWERS, share * n)
    return {answer for answer, count in counts.items() if count >= least}


def class_question(signs: Sequence[Signs], how: KindOptions) -> Question | None:
    """A question about class names and ids, if there is one.

    Of the class names of elements of one name and depth, some must exclude each other and be on
    nearly all pages together; if there are several such sets, the one that most of them agree
    with is taken.

    Args:
        signs: of the pages.
        how: when there is one.
    """
    found = list(_exclusive(signs, how))
    if not found:
        return None
    votes = [
        sum(adjusted_rand_index(one, other) > _AGREEMENT for _, other in found) for _, one in found
    ]
    return Question("class", found[int(np.argmax(votes))][0])


def _place(mark: str) -> str:
    """Element, depth and attribute of a mark."""
    found = _PLACE.match(mark)
    return found[0] if found else mark


def _exclusive(
    signs: Sequence[Signs], how: KindOptions
) -> Iterator[tuple[tuple[str, ...], list[int]]]:
    """Sets of marks that exclude each other and cover the pages, with which each page has."""
    n = len(signs)
    pages: defaultdict[str, list[int]] = defaultdict(list)
    for page, one in enumerate(signs):
        for mark in one.marks:
            pages[mark].append(page)
    frequent = _frequent(
        Counter({mark: len(found) for mark, found in pages.items()}), n, how.least_share
    )
    places: defaultdict[str, list[str]] = defaultdict(list)
    for mark in sorted(frequent, key=lambda mark: (-len(pages[mark]), mark)):
        if len(pages[mark]) <= (1 - how.least_share) * n:
            places[_place(mark)].append(mark)
    for _, marks in sorted(places.items()):
        which = np.full(n, -1)
        chosen: list[str] = []
        for mark in marks:
            here = np.array(pages[mark])
            if (which[here] >= 0).sum() <= _OVERLAP * n:
                which[here[which[here] < 0]] = len(chosen)
                chosen.append(mark)
        if len(chosen) > 1 and (which >= 0).sum() >= how.least_cover * n:
            yield tuple(chosen), which.tolist()
