"""Words of spam pages with weights, and how they are found in a text, disguised ones too."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final, Self

import numpy as np

from quarkcrawl.errors import InputError
from quarkcrawl.refine.spam.loops import head_places, holds_any, latin_words
from quarkcrawl.refine.spam.variants import VARIANTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from quarkcrawl.refine.spam.loops import ByteArray


SUBJECTS: Final = ("gambling", "pornography", "pharmacy", "loans")
"""Kinds of spam that are known by their words."""

_SECTIONS: Final = (*SUBJECTS, "call")
_MAX_WEIGHT: Final = 3
_INVISIBLE: Final = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff\ufe0f\u20e3]+")
_ODD_RANGES: Final = (
    "\u00ad\u00ad \u200b\u200f \u2060\u2064 \ufeff\ufeff \ufe0f\ufe0f \u20e3\u20e3 \uff10\uff19"
    " \uff21\uff3a \uff41\uff5a \u2460\u24ff \u2f00\u2fdf \U0001d400\U0001d7ff \U0001f100\U0001f1ff"
)
"""What makes the slow normalization worth while; full-width punctuation alone does not."""

_SIGN_CHARS: Final = " \u3000.·•・*_~|+^`'’\\/◆◇★☆●○■□♥❤✿-"
_SIGN: Final = f"[{re.escape(_SIGN_CHARS)}]"
_BETWEEN: Final = _SIGN + "{0,2}"
"""What may stand between two characters of a word; never a line end, a comma or a stop."""

_WORD: Final = re.compile(r"[a-z0-9$@]+(?:[.*_@$!·-]{1,2}[a-z0-9]+)*")
_LETTERS: Final = str.maketrans("0134578@$!", "oieastbasi", "._*·-")
_SPACED: Final = re.compile(r"(?<![a-z])(?:[a-z0-9@$!][ ._*-]){4,24}[a-z0-9@$!](?![a-z0-9])")


def _table(chars: Iterable[str]) -> ByteArray:
    """1 for each of some characters."""
    codes = [ord(char) for char in chars]
    table = np.zeros(max(codes, default=0) + 1, np.uint8)
    table[codes] = 1
    return table


_ODD: Final = _table(
    chr(code) for pair in _ODD_RANGES.split() for code in range(ord(pair[0]), ord(pair[1]) + 1)
)


def plain(text: str) -> str:
    """The text in lower case, without invisible characters, compatibility forms made plain."""
    if not _is_odd(text):
        return text.lower()
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).lower()


def plain_lines(lines: list[str]) -> str:
    """Lines made plain, each by itself."""
    together = "\n".join(lines)
    return "\n".join(map(plain, lines)) if _is_odd(together) else together.lower()


def _is_odd(text: str) -> bool:
    return not text.isascii() and holds_any(text, _ODD)


def size(text: str) -> float:
    """Length in Chinese characters; three others count as one, as words of both weigh alike."""
    wide = (len(text.encode("utf-8", "replace")) - len(text)) / 2
    return wide + max(0.0, len(text) - wide) / 3


@dataclass(slots=True)
class Matches:
    """Words of one kind in a text.

    Args:
        counts: how often each word occurs.
        weights: weight of each of them.
        n_disguised: occurrences with signs inside or digits for letters.
    """

    counts: Counter[str] = field(default_factory=Counter)
    weights: dict[str, int] = field(default_factory=dict)
    n_disguised: int = 0

    @property
    def weight(self) -> int:
        """Sum of the weights of all occurrences."""
        return sum(self.weights[word] * n for word, n in self.counts.items())

    def n_words(self, least: int = 1) -> int:
        """Different words of at least this weight."""
        return sum(weight >= least for weight in self.weights.values())

    def heaviest(self, number: int = 3) -> list[str]:
        """The words that weigh most."""
        return sorted(
            self.counts, key=lambda word: (-self.weights[word], -self.counts[word], word)
        )[:number]


class Lexicon:
    """Words of spam pages by kind, with weights from 1 (subject) to 3 (hardly anything but spam).

    Build with `parse`, `read` or `packaged`.

    Args:
        entries: kind, weight and word of each entry.
    """

    __slots__ = ("_classes", "_first", "_known", "_latin", "_longest", "_one", "_pairs", "_single",
                 "_tails")  # fmt: skip

    def __init__(self, entries: Iterable[tuple[str, int, str]]) -> None:
        self._one: dict[str, list[tuple[str, int]]] = {}
        self._first: dict[str, list[tuple[tuple[str, ...], str, int]]] = {}
        self._known: dict[str, list[tuple[str, int]]] = {}
        for kind, weight, word in entries:
            if not word.isascii():
                self._known.setdefault(word, []).append((kind, weight))
            elif " " in word:
                parts = tuple(word.split())
                self._first.setdefault(parts[0], []).append((parts, kind, weight))
            else:
                self._one.setdefault(word, []).append((kind, weight))
        self._single = {
            form: word for word in self._known if len(word) == 1
            for form in (word, *VARIANTS.get(word, ""))
        }  # fmt: skip
        longer = [word for word in self._known if len(word) > 1]
        self._classes, self._pairs = _heads_of(longer)
        self._tails = _tails_of(longer)
        self._longest: dict[str, list[tuple[str, ...]]] = {}
        for some in self._first.values():
            for parts, _, _ in some:
                self._longest.setdefault(max(parts, key=len), []).append(parts)
        self._latin = _places_of([*self._one, *self._longest])

    @classmethod
    def parse(cls, lines: Iterable[str], *, source: str = "lexicon") -> Self:
        """Make a lexicon of lines as in the packaged file.

        Args:
            lines: ``[kind]``, ``weight: word | word`` and comments.
            source: what errors call them.

        Raises:
            InputError: a line is neither, or a kind or weight is unknown (line named).
        """
        return cls(_entries(lines, source))

    @classmethod
    def read(cls, path: Path) -> Self:
        """Make a lexicon of a file.

        Args:
            path: file in UTF-8, of the form of the packaged one.

        Raises:
            InputError: the file cannot be read, or `parse` refuses it.
        """
        try:
            text = path.read_text("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot read the lexicon: {error}", where=path) from error
        return cls.parse(text.splitlines(), source=str(path))

    @classmethod
    @cache
    def packaged(cls) -> Self:
        """The lexicon that comes with the package."""
        text = files(__package__).joinpath("lexicon.txt").read_text("utf-8")
        return cls.parse(text.splitlines(), source="lexicon.txt")

    def matches(self, text: str) -> dict[str, Matches]:
        """The words found in a text, by kind; longer words win over shorter ones in them.

        Args:
            text: what `plain` made.
        """
        by_kind: dict[str, Matches] = {}
        if not text.isascii():
            for written, n in self._chinese_in(text).items():
                self._add_chinese(by_kind, written, n)
        if self._one or self._first:
            self._add_latin(by_kind, text)
        return by_kind

    def _chinese_in(self, text: str) -> dict[str, int]:
        """Chinese words as they are written; first characters are sought, the rest is compared."""
        seen: dict[str, int] = {}
        done = 0
        for start in head_places(text, self._classes, self._pairs):
            if start >= done and (tail := self._tails[text[start]].match(text, start)) is not None:
                seen[tail[0]] = seen.get(tail[0], 0) + 1
                done = tail.end()
        for form in self._single:
            if n := text.count(form):
                seen[form] = seen.get(form, 0) + n
        return seen

    def _add_chinese(self, by_kind: dict[str, Matches], written: str, n: int) -> None:
        word = written
        if word not in self._known:
            word = self._single.get(written) or _bare(written)
        is_disguised = len(word) != len(written)
        for kind, weight in self._known.get(word, ()):
            _add(by_kind, kind, word, weight, n, is_disguised=is_disguised)

    def _add_latin(self, by_kind: dict[str, Matches], text: str) -> None:
        counts: dict[str, int] = {}
        for word in latin_words(text, _READ_AS, self._latin):
            counts[word] = counts.get(word, 0) + 1
        for written, n in counts.items():
            for kind, weight in self._one.get(written, ()):
                _add(by_kind, kind, written, weight, n)
        for written, n in counts.items():
            if not written.isalpha() and (word := written.translate(_LETTERS)) != written:
                for kind, weight in self._one.get(word, ()):
                    _add(by_kind, kind, word, weight, n, is_disguised=True)
        if any(
            all(part in text for part in parts)
            for word in counts
            for parts in self._longest.get(word, ())
        ):
            self._add_phrases(by_kind, _WORD.findall(text))
        if by_kind and _WORD.search(text):  # so slow a search that it must be worth while
            self._add_spaced(by_kind, text)

    def _add_spaced(self, by_kind: dict[str, Matches], text: str) -> None:
        """Words written letter by letter."""
        for match in _SPACED.findall(text):
            word = match.replace(" ", "").translate(_LETTERS)
            for kind, weight in self._one.get(word, ()):
                _add(by_kind, kind, word, weight, 1, is_disguised=True)

    def _add_phrases(self, by_kind: dict[str, Matches], words: list[str]) -> None:
        for place, word in enumerate(words):
            for parts, kind, weight in self._first.get(word, ()):
                if tuple(words[place : place + len(parts)]) == parts:
                    _add(by_kind, kind, " ".join(parts), weight, 1)


def _add(
    by_kind: dict[str, Matches], kind: str, word: str, weight: int, n: int, *,
    is_disguised: bool = False,
) -> None:  # fmt: skip
    matches = by_kind.get(kind)
    if matches is None:
        matches = by_kind[kind] = Matches()
    matches.counts[word] += n
    matches.weights[word] = weight
    matches.n_disguised += n * is_disguised


def _entries(lines: Iterable[str], source: str) -> Iterator[tuple[str, int, str]]:
    kind = ""
    for number, raw in enumerate(lines, 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        where = f"{source}:{number}"
        if line.startswith("[") and line.endswith("]"):
            kind = line[1:-1]
            if kind not in _SECTIONS:
                raise InputError(f"no kind {kind!r}; there are {', '.join(_SECTIONS)}", where=where)
            continue
        weight, colon, words = line.partition(":")
        if not colon or not weight.isdecimal() or not 1 <= int(weight) <= _MAX_WEIGHT or not kind:
            raise InputError(f"not 'weight: word | word' below a [kind]: {line!r}", where=where)
        for word in words.split("|"):
            if simple := _simplified(plain(" ".join(word.split()))):
                yield kind, int(weight), simple


@cache
def _to_simplified() -> dict[int, str]:
    return {ord(form): char for char, forms in VARIANTS.items() for form in forms}


def _simplified(word: str) -> str:
    return word.translate(_to_simplified())


_SIGNS: Final = re.compile(_SIGN + "+")


def _bare(written: str) -> str:
    """A word as the lexicon has it."""
    return _simplified(_SIGNS.sub("", written))


_PLACES: Final = 1 << 15


def _heads_of(words: list[str]) -> tuple[ByteArray, ByteArray]:
    """Where a word may begin, as `head_places` has it."""
    first = {form for word in words for form in (word[0], *VARIANTS.get(word[0], ""))}
    classes, pairs = np.zeros(0x110000, np.uint8), np.zeros(_PLACES, np.uint8)
    classes[[ord(char) for char in first]] |= 1
    classes[[ord(char) for char in _SIGN_CHARS]] |= 2
    for word in words:
        for one in (word[0], *VARIANTS.get(word[0], "")):
            for two in (word[1], *VARIANTS.get(word[1], "")):
                pairs[(ord(one) * 31 + ord(two)) % _PLACES] = 1
    return classes[: int(classes.nonzero()[0].max()) + 1].copy(), pairs


def _read_as() -> ByteArray:
    """What each character of a Latin word is read as, 0 for what is passed over."""
    letters = np.arange(256, dtype=np.uint8)
    for code, letter in _LETTERS.items():
        letters[code] = letter or 0
    return letters


_READ_AS: Final = _read_as()


def _places_of(words: Iterable[str]) -> ByteArray:
    """A place for each word, as `latin_words` has it."""
    is_taken = np.zeros(_PLACES, np.uint8)
    for word in words:
        value = 0
        for char in word:
            value = (value * 31 + ord(char)) % _PLACES
        is_taken[value] = 1
    return is_taken


def _tails_of(words: list[str]) -> dict[str, re.Pattern[str]]:
    """For each first character the words that begin with it, longer ones first."""
    heads: dict[str, list[str]] = {}
    for word in sorted(words, key=lambda word: (-len(word), word)):
        for form in (word[0], *VARIANTS.get(word[0], "")):
            heads.setdefault(form, []).append(_tail(word))
    return {head: re.compile(_branch(head, tails)) for head, tails in heads.items()}


def _branch(head: str, tails: list[str]) -> str:
    before = "(?<![a-z0-9])" if head.isascii() else ""
    return f"{before}{re.escape(head)}(?:{'|'.join(tails)})"


def _tail(word: str) -> str:
    between = "" if any(char.isascii() for char in word) else _BETWEEN
    return "".join(between + _forms(char) for char in word[1:])


def _forms(char: str) -> str:
    forms = VARIANTS.get(char, "")
    return f"[{char}{forms}]" if forms else re.escape(char)
