"""URLs as numbers: every text is kept once, every column of URLs becomes 32-bit integers.

Texts are compared byte by byte, so that equal hashes do no harm, and hashes are seeded, so that
nobody can choose URLs that all fall into one place.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quarkcrawl.errors import InputError
from quarkcrawl.rank.graph.growing import Growing
from quarkcrawl.rank.loops import intern, put_again

if TYPE_CHECKING:
    from numpy.typing import NDArray

    IntArray = NDArray[np.int32]


_HOST: Final = "^[a-z]+://(?P<host>[^/?#]*)"
_LEAST_SLOTS: Final = 1 << 12
_MOST: Final = 2**31 - 1


def hosts_of(urls: pa.Array) -> pa.Array:
    """Host of each URL, with its port if it has one; "" for what is no URL."""
    if not len(urls):
        return pa.array([], pa.string())
    fields = pc.extract_regex(urls, _HOST)
    return pc.fill_null(pc.struct_field(fields, "host").cast(pa.string()), "")


class UrlNumbers:
    """Numbers URLs in the order in which they first occur, over as many columns as there are.

    >>> known = UrlNumbers()
    >>> known.add(pa.array(["/a", "/b", None, "/a"])).tolist()
    [0, 1, -1, 0]
    >>> known.finish().to_pylist()
    ['/a', '/b']
    """

    def __init__(self) -> None:
        self._texts, self._ends = Growing(np.uint8), Growing(np.int64)
        self._ends.append(np.zeros(1, np.int64))
        self._slots = np.zeros(_LEAST_SLOTS, np.uint64)
        self._seed = secrets.randbits(64)

    def __len__(self) -> int:
        return len(self._ends) - 1

    def add(self, urls: pa.Array | pa.ChunkedArray) -> IntArray:
        """The numbers of URLs, -1 for NULL.

        Raises:
            InputError: there are more URLs than 32-bit numbers.
        """
        chunks = urls.chunks if isinstance(urls, pa.ChunkedArray) else [urls]
        pieces = [self._add(chunk) for chunk in chunks]
        return np.concatenate(pieces) if pieces else np.zeros(0, np.int32)

    def _add(self, urls: pa.Array) -> IntArray:
        encoded = urls.dictionary_encode()
        numbers = self._numbers(encoded.dictionary.cast(pa.large_string()))
        # NULL finds the last place.
        indices = pc.fill_null(encoded.indices, -1) if encoded.null_count else encoded.indices
        url_numbers: IntArray = np.append(numbers, np.int32(-1))[indices.to_numpy()]
        return url_numbers

    def _numbers(self, texts: pa.LargeStringArray) -> IntArray:
        n, n_known = len(texts), len(self)
        numbers = np.empty(n, np.int32)
        if not n:
            return numbers
        if n_known + n > _MOST:
            raise InputError(f"more than {_MOST} URLs", where="graph")
        self._make_room(n_known + n)
        _, places, data = texts.buffers()
        offsets = np.frombuffer(places, np.int64)[texts.offset : texts.offset + n + 1]
        given = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
        n_bytes = int(offsets[-1] - offsets[0])
        texts_buffer, ends = self._texts.room(n_bytes), self._ends.room(n)
        n_known = intern(
            given, offsets, texts_buffer, ends, self._slots, n_known, self._seed, numbers
        )
        self._ends.used(n_known + 1)
        self._texts.used(int(ends[n_known]))
        return numbers

    def _make_room(self, n: int) -> None:
        """At most three slots in four are taken."""
        size = len(self._slots)
        while 3 * size < 4 * n:
            size *= 2
        if size > len(self._slots):
            larger = np.zeros(size, np.uint64)
            put_again(self._slots, larger)
            self._slots = larger

    def finish(self) -> pa.LargeStringArray:
        """The URL of each number; no more can be added."""
        self._slots = np.zeros(0, np.uint64)
        ends, texts = self._ends.finish(), self._texts.finish()
        return pa.LargeStringArray.from_buffers(len(self), pa.py_buffer(ends), pa.py_buffer(texts))
