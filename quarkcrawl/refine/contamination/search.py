"""Passages of benchmarks in texts: grams by hash, compared character by character, extended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from quarkcrawl.errors import ConfigError
from quarkcrawl.refine.contamination.benchmarks import read_benchmark
from quarkcrawl.refine.contamination.folding import Folding, Units
from quarkcrawl.refine.contamination.loops import common_codes, find_known, hash_grams, put

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from quarkcrawl.refine.contamination.benchmarks import BenchmarkItem


REASONS: Final = {"benchmark": "the text has a passage of a benchmark"}
"""Why a document may be dropped: the code and what it means."""

_LEAST_SLOTS: Final = 16
_SIDES: Final[tuple[Literal["left", "right"], ...]] = ("left", "right")


@dataclass(frozen=True, slots=True)
class ContaminationOptions:
    """How long a passage has to be.

    In a passage of both kinds a word counts as that many characters as their lengths say.

    Args:
        least_words: in words of languages with spaces between them.
        least_characters: in characters of languages without.
        fields: what is read of JSON lines and Parquet; none: all that are texts.
        least_share: covered part of a text from which on it has a reason to be dropped.
    """

    least_words: int = 13
    least_characters: int = 24
    fields: tuple[str, ...] = ()
    least_share: float = 0.0

    def __post_init__(self) -> None:
        if min(self.least_words, self.least_characters) < 1:
            raise ConfigError("least_words and least_characters are 1 or more")
        if not 0 <= self.least_share <= 1:
            raise ConfigError("least_share is between 0 and 1")


@dataclass(frozen=True, slots=True)
class BenchmarkSpan:
    """Characters of a text that stand in a benchmark, too.

    Args:
        start: the first one.
        end: the one behind the last.
        benchmark: what the benchmark is called.
        place: the item that has the passage, or its beginning if more than one have it.
    """

    start: int
    end: int
    benchmark: str
    place: str


@dataclass(frozen=True, slots=True)
class ContaminationLabels:
    """What a text has of benchmarks.

    Args:
        spans: passages by where they begin; spans of two benchmarks may overlap.
        share: how much of the text any of them covers, in characters.
        benchmarks: names, sorted.
        reasons: codes of `REASONS`.
    """

    spans: tuple[BenchmarkSpan, ...]
    share: float
    benchmarks: tuple[str, ...]
    reasons: tuple[str, ...]


class Contamination:
    """Benchmarks that texts are searched for.

    Args:
        items: passages of the benchmarks.
        options: how long a passage has to be; None: the default.
    """

    def __init__(
        self, items: Iterable[BenchmarkItem], options: ContaminationOptions | None = None
    ) -> None:
        self._options = options or ContaminationOptions()
        self._folding = Folding()
        self.n_items = 0
        self.n_too_short = 0
        """Items that are shorter than a passage has to be: nothing is found of them."""
        self._names: list[str] = []
        self._places: list[str] = []
        self._collect(items)

    @classmethod
    def from_files(
        cls, paths: Iterable[Path], options: ContaminationOptions | None = None
    ) -> Contamination:
        """Benchmarks of files; see `read_benchmark`.

        Args:
            paths: the files; what they are called without endings is the name of the benchmark.
            options: how long a passage has to be, and the fields of files that have fields.

        Raises:
            InputError: a file cannot be read; it names file and line.
        """
        fields = options.fields if options else ()
        return cls((item for path in paths for item in read_benchmark(path, fields)), options)

    def find(self, text: str) -> tuple[BenchmarkSpan, ...]:
        """The passages of a text that stand in benchmarks, too, by where they begin.

        Passages of one benchmark that overlap are one.

        Args:
            text: the text of a document.
        """
        units = self._folding.units(text)
        grams, ends = self._grams(units)
        rows = np.empty(len(grams), np.int64)
        n_known = find_known(grams, self._slots, rows)
        if not n_known:
            return ()
        done = [0] * len(self._names)
        """The unit behind the last passage of each benchmark."""
        merged: dict[int, list[tuple[int, int, int]]] = {}
        for row in rows[:n_known].tolist():
            for name, item, end in self._passages(units, row, grams[row], int(ends[row]), done):
                done[name] = end
                passages = merged.setdefault(name, [])
                if passages and row < passages[-1][1]:
                    passages[-1] = (passages[-1][0], end, passages[-1][2])
                else:
                    passages.append((row, end, item))
        spans = (
            BenchmarkSpan(
                int(units.starts[start]),
                int(units.ends[end - 1]),
                self._names[name],
                self._places[item],
            )
            for name, passages in merged.items()
            for start, end, item in passages
        )
        return tuple(sorted(spans, key=lambda span: (span.start, span.end, span.benchmark)))

    def labels(self, text: str) -> ContaminationLabels:
        """What a text has of benchmarks.

        Args:
            text: the text of a document.
        """
        spans = self.find(text)
        share = _n_covered(spans) / len(text) if spans else 0.0
        reasons = ("benchmark",) if spans and share >= self._options.least_share else ()
        benchmarks = tuple(sorted({span.benchmark for span in spans}))
        return ContaminationLabels(spans, share, benchmarks, reasons)

    # Benchmarks

    def _collect(self, items: Iterable[BenchmarkItem]) -> None:
        numbers: dict[str, int] = {}
        columns: list[dict[str, NDArray[Any]]] = []
        folded: list[NDArray[np.uint32]] = []
        n_codes = 0
        for item in items:
            units = self._folding.units(item.text)
            grams, ends = self._grams(units)
            self.n_items += 1
            if not len(grams):
                self.n_too_short += 1
                continue
            name = numbers.setdefault(item.benchmark, len(numbers))
            number = len(self._places)
            self._places.append(item.place)
            starts = units.places[: len(grams)]
            columns.append(
                {
                    "gram": grams,
                    "name": np.full(len(grams), name, np.int32),
                    "item": np.full(len(grams), number, np.int32),
                    "start": starts + n_codes,
                    "n": (units.places[ends] - starts).astype(np.int32),
                    "rest": len(units.folded) - starts,
                }
            )
            folded.append(units.folded.copy())
            n_codes += len(units.folded)
        self._names = list(numbers)
        self._folded = np.concatenate([np.empty(0, np.uint32), *folded])
        self._index(columns)

    def _index(self, columns: list[dict[str, NDArray[Any]]]) -> None:
        """Grams by hash; of equal ones of a benchmark only the first is kept."""
        kinds = {"gram": "u8", "name": "i4", "item": "i4", "start": "i8", "n": "i4", "rest": "i8"}
        table = {
            name: np.concatenate([np.empty(0, kind), *(column[name] for column in columns)])
            for name, kind in kinds.items()
        }
        order = np.lexsort((table["name"], table["gram"]))
        table = {name: column[order] for name, column in table.items()}
        again = np.zeros(len(order), np.bool_)
        again[1:] = (table["gram"][1:] == table["gram"][:-1]) & (
            table["name"][1:] == table["name"][:-1]
        )
        starts = np.maximum.accumulate(np.where(again, 0, np.arange(len(order))))
        for row in np.flatnonzero(again).tolist():
            # Different ones can have the same hash: both are kept then.
            again[row] = self._is_equal(table, row, int(starts[row]))
        self._table = {name: column[~again] for name, column in table.items()}
        grams = np.unique(self._table["gram"])
        n_slots = max(_LEAST_SLOTS, 1 << (2 * len(grams)).bit_length())
        self._slots = np.zeros(n_slots, np.uint64)
        put(grams, self._slots)

    def _is_equal(self, table: dict[str, NDArray[Any]], row: int, other: int) -> bool:
        (start, n), (begin, n_other) = (
            (int(table["start"][one]), int(table["n"][one])) for one in (row, other)
        )
        codes = self._folded
        return n == n_other and common_codes(codes, start, codes, begin, n) == n

    # Texts

    def _grams(self, units: Units) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """The hash of the shortest passage from each unit on, and the unit behind it."""
        grams, ends = np.empty(len(units), np.uint64), np.empty(len(units), np.int64)
        n_words, n_characters = self._options.least_words, self._options.least_characters
        n = hash_grams(
            units.hashes,
            units.is_word,
            n_characters,
            n_words,
            n_words * n_characters,
            grams,
            ends,
        )
        return grams[:n], ends[:n]

    def _passages(
        self, units: Units, row: int, gram: np.uint64, end: int, done: Sequence[int]
    ) -> Iterator[tuple[int, int, int]]:
        """Name, item and end of the passages from a unit on, as long as text and item agree."""
        table, place = self._table, int(units.places[row])
        first, last = (int(np.searchsorted(table["gram"], gram, side)) for side in _SIDES)
        last_name = -1
        for entry in range(first, last):
            name = int(table["name"][entry])
            if name == last_name or end <= done[name]:
                continue
            start, n, rest = (int(table[column][entry]) for column in ("start", "n", "rest"))
            most = min(len(units.folded) - place, rest)
            common = common_codes(units.folded, place, self._folded, start, most)
            if common >= n:
                last_name = name
                behind = int(np.searchsorted(units.places, place + common, "right")) - 1
                yield name, int(table["item"][entry]), behind


def _n_covered(spans: Sequence[BenchmarkSpan]) -> int:
    """Characters in any span; spans are sorted."""
    n = done = 0
    for span in spans:
        n += max(0, span.end - max(span.start, done))
        done = max(done, span.end)
    return n
