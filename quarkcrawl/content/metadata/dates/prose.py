"""Whether a date stands in a sentence of the text rather than in a dateline."""

from __future__ import annotations

import re
from typing import Final

_MAX_AROUND: Final = 200
_PARTING: Final = re.compile(r"[|·•–—【】\[\]()（）<>《》]|\s-\s|(?<=[a-zß-ÿ]{4})[.!?]\s|[。！？]")
_HAN: Final = re.compile(r"[\u3400-\u9fff]")
_HAN_PARTING: Final = re.compile(r"[\s|·•【】\[\]()（）<>《》]|(?<=[。！？])")
_HAN_PAUSE: Final = re.compile(r"[，。；！？]|,(?=[\u3400-\u9fff])")
_CREDIT: Final = re.compile(
    r"(?:来源|來源|作者|[记記]者|[编編][辑輯]|[责責][编編]|[阅閱][读讀]|[浏瀏][览覽]|[评評][论論]|[点點][击擊]"
    r"|分[类類]|[摄攝]影|[栏欄]目)\s?[:：]|本[报報][\u3400-\u9fff]{0,3}[记記]者|第\s?\d{1,3}\s?版"
)
"""Of a dateline whose parts are parted by commas."""

_MAX_SIGNATURE_CHARS: Final = 30
_PREPOSITION: Final = re.compile(
    r"(?<![发發布表新写寫作记記辑輯登刊建改载載稿贴貼])[于於在自从從]\s?$"
)
_DATELINE: Final = re.compile(r"\s?(?:[:.–—-]\s|,\s[^\W\d_a-zß-ÿа-я])")
_LEAST_HAN: Final = 6
_LEAST_WORDS, _FEW_WORDS = 4, 2
_WORD_BEFORE: Final = re.compile(
    r"(?:^|\s)(?:on|since|until|from|by|am|le|il|el|em)\s$", re.IGNORECASE
)
_STOCK_TEXT: Final = """
    by on at in from the of to and for a an with or min mins minute minutes read reading time views
    view comments comment reads ago am pm updated update posted post published written edited
    edition print last modified first submitted filed under created added about via est edt gmt hrs
    uhr um von vom der die das den dem und zuletzt aktualisiert veröffentlicht geändert erstellt
    zum zur im le la les du des par à et publié publiée mis mise jour modifié dans il del di da alle
    ore pubblicato aggiornato por el de las en con actualizado publicado a as os no na em dos às
    door op om van het gepubliceerd bijgewerkt geplaatst przez dnia dodano o klo kl
"""
"""Words that datelines have, and such as say nothing."""

_STOCK: Final = frozenset(_STOCK_TEXT.split())
_TOLD: Final = re.compile(r"\b(?:was|were|wurde|wurden)\b", re.IGNORECASE)
_THIS: Final = re.compile(r"\b(?:this|article|post|story|page|entry)\b", re.IGNORECASE)


def is_in_sentence(
    line: str,
    start: int,
    end: int,
    *,
    has_label: bool,
    has_clock: bool = False,
    has_weak_label: bool = False,
) -> bool:
    """Whether a date is part of a sentence.

    Args:
        line: the line that it stands in.
        start: its first character.
        end: one past its last character.
        has_label: whether a label in front of it says that it is the date of publication.
        has_clock: whether it has a time of day; with it no sentence ends.
        has_weak_label: whether a label says that it is the date of something.
    """
    end = start + len(line[start:end].rstrip())
    before, behind = line[max(start - _MAX_AROUND, 0) : start], line[end : end + _MAX_AROUND]
    if not (has_label or has_weak_label) and _is_in_han_sentence(before, behind):
        return True
    if (not start and _DATELINE.match(behind)) or (has_clock and not behind):
        return False
    head = _PARTING.split(before)[-1]
    tail = _PARTING.split(behind, maxsplit=1)[0]
    if has_label:
        is_told = _n_words(head) >= _LEAST_WORDS or _TOLD.search(head) is not None
        return is_told and _THIS.search(head) is None
    n_words = _n_words(head) + _n_words(tail)
    if n_words >= _LEAST_WORDS:
        return True
    is_ended = behind[len(tail) : len(tail) + 1] == "." or tail.endswith(".")
    return n_words >= _FEW_WORDS and is_ended and _WORD_BEFORE.search(head) is not None


def _is_in_han_sentence(before: str, behind: str) -> bool:
    """The same for a sentence in Chinese, which has no blanks but pauses."""
    if _PREPOSITION.search(before) and _HAN.match(behind.lstrip()):
        return True
    head = _HAN_PARTING.split(before)[-1]
    tail = _HAN_PARTING.split(behind, maxsplit=1)[0]
    around = head + tail
    if len(_HAN.findall(around)) < _LEAST_HAN or not _HAN_PAUSE.search(around):
        return False
    is_signature = not behind and len(before) <= _MAX_SIGNATURE_CHARS and "。" not in before
    return not (is_signature or _CREDIT.search(around))


def _n_words(text: str) -> int:
    """How many words without a capital a text has, besides those of datelines."""
    words = (word.strip(".,:;!?\"'“”‘’") for word in text.split())
    return sum(word[:1].islower() and len(word) > 1 and word not in _STOCK for word in words)


def is_apart(line: str, start: int, end: int) -> bool:
    """Whether words such as yesterday stand by themselves or behind a label.

    Args:
        line: the line that they stand in.
        start: their first character.
        end: one past their last character.
    """
    before, behind = line[max(start - _MAX_AROUND, 0) : start], line[end : end + _MAX_AROUND]
    is_word = not line[start].isdecimal()
    is_glued = (
        is_word and _HAN.search(before[-1:]) is not None and _LABEL_BEFORE.search(before) is None
    )
    is_followed = _HAN.match(behind) is not None and _LABEL_BEHIND.match(behind) is None
    if is_glued or is_followed or _HAN_PAUSE.search(before + behind):
        return False
    return _n_words(before) + _n_words(behind) < _FEW_WORDS


_LABEL_BEFORE: Final = re.compile(r"(?:[发發表布佈新辑輯改]|[时時][间間]|日期)[于於]?$")
_LABEL_BEHIND: Final = re.compile(r"更新|[发發][布佈表]|[编編][辑輯]|修改|[阅閱][读讀]|来源|來源")
