"""Arrays that grow without being copied: no column is ever held twice.

Joining pieces at the end takes each column twice, and memory of the pieces is not always given
back. These lie in anonymous memory maps, which the kernel moves to larger addresses (mremap) and
of which only what was written takes memory.
"""

from __future__ import annotations

import mmap
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


_LEAST_BYTES: Final = 1 << 20


def _anonymous(n_bytes: int) -> mmap.mmap:
    return mmap.mmap(-1, n_bytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


class Growing:
    """A one-dimensional array that grows at its end."""

    def __init__(self, dtype: Any) -> None:
        self._dtype = np.dtype(dtype)
        self._map = _anonymous(_LEAST_BYTES)
        self._n = 0

    def __len__(self) -> int:
        return self._n

    def append(self, values: NDArray[Any]) -> None:
        """Add items."""
        self.room(len(values))[self._n : self._n + len(values)] = values
        self._n += len(values)

    def room(self, n_more: int) -> NDArray[Any]:
        """What is there and room for at least so many more; others see it until it grows."""
        n_bytes = (self._n + n_more) * self._dtype.itemsize
        if n_bytes > len(self._map):
            self._resize(max(n_bytes, 2 * len(self._map)))
        return np.frombuffer(self._map, self._dtype)

    def used(self, n: int) -> None:
        """Say how many items there are after writing to `room`."""
        self._n = n

    def finish(self) -> NDArray[Any]:
        """The array; it must not grow any more."""
        return np.frombuffer(self._map, self._dtype, self._n)

    def _resize(self, n_bytes: int) -> None:
        try:
            self._map.resize(n_bytes)
        except (SystemError, BufferError):  # no mremap here, or someone still looks at it
            larger = _anonymous(n_bytes)
            larger[: len(self._map)] = self._map[:]
            self._map = larger
