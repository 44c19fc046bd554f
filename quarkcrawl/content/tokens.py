"""Chinese words, by jieba: loaded when first needed (0.8 s), quiet, without its warnings.

Words are those of jieba's dictionary. Its guesses at others (a hidden Markov model) cost a third of
the time and change the F1 of the Quark method by .002, either way.
"""

from __future__ import annotations

import re
import warnings
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.content.words import stop_words

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["passages", "tokenizer", "words"]

# jieba looks at each such piece alone, and takes any other letter as a word; so pieces can be
# cut, or skipped, one at a time without changing any word.
_PASSAGE: Final = re.compile(r"[一-\u9fd5a-zA-Z0-9+#&._%\-]+|\w")
_WORD: Final = re.compile(r"\w")


@cache
def tokenizer() -> Any:
    """The jieba tokenizer with its own dictionary."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # jieba's source has invalid escape sequences
        jieba: Any = import_module("jieba")
    jieba.setLogLevel("CRITICAL")
    loaded = jieba.Tokenizer()
    loaded.initialize()
    return loaded


def passages(text: str) -> list[str]:
    """Pieces of a text that no word crosses, in order; what stands between them is no word."""
    return _PASSAGE.findall(text)


def words(text: str) -> Iterator[str]:
    """Words of a text in lower case, stop words and bare signs left out; cut as they are read.

    Args:
        text: any text.
    """
    stops = stop_words()
    for token in tokenizer().cut(text, HMM=False):
        word = token.lower()
        if word not in stops and _WORD.search(word):
            yield word
