"""Ways to compare the texts of a corpus, in the parts that the job needs.

A method says what is kept of a text (its sketch, a row of columns), by which keys texts are
brought together, and how a text finds its class among the first members of classes. Texts that
share no key have nothing to do with each other; simhash besides compares the values of those that
do, since bands of a few bits are shared by chance.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from quarkcrawl.dedup import CODE_ONLY, DEFAULT_RULE, FEATURECODE_2004, THREE_CODES, CodeIndex
from quarkcrawl.dedup.codekeys import KEYS_PER_CODE
from quarkcrawl.dedup.codesketch import CodeSketch, exact_key, sketches_of_codes
from quarkcrawl.dedup.featurecode import code_strings, code_text
from quarkcrawl.dedup.matchers import MinHashIndex
from quarkcrawl.dedup.minhash import N_BANDS, N_BINS, band_keys, minhash
from quarkcrawl.dedup.reposting import without_reposting_lines
from quarkcrawl.dedup.simhash import hamming, simhash, simhash_of_words
from quarkcrawl.dedup.simhashbands import band_masks, masked_keys
from quarkcrawl.dedup.simhashindex import N_BITS, SimhashIndex
from quarkcrawl.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from numpy.typing import NDArray

    from quarkcrawl.dedup import CodeRule

__all__ = [
    "NEAR_METHODS",
    "NEAR_RULES",
    "ByCodes",
    "ByMinHash",
    "BySimhash",
    "Classes",
    "KeyRows",
    "NearMethod",
    "Nearest",
    "near_method",
]

NEAR_RULES: Final[dict[str, CodeRule]] = {
    "default": DEFAULT_RULE,
    "three-codes": THREE_CODES,
    "featurecode-2004": FEATURECODE_2004,
    "code-only": CODE_ONLY,
}
"""Rules of feature codes by name."""

NEAR_METHODS: Final = (*NEAR_RULES, "simhash", "simhash-words", "minhash")
"""Methods by name; ``simhash-6`` and the like are simhash with another k than 3."""

_SIMHASH: Final = re.compile(r"(simhash(?:-words)?)(?:-(\d+))?")
_DEFAULT_K: Final = 3
_LISTED: Final = 100
_FAR: Final = (N_BITS + 1, 0)


class Nearest(NamedTuple):
    """The class a text belongs to.

    Args:
        rank: how good the match is, less is better; of equals the earlier first member is taken.
        first: number of the first member.
        why: what the reason is made from: codes in common, bits that differ, bins in common.
    """

    rank: float
    first: int
    why: int


class KeyRows(NamedTuple):
    """Search keys of some texts.

    Args:
        keys: the keys.
        owners: for each the place of its text.
        values: for each what is compared besides, if the method does so.
    """

    keys: NDArray[np.uint64]
    owners: NDArray[np.int64]
    values: NDArray[np.uint64] | None = None


class Classes(Protocol):
    """First members of classes."""

    def __len__(self) -> int:
        """How many there are."""

    def nearest(self, sketch: Any) -> Nearest | None:
        """The class a text belongs to."""

    def found(self, sketch: Any, number: int) -> None:
        """Let a text found a class."""


class NearMethod(Protocol):
    """A method of comparison.

    Its ``name`` is that of its folder, ``columns`` are those of a sketch, ``reason`` is SQL that
    makes a word from ``why``, and ``member_bytes`` is what a first member takes in memory.
    """

    @property
    def name(self) -> str:
        """Name of the folder."""

    @property
    def columns(self) -> pa.Schema:
        """Columns of a sketch."""

    @property
    def reason(self) -> str:
        """SQL that makes a word from ``why``."""

    @property
    def member_bytes(self) -> int:
        """What a first member takes in memory."""

    def sketching(self) -> dict[str, Any]:
        """The settings that sketches depend on."""

    def grouping(self) -> dict[str, Any]:
        """The other settings."""

    def sketch(self, text: str) -> dict[str, Any]:
        """What is kept of a text."""

    def sketches(self, batch: pa.RecordBatch, stopped: Collection[str]) -> Sequence[Any]:
        """Rows of sketch columns in the form that `Classes` take."""

    def keys_per_text(self, n_texts: int) -> int:
        """Most keys of a text in a corpus of so many."""

    def keys(self, sketches: Sequence[Any], n_texts: int) -> KeyRows:
        """Search keys of some of the texts of a corpus that has ``n_texts``."""

    def classes(self) -> Classes:
        """An empty set of classes."""


def near_method(
    name: str, *, k: int | None = None, stop_lengths: int = 0, stop_hosts: int = 0
) -> NearMethod:
    """A method by name.

    Args:
        name: one of `NEAR_METHODS`, or simhash with its k behind a hyphen.
        k: most differing bits, for simhash; 3 if it is not said.
        stop_lengths: for feature codes, see `CodeRule`.
        stop_hosts: likewise.

    Raises:
        InputError: there is no such method, or it has no such setting.
        ConfigError: a setting out of its range.
    """
    parts = _SIMHASH.fullmatch(name)
    if parts is None and k is not None:
        raise InputError(f"k is for simhash, not for {name!r}", where="near")
    if name not in NEAR_RULES and (stop_lengths or stop_hosts):
        raise InputError(f"a stop list is for feature codes, not for {name!r}", where="near")
    if name in NEAR_RULES:
        rule = replace(NEAR_RULES[name], stop_lengths=stop_lengths, stop_hosts=stop_hosts)
        return ByCodes(name, rule)
    if name == "minhash":
        return ByMinHash()
    if parts is None:
        known = ", ".join(NEAR_METHODS)
        raise InputError(f"no method {name!r}; there are {known}", where="near")
    if k is not None and parts[2] is not None and int(parts[2]) != k:
        raise InputError(f"the method is {name!r}, but k is {k}", where="near")
    named = int(parts[2]) if parts[2] is not None else _DEFAULT_K
    return BySimhash(named if k is None else k, words=parts[1] == "simhash-words")


# Feature codes


@dataclass(frozen=True, slots=True)
class ByCodes:
    """Feature codes and length, by a rule."""

    name: str
    rule: CodeRule

    @property
    def columns(self) -> pa.Schema:
        """Length, codes as strings that any engine can count, and the key of texts without."""
        strings = pa.list_(pa.string())
        fields = [("n_chars", pa.int32()), ("head", strings), ("tail", strings)]
        return pa.schema([*fields, ("exact", pa.uint64())])

    @property
    def reason(self) -> str:
        """``codes:2`` or ``no-code``."""
        return "CASE WHEN why > 0 THEN 'codes:' || why ELSE 'no-code' END"

    @property
    def member_bytes(self) -> int:
        """Measured: some 100 bytes a key in dictionaries and lists of Python."""
        n_codes = self.rule.n_codes + self.rule.n_tail_codes
        return 500 + 110 * n_codes * KEYS_PER_CODE[self.rule.slack]

    def sketching(self) -> dict[str, Any]:
        """What is taken of a text."""
        rule = self.rule
        heads = rule.n_codes * (2 if rule.stops else 1)  # others in place of those that stop
        return {"head": heads, "tail": rule.n_tail_codes, "strips_lines": rule.strips_lines}

    def grouping(self) -> dict[str, Any]:
        """The rule."""
        return asdict(self.rule)

    def sketch(self, text: str) -> dict[str, Any]:
        """What is kept of a text."""
        taken = self.sketching()
        read = without_reposting_lines(text) if taken["strips_lines"] else text
        coded = code_text(read, n_head=taken["head"], n_tail=taken["tail"])
        return {
            "n_chars": coded.n_chars,
            "head": code_strings(coded.head),
            "tail": code_strings(coded.tail),
            "exact": 0 if len(coded.head) and not self.rule.stops else exact_key(read),
        }

    def sketches(self, batch: pa.RecordBatch, stopped: Collection[str]) -> list[CodeSketch]:
        """Rows as sketches, without the codes that say nothing."""
        heads, tails, n_chars, exacts = (
            batch.column(name).to_pylist() for name in ("head", "tail", "n_chars", "exact")
        )
        if self.rule.stops:
            n_codes = self.rule.n_codes
            heads = [[code for code in row if code not in stopped][:n_codes] for row in heads]
            exacts = [0 if row else exact for row, exact in zip(heads, exacts, strict=True)]
        return sketches_of_codes(heads, tails, n_chars, exacts, self.rule)

    def keys_per_text(self, n_texts: int) -> int:  # noqa: ARG002
        """Those of the codes at the beginning."""
        return self.rule.n_codes * KEYS_PER_CODE[self.rule.slack]

    def keys(self, sketches: Sequence[CodeSketch], n_texts: int) -> KeyRows:  # noqa: ARG002
        """The keys of the codes at the beginning, or the one of the letters."""
        keys: list[int] = []
        counts = []
        for sketch in sketches:
            before = len(keys)
            if sketch.exact:
                keys.append(sketch.exact)
            for row in sketch.head:
                keys += row
            counts.append(len(keys) - before)
        return KeyRows(np.array(keys, np.uint64), np.repeat(np.arange(len(counts)), counts))

    def classes(self) -> Classes:
        """An empty set of classes."""
        return _CodeClasses(self.rule)


class _CodeClasses:
    def __init__(self, rule: CodeRule) -> None:
        self._index = CodeIndex(rule)
        self._numbers: list[int] = []

    def __len__(self) -> int:
        return len(self._numbers)

    def nearest(self, sketch: CodeSketch) -> Nearest | None:
        found = self._index.find(sketch)
        if found is None:
            return None
        return Nearest(found.length_ratio, self._numbers[found.first], found.n_equal)

    def found(self, sketch: CodeSketch, number: int) -> None:
        self._index.insert(sketch)
        self._numbers.append(number)


# Simhash


@dataclass(frozen=True, slots=True)
class BySimhash:
    """Simhash of four-grams, or of words: at most k bits differ."""

    k: int = _DEFAULT_K
    words: bool = False

    def __post_init__(self) -> None:
        SimhashIndex(self.k)  # says so if there is no such k

    @property
    def name(self) -> str:
        """``simhash``, and k if it is another than 3."""
        base = "simhash-words" if self.words else "simhash"
        return base if self.k == _DEFAULT_K else f"{base}-{self.k}"

    @property
    def columns(self) -> pa.Schema:
        """Length in characters, and the value."""
        return pa.schema([("n_chars", pa.int32()), ("simhash", pa.uint64())])

    @property
    def reason(self) -> str:
        """``simhash:2``."""
        return "'simhash:' || why"

    @property
    def member_bytes(self) -> int:
        """Measured: some 30 bytes a band, twice while it is sorted."""
        return 100 + 60 * (self.k + 1)

    def sketching(self) -> dict[str, Any]:
        """What the value is made of."""
        return {"simhash": "words" if self.words else "four-grams"}

    def grouping(self) -> dict[str, Any]:
        """The bound."""
        return {"k": self.k}

    def sketch(self, text: str) -> dict[str, Any]:
        """What is kept of a text."""
        value: Callable[[str], int] = simhash_of_words if self.words else simhash
        return {"n_chars": len(text), "simhash": value(text)}

    def sketches(self, batch: pa.RecordBatch, stopped: Collection[str]) -> list[int]:  # noqa: ARG002
        """The values."""
        values: list[int] = batch.column("simhash").to_pylist()
        return values

    def keys_per_text(self, n_texts: int) -> int:
        """One a mask."""
        return len(band_masks(self.k, n_texts))

    def keys(self, sketches: Sequence[int], n_texts: int) -> KeyRows:
        """The bits under each mask, and the value to compare."""
        values = np.array(sketches, np.uint64)
        keys = masked_keys(values, band_masks(self.k, n_texts))
        owners = np.repeat(np.arange(len(values)), keys.shape[1])
        return KeyRows(keys.ravel(), owners, values[owners])

    def classes(self) -> Classes:
        """An empty set of classes."""
        return _SimhashClasses(self.k)


class _SimhashClasses:
    """A list while there are few, for most components have two texts; then an index."""

    def __init__(self, k: int) -> None:
        self._k = k
        self._index: SimhashIndex | None = None
        self._values: list[int] = []
        self._numbers: list[int] = []

    def __len__(self) -> int:
        return len(self._numbers)

    def nearest(self, sketch: int) -> Nearest | None:
        distance, at = self._nearest(sketch)
        return None if distance > self._k else Nearest(distance, self._numbers[at], distance)

    def _nearest(self, sketch: int) -> tuple[int, int]:
        if self._index is None:
            near = ((hamming(value, sketch), at) for at, value in enumerate(self._values))
            return min(near, default=_FAR)
        found = self._index.nearest(sketch)
        return _FAR if found is None else (found.distance, found.number)

    def found(self, sketch: int, number: int) -> None:
        self._numbers.append(number)
        if self._index is not None:
            self._index.add(sketch)
            return
        self._values.append(sketch)
        if len(self._values) == _LISTED:
            self._index = SimhashIndex(self._k)
            self._index.extend(np.array(self._values, np.uint64))
            self._values = []


# MinHash


@dataclass(frozen=True, slots=True)
class ByMinHash:
    """One-permutation MinHash: estimated similarity of .85, lengths within 1.10."""

    jaccard: float = 0.85
    length_ratio: float = 1.10
    name: str = "minhash"

    @property
    def columns(self) -> pa.Schema:
        """Length, and the bins one after the other."""
        return pa.schema([("n_chars", pa.int32()), ("bins", pa.binary())])

    @property
    def reason(self) -> str:
        """``minhash:0.93``."""
        return f"'minhash:' || printf('%.2f', why / {N_BINS}.0)"

    @property
    def member_bytes(self) -> int:
        """Measured: 512 bytes of bins, and 32 keys in a dictionary with a list each."""
        return 7000

    def sketching(self) -> dict[str, Any]:
        """What is taken of a text."""
        return {"bins": N_BINS}

    def grouping(self) -> dict[str, Any]:
        """The bounds."""
        return {"jaccard": self.jaccard, "length_ratio": self.length_ratio}

    def sketch(self, text: str) -> dict[str, Any]:
        """What is kept of a text."""
        return {"n_chars": code_text(text).n_chars, "bins": minhash(text).tobytes()}

    def sketches(
        self,
        batch: pa.RecordBatch,
        stopped: Collection[str],  # noqa: ARG002
    ) -> list[tuple[NDArray[np.uint32], int]]:
        """Bins and length of each."""
        bins = [np.frombuffer(row, np.uint32) for row in batch.column("bins").to_pylist()]
        return list(zip(bins, batch.column("n_chars").to_pylist(), strict=True))

    def keys_per_text(self, n_texts: int) -> int:  # noqa: ARG002
        """One a band."""
        return N_BANDS

    def keys(self, sketches: Sequence[tuple[NDArray[np.uint32], int]], n_texts: int) -> KeyRows:  # noqa: ARG002
        """The keys of the bands."""
        keys = [band_keys(bins) for bins, _ in sketches]
        joined = np.concatenate(keys) if keys else np.empty(0, np.uint64)
        return KeyRows(joined, np.repeat(np.arange(len(keys)), [len(row) for row in keys]))

    def classes(self) -> Classes:
        """An empty set of classes."""
        return _MinHashClasses(self)


class _MinHashClasses:
    def __init__(self, method: ByMinHash) -> None:
        self._index = MinHashIndex(method.jaccard, method.length_ratio)
        self._numbers: list[int] = []

    def __len__(self) -> int:
        return len(self._numbers)

    def nearest(self, sketch: tuple[NDArray[np.uint32], int]) -> Nearest | None:
        found = self._index.find(*sketch)
        if found is None:
            return None
        why = round(found.jaccard * N_BINS)
        return Nearest(-found.jaccard, self._numbers[found.first], why)

    def found(self, sketch: tuple[NDArray[np.uint32], int], number: int) -> None:
        self._index.insert(*sketch)
        self._numbers.append(number)
