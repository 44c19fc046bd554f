"""Text that was encoded twice: bytes that were read as Latin-1 and written as UTF-8.

Programs that do not know the encoding of a page store it so, and wire services send it. Of UTF-8,
each apostrophe becomes three characters, ``â`` and two controls. Controls of this range (C1) mean
nothing in a page; so where one is part of such a sequence, the text was encoded twice, and what
else on the page looks the same was, too. Of Chinese encodings, whole sentences become letters with
accents and signs; they are told by what they read as: common Chinese characters.
"""

from __future__ import annotations

import itertools
import re
from typing import Final

import numpy as np

from quarkcrawl.page.text.charset import common_share

_SEQUENCE: Final = re.compile(
    "[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
"""The bytes of one character in UTF-8, each as a character."""

_CONTROL: Final = re.compile("[\x80-\x9f]")
_SUPPLEMENT: Final = re.compile("[\xc2\xc3][\x80-\xbf]")
"""Sequences that stand for a character of Latin-1."""

_LATIN_END: Final = "\xc4"
_MIN_UNCLEAR: Final = 5
"""A letter and a control may be a word and a quotation mark of Windows; so many are not."""

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


def may_be_encoded_twice(body: bytes) -> bool:
    """Whether UTF-8 has one of the controls, or four signs of Latin-1 that follow one another.

    Args:
        body: the bytes.
    """
    if body.isascii():
        return False
    units = np.frombuffer(body, np.uint8)
    leads = np.flatnonzero((units & 0xFE) == _C1_LEAD)
    if ((leads[3:] - leads[:-3]) == 6).any():
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

    Sequences without a control are read so where they stand for a character of Latin-1, beside one
    with a control, or where most texts have one.
    """
    signs = [[] if text.isascii() else _signs_of(text) for text in texts]
    is_twice = list(map(bool, signs))
    n_controls = sum(len(_CONTROL.findall(text)) for text in texts if not text.isascii())
    inside = [sign for signs_of_text in signs for sign in signs_of_text]
    n_clear = sum(len(sign) > 2 or sign < _LATIN_END for sign in inside)
    is_sure = n_clear or len(inside) >= _MIN_UNCLEAR
    if not is_sure or 2 * len(_CONTROL.findall("".join(inside))) <= n_controls:
        return None
    are_most = 2 * sum(is_twice) > sum(not text.isascii() for text in texts)
    return [
        (_SEQUENCE if twice or are_most else _SUPPLEMENT).sub(_read_again, text)
        for text, twice in zip(texts, is_twice, strict=True)
    ]


def _signs_of(text: str) -> list[str]:
    """Sequences with a control."""
    return [sign for sign in _SEQUENCE.findall(text) if _CONTROL.search(sign)]


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
        return sequence[0].encode("latin-1").decode()
    except UnicodeDecodeError:  # too long for its character, or half of a pair
        return sequence[0]
