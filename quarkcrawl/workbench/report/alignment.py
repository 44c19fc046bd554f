"""Which characters of two texts correspond: the alignment behind their longest common subsequence.

`quarkcrawl.lab.evaluate` counts the longest common subsequence (LCS); to show it, one such
subsequence has to be found. That takes memory in proportion to the product of the lengths, so long
texts are first cut at equal sentences; then the alignment may be a little shorter than the LCS.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
from rapidfuzz.distance import LCSseq, Postfix, Prefix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    BoolArray = NDArray[np.bool_]
    Stretches = list[tuple[str, str]]
    """A text cut into a name, such as ``"common"``, and the characters, over and over."""


MAX_PRODUCT: Final = 400_000_000
"""Texts whose lengths have a larger product are cut first; a bit of memory for each unit."""

MAX_EQUAL_PAIRS: Final = 100_000
"""With more pairs of equal sentences than this, nothing between the common ends is aligned."""

MIN_STRETCH: Final = 3
"""Fewer common characters in a row, with differences on both sides, are called scattered."""

COMMON: Final = "common"
"""Name of characters that both texts have."""

_SENTENCE: Final = re.compile(r"[^。！？!?；;]+[。！？!?；;]?|[。！？!?；;]")

Stretch = tuple[int, int, int]


@dataclass(frozen=True, slots=True, eq=False)
class TextAlignment:
    """Common characters of two texts.

    Args:
        left: which characters of the first text are common.
        right: which characters of the second text are common.
        left_scattered: which of the common characters stand in no longer common stretch.
        right_scattered: the same of the second text.
    """

    left: BoolArray
    right: BoolArray
    left_scattered: BoolArray
    right_scattered: BoolArray

    @property
    def n_common(self) -> int:
        """Length of the common subsequence."""
        return int(self.left.sum())


def align(left: str, right: str) -> TextAlignment:
    """Align two texts; a longest common subsequence unless they are long and very different.

    Args:
        left: one text.
        right: the other one.
    """
    stretches = _tidy([*_joined(_stretches(left, right, 0, 0))], left, right)
    lengths = (len(left), len(right))
    common = tuple(np.zeros(length, np.bool_) for length in lengths)
    scattered = tuple(np.zeros(length, np.bool_) for length in lengths)
    for *starts, n_chars in stretches:
        ends = [start + n_chars for start in starts]
        is_apart = any(starts) and ends != [*lengths]
        for side in range(2):
            common[side][starts[side] : ends[side]] = True
            if is_apart and n_chars < MIN_STRETCH:
                scattered[side][starts[side] : ends[side]] = True
    return TextAlignment(*common, *scattered)


def stretches(text: str, names: NDArray[np.str_]) -> Stretches:
    """A text in stretches of one name each; white space goes with what is before it.

    Args:
        text: any text.
        names: one for each character that is not white space; text beyond them is left out.
    """
    parts: list[tuple[str, list[str]]] = []
    following = iter(names.tolist())
    for char in text:
        if char.isspace():
            name = parts[-1][0] if parts else COMMON
        elif (name := next(following, "")) == "":
            break
        if not parts or parts[-1][0] != name:
            parts.append((name, []))
        parts[-1][1].append(char)
    return [(name, "".join(chars)) for name, chars in parts]


def _tidy(stretches: list[Stretch], left: str, right: str) -> list[Stretch]:
    """Move a short stretch to the end or start of a longer neighbor where its text stands too.

    There are many longest common subsequences; this leads to one with fewer, longer stretches.
    """
    for _ in range(2):  # read backward, then forward again
        left, right, backward = left[::-1], right[::-1], list[Stretch]()
        for first, second, n_chars in reversed(stretches):
            start, begin = len(left) - first - n_chars, len(right) - second - n_chars
            if backward:
                one, other, n_last = backward[-1]
                end, stop = one + n_last, other + n_last
                is_there = left[end : end + n_chars] == right[stop : stop + n_chars]
                if is_there and n_chars <= n_last:
                    backward[-1] = (one, other, n_last + n_chars)
                    continue
            backward.append((start, begin, n_chars))
        stretches = backward
    return stretches


def _joined(stretches: Iterator[Stretch]) -> Iterator[Stretch]:
    """Stretches that continue each other made one."""
    last: Stretch | None = None
    for first, second, n_chars in stretches:
        if last and last[0] + last[2] == first and last[1] + last[2] == second:
            last = (last[0], last[1], last[2] + n_chars)
        else:
            if last:
                yield last
            last = (first, second, n_chars)
    if last:
        yield last


def _stretches(
    left: str, right: str, first: int, second: int, *, is_cut: bool = False
) -> Iterator[Stretch]:
    """Common stretches as (start in left, start in right, length).

    Args:
        left: a part of one text.
        right: a part of the other one.
        first: where the part starts in the one text.
        second: where the part starts in the other one.
        is_cut: the texts are cut at equal sentences already.
    """
    n_before = Prefix.similarity(left, right)
    if n_before:
        yield first, second, n_before
    left, right = left[n_before:], right[n_before:]
    first, second = first + n_before, second + n_before
    n_after = Postfix.similarity(left, right)
    n_left, n_right = len(left) - n_after, len(right) - n_after
    middle = left[:n_left], right[:n_right]
    if n_left * n_right <= MAX_PRODUCT:
        yield from _exact(*middle, first, second)
    elif not is_cut:
        yield from _between_sentences(*middle, first, second)
    if n_after:
        yield first + n_left, second + n_right, n_after


def _exact(left: str, right: str, first: int, second: int) -> Iterator[Stretch]:
    for code in LCSseq.opcodes(left, right):
        if code.tag == "equal":
            n_chars = code.src_end - code.src_start
            yield first + code.src_start, second + code.dest_start, n_chars


def _between_sentences(left: str, right: str, first: int, second: int) -> Iterator[Stretch]:
    """Align what lies between equal sentences; nothing if there are none."""
    ones, others = _SENTENCE.findall(left), _SENTENCE.findall(right)
    n_ones, n_others = Counter(ones), Counter(others)
    if sum(n * n_others[sentence] for sentence, n in n_ones.items()) > MAX_EQUAL_PAIRS:
        return
    left_at, right_at = ([0, *accumulate(map(len, sentences))] for sentences in (ones, others))
    matcher = difflib.SequenceMatcher(None, ones, others, autojunk=False)
    equal = [(-1, -1, 1), *matcher.get_matching_blocks()]
    for (one, other, n_equal), (next_one, next_other, n_next) in pairwise(equal):
        start, begin = left_at[one + n_equal], right_at[other + n_equal]
        end, stop = left_at[next_one], right_at[next_other]
        gap = left[start:end], right[begin:stop]
        yield from _stretches(*gap, first + start, second + begin, is_cut=True)
        if n_next:
            yield first + end, second + stop, left_at[next_one + n_next] - end
