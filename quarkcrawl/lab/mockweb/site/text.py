"""Seeded Chinese prose: readable nonsense with the look of real pages.

Headlines, sentences and paragraphs are put together from the word lists by sentence patterns.
A paragraph costs about ten microseconds, so that a page can be made anew for each request.
"""

from __future__ import annotations

from string import Formatter
from typing import TYPE_CHECKING, Final

from quarkcrawl.lab.mockweb.site import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from quarkcrawl.lab.mockweb.dice import Dice


Pattern = tuple[object, ...]

_TOPIC: Final = object()  # a word of the page's own column
_NUMBER: Final = object()


def _patterns(templates: str) -> tuple[Pattern, ...]:
    """Words and slots of each line; a slot is named like the list of words that fills it."""
    own = {"topic": _TOPIC, "number": _NUMBER}

    def parts(template: str) -> Iterator[object]:
        for literal, slot, *_ in Formatter().parse(template):
            if literal:
                yield literal
            if slot:
                yield own.get(slot) or getattr(words, slot.upper())

    return tuple(tuple(parts(template)) for template in templates.split("\n") if template)


_SENTENCES: Final = _patterns("""
{times}，{cities}{organizations}{adverbs}{verbs}了{adjectives}的{topic}{nouns}。
{openings}，{topic}的{nouns}比{times}增长了{number}{measures}，\
{adjectives}的{nouns}还需要{adverbs}{verbs}。
{organizations}的{surnames}{roles}说：“{topic}{nouns}很{adjectives}，\
我们会{adverbs}{verbs}{nouns}。”
在{cities}，{topic}和{topic}一直是{roles}们{verbs}的{nouns}；\
{openings}，{nouns}也在{verbs}{nouns}。
不少{roles}{adverbs}{verbs}{nouns}，\
希望{organizations}把{topic}{nouns}做得更{adjectives}、更{adjectives}。
{openings}，{times}共有{number}{measures}{verbs}，\
其中{cities}占{number}%，{cities}（{organizations}）次之。
为了{verbs}{adjectives}的{topic}，{cities}{organizations}{times}{verbs}\
《{topic}{nouns}管理办法》，{adverbs}{verbs}{nouns}。
这样的{topic}{nouns}究竟能不能{verbs}{nouns}？\
{roles}认为，{adjectives}的{nouns}才是关键！
""")
_HEADLINES: Final = _patterns("""
{cities}{adverbs}{verbs}{topic}{nouns}
{cities}{organizations}：{topic}{nouns}更加{adjectives}
{topic}{nouns}{adverbs}{verbs} {cities}增加{number}{measures}
{roles}谈{cities}{topic}：{adjectives}的{nouns}
“{adjectives}{topic}”走进{cities}{organizations}
{times}{cities}{verbs}{number}{measures} {topic}{nouns}受关注
""")


def _fill(dice: Dice, pattern: Pattern, topic: Sequence[str]) -> str:
    random = dice.random
    parts = []
    for slot in pattern:
        if slot.__class__ is str:
            parts.append(slot)
        elif slot is _TOPIC:
            parts.append(topic[int(random() * len(topic))])
        elif slot is _NUMBER:
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
