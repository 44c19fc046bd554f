"""Chinese words: jieba's dictionary and its rule, the most probable cut of each piece of text.

`rjieba` is jieba in Rust with the same dictionary: the same words eight times as fast as the best
that Python can do. Words that the dictionary does not know fall into characters: jieba's guesses
at them (a hidden Markov model) cost a third of the time and change the F1 of the Quark method by
.002, either way.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from quarkcrawl.content.words import stop_words

if TYPE_CHECKING:
    from collections.abc import Callable


_WORD: Final = re.compile(r"\w")
_MOST_FORMS: Final = 1 << 17
"""Tokens whose words are kept (20 MB): looking one up takes a third of making it."""


@cache
def load_dictionary() -> Callable[[str, bool], list[str]]:
    """What cuts a text; the dictionary is loaded when first asked for (0.1 s, 32 MiB)."""
    import rjieba  # noqa: PLC0415  (many runs need no words)

    rjieba.cut("", False)
    cut: Callable[[str, bool], list[str]] = rjieba.cut
    return cut


def tokens(text: str) -> list[str]:
    """Cut a text into its most probable words, as jieba does without guessing.

    Args:
        text: any text; signs and white space between words are tokens of their own.
    """
    try:
        return load_dictionary()(text, False)
    except UnicodeEncodeError:  # half a pair of UTF-16, which is no character
        return tokens(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def words(text: str) -> list[str]:
    """Words of a text in lower case, stop words and bare signs left out.

    Args:
        text: any text.
    """
    return words_of(tokens(text))


def words_of(cut: list[str]) -> list[str]:
    """The same for a text that is cut already.

    Args:
        cut: its tokens.
    """
    return list(filter(None, map(_FORMS.__getitem__, cut)))


class _Forms(dict[str, str]):
    """What counts as the word of a token: its lower case, "" for stop words and bare signs."""

    def __missing__(self, token: str) -> str:
        if len(self) >= _MOST_FORMS:
            self.clear()
        word = token.lower()
        self[token] = word = word if word not in stop_words() and _WORD.search(word) else ""
        return word


_FORMS: Final = _Forms()
