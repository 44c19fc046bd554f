"""Seeded Chinese prose: readable nonsense with the look of real pages.

Headlines, sentences and paragraphs are put together from the word lists by sentence patterns.
A paragraph costs about ten microseconds, so that a page can be made anew for each request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quarkcrawl.lab.mockweb.site import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.lab.mockweb.dice import Dice


Pattern = tuple[object, ...]

TOPIC = object()
"""Slot for a word of the page's own column."""
NUMBER = object()
"""Slot for a number."""

_SENTENCES: tuple[Pattern, ...] = (
    (
        words.TIMES,
        "，",
        words.CITIES,
        words.ORGANISATIONS,
        words.ADVERBS,
        words.VERBS,
        "了",
        words.ADJECTIVES,
        "的",
        TOPIC,
        words.NOUNS,
        "。",
    ),
    (
        words.OPENINGS,
        "，",
        TOPIC,
        "的",
        words.NOUNS,
        "比",
        words.TIMES,
        "增长了",
        NUMBER,
        words.MEASURES,
        "，",
        words.ADJECTIVES,
        "的",
        words.NOUNS,
        "还需要",
        words.ADVERBS,
        words.VERBS,
        "。",
    ),
    (
        words.ORGANISATIONS,
        "的",
        words.SURNAMES,
        words.ROLES,
        "说：“",
        TOPIC,
        words.NOUNS,
        "很",
        words.ADJECTIVES,
        "，我们会",
        words.ADVERBS,
        words.VERBS,
        words.NOUNS,
        "。”",
    ),
    (
        "在",
        words.CITIES,
        "，",
        TOPIC,
        "和",
        TOPIC,
        "一直是",
        words.ROLES,
        "们",
        words.VERBS,
        "的",
        words.NOUNS,
        "；",
        words.OPENINGS,
        "，",
        words.NOUNS,
        "也在",
        words.VERBS,
        words.NOUNS,
        "。",
    ),
    (
        "不少",
        words.ROLES,
        words.ADVERBS,
        words.VERBS,
        words.NOUNS,
        "，希望",
        words.ORGANISATIONS,
        "把",
        TOPIC,
        words.NOUNS,
        "做得更",
        words.ADJECTIVES,
        "、更",
        words.ADJECTIVES,
        "。",
    ),
    (
        words.OPENINGS,
        "，",
        words.TIMES,
        "共有",
        NUMBER,
        words.MEASURES,
        words.VERBS,
        "，其中",
        words.CITIES,
        "占",
        NUMBER,
        "%，",
        words.CITIES,
        "（",
        words.ORGANISATIONS,
        "）次之。",
    ),
    (
        "为了",
        words.VERBS,
        words.ADJECTIVES,
        "的",
        TOPIC,
        "，",
        words.CITIES,
        words.ORGANISATIONS,
        words.TIMES,
        words.VERBS,
        "《",
        TOPIC,
        words.NOUNS,
        "管理办法》，",
        words.ADVERBS,
        words.VERBS,
        words.NOUNS,
        "。",
    ),
    (
        "这样的",
        TOPIC,
        words.NOUNS,
        "究竟能不能",
        words.VERBS,
        words.NOUNS,
        "？",
        words.ROLES,
        "认为，",
        words.ADJECTIVES,
        "的",
        words.NOUNS,
        "才是关键！",
    ),
)
_HEADLINES: tuple[Pattern, ...] = (
    (words.CITIES, words.ADVERBS, words.VERBS, TOPIC, words.NOUNS),
    (words.CITIES, words.ORGANISATIONS, "：", TOPIC, words.NOUNS, "更加", words.ADJECTIVES),
    (
        TOPIC,
        words.NOUNS,
        words.ADVERBS,
        words.VERBS,
        " ",
        words.CITIES,
        "增加",
        NUMBER,
        words.MEASURES,
    ),
    (words.ROLES, "谈", words.CITIES, TOPIC, "：", words.ADJECTIVES, "的", words.NOUNS),
    ("“", words.ADJECTIVES, TOPIC, "”走进", words.CITIES, words.ORGANISATIONS),
    (
        words.TIMES,
        words.CITIES,
        words.VERBS,
        NUMBER,
        words.MEASURES,
        " ",
        TOPIC,
        words.NOUNS,
        "受关注",
    ),
)


def _fill(dice: Dice, pattern: Pattern, topic: Sequence[str]) -> str:
    random = dice.random
    parts = []
    for slot in pattern:
        if slot.__class__ is str:
            parts.append(slot)
        elif slot is TOPIC:
            parts.append(topic[int(random() * len(topic))])
        elif slot is NUMBER:
            parts.append(str(2 + int(random() * 97)))
        else:
            parts.append(slot[int(random() * len(slot))])  # type: ignore[index,arg-type]
    return "".join(parts)


def sentence(dice: Dice, topic: Sequence[str]) -> str:
    """One sentence about a column's words."""
    return _fill(dice, dice.pick(_SENTENCES), topic)


def headline(dice: Dice, topic: Sequence[str]) -> str:
    """A headline without final punctuation."""
    return _fill(dice, dice.pick(_HEADLINES), topic)


def paragraph(dice: Dice, topic: Sequence[str]) -> str:
    """Two to five sentences.

    Args:
        dice: source of chance.
        topic: words of the subject.
    """
    return "".join([sentence(dice, topic) for _ in range(dice.between(2, 5))])


def person(dice: Dice) -> str:
    """A person's name."""
    return dice.pick(words.SURNAMES) + dice.pick(words.GIVEN_NAMES)


def post(dice: Dice, topic: Sequence[str]) -> str:
    """A reply in a forum: mostly a phrase, sometimes some sentences."""
    text = dice.pick(words.REPLIES) + dice.pick(("！", "。", "~~", "……", "，"))
    return text + sentence(dice, topic) if dice.chance(0.6) or text.endswith("，") else text


def caption(dice: Dice, topic: Sequence[str]) -> str:
    """The line below a picture."""
    scene = dice.pick(words.CITIES) + dice.pick(topic) + dice.pick(words.NOUNS)
    return f"图为{scene}（{person(dice)} 摄）"


def table_rows(dice: Dice, topic: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """A small table of figures with a head row."""
    head = ("城市", f"{dice.pick(topic)}{dice.pick(words.NOUNS)}", "比上年增减（%）")
    rows = [
        (
            dice.pick(words.CITIES),
            str(dice.between(100, 9999)),
            f"{dice.between(-90, 150) / 10:.1f}",
        )
        for _ in range(dice.between(3, 6))
    ]
    return (head, *rows)
