"""URLs as numbers: every text is kept once, every column of URLs becomes 32-bit integers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from numpy.typing import NDArray

    IntArray = NDArray[np.int32]

__all__ = ["UrlColumn", "hosts_of", "number_urls"]


_LEAST_BYTES: Final = 64 << 20
_HOST: Final = "^[a-z]+://(?P<host>[^/?#]*)"


def hosts_of(urls: pa.Array) -> pa.Array:
    """Host of each URL, with its port if it has one; "" for what is no URL."""
    if not len(urls):
        return pa.array([], pa.string())
    found = pc.extract_regex(urls, _HOST)
    return pc.fill_null(pc.struct_field(found, "host").cast(pa.string()), "")


class UrlColumn:
    """A column of URLs that grows piece by piece, encoded at once so that texts are few.

    Whenever the texts of new pieces outweigh all that is known, the pieces get one dictionary.
    """

    def __init__(self) -> None:
        self.pieces: list[pa.DictionaryArray] = []
        self._pending_bytes = 0
        self._known_bytes = _LEAST_BYTES

    def add(self, urls: pa.Array | pa.ChunkedArray) -> None:
        """Add URLs; NULL has the number -1."""
        for chunk in urls.chunks if isinstance(urls, pa.ChunkedArray) else [urls]:
            encoded = chunk.dictionary_encode()
            texts = encoded.dictionary.cast(pa.large_string())
            self.pieces.append(pa.DictionaryArray.from_arrays(encoded.indices, texts))
            self._pending_bytes += texts.nbytes
        if self._pending_bytes > self._known_bytes:
            self.pieces = pa.chunked_array(self.pieces).unify_dictionaries().chunks
            indices_bytes = sum(piece.indices.nbytes for piece in self.pieces)
            texts_bytes = self.pieces[0].dictionary.nbytes
            self._known_bytes = max(_LEAST_BYTES, texts_bytes, 2 * indices_bytes)
            self._pending_bytes = 0


def number_urls(*columns: UrlColumn) -> tuple[pa.LargeStringArray, list[IntArray]]:
    """Number the URLs of several columns alike, in the order in which they first occur.

    Args:
        columns: the columns; emptied, since their memory is needed.

    Returns:
        The URL of each number, and the numbers in each column.
    """
    ends = np.cumsum([len(column.pieces) for column in columns]).tolist()
    pieces = [piece for column in columns for piece in column.pieces]
    for column in columns:
        column.pieces = []
    if not pieces:
        return pa.array([], pa.large_string()), [np.zeros(0, np.int32) for _ in columns]
    unified = pa.chunked_array(pieces).unify_dictionaries()
    urls = unified.chunk(0).dictionary
    numbers = [_numbers(chunk) for chunk in unified.chunks]
    parts = [numbers[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    joined = [np.concatenate(part) if part else np.zeros(0, np.int32) for part in parts]
    return urls, joined


def _numbers(chunk: Any) -> IntArray:
    indices = pc.fill_null(chunk.indices, -1) if chunk.null_count else chunk.indices
    numbers: IntArray = indices.to_numpy(zero_copy_only=False).astype(np.int32, copy=False)
    return numbers
