"""Texts written for search engines: one phrase over and over, paragraphs in several wordings."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.refine.spam.loops import count_grams, counted, places_again

if TYPE_CHECKING:
    from quarkcrawl.refine.spam.loops import ByteArray


_MAX_CHARS: Final = 3_000
"""Characters of a text that are looked at."""

_MIN_CHARS: Final = 150
_PROBES: Final = 32
_SAID_AGAIN: Final = 0.42
"""Share of runs of characters, taken at equal distances, that stand elsewhere in the text again;
below it a text is not compared paragraph by paragraph."""

_MUCH: Final = 0.03
_MAX_GRAMS: Final = 24
_GRAM_CHARS: Final = 4
_PLACES: Final = 1 << 14
"""Counters of runs of characters, several times as many as a text has; a power of two."""

_CJK_GRAM: Final = re.compile(r"(?=([\u3400-\u9fff]{4}))")
_LATIN: Final = re.compile(r"[a-z]{2,}")
_WORDS: Final = re.compile(r"[a-z']+")
_PART: Final = re.compile(r"[^。！？!?\n;；]{12,400}")
_LATIN_PART: Final = re.compile(r"[^.!?\n;]{25,500}")
_FUNCTION: Final = re.compile(r"[的了是在和有不这我他也就都而及与到說说着過过對对為为]")
_FUNCTION_WORDS: Final = frozenset(
    """the of and to a in is that it for was on are as with his they at be this from have or by not
    but we you your an will can which their has more been who its all if so he she had""".split()  # noqa: SIM905
)
_GROUP: Final = re.compile(r"\{([^{}|\n]{1,40}(?:\|[^{}|\n]{1,40}){1,8})\}")
_SLOT_NAME: Final = (
    r"(?:主?关键[词字]|標題|标题|随机|隨機|城市|地区|keyword|kw|title|city|rand)[\w#]{0,8}"
)
_SLOTS: Final = {
    "{": re.compile(r"\{[#$%]?" + _SLOT_NAME + r"\}"),
    "[": re.compile(r"\[(?:标签|標簽|db|" + _SLOT_NAME + r")[:：_]?[^\[\]\n]{0,12}\]"),
    "【": re.compile("【" + _SLOT_NAME + "】"),
    "%": re.compile(r"%(?:keyword|title|city)%"),
}


@dataclass(frozen=True, slots=True)
class TextRepeats:
    """How a text repeats itself.

    Args:
        phrase: the phrase that takes most of the text, of those of the title and keywords.
        phrase_share: share of the text that it takes.
        n_phrase: how often it stands there.
        spread: share of the sentences that hold it.
        function_share: share of function words among all; in prose at least .03.
        reworded_share: share of the paragraphs that say another one again with other words.
        n_slots: slots of a spinning program that were not filled in.
    """

    phrase: str = ""
    phrase_share: float = 0.0
    n_phrase: int = 0
    spread: float = 0.0
    function_share: float = 1.0
    reworded_share: float = 0.0
    n_slots: int = 0


NONE: Final = TextRepeats()


def repetition(text: str, heads: str) -> TextRepeats:
    """How a text repeats itself.

    Args:
        text: what `plain` made.
        heads: title and keywords, made plain; phrases of these are counted.
    """
    text = text[:_MAX_CHARS]
    if len(text) < _MIN_CHARS:
        return NONE
    is_chinese = len(text.encode("utf-8", "replace")) > 1.6 * len(text)
    counts = np.zeros(_PLACES, np.uint8)
    count_grams(text, _gram_chars(is_chinese=is_chinese), counts)
    phrase, n_phrase = _phrase(text, heads, counts, is_chinese=is_chinese)
    share = n_phrase * len(phrase) / len(text)
    n_slots = _slots(text)
    says_again = n_slots > 1 or _said_again(text, counts, is_chinese=is_chinese) >= _SAID_AGAIN
    if not says_again and share < _MUCH:
        return TextRepeats(phrase, share, n_phrase)
    parts = (_PART if is_chinese else _LATIN_PART).findall(text)
    spread = sum(phrase in part for part in parts) / len(parts) if phrase and parts else 0.0
    return TextRepeats(
        phrase,
        share,
        n_phrase,
        spread,
        _function_share(text, is_chinese=is_chinese),
        _reworded_share(text, is_chinese=is_chinese) if says_again else 0.0,
        n_slots,
    )


def _gram_chars(*, is_chinese: bool) -> int:
    return _GRAM_CHARS if is_chinese else 3 * _GRAM_CHARS


def _said_again(text: str, counts: ByteArray, *, is_chinese: bool) -> float:
    """Share of runs of characters, taken at equal distances, that the text holds again."""
    n = _gram_chars(is_chinese=is_chinese)
    step = max(n, len(text) // _PROBES)
    places = range(0, len(text) - n, step)
    again = sum(
        text.find(text[at : at + n], at + n) >= 0 or text.find(text[at : at + n], 0, at) >= 0
        for at in places_again(text, n, places, counts)
    )
    return again / max(1, len(places))


def _slots(text: str) -> int:
    """Slots of a spinning program: names of what should stand there, or choices in words."""
    n = sum(len(slots.findall(text)) for sign, slots in _SLOTS.items() if sign in text)
    if "|" in text and "{" in text:
        n += len({group for group in _GROUP.findall(text) if _is_prose(group)})
    return n


def _is_prose(group: str) -> bool:
    """Whether the choices are Chinese words or groups of words, not those of a program."""
    choices = [choice.strip() for choice in group.split("|")]
    if not all(choice.replace(" ", "").replace("-", "").isalpha() for choice in choices):
        return False
    return not group.isascii() or any(" " in choice for choice in choices)


def _phrase(text: str, heads: str, counts: ByteArray, *, is_chinese: bool) -> tuple[str, int]:
    """The phrase of the heads that takes most of the text, and how often it does."""
    if is_chinese:
        grams = Counter(_CJK_GRAM.findall(heads[:400]))
    else:
        words = _LATIN.findall(heads[:400])
        grams = Counter(f"{a} {b}" for a, b in pairwise(words))
    best, most = "", 0
    for gram, _ in grams.most_common(_MAX_GRAMS):
        size = len(gram)
        if is_chinese and counted(gram, 0, size, counts) * size <= most * len(best):
            continue
        n = text.count(gram)
        if n * size > most * len(best):
            best, most = gram, n
    return best, most


def _function_share(text: str, *, is_chinese: bool) -> float:
    if is_chinese:
        return len(_FUNCTION.findall(text)) / len(text)
    words = _WORDS.findall(text)
    return sum(word in _FUNCTION_WORDS for word in words) / max(1, len(words)) / 2


_SENTENCE: Final = re.compile(r"[^。！？!?\n]++[。！？!?]")
_LATIN_SENTENCE: Final = re.compile(r"[^.!?\n]++[.!?]")
_PROGRAM: Final = re.compile(r"[();={}]")
_NO_WORD: Final = re.compile(r"[\d\s]+|\{[^{}]{0,40}\}|\[[^\[\]]{0,20}\]")
_MIN_SENTENCE: Final = 9
_MIN_LATIN_SENTENCE: Final = 25
_MAX_SENTENCES: Final = 80
_ALIKE: Final = 0.25
"""Share of its runs of characters that a sentence has in common with its twin."""

_MOST: Final = 0.5


def _reworded_share(text: str, *, is_chinese: bool) -> float:
    """Share of the paragraphs most of whose sentences stand in one other paragraph, reworded.

    Only prose of two sentences and more counts: lists, tables and programs repeat themselves
    rightly. Sentences that are equal, or differ in figures alone, are quoted, not reworded.
    """
    paragraphs = _paragraphs(text, is_chinese=is_chinese)
    if len(paragraphs) < 3:
        return 0.0
    n = _GRAM_CHARS if is_chinese else 2 * _GRAM_CHARS
    grams: list[set[str]] = []
    places: list[int] = []
    for place, sentences in enumerate(paragraphs):
        for one in sentences:
            bare = _NO_WORD.sub("", one)
            grams.append({bare[at : at + n] for at in range(len(bare) - n + 1)})
            places.append(place)
    return _mirrored(grams, places) / len(paragraphs)


def _paragraphs(text: str, *, is_chinese: bool) -> list[list[str]]:
    """The sentences of the first paragraphs that have two and more."""
    pattern = _SENTENCE if is_chinese else _LATIN_SENTENCE
    least = 2 * (_MIN_SENTENCE if is_chinese else _MIN_LATIN_SENTENCE)
    ends = "。！？!?" if is_chinese else ".!?"
    paragraphs: list[list[str]] = []
    n_sentences = 0
    for line in text.split("\n"):
        if len(line) < least:
            continue
        # behind the last stop the pattern would be tried from each character on, in vain
        candidates = pattern.findall(line, 0, 1 + max(map(line.rfind, ends)))
        sentences = [one for one in candidates if _is_sentence(one, is_chinese)]
        if len(sentences) < 2:
            continue
        paragraphs.append(sentences)
        n_sentences += len(sentences)
        if n_sentences >= _MAX_SENTENCES:
            break
    return paragraphs


def _is_sentence(text: str, is_chinese: bool) -> bool:  # noqa: FBT001
    if is_chinese:
        return _MIN_SENTENCE <= len(text) <= 300 and bool(_FUNCTION.search(text))
    if not _MIN_LATIN_SENTENCE <= len(text) <= 400 or _PROGRAM.search(text):
        return False
    return sum(word in _FUNCTION_WORDS for word in text.split()) >= 3


def _mirrored(grams: list[set[str]], places: list[int]) -> int:
    """Paragraphs most of whose sentences have twins in one and the same other paragraph."""
    holders: dict[str, list[int]] = {}
    for number, some in enumerate(grams):
        for gram in some:
            holders.setdefault(gram, []).append(number)
    sizes = Counter(places)
    pairs: Counter[tuple[int, int]] = Counter()
    for number, some in enumerate(grams):
        shared: dict[int, int] = {}
        for gram in some:
            for other in holders[gram]:
                shared[other] = shared.get(other, 0) + 1
        twins = {
            places[other] for other, common in shared.items()
            if places[other] != places[number] and common >= _ALIKE * len(some)
            and common < len(some)
        }  # fmt: skip
        pairs.update((places[number], other) for other in twins)
    best: dict[int, int] = {}
    for (place, _), n in pairs.items():
        best[place] = max(n, best.get(place, 0))
    return sum(n >= max(2, _MOST * sizes[place]) for place, n in best.items())
