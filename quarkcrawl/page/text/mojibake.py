"""Text that was encoded twice: bytes read as Latin-1 or Windows-1252 and written as UTF-8.

Programs that do not know the encoding of a page store it so, and wire services send it. Of UTF-8,
each apostrophe becomes three characters, ``â`` and two controls, or ``â€™`` by Windows. Controls of
this range (C1) mean nothing in a page; so where one is part of such a sequence, the text was
encoded twice, and what else on the page looks the same was, too. Others are told by their number
and by letters with accents that stand before signs only. Of Chinese encodings, whole sentences
become letters with accents and signs; they are told by what they read as: common Chinese
characters.
"""

from __future__ import annotations

import itertools
import re
from typing import Final

import numpy as np

from quarkcrawl.page.text.charset import common_share

_WINDOWS: Final = bytes(range(0x80, 0xA0)).decode("cp1252", "ignore")
"""What Windows-1252 has instead of controls."""

_AS_BYTES: Final = {ord(char): char.encode("cp1252")[0] for char in _WINDOWS}
_NEXT: Final = f"[\x80-\xbf{_WINDOWS}]"
_SEQUENCE: Final = re.compile(f"[\xc2-\xdf]{_NEXT}|[\xe0-\xef]{_NEXT}{{2}}|[\xf0-\xf4]{_NEXT}{{3}}")
"""The bytes of one character in UTF-8, each as a character."""

_HIGH: Final = re.compile(f"[\x80-\x9f{_WINDOWS}]")
_LEAD: Final = re.compile("[\xc2-\xf4]")
_CONTROL: Final = re.compile("[\x80-\x9f]")
_CLEAR: Final = re.compile(
    f"(?=.*[{_WINDOWS}])[\xc2-\xc5\xce-\xd1\xd7-\xd9\xe2-\xed\xef\xf0]|\xc3[\xa1-\xba\xbc-\xbf]"
)
"""Sequences with a sign of Windows that stand for punctuation, an emoji or a letter (Latin,
Cyrillic, Greek, Hebrew, Arabic, Chinese, Japanese, Korean), and letters of Latin-1."""

_NO_WORD_END: Final = re.compile(
    "\xe2[€‚„]|\xc3|[\xc2-\xf4][^‘’“”„‚‹›…–—•™\xa0»«®]|[\xe0-\xf4].[^‘’“”„‚‹›…–—•™\xa0»«®]"
)
"""Other sequences than a letter at the end of a word and the signs behind it."""

_SUPPLEMENT: Final = re.compile("[\xc2\xc3][\x80-\xbf]")
"""Sequences that stand for a character of Latin-1."""

_LATIN_END: Final = "\xc4"
_MIN_UNCLEAR: Final = 5
"""A letter and a control may be a word and a quotation mark of Windows; so many are not."""

_MIN_CLEAR: Final = 4
"""So many sequences without a control are needed: one may be a word and its quotation mark."""

_MAY_FOLLOW: Final = np.zeros(256, bool)
_MAY_FOLLOW[[0xC2, *{char.encode()[0] for char in _WINDOWS}]] = True
_REFERENCE: Final = re.compile(
    rb"&(?:#(?:19[4-9]|2[0-3]\d|24[0-4])|[Aa]circ|Atilde);(?=[&\x80-\xff])"
)
"""A letter as a reference, before no letter of ASCII."""

_LETTER_LEAD: Final = 0xC3
_FIRST_LETTER: Final = 0x82
"""``Â`` in UTF-8."""

_C1_LEAD: Final = 0xC2
_C1_LAST: Final = 0x9F
_MISREAD_AS: Final = ("latin-1", "cp1252", "iso8859-15")
_CHINESE: Final = ("gb18030", "big5hkscs")
_MIN_CHINESE_SHARE: Final = 0.5
_MIN_CHINESE_CHARS: Final = 30
"""So many different ones: a row of one sign reads as a row of one Chinese character."""

_MAX_SAMPLE_CHARS: Final = 16_384
_MAX_SAMPLE_TEXTS: Final = 500
_NOT_ASCII: Final = re.compile("[^\x00-\x7f]{4,}")


def may_be_encoded_twice(body: bytes, encoding: str = "utf-8") -> bool:
    """Whether UTF-8 has one of the controls or signs that follow one another.

    Args:
        body: the bytes.
        encoding: their encoding; only UTF-8 has such characters other than as references.
    """
    if _REFERENCE.search(body):
        return True
    if encoding != "utf-8" or body.isascii():
        return False
    units = np.frombuffer(body, np.uint8)
    leads = np.flatnonzero((units & 0xFE) == _C1_LEAD)
    if ((leads[3:] - leads[:-3]) == 6).any():
        return True
    letters = leads[leads < len(units) - 2]
    letters = letters[(units[letters] == _LETTER_LEAD) & (units[letters + 1] >= _FIRST_LETTER)]
    if np.count_nonzero(_MAY_FOLLOW[units[letters + 2]]) >= _MIN_CLEAR:
        return True
    controls = leads[units[leads] == _C1_LEAD] + 1
    return bool((units[controls[controls < len(units)]] <= _C1_LAST).any())


def encoded_once(texts: list[str]) -> list[str] | None:
    """Texts of a page, read once more where they were encoded twice; None if none was.

    Args:
        texts: all texts of the page.

    >>> encoded_once(["it\u00e2\u0080\u0099s caf\u00c3\u00a9", "fine"])
    ['it’s café', 'fine']
    >>> encoded_once(["CAF\u00c9\u00bb \u0092"])
    """
    once = _from_utf8(texts)
    return _from_chinese(once or texts) or once


def _from_utf8(texts: list[str]) -> list[str] | None:
    """Texts whose UTF-8 was misread, read once more; None if none was.

    Sequences of Latin-1 are read so where they stand for a character of Latin-1, beside one with a
    control or a sign of Windows, or where most texts have one.
    """
    foreign = [text for text in texts if not text.isascii()]
    has_controls = _has_controls(foreign)
    are_clear = sum(map(_n_clear, foreign)) >= _MIN_CLEAR
    if not has_controls and not are_clear:
        return None
    is_sign = _HIGH if are_clear else _CONTROL
    is_twice = [not text.isascii() and bool(_signs_of(text, is_sign)) for text in texts]
    are_most = 2 * sum(is_twice) > len(foreign)
    return [
        (_SEQUENCE if twice or are_most else _SUPPLEMENT).sub(_read_again, text)
        for text, twice in zip(texts, is_twice, strict=True)
    ]


def _has_controls(texts: list[str]) -> bool:
    """Whether most controls stand where those of text that was encoded twice do."""
    n_controls = sum(len(_CONTROL.findall(text)) for text in texts)
    inside = [sign for text in texts for sign in _signs_of(text, _CONTROL)] if n_controls else []
    n_clear = sum(len(sign) > 2 or sign < _LATIN_END for sign in inside)
    is_sure = n_clear or len(inside) >= _MIN_UNCLEAR
    return bool(is_sure) and 2 * len(_CONTROL.findall("".join(inside))) > n_controls


def _n_clear(text: str) -> int:
    """Number of sequences that can hardly be meant so; 0 if some letter with an accent is in none.

    A letter before a quotation mark, a dash or a fixed space ends a word. So a sequence counts
    beside another one only, or inside a word where it is none of these.
    """
    sequences = list(_SEQUENCE.finditer(text))
    if len(sequences) < len(_LEAD.findall(text)):
        return 0
    starts, ends = ({match.span()[side] for match in sequences} for side in (0, 1))
    n_clear = 0
    for match in filter(lambda match: _CLEAR.match(match[0]), sequences):
        start, end = match.span()
        is_beside = start in ends or end in starts
        is_in_word = text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()
        n_clear += is_beside or (is_in_word and _NO_WORD_END.match(match[0]) is not None)
    return n_clear


def _signs_of(text: str, sign: re.Pattern[str]) -> list[str]:
    """Sequences with a sign."""
    return [sequence for sequence in _SEQUENCE.findall(text) if sign.search(sequence)]


def _from_chinese(texts: list[str]) -> list[str] | None:
    """Texts whose Chinese encoding was misread, read once more; None if none was."""
    dense = (text for text in texts if not text.isascii() and _NOT_ASCII.search(text))
    pieces = (text[:_MAX_SAMPLE_CHARS] for text in itertools.islice(dense, _MAX_SAMPLE_TEXTS))
    sample = "".join(pieces)[:_MAX_SAMPLE_CHARS]
    readings = [(misread, codec) for misread in _MISREAD_AS for codec in _CHINESE]
    shares = [_chinese_share(sample, *reading) for reading in readings]
    best = max(shares)
    if best < _MIN_CHINESE_SHARE:
        return None
    misread, codec = readings[shares.index(best)]
    return [_reread(text, misread, codec) for text in texts]


def _chinese_share(sample: str, misread: str, codec: str) -> float:
    """Share of common characters in a reading of a sample; 0 where that is too little to judge."""
    text = sample.encode(misread, "ignore").decode(codec, "replace")
    n_chars = sum(not char.isascii() for char in set(text))
    return common_share(text)[0] if n_chars >= _MIN_CHINESE_CHARS else 0.0


def _reread(text: str, misread: str, codec: str) -> str:
    """One text in another reading, as it is where it has none."""
    if text.isascii():
        return text
    # A fixed space was written as a reference, and hardly ever is half of a character.
    for pieces in (text.split("\xa0"), [text]):
        try:
            return "\xa0".join([piece.encode(misread).decode(codec) for piece in pieces])
        except UnicodeError:
            continue
    return text


def _read_again(sequence: re.Match[str]) -> str:
    try:
        return sequence[0].translate(_AS_BYTES).encode("latin-1").decode()
    except UnicodeDecodeError:  # too long for its character, or half of a pair
        return sequence[0]
