"""Chinese words: jieba's dictionary and its rule, the most probable cut of each piece of text.

`rjieba` is jieba in Rust with the same dictionary: the same words eight times as fast as the best
that Python can do. Words that the dictionary does not know fall into characters: jieba's guesses
at them (a hidden Markov model) cost a third of the time and change the F1 of the Quark method by
.002, either way.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Final

from quarkcrawl.content.words import stop_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["count", "forms", "load_dictionary", "tokens", "word_counts", "words"]

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


def word_counts(text: str) -> Counter[str]:
    """How often each word of a text occurs; words as `words` gives them.

    Args:
        text: any text.
    """
    return count(tokens(text))


def count(cut: list[str]) -> Counter[str]:
    """The same for a text that is cut already.

    Args:
        cut: its tokens.
    """
    counts = Counter(forms(cut))
    counts.pop("", None)
    return counts


def forms(cut: list[str]) -> Iterator[str]:
    """What counts as the word of each token, "" for stop words and bare signs.

    Args:
        cut: tokens.
    """
    return map(_FORMS.__getitem__, cut)


def words(text: str) -> Iterator[str]:
    """Words of a text in lower case, stop words and bare signs left out.

    Args:
        text: any text.
    """
    return filter(None, forms(tokens(text)))


class _Forms(dict[str, str]):
    """What counts as the word of a token: its lower case, "" for stop words and bare signs."""

    def __missing__(self, token: str) -> str:
        if len(self) >= _MOST_FORMS:
            self.clear()
        word = token.lower()
        self[token] = word = word if word not in stop_words() and _WORD.search(word) else ""
        return word


_FORMS: Final = _Forms()
