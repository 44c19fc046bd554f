"""The language of a page: what it declares, unless its text says otherwise.

Scripts tell most languages apart, function words those that are written in Latin letters. Templates
are often sold with ``lang="en"`` and filled with something else, so a declaration must agree with
the script, and must not be outdone by the words of another language.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.metadata.loops import count_scripts

if TYPE_CHECKING:
    from quarkcrawl.content.declared import Declared
    from quarkcrawl.page.tree import PageTree


_SAMPLE_CHARS: Final = 1_500
_FEW_CHARS: Final = 20
_FIRST_CHARS: Final = 300
_FEW_FOREIGN: Final = 0.01
_SOME_FOREIGN: Final = 0.1
_WORDS_CHARS: Final = 700
_CODE: Final = re.compile(r"\s*([a-z]{2,3})(?=$|[-_,;\s])", re.IGNORECASE)
_ALIASES: Final = {
    **dict.fromkeys(("cn", "chi", "zho", "cmn", "tw"), "zh"),
    **dict.fromkeys(("jp", "jpn"), "ja"),
    **dict.fromkeys(("kr", "kor"), "ko"),
    "gr": "el",
    "ell": "el",
    "cz": "cs",
    "ua": "uk",
    "rus": "ru",
    "eng": "en",
    "us": "en",
    "ger": "de",
    "deu": "de",
    "fra": "fr",
    "fre": "fr",
    "spa": "es",
    "ita": "it",
    "por": "pt",
    "nb": "no",
    "nn": "no",
    "iw": "he",
    "pol": "pl",
    "nld": "nl",
    "dut": "nl",
    "br": "pt",
    "in": "id",
}
_SCRIPTS: Final = tuple(
    (letters.split(), usual, frozenset(others.split()))
    for letters, usual, others in (
        ("\u4e00-\u9fff", "zh", "zh ja yue wuu"),
        ("\u3040-\u30ff", "ja", "ja"),
        ("\uac00-\ud7af", "ko", "ko"),
        ("\u0400-\u04ff", "ru", "ru uk bg sr be mk kk ky mn tg tt ba cv"),
        ("\u0370-\u03ff \u1f00-\u1fff", "el", "el"),
        ("\u0600-\u06ff", "ar", "ar fa ur ps ug ku sd"),
        ("\u0590-\u05ff", "he", "he yi"),
        ("\u0e00-\u0e7f", "th", "th"),
        ("\u0900-\u097f", "hi", "hi mr ne sa"),
    )
)
"""Letters, the language that they mostly write, and all languages that are written so."""

_RANGES: Final = np.array(
    [
        (ord(letters[0]), ord(letters[-1]), number)
        for number, (ranges, _, _) in enumerate(_SCRIPTS)
        for letters in ranges
    ],
    np.int32,
)

_NOT_LATIN: Final = frozenset(chain.from_iterable(codes for _, _, codes in _SCRIPTS)) - {"sr", "ku"}
_KANA_SHARE: Final = 0.05
_LEAST_SHARE: Final = 0.25
"""Share of letters that makes a text one of that script: Chinese pages are full of Latin words."""

_LEAST_HAN_SHARE: Final = 0.12
"""The same for ideographs, each of which says as much as some letters."""

_WORDS: Final = {
    "en": "the of and to in is that for it with was as on are this be at by from have not you or",
    "de": "der die und das den von zu mit sich des auf für ist im dem nicht ein eine als auch wird",
    "fr": "le la les et des est une du dans qui pour au sur pas par avec ce sont plus nous à on ne",
    "es": "el la los y del las que una por con para es se su al lo como más pero sus está este",
    "it": "il di che la e un una per non del con sono della alla da nel gli anche più questo",
    "pt": "o a os que do da em um uma para com não no na por mais dos das ao é como seu",
    "nl": "de het een van en is dat op te zijn voor met niet aan er om ook maar bij naar wordt",
    "pl": "w i na z się nie jest że o jak po za od przez co tym ale są dla oraz",
    "sv": "och att det som en på är av för med den till har inte om ett jag var men",
    "no": "og det som en på er av for med den til har ikke om et jeg var men å",
    "cs": "je na se že v s z jsou pro jako ale který která nebo také",
    "tr": "ve bir bu için ile de da olarak çok daha en gibi olan ama",
    "fi": "ja on ei että se oli hän mutta ovat kun myös joka niin tai",
    "ro": "și de în la a cu pe nu din este că o sunt pentru mai care",
    "hu": "a az és hogy nem is egy ez meg van de csak mint már",
    "id": "yang dan di untuk dengan ini dari dalam pada tidak itu adalah akan",
    "vi": "và của là có không được cho các một những trong người với đã",
}
_LANGUAGES: Final = {
    word: tuple(code for code, words in _WORDS.items() if word in words.split())
    for words in _WORDS.values()
    for word in words.split()
}
_LEAST_WORDS: Final = 5
_OUTDONE: Final = 2


def declared_language(tree: PageTree, declared: Declared) -> str:
    """The code of the language that a page declares, such as ``zh``; "" for none.

    Args:
        tree: the page.
        declared: its meta elements.
    """
    meta = declared.meta
    declared_values = (
        *((tree.attr(0, "lang"), tree.attr(0, "xml:lang")) if len(tree) else ()),
        *(meta.get("content-language"), meta.get("language"), meta.get("dc.language")),
        *(meta.get("og:locale"), meta.get("inlanguage")),
    )
    for value in declared_values:
        code = _CODE.match(value) if value else None
        if code:
            name = _ALIASES.get(code[1].lower(), code[1].lower())
            if len(name) == 2:
                return name
    return ""


def language_of(declared: str, text: str) -> str:
    """The language of a text of which another one may be declared; "" if nothing tells.

    Args:
        declared: code of the declared language, "" for none.
        text: the text, of which the beginning is read.
    """
    sample = text[:_SAMPLE_CHARS]
    n_letters = len(sample) - sample.count(" ") - sample.count("\n")
    if n_letters < _FEW_CHARS:
        return declared
    n_first_han, n_first_kana, *_ = _counts(sample[:_FIRST_CHARS])
    if 2 * n_first_han > _FIRST_CHARS:
        return "ja" if n_first_kana > _KANA_SHARE * _FIRST_CHARS else "zh"
    *counts, n_foreign = _counts(sample)
    if n_foreign >= (_FEW_FOREIGN if declared in _NOT_LATIN else _SOME_FOREIGN) * n_letters:
        counts[0], n_kana = counts[0] + counts[1], counts[1]
        most = max(range(len(counts)), key=counts.__getitem__)
        least = _LEAST_HAN_SHARE if most in (0, 1) else _LEAST_SHARE
        is_told = declared in _SCRIPTS[most][2] and counts[most] >= _FEW_CHARS // 4
        if is_told or counts[most] >= least * n_letters:
            most = 1 if most == 0 and n_kana > _KANA_SHARE * counts[0] else most
            _, usual, others = _SCRIPTS[most]
            is_han = most == 0 and declared == "ja"
            return declared if declared in others and not is_han else usual
    return _by_words(declared, sample)


def _counts(text: str) -> list[int]:
    """How many characters of a text belong to each script, and how many are not ASCII."""
    counts = np.zeros(len(_SCRIPTS), np.int32)
    n_foreign = count_scripts(text, _RANGES, counts)
    return [*counts.tolist(), n_foreign]


def _by_words(declared: str, sample: str) -> str:
    """The language of a text in Latin letters."""
    codes_of_words = map(_LANGUAGES.get, sample[:_WORDS_CHARS].lower().split())
    counts = Counter(chain.from_iterable(codes for codes in codes_of_words if codes))
    if not counts:
        return "" if declared in _NOT_LATIN else declared
    best, most = counts.most_common(1)[0]
    if declared and declared not in _NOT_LATIN:
        is_judged = declared in _WORDS and most >= _LEAST_WORDS
        return best if is_judged and most > _OUTDONE * counts[declared] else declared
    return best if most >= _LEAST_WORDS else ""
