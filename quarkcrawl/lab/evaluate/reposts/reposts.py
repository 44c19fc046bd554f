"""A benchmark of reposts with known classes, made from any articles.

Each article gives a class, and some of its edits that make another article (`dedupedits`) give one
each. From every class come one or more texts, with edits that keep it. Texts are shuffled: which of
a class comes first is chance. The same articles and seed give the same benchmark.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Final

from quarkcrawl.lab.evaluate.reposts.edits import CHANGING, KEEPING, n_han

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from quarkcrawl.lab.evaluate.reposts.edits import Paragraphs


_LEAST_HAN: Final = 200
_LEAST_CHANGE: Final = 1.06
_COPIES: Final = (1, 1, 2, 2, 3, 4)
_EDITS: Final = (0, 1, 1, 2, 3)
_CHANGES: Final = (0, 1, 1, 2)


@dataclass(frozen=True, slots=True)
class Repost:
    """A text of the benchmark.

    Args:
        text: paragraphs, one a line.
        label: its class: number of the article and what was made of it.
        edits: what was done to this copy.
        article: number of the article it was made from.
    """

    text: str
    label: str
    edits: tuple[str, ...]
    article: int


def usable_articles(texts: Iterable[str]) -> list[str]:
    """Articles long enough to be cut: 200 Han characters, four sentences.

    Args:
        texts: any texts.
    """
    return [text for text in texts if n_han([text]) >= _LEAST_HAN and text.count("。") >= 4]


def make_reposts(articles: Sequence[str], seed: int = 0) -> list[Repost]:
    """Make the benchmark.

    Args:
        articles: unlike texts, paragraphs on lines of their own.
        seed: start of all random choices; the same articles and seed give the same benchmark.
    """
    random = Random(f"reposts {seed}")  # noqa: S311 - reproducible on purpose
    reposts: list[Repost] = []
    for number, article in enumerate(articles):
        original = [line.strip() for line in article.split("\n") if line.strip()]
        other = articles[random.randrange(len(articles) - 1)] if len(articles) > 1 else article
        other = articles[-1] if other is article else other
        classes = {"whole": original}
        for change in random.sample(sorted(CHANGING), random.choice(_CHANGES)):
            changed = CHANGING[change](original, other.split("\n"), random)
            if _is_another(original, changed, change):
                classes[change] = changed
        for name, text in classes.items():
            label = f"{number}:{name}"
            reposts += [_copy(text, label, number, random) for _ in range(random.choice(_COPIES))]
    random.shuffle(reposts)
    return reposts


def _is_another(original: Paragraphs, changed: Paragraphs, change: str) -> bool:
    """Whether cutting at whole sentences has left a change worth the name."""
    if change == "same-lead":
        return n_han(changed) >= _LEAST_HAN // 2
    low, high = sorted((n_han(original), n_han(changed)))
    return low * _LEAST_CHANGE <= high and low >= _LEAST_HAN // 4


def _copy(text: Paragraphs, label: str, article: int, random: Random) -> Repost:
    """One text of a class; credits and disclaimers are put around whatever else was done."""
    names = set(random.sample(sorted(KEEPING), random.choice(_EDITS)))
    edits = tuple(name for name in _ORDER if name in names)
    for name in edits:
        text = KEEPING[name](text, random)
    return Repost("\n".join(text), label, edits, article)


_ORDER: Final = ("lines", "typos", "punctuation", "dateline", "caption", "disclaimer", "credit")
