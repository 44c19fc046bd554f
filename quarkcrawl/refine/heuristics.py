"""Heuristics of quality: rules of Gopher, C4 and FineWeb, in a reading for texts without spaces.

The published rules count words between spaces. For Chinese, Japanese and Korean texts characters
take their place, with bounds that fit; sentence ends, stop words, bullets and ellipses are those
of these languages, too (docs/dataset.md has the table, rule by rule). A rule that fails is a code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


REASONS: Final = {
    "gopher.short_text": "too few words or characters",
    "gopher.long_text": "too many words or characters",
    "gopher.word_length": "the mean length of words is not that of a language",
    "gopher.symbols": "too many hash signs or ellipses",
    "gopher.bullets": "nearly all lines begin with a bullet",
    "gopher.ellipsis_lines": "too many lines end in an ellipsis",
    "gopher.letters": "too few of the words or characters are letters",
    "gopher.stop_words": "hardly a word that every text of the language has",
    "gopher.duplicate_lines": "too many lines stand in the text twice",
    "gopher.top_ngram": "one sequence of words or characters makes too much of the text",
    "gopher.duplicate_ngrams": "too much of the text consists of repeated sequences",
    "c4.few_sentences": "too few sentences",
    "c4.lorem_ipsum": "text that only fills a page",
    "c4.curly_bracket": "a curly bracket, as in code",
    "c4.javascript": "most of it asks to switch on JavaScript or to accept cookies",
    "fineweb.line_ends": "too few lines end as sentences do",
    "fineweb.short_lines": "too many lines are short",
    "fineweb.duplicate_chars": "too many characters stand in lines that occur twice",
    "fineweb.line_breaks": "a line break for every few words or characters",
}
"""Codes of the rules, and what it means when they fail."""

NOTED: Final = frozenset(
    {"c4.curly_bracket", "fineweb.duplicate_chars", "fineweb.short_lines", "fineweb.line_ends",
     "gopher.short_text"}
)  # fmt: skip
"""Rules that are noted only: on good pages they fail too often (see docs/dataset.md)."""

_ENDS: Final = "。！？!?.…；;：:”\"」』’'）)】》～~"
_SENTENCE: Final = re.compile(r"[。！？!?…]+|\.(?=\s|$)|[；;](?=\n|$)")
_OPEN_CHARS: Final = 20
_BULLET: Final = re.compile(r"[•·●○■□▪◆◇※★☆►▶▸‣⁃∙\-*–—]|\d{1,2}[.、)）]")
_ELLIPSIS: Final = ("…", "...", "。。。")
_WORD: Final = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*|[^\w\s]")
_SCRIPT: Final = re.compile(
    r"javascript|java script|cookies?\b|启用脚本|浏览器不支持|瀏覽器不支援", re.IGNORECASE
)
_PARTICLES: Final = re.compile(r"[ぁ-ゖァ-ヺ가-힣].*[ぁ-ゖァ-ヺ가-힣]", re.DOTALL)
_STOP_CHARS: Final = frozenset("的是不了在有我他这這个個们們来來说說和就也对對人你到")
_STOP_WORDS: Final = frozenset(
    [
        "the",
        "be",
        "to",
        "of",
        "and",
        "that",
        "have",
        "with",
        "a",
        "in",
        "is",
        "for",
        "it",
        "der",
        "die",
        "das",
        "und",
        "ist",
        "nicht",
        "le",
        "la",
        "les",
        "et",
        "est",
        "de",
        "el",
        "los",
        "que",
        "y",
        "en",
        "un",
        "una",
        "il",
        "che",
        "e",
        "di",
        "и",
        "в",
        "не",
        "на",
        "что",
        "по",
        "to",
        "je",
        "na",
        "się",
        "w",
        "z",
        "i",
        "nie",
        "που",
        "και",
        "να",
        "το",
        "της",
        "το",
        "στο",
        "με",
        "για",
        "του",
    ]
)


@dataclass(frozen=True, slots=True)
class Bounds:
    """The numbers of the rules, for one way of writing.

    Args:
        least_words, most_words: of a text; words, or characters where there are no spaces.
        word_chars: least and most mean length of words.
        least_letters: least share of words that have a letter, or of characters that are letters.
        least_stop_words: least number of different stop words.
        most_symbols: most hash signs and ellipses a word or character.
        top_ngrams: most share of the text that one sequence of so many words may make.
        duplicate_ngrams: most share of the text in repeated sequences of so many words.
        least_sentences: with fewer a text is no prose.
        short_chars: lines up to this length are short.
        most_breaks: most line breaks a word or character.
    """

    least_words: int = 50
    most_words: int = 100_000
    word_chars: tuple[float, float] = (3.0, 10.0)
    least_letters: float = 0.8
    least_stop_words: int = 2
    most_symbols: float = 0.1
    top_ngrams: tuple[tuple[int, float], ...] = ((2, 0.20), (3, 0.18), (4, 0.16))
    duplicate_ngrams: tuple[tuple[int, float], ...] = (
        (5, 0.15), (6, 0.14), (7, 0.13), (8, 0.12), (9, 0.11), (10, 0.10),
    )  # fmt: skip
    least_sentences: int = 5
    short_chars: int = 30
    most_breaks: float = 0.3


UNSPACED: Final = Bounds(
    least_words=100,
    most_words=200_000,
    word_chars=(0.0, float("inf")),
    least_letters=0.6,
    most_symbols=0.05,
    top_ngrams=((4, 0.20), (6, 0.18), (8, 0.16)),
    duplicate_ngrams=((10, 0.40), (14, 0.36), (20, 0.32)),
    least_sentences=3,
    short_chars=12,
    most_breaks=0.15,
)
"""For texts without spaces between words."""


@dataclass(frozen=True, slots=True)
class HeuristicOptions:
    """Bounds of the rules.

    Args:
        spaced: for languages with spaces between words.
        unspaced: for Chinese, Japanese and Korean.
        most_bullets: most share of lines that begin with a bullet.
        most_ellipses: most share of lines that end in an ellipsis.
        most_duplicate_lines: most share of lines that stand in the text a second time.
        least_line_ends: least share of lines that end as sentences do.
        most_short_lines: most share of short lines.
        most_duplicate_chars: most share of characters in lines that occur again.
    """

    spaced: Bounds = field(default_factory=Bounds)
    unspaced: Bounds = UNSPACED
    most_bullets: float = 0.9
    most_ellipses: float = 0.3
    most_duplicate_lines: float = 0.3
    least_line_ends: float = 0.12
    most_short_lines: float = 0.67
    most_duplicate_chars: float = 0.1


@dataclass(frozen=True, slots=True)
class Heuristics:
    """What the rules measure, and which fail.

    Args:
        n_words: words, or characters where there are no spaces.
        n_sentences: sentences; without spaces, paragraphs that end in no sign among them.
        line_end_share: lines that end as sentences do, 0 to 1.
        short_line_share: short lines.
        duplicate_line_share: lines that stand in the text a second time.
        duplicate_ngram_share: the largest share of the text in repeated sequences.
        top_ngram_share: the largest share of the text that one sequence makes.
        failed: codes of the rules that fail, see `REASONS`; without those that are noted only.
        noted: codes of the rules that fail and are noted only, see `NOTED`.
    """

    n_words: int
    n_sentences: int
    line_end_share: float
    short_line_share: float
    duplicate_line_share: float
    duplicate_ngram_share: float
    top_ngram_share: float
    failed: tuple[str, ...]
    noted: tuple[str, ...]


_DEFAULTS: Final = HeuristicOptions()


def heuristics_of(
    text: str, *, is_spaced: bool, options: HeuristicOptions = _DEFAULTS
) -> Heuristics:
    """Ask all rules.

    Args:
        text: the text, a paragraph a line.
        is_spaced: whether its language has spaces between words.
        options: bounds.
    """
    bounds = options.spaced if is_spaced else options.unspaced
    lines = [line for line in map(str.strip, text.split("\n")) if line]
    n_lines = max(len(lines), 1)
    tokens, lengths = _words(lines) if is_spaced else _characters(lines)
    n_words, n_chars = len(tokens), int(lengths.sum())
    per_word = max(n_words, 1)
    ends = sum(line.endswith(tuple(_ENDS)) for line in lines) / n_lines
    short = sum(len(line) <= bounds.short_chars for line in lines) / n_lines
    n_unique = len(set(lines))
    duplicate_lines = (n_lines - n_unique) / n_lines if lines else 0.0
    tops = [(share, bound) for n, bound in bounds.top_ngrams
            for share in [_top_share(tokens, lengths, n, n_chars)]]  # fmt: skip
    repeated = [(share, bound) for n, bound in bounds.duplicate_ngrams
                for share in [_repeated_share(tokens, lengths, n, n_chars)]]  # fmt: skip
    sentences = len(_SENTENCE.findall(text))
    if not is_spaced:  # many write no full stop at the end of a paragraph
        sentences += sum(
            len(line) >= _OPEN_CHARS and not line.endswith(tuple(_ENDS)) for line in lines
        )
    words = _word_rules(lines, tokens, lengths, is_spaced=is_spaced)
    low = text.lower()
    rules = {
        "gopher.short_text": n_words < bounds.least_words,
        "gopher.long_text": n_words > bounds.most_words,
        "gopher.word_length": not bounds.word_chars[0] <= n_chars / per_word <= bounds.word_chars[1]
        and n_words > 0,
        "gopher.symbols": _n_symbols(text) / per_word > bounds.most_symbols,
        "gopher.bullets": sum(_BULLET.match(line) is not None for line in lines) / n_lines
        > options.most_bullets,
        "gopher.ellipsis_lines": sum(line.endswith(_ELLIPSIS) for line in lines) / n_lines
        > options.most_ellipses,
        "gopher.letters": words.letters < bounds.least_letters,
        "gopher.stop_words": words.n_stop_words < bounds.least_stop_words,
        "gopher.duplicate_lines": duplicate_lines > options.most_duplicate_lines,
        "gopher.top_ngram": any(share > bound for share, bound in tops),
        "gopher.duplicate_ngrams": any(share > bound for share, bound in repeated),
        "c4.few_sentences": sentences < bounds.least_sentences,
        "c4.lorem_ipsum": "lorem ipsum" in low,
        "c4.curly_bracket": "{" in text,
        "c4.javascript": sum(_SCRIPT.search(line) is not None for line in lines) > n_lines / 2,
        "fineweb.line_ends": ends < options.least_line_ends,
        "fineweb.short_lines": short > options.most_short_lines,
        "fineweb.duplicate_chars": _duplicate_chars(lines) > options.most_duplicate_chars,
        "fineweb.line_breaks": (len(lines) - 1) / per_word > bounds.most_breaks,
    }
    codes = [code for code, fails in rules.items() if fails]
    return Heuristics(
        n_words=n_words,
        n_sentences=sentences,
        line_end_share=ends,
        short_line_share=short,
        duplicate_line_share=duplicate_lines,
        duplicate_ngram_share=max(share for share, _ in repeated),
        top_ngram_share=max(share for share, _ in tops),
        failed=tuple(code for code in codes if code not in NOTED),
        noted=tuple(code for code in codes if code in NOTED),
    )


# Words and characters as numbers

_Tokens = tuple["NDArray[np.uint64]", "NDArray[np.int64]"]


def _words(lines: list[str]) -> _Tokens:
    """A number for each word, and the words' lengths; punctuation is no word."""
    words = [word for line in lines for word in _WORD.findall(line) if word[0].isalnum()]
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(word, len(numbers) + 1) for word in words]
    return np.array(codes, np.uint64), np.array([len(word) for word in words], np.int64)


def _characters(lines: list[str]) -> _Tokens:
    """The characters that are no white space, and ones."""
    text = "".join("".join(lines).split())
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return codes.astype(np.uint64), np.ones(len(codes), np.int64)


@lru_cache(maxsize=64)
def _power(n: int) -> np.uint64:
    """The factor that moves a hash by n places."""
    return np.uint64(pow(0x9E3779B97F4A7C15, n, 1 << 64))


def _ngrams(tokens: NDArray[np.uint64], n: int) -> NDArray[np.uint64]:
    """A hash of each sequence of n tokens, made of those of its halves."""
    if n == 1:
        mixed: NDArray[np.uint64] = (tokens + np.uint64(1)) * np.uint64(0xBF58476D1CE4E5B9)
        return mixed ^ (mixed >> np.uint64(29))
    left, right = _ngrams(tokens, n // 2), _ngrams(tokens, n - n // 2)
    size = len(tokens) - n + 1
    joined: NDArray[np.uint64] = left[:size] * _power(n - n // 2) + right[n // 2 : n // 2 + size]
    return joined


def _top_share(
    tokens: NDArray[np.uint64], lengths: NDArray[np.int64], n: int, n_chars: int
) -> float:
    """The share of the characters in the sequence that makes most of them; once is no share."""
    if len(tokens) <= n:
        return 0.0
    hashes = np.sort(_ngrams(tokens, n))
    changes = np.flatnonzero(np.diff(hashes)) + 1
    bounds = np.concatenate(([0], changes, [len(hashes)]))
    counts = np.diff(bounds)
    place = int(counts.argmax())
    if counts[place] < 2:
        return 0.0
    first = int(np.flatnonzero(_ngrams(tokens, n) == hashes[bounds[place]])[0])
    chars = int(lengths[first : first + n].sum()) * int(counts[place])
    return min(chars / n_chars, 1.0)


def _repeated_share(
    tokens: NDArray[np.uint64], lengths: NDArray[np.int64], n: int, n_chars: int
) -> float:
    """The share of the characters that stand in a sequence that has occurred before."""
    if len(tokens) <= n:
        return 0.0
    hashes = _ngrams(tokens, n)
    order = np.argsort(hashes, kind="stable")
    is_again = np.zeros(len(hashes), bool)
    is_again[order[1:]] = hashes[order[1:]] == hashes[order[:-1]]
    if not is_again.any():
        return 0.0
    steps = np.zeros(len(tokens) + 1, np.int64)
    starts = np.flatnonzero(is_again)
    np.add.at(steps, starts, 1)
    np.add.at(steps, starts + n, -1)
    covered = np.cumsum(steps[:-1]) > 0
    return float(lengths[covered].sum() / n_chars)


# Single rules


@dataclass(frozen=True, slots=True)
class _WordRules:
    letters: float
    n_stop_words: int


def _word_rules(
    lines: list[str], tokens: NDArray[np.uint64], lengths: NDArray[np.int64], *, is_spaced: bool
) -> _WordRules:
    if is_spaced:
        words = [word for line in lines for word in line.split()]
        n_letters = sum(any(map(str.isalpha, word)) for word in words)
        n_stop = len(_STOP_WORDS & {word.lower() for word in words})
        return _WordRules(n_letters / max(len(words), 1), n_stop)
    del lengths
    text = "".join(lines)
    n_letters = sum(map(str.isalpha, text))
    # Kana and Hangul are the particles that every Japanese or Korean text has.
    n_stop = 2 if _PARTICLES.search(text) else len(_STOP_CHARS.intersection(text))
    return _WordRules(n_letters / max(len(tokens), 1), n_stop)


def _n_symbols(text: str) -> int:
    return text.count("#") + text.count("...") + len(re.findall("…+", text))


def _duplicate_chars(lines: list[str]) -> float:
    n_chars = sum(map(len, lines))
    return 1 - sum(map(len, set(lines))) / n_chars if n_chars else 0.0
