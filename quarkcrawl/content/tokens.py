"""Chinese words, by jieba: loaded when first needed (0.8 s), quiet, without its warnings."""

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

# jieba cuts text at every other character first and treats the rest piece by piece, so that
# these pieces can be cut, or skipped, one at a time without changing any word.
_PASSAGE: Final = re.compile(r"[一-\u9fd5a-zA-Z0-9+#&._%\-]+")
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


def words(passage: str) -> Iterator[str]:
    """Words of a passage in lower case, stop words and bare signs left out.

    Args:
        passage: text, best one of `passages`.
    """
    stops = stop_words()
    for token in tokenizer().cut(passage):
        word = token.lower()
        if word not in stops and _WORD.search(word):
            yield word
