"""Search keys of millions of texts in a compact table, in memory or in a file.

A table of all keys with their text numbers, sorted by the first bits of the key into buckets; of
the rest of a key 32 bits are stored. A look-up reads one short bucket a key. An entry takes eight
bytes: ten million texts with the ten keys of one code ("L - 1") take 0.87 GB. Together bucket and
stored bits tell 56 bits of a key apart, so that a look-up among 10⁸ entries meets a wrong one once
in 10⁸ times. The table is built once, in three passes over the keys (how many there are, how many
in each bucket, where each goes), without sorting; files are mapped, not read.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.errors import InputError, StoreError
from quarkcrawl.kernels import compiled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from numpy.typing import NDArray


_ENTRIES_PER_BUCKET: Final = 8
_MOST_BITS: Final = 26
_FORMAT: Final = 1


@compiled
def _count(keys: NDArray[np.uint64], shift: int, ends: NDArray[np.int64]) -> None:
    for row in range(keys.shape[0]):
        for column in range(keys.shape[1]):
            ends[np.int64(keys[row, column] >> np.uint64(shift))] += 1


@compiled
def _place(
    keys: NDArray[np.uint64],
    first: int,
    shift: int,
    starts: NDArray[np.int64],
    tags: NDArray[np.uint32],
    numbers: NDArray[np.uint32],
) -> None:
    """Fill the buckets from their ends; a start that is reached stays what it is at last."""
    for row in range(keys.shape[0]):
        for column in range(keys.shape[1]):
            key = keys[row, column]
            bucket = np.int64(key >> np.uint64(shift))
            starts[bucket] -= 1
            at = starts[bucket]
            tags[at] = np.uint32(key & np.uint64(0xFFFFFFFF))
            numbers[at] = np.uint32(first + row)


@compiled
def _find(
    keys: NDArray[np.uint64],
    shift: int,
    starts: NDArray[np.int64],
    tags: NDArray[np.uint32],
    numbers: NDArray[np.uint32],
    found: NDArray[np.uint32],
) -> int:
    n_found = 0
    for key in keys:
        bucket = np.int64(key >> np.uint64(shift))
        tag = np.uint32(key & np.uint64(0xFFFFFFFF))
        for at in range(starts[bucket], starts[bucket + 1]):
            if tags[at] == tag:
                if n_found < len(found):
                    found[n_found] = numbers[at]
                n_found += 1
    return n_found


class KeyIndex:
    """Numbers of texts by search key; does not change once it is built.

    >>> index = KeyIndex.build(lambda: [np.array([[5, 6], [6, 7]], np.uint64) << np.uint64(60)])
    >>> index.find(np.array([6], np.uint64) << np.uint64(60)).tolist()
    [0, 1]
    """

    def __init__(
        self,
        starts: NDArray[np.int64],
        tags: NDArray[np.uint32],
        numbers: NDArray[np.uint32],
    ) -> None:
        self._starts = starts
        self._tags = tags
        self._numbers = numbers
        self._shift = 64 - (len(starts) - 1).bit_length() + 1
        self._found = np.empty(256, np.uint32)

    @classmethod
    def build(
        cls, chunks: Callable[[], Iterable[NDArray[np.uint64]]], folder: Path | None = None
    ) -> KeyIndex:
        """Build an index.

        Args:
            chunks: gives the keys of all texts, in order, one row of keys a text; called three
                times and must give the same, so that the keys need not be kept.
            folder: where the table goes; None to keep it in memory.

        Raises:
            InputError: two passes gave different keys.
            StoreError: the folder cannot be written.
        """
        n_keys = sum(keys.size for keys in chunks())
        n_bits = min(max((n_keys // _ENTRIES_PER_BUCKET).bit_length(), 1), _MOST_BITS)
        shift = 64 - n_bits
        starts = np.zeros((1 << n_bits) + 1, np.int64)
        counted = 0
        for keys in chunks():
            _count(keys, shift, starts)
            counted += _sum(keys)
        np.cumsum(starts, out=starts)
        tags = _array(folder, "tags", n_keys)
        numbers = _array(folder, "numbers", n_keys)
        first = placed = n_placed = 0
        for keys in chunks():
            placed += _sum(keys)
            n_placed += keys.size
            if n_placed > n_keys:
                break
            _place(keys, first, shift, starts, tags, numbers)
            first += len(keys)
        if starts[0] != 0 or n_placed != n_keys or placed != counted:
            raise InputError("the keys changed between two passes", where="KeyIndex.build")
        if folder is not None:
            _finish(folder, starts, tags, numbers)
        return cls(starts, tags, numbers)

    @classmethod
    def open(cls, folder: Path) -> KeyIndex:
        """Open an index in a folder; its pages are read when they are needed.

        Raises:
            StoreError: there is none, or its build was not finished.
        """
        try:
            noted = json.loads((folder / "index.json").read_text(encoding="utf-8"))
            if noted["format"] != _FORMAT:
                raise StoreError(f"an index of format {noted['format']}", where=folder)
            starts = np.load(folder / "starts.npy")
            tags = np.load(folder / "tags.npy", mmap_mode="r")
            numbers = np.load(folder / "numbers.npy", mmap_mode="r")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StoreError(f"no index can be read here ({error})", where=folder) from error
        return cls(starts, np.asarray(tags), np.asarray(numbers))

    def __len__(self) -> int:
        """Number of entries."""
        return len(self._tags)

    @property
    def n_bytes(self) -> int:
        """Size of the table."""
        return self._starts.nbytes + self._tags.nbytes + self._numbers.nbytes

    def find(self, keys: NDArray[np.uint64]) -> NDArray[np.uint32]:
        """Numbers of the texts that have one of the keys, each once, in order."""
        table = (self._shift, self._starts, self._tags, self._numbers)
        while True:
            n_found = _find(keys, *table, self._found)
            if n_found <= len(self._found):
                return np.unique(self._found[:n_found])
            self._found = np.empty(2 * n_found, np.uint32)


def _sum(keys: NDArray[np.uint64]) -> int:
    """What tells keys from others, whatever their order."""
    return int(keys.sum(dtype=np.uint64))


def _array(folder: Path | None, name: str, n_entries: int) -> NDArray[np.uint32]:
    if folder is None or n_entries == 0:
        return np.zeros(n_entries, np.uint32)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "index.json").unlink(missing_ok=True)
        path = folder / f"{name}.npy"
        return np.lib.format.open_memmap(path, "w+", np.dtype(np.uint32), (n_entries,))
    except OSError as error:
        raise StoreError(f"cannot write ({error.strerror})", where=folder) from error


def _finish(folder: Path, starts: NDArray[np.int64], *arrays: NDArray[np.uint32]) -> None:
    """Write what is left; the note comes last, and only with it there is an index."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, array in zip(("tags", "numbers"), arrays, strict=True):
            if isinstance(array, np.memmap):
                array.flush()
            else:
                np.save(folder / f"{name}.npy", array)
        np.save(folder / "starts.npy", starts)
        (folder / "index.json").write_text(json.dumps({"format": _FORMAT}), encoding="utf-8")
    except OSError as error:
        raise StoreError(f"cannot write ({error.strerror})", where=folder) from error
