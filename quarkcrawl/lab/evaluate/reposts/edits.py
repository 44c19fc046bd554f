"""What reposting does to an article: small things that keep it the same, others that do not.

After section 3.1 and 3.2 of Peng et al. (2004): source and editor are added, characters change,
punctuation changes; or the end is cut off, the paragraphs are put into another order and another
story is added, a long article is cut into pages, a comment follows. The first kind of edit gives
the same class, the second a new one: "if the article was abridged or enlarged, it is another".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random


Paragraphs = list[str]

_SENTENCE: Final = re.compile(r"[^。！？]*[。！？]+[”’」』）]*|[^。！？]+$")
_HAN: Final = re.compile(r"[㐀-䶿一-鿿豈-﫿\U00020000-\U0003134f]")


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_MEDIA: Final = _words(
    "新华网 人民网 中国新闻网 北京青年报 南方日报 光明日报 搜狐 新浪网 网易 腾讯 凤凰网 大众日报 "
    "解放日报 羊城晚报 科技日报 第一财经日报"
)
_PEOPLE: Final = _words("王芳 李明 张伟 刘洋 陈静 杨波 赵敏 黄磊 周涛 吴倩 徐丽 孙健 马超 朱琳")
_CITIES: Final = _words("北京 上海 广州 成都 武汉 西安 沈阳 南京 杭州 济南 长春 昆明")
_DISCLAIMERS: Final = (
    "免责声明：本文仅代表作者个人观点，与本网无关。请读者仅作参考，并自行核实相关内容。",
    "声明：本网转载此文目的在于传递更多信息，并不代表赞同其观点或证实其内容的真实性。",
    "如本文涉及版权问题，请在三十日内与我们联系，我们将及时删除。",
    "未经授权，任何单位和个人不得转载本站内容。违者将依法追究责任。",
)
_CAPTIONS: Final = (
    "图为资料图片。{0}供图",
    "{1}在现场拍摄的照片。{0}发",
    "图片说明：活动现场。（{0} {1} 摄）",
    "资料图。",
)


def sentences(text: str) -> list[str]:
    """Cut after full stops, question and exclamation marks."""
    return _SENTENCE.findall(text)


def n_han(paragraphs: Sequence[str]) -> int:
    """Han characters of a text."""
    return sum(len(_HAN.findall(paragraph)) for paragraph in paragraphs)


# Edits that keep an article what it is


def _credit(text: Paragraphs, random: Random) -> Paragraphs:
    medium, person = random.choice(_MEDIA), random.choice(_PEOPLE)
    head = random.choice([f"来源：{medium}", f"{medium}　作者：{person}", f"本文来源：{medium}"])
    tail = random.choice([f"（责任编辑：{person}）", f"责编：{person}", f"（编辑 {person}）"])
    return [head, *text, tail]


def _typos(text: Paragraphs, random: Random) -> Paragraphs:
    """One character in two hundred is another, missing, or there twice."""
    common = "的一是了在不有人这中大来上个国"

    def slip(char: str) -> str:
        if random.random() > 0.005 or not _HAN.match(char):
            return char
        return random.choice([random.choice(common), "", char * 2])

    return ["".join(map(slip, paragraph)) for paragraph in text]


def _punctuation(text: Paragraphs, random: Random) -> Paragraphs:
    variants: dict[str, str | int | None] = random.choice(
        [
            {"，": ",", "：": ":", "（": "(", "）": ")", "；": ";"},
            {"“": "「", "”": "」"},
            {"。": "．"},
            {"，": "， ", "、": "，"},
            {"《": "“", "》": "”"},
        ]
    )
    return [paragraph.translate(str.maketrans(variants)) for paragraph in text]


def _disclaimer(text: Paragraphs, random: Random) -> Paragraphs:
    return [*text, random.choice(_DISCLAIMERS)]


def _dateline(text: Paragraphs, random: Random) -> Paragraphs:
    medium, city = random.choice(_MEDIA), random.choice(_CITIES)
    month, day = random.randint(1, 12), random.randint(1, 28)
    return [
        f"{medium}{city}{month}月{day}日电（记者 {random.choice(_PEOPLE)}）{text[0]}",
        *text[1:],
    ]


def _caption(text: Paragraphs, random: Random) -> Paragraphs:
    line = random.choice(_CAPTIONS).format(random.choice(_MEDIA), random.choice(_PEOPLE))
    return [line, *text]


def _lines(text: Paragraphs, random: Random) -> Paragraphs:
    """Other paragraphs: some are joined."""
    joined: Paragraphs = []
    for paragraph in text:
        if joined and random.random() < 0.4:
            joined[-1] += paragraph
        else:
            joined.append(paragraph)
    return joined


KEEPING: Final[dict[str, Callable[[Paragraphs, Random], Paragraphs]]] = {
    "credit": _credit,
    "typos": _typos,
    "punctuation": _punctuation,
    "disclaimer": _disclaimer,
    "dateline": _dateline,
    "caption": _caption,
    "lines": _lines,
}
"""Edits that keep a text in its class."""


# Edits that make another article; the second text is an unrelated one


def _take(text: Sequence[str], n_units: float) -> Paragraphs:
    """The beginning of a text, whole sentences, about so many Han characters."""
    taken: Paragraphs = []
    left = n_units
    for paragraph in text:
        beginning = ""
        for sentence in sentences(paragraph):
            if left <= 0:
                break
            beginning += sentence
            left -= n_han([sentence])
        if beginning:
            taken.append(beginning)
    return taken


def _abridged(text: Paragraphs, _other: Paragraphs, random: Random) -> Paragraphs:
    """Partial repost: the end is missing (3.1.1)."""
    return _take(text, random.uniform(0.4, 0.92) * n_han(text))


def _merged(text: Paragraphs, other: Paragraphs, random: Random) -> Paragraphs:
    """Paragraphs in another order, a second story after them (3.1.2)."""
    cut = [paragraph for block in text for paragraph in _halves(block)]
    shuffled = random.sample(cut, len(cut))
    return shuffled + _take(other, random.uniform(0.1, 0.5) * n_han(text))


def _halves(paragraph: str) -> Paragraphs:
    """Long paragraphs in pieces of three sentences."""
    cut = sentences(paragraph)
    return ["".join(cut[at : at + 3]) for at in range(0, len(cut), 3)]


def _first_page(text: Paragraphs, _other: Paragraphs, random: Random) -> Paragraphs:
    """The first of several pages of a long article (3.1.3)."""
    return _take(text, n_han(text) / random.choice([2, 3]))


def _commented(text: Paragraphs, other: Paragraphs, random: Random) -> Paragraphs:
    """A comment or another report follows (2.1)."""
    return text + _take(other, random.uniform(0.08, 0.5) * n_han(text))


def _same_lead(text: Paragraphs, other: Paragraphs, random: Random) -> Paragraphs:
    """A follow-up: the same beginning, then something else of about that length."""
    lead = _take(text, random.uniform(0.05, 0.2) * n_han(text))
    return lead + _take(other, n_han(text) - n_han(lead))


CHANGING: Final[dict[str, Callable[[Paragraphs, Paragraphs, Random], Paragraphs]]] = {
    "abridged": _abridged,
    "merged": _merged,
    "first-page": _first_page,
    "commented": _commented,
    "same-lead": _same_lead,
}
"""Edits that make another article."""
