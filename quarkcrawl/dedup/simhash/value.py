"""Simhash (Charikar 2002), with the values of the ``simhash`` package.

Each feature of a text votes, with its weight, for the 64 bits of its hash; a bit of the fingerprint
is set if more than half of the votes are. Similar texts have fingerprints that differ in few bits.
The package (2.1.2) takes four-grams of letters and digits and MD5; values computed here are the
same, bit by bit, also where the package raises OverflowError (a four-gram that occurs more than 255
times, under NumPy 2).
"""

from __future__ import annotations

import hashlib
import re
import warnings
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.quark import words
from quarkcrawl.dedup.simhash.shortmd5 import four_gram_bits
from quarkcrawl.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray
    from simhash import Simhash


_BITS: Final = 64
_LETTERS: Final = re.compile(r"[\w\u4e00-\u9fcc]+")


def simhash(text: str) -> int:
    """Simhash of the four-grams of a text; the value of ``simhash.Simhash(text)``.

    >>> hamming(simhash("北京大学天网实验室收集网页"), simhash("北京大学天网实验室收集中文网页"))
    9

    Args:
        text: any text.
    """
    letters = "".join(_LETTERS.findall(text.lower()))
    votes, n_votes = four_gram_bits(letters)
    return _value(votes, n_votes)


def simhash_of_features(features: Iterable[str] | Mapping[str, float]) -> int:
    """Simhash of any features; the value of ``simhash.Simhash(features)``.

    Args:
        features: the features, each with weight 1, or their weights.
    """
    weighted = features if isinstance(features, Mapping) else Counter(features)
    digests = b"".join(_digest(feature) for feature in weighted)
    bits = np.unpackbits(np.frombuffer(digests, np.uint8)).reshape(-1, 64)
    weights = np.fromiter(weighted.values(), np.float64, len(weighted))
    return _value(weights @ bits, float(weights.sum()))


def _digest(feature: str) -> bytes:
    data = feature.encode("utf-8", "surrogatepass")
    return hashlib.md5(data, usedforsecurity=False).digest()[-8:]


def simhash_of_words(text: str) -> int:
    """Simhash of the words of a text, without stop words.

    Args:
        text: any text; lone surrogates are passed over.
    """
    return simhash_of_features(words(text.encode("utf-8", "replace").decode()))


def _value(votes: NDArray[np.int64] | NDArray[np.float64], n_votes: float) -> int:
    return int.from_bytes(np.packbits(votes > n_votes / 2).tobytes(), "big")


def as_simhash(value: int) -> Simhash:
    """A fingerprint as an object of the package ``simhash``, for its index and its `distance`.

    Args:
        value: a fingerprint of 64 bits.
    """
    with warnings.catch_warnings():  # its source has escapes that Python warns of
        warnings.simplefilter("ignore")
        from simhash import Simhash  # noqa: PLC0415  (values are made without it)

    return Simhash(value, f=_BITS)


def value_of_simhash(fingerprint: Simhash) -> int:
    """The value of such an object, to be compared with ours.

    Args:
        fingerprint: one that the package made by its usual hash function (MD5).

    Raises:
        InputError: it has another number of bits.
    """
    if fingerprint.f != _BITS:
        raise InputError(f"a fingerprint of {fingerprint.f} bits, not {_BITS}", where="simhash")
    return int(fingerprint.value)


def hamming(first: int, second: int) -> int:
    """In how many bits two fingerprints differ.

    Args:
        first: a fingerprint.
        second: another.
    """
    return (first ^ second).bit_count()
