"""Ordinary topic pages turned into spam of one kind; everything follows from the dice."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Final

from quarkcrawl.lab.mockweb.site import text, words
from quarkcrawl.lab.mockweb.site.model import Intrusion, Item, Post
from quarkcrawl.lab.mockweb.site.spam import disguise
from quarkcrawl.lab.mockweb.site.spam.intrusion import declarations, intrusion
from quarkcrawl.lab.mockweb.site.spam.phrases import SUBJECT_KINDS, phrase

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quarkcrawl.lab.mockweb.dice import Dice
    from quarkcrawl.lab.mockweb.site.model import Document


SPAM_KINDS: Final = (*SUBJECT_KINDS, "stuffing", "spun", "hacked")
"""Kinds of spam pages."""

_TRADES: Final = (
    "搬家公司", "开锁服务", "空调维修", "网站建设", "代理记账", "管道疏通",
    "除甲醛", "婚庆策划", "叉车租赁", "活动板房", "石材加工", "不锈钢管",
    "起重设备", "保安服务", "商标注册", "标书制作", "办公家具",
)  # fmt: skip
_TAILS: Final = (
    "", "", "电话", "价格", "哪家好", "多少钱", "公司", "厂家",
    "排名", "报价", "推荐", "专业", "附近",
)  # fmt: skip
_GOODS: Final = (
    "running shoes", "leather handbags", "wedding dresses", "roof repair",
    "garage doors", "phone cases", "carpet cleaning", "office chairs",
    "water filters", "solar panels",
)  # fmt: skip
_BEFORE: Final = ("cheap", "best", "discount", "buy", "top", "affordable", "wholesale", "quality")
_AFTER: Final = ("", "online", "for sale", "near me", "prices", "outlet", "store", "reviews")


def spoiled(dice: Dice, document: Document, topic: tuple[str, ...]) -> Document:
    """A topic page as spam of a kind that the dice choose.

    Args:
        dice: source of chance.
        document: the page as its host would have written it.
        topic: words of its column.
    """
    kind = dice.pick(SPAM_KINDS)
    if kind == "hacked":
        return replace(document, spam=kind, intrusion=intrusion(dice))
    if kind == "stuffing":
        title, lines, head = _stuffed(dice)
    elif kind == "spun":
        title, lines, head = _spun(dice, document, topic)
    else:
        title, lines, head = _advertisement(dice, kind, topic)
    document = replace(document, title=title, spam=kind, intrusion=Intrusion(head=head))
    if document.posts and dice.chance(0.5):
        rest = lines[1:]
        posts = (replace(document.posts[0], text=lines[0]), *(_post(dice, line) for line in rest))
        return replace(document, posts=posts)
    return replace(document, posts=(), items=tuple(Item("paragraph", line) for line in lines))


def _post(dice: Dice, line: str) -> Post:
    return Post(text.person(dice), f"2012-0{dice.between(1, 9)}-1{dice.below(10)}", line)


def _advertisement(dice: Dice, kind: str, topic: tuple[str, ...]) -> tuple[str, list[str], str]:
    """Headline, paragraphs and head of a page that sells something."""
    is_english = dice.chance(0.25)
    rule = "english" if is_english else "sentence"
    title = phrase(dice, kind, "english_title" if is_english else "title")
    between = " " if is_english else ""
    lines = [
        between.join(phrase(dice, kind, rule) for _ in range(dice.between(2, 5)))
        for _ in range(dice.between(3, 9))
    ]
    if not is_english and dice.chance(0.4):  # camouflage: paragraphs of the host's own kind
        for _ in range(dice.between(1, 1 + len(lines) // 3)):
            lines.insert(dice.between(1, len(lines)), text.paragraph(dice, topic))
    head = declarations(dice, kind, is_english=is_english) if dice.chance(0.6) else ""
    return *_disguised(dice, title, lines, is_english=is_english), head


def _disguised(
    dice: Dice, title: str, lines: list[str], *, is_english: bool
) -> tuple[str, list[str]]:
    if is_english:
        share = dice.pick((0.0, 0.0, 0.1, 0.25))
        return title, [disguise.leet(dice, line, share) for line in lines]
    if dice.chance(0.25):
        title, lines = disguise.traditional(title), [disguise.traditional(one) for one in lines]
    if dice.chance(0.25):
        lines = [disguise.wide(line) for line in lines]
    if dice.chance(0.3):
        share = dice.pick((0.05, 0.15, 0.35))
        lines = [disguise.split_up(dice, line, share) for line in lines]
    return title, lines


def _stuffed(dice: Dice) -> tuple[str, list[str], str]:
    """One trade of some cities over and over."""
    if dice.chance(0.25):
        goods = dice.pick(_GOODS)

        def variant() -> str:
            return f"{dice.pick(_BEFORE)} {goods} {dice.pick(_AFTER)}".strip()

        between = dice.pick((", ", " ", " | "))
    else:
        city, trade = dice.pick(words.CITIES), dice.pick(_TRADES)
        cities = [city] * 3 + [dice.pick(words.CITIES) for _ in range(4)]

        def variant() -> str:
            return dice.pick(cities) + trade + dice.pick(_TAILS)

        between = dice.pick(("，", "、", " ", ",", "|", ""))
    title = dice.pick(("_", "-", ",", " ")).join(variant() for _ in range(dice.between(3, 6)))
    lines = [
        between.join(variant() for _ in range(dice.between(12, 40)))
        for _ in range(dice.between(3, 8))
    ]
    keywords = ",".join(variant() for _ in range(dice.between(8, 30)))
    return title, lines, f'<meta name="keywords" content="{escape(keywords)}">'


_WORDS: Final = {
    word: group
    for group in (words.NOUNS, words.VERBS, words.ADJECTIVES, words.ADVERBS, words.ROLES)
    for word in group
}
_ANY_WORD: Final = re.compile("|".join(sorted(_WORDS, key=len, reverse=True)))
_SLOTS: Final = ("{关键词}", "{城市}", "[标签:标题]", "{#随机#}", "{$keyword}", "【随机词】")


def _spun(dice: Dice, document: Document, topic: tuple[str, ...]) -> tuple[str, list[str], str]:
    """One text in several wordings, a phrase set into its sentences, slots left unfilled."""
    ways = [way for way in ("reworded", "phrase", "slots") if dice.chance(0.6)]
    if "reworded" not in ways and len(ways) < 2:
        ways.append("reworded")
    trade = dice.pick(words.CITIES) + dice.pick(_TRADES)
    title = f"{trade}{dice.pick(_TAILS)}" if "phrase" in ways else document.title
    if "reworded" in ways:
        source = [text.sentence(dice, topic) for _ in range(dice.between(3, 6))]
        lines = ["".join(_reworded(dice, source)) for _ in range(dice.between(3, 6))]
    else:
        lines = [text.paragraph(dice, topic) for _ in range(dice.between(4, 9))]
    if "phrase" in ways:
        lines = ["".join(_with_phrase(dice, line, trade)) for line in lines]
    if "slots" in ways:
        for _ in range(dice.between(3, 9)):
            at = dice.below(len(lines))
            place = dice.below(len(lines[at]))
            lines[at] = lines[at][:place] + _slot(dice) + lines[at][place:]
    return title, lines, ""


def _reworded(dice: Dice, source: Iterable[str]) -> list[str]:
    """Sentences in another order with other words of the same kinds."""
    share = 0.15 + 0.2 * dice.random()

    def other(match: re.Match[str]) -> str:
        return dice.pick(_WORDS[match[0]]) if dice.chance(share) else match[0]

    return sorted((_ANY_WORD.sub(other, one) for one in source), key=lambda _: dice.random())


def _with_phrase(dice: Dice, line: str, phrase_: str) -> Iterable[str]:
    for sentence in re.findall(r"[^。！？]+[。！？]?", line):
        if dice.chance(0.7):
            at = dice.below(len(sentence))
            yield sentence[:at] + phrase_ + sentence[at:]
        else:
            yield sentence


def _slot(dice: Dice) -> str:
    if dice.chance(0.5):
        return dice.pick(_SLOTS)
    group = dice.pick((words.NOUNS, words.VERBS, words.ADJECTIVES))
    return "{" + "|".join(dice.pick(group) for _ in range(dice.between(2, 4))) + "}"
