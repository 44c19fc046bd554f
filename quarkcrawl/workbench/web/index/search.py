"""Texts of pages in one file, searched from end to end.

Bytes are searched at gigabytes a second, so that the contents of 100,000 pages (400 MB) take a
tenth of a second without any index over words, and any part of a word can be found. Larger corpora
are searched stretch by stretch: a search is answered after a while with what was found by then,
and goes on where it stopped when it is asked again.
"""

from __future__ import annotations

import bisect
import mmap
import threading
import time
from array import array
from collections import OrderedDict
from typing import TYPE_CHECKING, BinaryIO, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray


STRETCH_BYTES: Final = 8 << 20
CPU_S: Final = 0.4
"""Time of the processor after which a search is answered."""

WALL_S: Final = 0.8
_MOST_SEARCHES: Final = 16


def words_of(query: str) -> tuple[str, ...]:
    """The words of a query as they are looked for: lower case, each once, the longest first."""
    return tuple(sorted(set(query.lower().split()), key=lambda word: (-len(word), word)))


class TextWriter:
    """Writes texts one after the other.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: BinaryIO = path.open("wb")
        self._ends: list[NDArray[np.int64]] = []
        self._at = 0
        self.n_rows = 0

    def add(self, titles: pa.Array, texts: pa.Array) -> pa.Array:
        """Add texts; the number of each is what it is found by.

        Args:
            titles: in front of the texts.
            texts: as many.
        """
        import pyarrow as pa  # noqa: PLC0415 - slow, and not needed without a corpus
        import pyarrow.compute as pc  # noqa: PLC0415

        parts = [
            pc.utf8_lower(pc.fill_null(one.cast(pa.large_string()), "")) for one in (titles, texts)
        ]
        empty, line_end = (pa.scalar(one, pa.large_string()) for one in ("", "\n"))
        joined = pc.binary_join_element_wise(*parts, empty, line_end)
        first, last = joined.offset, joined.offset + len(joined)
        _, where, data = joined.buffers()
        offsets = np.frombuffer(where, np.int64)[first : last + 1]
        self._file.write(memoryview(data)[offsets[0] : offsets[-1]] if len(joined) else b"")
        self._ends.append(offsets[1:] - offsets[0] + self._at)
        self._at += int(offsets[-1] - offsets[0])
        self.n_rows += len(joined)
        return pa.array(np.arange(self.n_rows - len(joined), self.n_rows))

    def finish(self) -> SearchTexts:
        """Close the file and open it for searching."""
        self._file.close()
        return SearchTexts(self.path, np.concatenate([np.zeros(1, np.int64), *self._ends]))


class Search:
    """How far the search for some words has come.

    Args:
        words: what every text found must contain, the longest first.

    Attributes:
        found: numbers of the texts found, in order.
        next_row: the first text that was not searched yet.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = [word.encode("utf-8", "surrogatepass") for word in words]
        self.found = array("q")
        self.next_row = 0
        self.lock = threading.Lock()


class SearchTexts:
    """Texts that can be searched.

    Args:
        path: what `TextWriter` wrote.
        bounds: where each text begins, and where the last one ends.
    """

    def __init__(self, path: Path, bounds: NDArray[np.int64]) -> None:
        self.path = path
        self._bounds = bounds
        self._searches: OrderedDict[tuple[str, ...], Search] = OrderedDict()
        self._lock = threading.Lock()
        with path.open("rb") as file:
            size = int(bounds[-1])
            self._map = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) if size else b""

    def __len__(self) -> int:
        return len(self._bounds) - 1

    def __getitem__(self, row: int) -> str:
        """A title and a text, in lower case."""
        return self._map[self._bounds[row] : self._bounds[row + 1]].decode("utf-8", "replace")

    def search(self, words: tuple[str, ...]) -> Search:
        """Go on with a search, for as long as somebody may wait for it.

        Args:
            words: see `words_of`; at least one.
        """
        search = self._kept(words)
        started = time.thread_time(), time.monotonic()
        with search.lock:
            while search.next_row < len(self):
                self._search_stretch(search)
                took = time.thread_time() - started[0], time.monotonic() - started[1]
                if took[0] > CPU_S or took[1] > WALL_S:
                    break
        return search

    def _kept(self, words: tuple[str, ...]) -> Search:
        with self._lock:
            search = self._searches.setdefault(words, Search(words))
            self._searches.move_to_end(words)
            if len(self._searches) > _MOST_SEARCHES:
                self._searches.popitem(last=False)
            return search

    def _search_stretch(self, search: Search) -> None:
        first = search.next_row
        begin = int(self._bounds[first])
        last = int(np.searchsorted(self._bounds, begin + STRETCH_BYTES, "right")) - 1
        last = min(max(last, first + 1), len(self))
        bounds = (self._bounds[first : last + 1] - begin).tolist()
        data = bytes(self._map[begin : begin + bounds[-1]])
        longest, *others = search.words
        place = data.find(longest)
        while place >= 0:
            row = bisect.bisect_right(bounds, place)
            if all(data.find(word, bounds[row - 1], bounds[row]) >= 0 for word in others):
                search.found.append(first + row - 1)
            place = data.find(longest, bounds[row])
        search.next_row = last

    def close(self) -> None:
        """Remove the file; a search that is under way still reads it."""
        self.path.unlink(missing_ok=True)
