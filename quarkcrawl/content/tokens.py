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
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.content.words import stop_words

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["jieba_tokenizer", "passages", "tokens", "words", "words_of"]

# jieba looks at each such piece alone, and takes any other letter as a word; so pieces can be
# cut, or skipped, one at a time without changing any word.
_PASSAGE: Final = re.compile(r"[一-\u9fd5a-zA-Z0-9+#&._%\-]+|\w")
_WORD: Final = re.compile(r"\w")
_UNKNOWN: Final = 1.0
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


def tokens(passage: str) -> list[str]:
    """Cut a passage into its most probable words, as jieba does without guessing.

    Args:
        passage: one of `passages`.
    """
    table, unknown = _log_probabilities()
    look_up = table.get
    n_chars = len(passage)
    best = [0.0] * (n_chars + 1)
    next_word = [0] * n_chars
    for start in range(n_chars - 1, -1, -1):
        found, stop = -math.inf, start + 1
        for end in range(start + 1, n_chars + 1):
            value = look_up(passage[start:end], _UNKNOWN)
            if value > 0:
                break
            if value < 0 and value + best[end] >= found:
                found, stop = value + best[end], end
        best[start] = found if found > -math.inf else unknown + best[stop]
        next_word[start] = stop
    return _follow(passage, next_word)


def _follow(passage: str, next_word: list[int]) -> list[str]:
    """The words along a path; single Latin letters and digits that follow one another are one."""
    found: list[str] = []
    place, n_chars = 0, len(passage)
    is_latin = False
    while place < n_chars:
        stop = next_word[place]
        word = passage[place:stop]
        was_latin, is_latin = is_latin, len(word) == 1 and word.isascii() and word.isalnum()
        if was_latin and is_latin:
            found[-1] += word
        else:
            found.append(word)
        place = stop
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
    stops = stop_words()
    lowered = (token.lower() for token in tokens(passage))
    return tuple(word for word in lowered if word not in stops and _WORD.search(word))
