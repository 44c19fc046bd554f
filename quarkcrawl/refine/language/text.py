"""The language of a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from quarkcrawl.refine.language.cantonese import is_cantonese
from quarkcrawl.refine.language.characters import CharacterShares, character_shares
from quarkcrawl.refine.language.hanscript import han_script

if TYPE_CHECKING:
    from quarkcrawl.refine.language.hanscript import HanScript


UNDETERMINED: Final = "und"
"""The code of ISO 639 for a text whose language cannot be told."""

_READ_CHARS: Final = 1000
_LEAST_LETTERS: Final = 10
_CJK: Final = 0.3
"""From this share of the letters on a text is Chinese, Japanese or Korean: their characters carry
more than one Latin letter does, and Latin names and code stand in many of their texts."""

_KANA: Final = 0.1
_HANGUL: Final = 0.5
_LEAST_CJK: Final = 0.05
"""Below this share a text is none of them, whatever the library takes its few signs for."""

_EASTERN: Final = frozenset({"zh", "yue", "wuu", "cmn", "nan", "hak", "gan", "ja", "ko"})
_NO_LANGUAGE: Final = frozenset({"zxx", "pcm"})
"""What the library calls numbers, code and lists of names: no content, Nigerian Pidgin."""


@dataclass(frozen=True, slots=True)
class TextLanguage:
    """The language of a text.

    Args:
        language: code of two letters of ISO 639, of three where there is none of two; ``und`` if
            it cannot be told.
        probability: how likely that is, 0 to 1.
        script: ``Hans``, ``Hant`` or ``mixed`` for Chinese, else None.
        is_cantonese: whether a Chinese text is written Cantonese.
        shares: the kinds of its characters.
    """

    language: str
    probability: float
    script: HanScript | None
    is_cantonese: bool
    shares: CharacterShares


_identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def language_of(text: str) -> TextLanguage:
    """Tell the language of a text.

    Args:
        text: any text; of other languages than Chinese, Japanese and Korean 1,000 characters
            from its middle are read.

    >>> [language_of(text).language for text in ("今天天气很好。", "これは日本語の文章です。")]
    ['und', 'ja']
    """
    shares = character_shares(text)
    letters = shares.han + shares.kana + shares.hangul + shares.latin + shares.letter
    if letters * shares.n_chars < _LEAST_LETTERS:
        return TextLanguage(UNDETERMINED, 0.0, None, is_cantonese=False, shares=shares)
    eastern = shares.han + shares.kana + shares.hangul
    if eastern >= _CJK * letters:
        return _eastern(text, shares, eastern)
    start = max((len(text) - _READ_CHARS) // 2, 0)
    language, probability = _identifier.classify(text[start : start + _READ_CHARS])
    if language in _EASTERN:
        if eastern >= _LEAST_CJK * letters:
            return _eastern(text, shares, eastern)
        probability, language = 0.0, UNDETERMINED
    if language in _NO_LANGUAGE:
        probability, language = 0.0, UNDETERMINED
    return TextLanguage(language, float(probability), None, is_cantonese=False, shares=shares)


def _eastern(text: str, shares: CharacterShares, eastern: float) -> TextLanguage:
    """Chinese, Japanese or Korean: their own characters tell; likely is what has most of them."""
    if shares.hangul >= _HANGUL * eastern:
        return TextLanguage("ko", shares.hangul / eastern, None, is_cantonese=False, shares=shares)
    if shares.kana >= _KANA * eastern:
        return TextLanguage("ja", 1 - shares.hangul / eastern, None, is_cantonese=False,
                            shares=shares)  # fmt: skip
    probability = 1 - (shares.kana / _KANA + shares.hangul) / eastern / 2
    return TextLanguage("zh", probability, han_script(text), is_cantonese(text), shares)
