"""Chinese words: jieba's dictionary and its rule, the most probable cut of each piece of text.

The dictionary is loaded when first needed (1 s). Words that it does not know fall into
characters: jieba's guesses at them (a hidden Markov model) cost a third of the time and change the
F1 of the Quark method by .002, either way. jieba's own loop makes a graph first and takes
logarithms on the way; going back over the text once with logarithms at hand gives the same words
sooner, which the speed of the method needs.
"""

from __future__ import annotations

import itertools
import math
import re
import warnings
from functools import cache, lru_cache
from importlib import import_module
from operator import add
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.content.words import stop_words

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["jieba_tokenizer", "passages", "tokens", "words", "words_of"]

# jieba looks at each such piece alone, and takes any other letter as a word; so pieces can be
# cut, or skipped, one at a time without changing any word.
_PASSAGE: Final = re.compile(r"[一-\u9fd5a-zA-Z0-9+#&._%\-]+|\w")
_WORD: Final = re.compile(r"\w")
_LATIN: Final = re.compile(r"[^一-\u9fd5]")
_LATIN_TOKEN: Final = re.compile("[A-Za-z0-9]+|[^A-Za-z0-9]")
_PREFIX: Final = 0.0
_KEPT_PASSAGES: Final = 1 << 15
"""Passages whose words are kept: pages of one site say many things again (about 10 MB)."""


@cache
def jieba_tokenizer() -> Any:
    """The jieba tokenizer with its own dictionary, quiet and without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # jieba's source has invalid escape sequences
        jieba: Any = import_module("jieba")
    jieba.setLogLevel("CRITICAL")
    loaded = jieba.Tokenizer()
    loaded.initialize()
    return loaded


@cache
def _log_probabilities() -> tuple[dict[str, float], float]:
    """Of each word; `_PREFIX` for what only begins words. And that of an unknown character."""
    tokenizer = jieba_tokenizer()
    log_total = math.log(tokenizer.total)
    table = {
        word: math.log(count) - log_total if count else _PREFIX
        for word, count in tokenizer.FREQ.items()
    }
    return table, -log_total


@cache
def _latin_words() -> re.Pattern[str]:
    """Finds at least each of the few words of the dictionary that are Latin, such as C++."""
    words = (word for word in jieba_tokenizer().FREQ if len(word) > 1 and word.isascii())
    return re.compile("|".join({re.escape(word[:2]) for word in words}) or r"\Z.")


def tokens(passage: str) -> list[str]:
    """Cut a passage into its most probable words, as jieba does without guessing.

    Args:
        passage: one of `passages`.
    """
    if passage.isascii() and not _latin_words().search(passage):
        return _LATIN_TOKEN.findall(passage)
    words = _along(passage, _next_words(passage))
    return _joined(words) if _LATIN.search(passage) else words


def _next_words(passage: str) -> list[int]:
    """Where the word ends that begins at each character, on the best way from there to the end."""
    table, unknown = _log_probabilities()
    look_up = table.get
    n_chars = len(passage)
    best = [0.0] * (n_chars + 1)
    ends = list(range(1, n_chars + 1))
    pairs = [*map(look_up, map(add, passage, passage[1:])), None]
    singles = list(map(look_up, passage))
    for start in range(n_chars - 1, -1, -1):
        value, longer = singles[start], pairs[start]
        if longer is None:
            best[start] = (value or unknown) + best[start + 1]
            continue
        found = value + best[start + 1] if value else -math.inf
        end = start + 2
        while longer is not None:
            if longer and longer + best[end] >= found:
                found, ends[start] = longer + best[end], end
            end += 1
            longer = look_up(passage[start:end]) if end <= n_chars else None
        best[start] = found if found > -math.inf else unknown + best[start + 1]
    return ends


def _along(passage: str, ends: list[int]) -> list[str]:
    """The words along the best way."""
    found: list[str] = []
    place, n_chars = 0, len(passage)
    while place < n_chars:
        found.append(passage[place : ends[place]])
        place = ends[place]
    return found


def _joined(words: list[str]) -> list[str]:
    """The words; single Latin letters and digits that follow one another are one."""
    found: list[str] = []
    is_latin = False
    for word in words:
        was_latin, is_latin = is_latin, len(word) == 1 and word.isascii() and word.isalnum()
        if was_latin and is_latin:
            found[-1] += word
        else:
            found.append(word)
    return found


def passages(text: str) -> list[str]:
    """Pieces of a text that no word crosses, in order; what stands between them is no word."""
    return _PASSAGE.findall(text)


def words(text: str) -> Iterator[str]:
    """Words of a text in lower case, stop words and bare signs left out; cut as they are read.

    Args:
        text: any text.
    """
    return words_of(passages(text))


def words_of(pieces: list[str]) -> Iterator[str]:
    """`words` of a text that has been parted into passages.

    Args:
        pieces: its `passages`.
    """
    return itertools.chain.from_iterable(map(_words_of, pieces))


@lru_cache(_KEPT_PASSAGES)
def _words_of(passage: str) -> tuple[str, ...]:
    stops, found = stop_words(), tokens(passage)
    if _LATIN.search(passage):
        lowered = (token.lower() for token in found)
        return tuple(word for word in lowered if word not in stops and _WORD.search(word))
    return tuple([word for word in found if word not in stops])
