"""Questions that tell pages of equal structure apart.

A question has few answers that nearly all pages of a cluster give: how their titles begin or end
once the site's own part is taken off (`quarkcrawl.template.clustering.titlequestion`), or which of
several class names that exclude each other they have
(`quarkcrawl.template.clustering.classquestion`). What an author wrote gives many answers, and no
question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from quarkcrawl.errors import ConfigError, InputError

if TYPE_CHECKING:
    from collections import Counter

    from quarkcrawl.template.structure import Signs


MOST_ANSWERS: Final = 8
"""Programs make few kinds of lists; authors give many names."""

_LEAST_ANSWERS: Final = 2

WITNESSES: Final = ("title-start", "title-end", "word-start", "word-end", "class")

_SEPARATOR: Final = re.compile(r"""\s*[|｜·•»«›‹:：–—_"“”「」『』]+\s*|\s+[-=/~]+\s+""")
_NUMBER: Final = re.compile(r"\d+")


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
    least_cover: float = 0.85
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
        said, _ = title_answer(self.witness, own_segments(title_segments(signs.title), self.site))
        return said if said in self.answers else None


@dataclass(frozen=True, slots=True)
class Kind:
    """Which pages of a cluster: those with one answer to a question.

    Args:
        question: what tells the pages of the cluster apart.
        answer: what pages of this kind answer, None for pages that give none of the answers.
    """

    question: Question
    answer: str | None

    def has(self, signs: Signs) -> bool:
        """Whether a page with these signs is of this kind.

        Args:
            signs: what was seen on the page.
        """
        return self.question.answer(signs) == self.answer

    def __str__(self) -> str:
        return f"{self.question.witness} {'-' if self.answer is None else repr(self.answer)}"


def title_segments(title: str) -> tuple[str, ...]:
    """Parts of a title between separators, each number as 0.

    >>> title_segments("Tag: Java 17 | My site")
    ('Tag', 'Java 0', 'My site')
    """
    parts = (_NUMBER.sub("0", part).strip() for part in _SEPARATOR.split(title))
    return tuple(part for part in parts if any(map(str.isalnum, part)))


def own_segments(segments: tuple[str, ...], site: tuple[str, ...]) -> tuple[str, ...]:
    """Parts of a title that are not the site's."""
    return tuple(part for part in segments if part not in site)


def title_answer(witness: str, parts: tuple[str, ...]) -> tuple[str, str]:
    """The part of a title that may be a kind, and the rest; two empty ones for no title."""
    if not parts:
        return "", ""
    at_end = witness.endswith("end")
    if witness.startswith("title"):
        return (parts[-1], " ".join(parts[:-1])) if at_end else (parts[0], " ".join(parts[1:]))
    words = " ".join(parts).split()
    return (words[-1], " ".join(words[:-1])) if at_end else (words[0], " ".join(words[1:]))


def frequent(counts: Counter[str], n: int, share: float) -> set[str]:
    """Answers that a share of n pages gives, and at least two pages."""
    least = max(_LEAST_ANSWERS, share * n)
    return {answer for answer, count in counts.items() if count >= least}
