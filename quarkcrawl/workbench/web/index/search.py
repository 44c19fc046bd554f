"""Texts of pages in a file, searched from end to end.

Bytes are searched at gigabytes a second, so that the contents of 100,000 pages (400 MB) take a
tenth of a second without any index over words, and any part of a word can be found. Larger corpora
are searched stretch by stretch: a search is answered after a while with what was found by then,
and goes on where it stopped when it is asked again.

What is searched are folded texts (`quarkcrawl.workbench.web.index.fold`); the texts as they are
stand in a second file, for what is shown of them.
"""

from __future__ import annotations

import bisect
import math
import mmap
import re
import threading
import time
from array import array
from collections import OrderedDict
from typing import TYPE_CHECKING, BinaryIO, Final

import numpy as np

from quarkcrawl.workbench.web.index.fold import fold, fold_utf8, fold_with_places

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray


STRETCH_BYTES: Final = 8 << 20
CPU_S: Final = 0.4
"""Time of the processor after which a search is answered."""

WALL_S: Final = 0.8
_MOST_SEARCHES: Final = 16
_ROWS_AT_ONCE: Final = 256
_QUOTED: Final = re.compile(r'["“”„＂]([^"“”„＂]*)["“”＂]|([^\s"“”„＂]+)')

_SATURATION: Final = 1.2
_LENGTH_SHARE: Final = 0.75
"""k1 and b of BM25, as Lucene has them."""

_TITLE_WEIGHT: Final = 3.0
_MOST_COUNTED: Final = 10


def words_of(query: str) -> tuple[str, ...]:
    """Words and phrases of a query as they are looked for: folded, each once, the longest first.

    What stands in quotation marks is one phrase; anything else falls into words at white space.
    """
    phrases = (" ".join(fold(quoted or word).split()) for quoted, word in _QUOTED.findall(query))
    return tuple(sorted({one for one in phrases if one}, key=lambda one: (-len(one), one)))


def hit_spans(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Where words stand in a text, in order; those that overlap are one.

    Args:
        text: as it is, not folded; several spaces count as one.
        words: see `words_of`.
    """
    if not words:
        return []
    folded, places = fold_with_places(text)
    spans: list[tuple[int, int]] = []
    for start, end in sorted(_places(folded, words)):
        first, last = places[start], max(places[end], places[start] + 1)
        if spans and first < spans[-1][1]:
            spans[-1] = spans[-1][0], max(last, spans[-1][1])
        else:
            spans.append((first, last))
    return spans


def _places(folded: str, words: Sequence[str]) -> Iterator[tuple[int, int]]:
    for word in words:
        pattern = " +".join(map(re.escape, word.split(" ")))
        for match in re.finditer(pattern, folded):
            yield match.span()


class TextWriter:
    """Writes texts one after the other.

    Args:
        path: the file of the texts; beside it comes one of the folded texts.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._files: tuple[BinaryIO, BinaryIO] = path.open("wb"), _folded_path(path).open("wb")
        self._sizes: tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]] = [], []
        self.n_rows = 0

    def add(self, titles: pa.Array, texts: pa.Array) -> pa.Array:
        """Add texts; the number of each is what it is found by.

        Args:
            titles: in front of the texts.
            texts: as many.
        """
        import pyarrow as pa  # noqa: PLC0415 - slow, and not needed without a corpus

        before = self.n_rows
        for start in range(0, len(texts), _ROWS_AT_ONCE):  # few enough to stay in the cache
            self._add(titles.slice(start, _ROWS_AT_ONCE), texts.slice(start, _ROWS_AT_ONCE))
        return pa.array(np.arange(before, self.n_rows))

    def _add(self, titles: pa.Array, texts: pa.Array) -> None:
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.compute as pc  # noqa: PLC0415

        parts = [pc.fill_null(one.cast(pa.large_string()), "") for one in (titles, texts)]
        empty, line_end = (pa.scalar(one, pa.large_string()) for one in ("", "\n"))
        joined = pc.binary_join_element_wise(*parts, empty, line_end)
        joined.validate(full=True)
        _, where, data = joined.buffers()
        offsets = np.frombuffer(where, np.int64)[joined.offset : joined.offset + len(joined) + 1]
        whole = memoryview(data or b"").cast("B")[offsets[0] : offsets[-1]]
        self._write(0, whole, np.diff(offsets))
        for folded, sizes in fold_utf8(whole, offsets - offsets[0]):
            self._write(1, folded, sizes)
        self.n_rows += len(joined)

    def _write(self, number: int, data: bytes | memoryview, sizes: NDArray[np.int64]) -> None:
        self._files[number].write(data)
        self._sizes[number].append(sizes)

    def finish(self) -> SearchTexts:
        """Close the files and open them for searching."""
        for file in self._files:
            file.close()
        start = np.zeros(1, np.int64)
        bounds = (np.cumsum(np.concatenate([start, *sizes])) for sizes in self._sizes)
        return SearchTexts(self.path, *bounds)


def _folded_path(path: Path) -> Path:
    return path.with_name(f"{path.name}-folded")


class Search:
    """How far the search for some words has come.

    Args:
        words: what every text found must contain, the longest first.

    Attributes:
        found: numbers of the texts found, in order.
        scores: how much of each is about the words, see `SearchTexts`.
        next_row: the first text that was not searched yet.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = [word.encode("utf-8", "surrogatepass") for word in words]
        self.found = array("q")
        self.scores = array("f")
        self.next_row = 0
        self.lock = threading.Lock()


class SearchTexts:
    """Texts that can be searched.

    A text that is found has the score of BM25 without the rarity of words: a search knows in how
    many texts all words stand, not in how many each. Words in the title count three times.

    Args:
        path: what `TextWriter` wrote.
        bounds: where each text begins, and where the last one ends.
        folded_bounds: the same of the folded texts.
    """

    def __init__(
        self, path: Path, bounds: NDArray[np.int64], folded_bounds: NDArray[np.int64]
    ) -> None:
        self.path = path
        self._text_bounds = bounds
        self._bounds = folded_bounds
        self._searches: OrderedDict[tuple[str, ...], Search] = OrderedDict()
        self._lock = threading.Lock()
        self._texts = _mapped(path, int(bounds[-1]))
        self._map = _mapped(_folded_path(path), int(folded_bounds[-1]))
        self._mean_bytes = int(folded_bounds[-1]) / max(1, len(self))

    def __len__(self) -> int:
        return len(self._bounds) - 1

    def __getitem__(self, row: int) -> str:
        """A title and a text."""
        return self._texts[self._text_bounds[row] : self._text_bounds[row + 1]].decode(
            "utf-8", "replace"
        )

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
                search.scores.append(self._score(data, bounds[row - 1], bounds[row], search.words))
            place = data.find(longest, bounds[row])
        search.next_row = last

    def _score(self, data: bytes, start: int, end: int, words: Sequence[bytes]) -> float:
        title_end = data.find(b"\n", start, end)
        length = _SATURATION * (
            1 - _LENGTH_SHARE + _LENGTH_SHARE * (end - start) / self._mean_bytes
        )
        counts = (
            _TITLE_WEIGHT * _counted(data, word, start, title_end)
            + _counted(data, word, title_end, end)
            for word in words
        )
        return math.fsum(count / (count + length) for count in counts)

    def close(self) -> None:
        """Remove the files; a search that is under way still reads them."""
        for path in (self.path, _folded_path(self.path)):
            path.unlink(missing_ok=True)


def _counted(data: bytes, word: bytes, start: int, end: int) -> int:
    """How often a word stands there; more often than ten times is ten times."""
    count, place = 0, data.find(word, start, end)
    while place >= 0 and count < _MOST_COUNTED:
        count += 1
        place = data.find(word, place + len(word), end)
    return count


def _mapped(path: Path, n_bytes: int) -> mmap.mmap | bytes:
    """A file in memory; of what is empty there is no map."""
    if not n_bytes:
        return b""
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), n_bytes, access=mmap.ACCESS_READ)
