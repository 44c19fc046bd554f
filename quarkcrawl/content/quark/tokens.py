"""Chinese words: jieba's dictionary and its rule, the most probable cut of each piece of text.

`rjieba` is jieba in Rust with the same dictionary: the same words eight times as fast as the best
that Python can do. Words that the dictionary does not know fall into characters: jieba's guesses
at them (a hidden Markov model) cost a third of the time and change the F1 of the Quark method by
.002, either way.
"""

from __future__ import annotations

import logging
import re
import warnings
from functools import cache, partial
from typing import TYPE_CHECKING, Final

from quarkcrawl.content.words import stop_words
from quarkcrawl.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


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


def jieba_tokens(
    *, guesses: bool = True, dictionary: Path | None = None
) -> Callable[[str], list[str]]:
    """What cuts a text as the package ``jieba`` itself does.

    Args:
        guesses: whether words that no dictionary knows are guessed (hidden Markov model).
        dictionary: words of your own, a line each (word, count, tag).

    Raises:
        InputError: the dictionary cannot be read.
    """
    with warnings.catch_warnings():  # its source has escapes that Python warns of
        warnings.simplefilter("ignore")
        import jieba  # noqa: PLC0415  (who does not ask for it does not wait for it)

    jieba.setLogLevel(logging.WARNING)
    cutter = jieba.Tokenizer()
    if dictionary is not None:
        try:
            with dictionary.open("rb") as file:
                cutter.load_userdict(file)
        except (OSError, ValueError) as error:
            raise InputError(f"no dictionary of jieba: {error}", where=dictionary) from error
    cut: Callable[[str], list[str]] = partial(cutter.lcut, HMM=guesses)
    return cut


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
