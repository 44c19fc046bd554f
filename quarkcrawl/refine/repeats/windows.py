"""Windows of the corpus that stand at an earlier place, too: found by hash, compared by character.

Windows are looked up in batches of all windows whose least hash of a shorter gram is the same, for
only those can be equal. A batch of more different windows than fit is gone through several times,
each time for a part of the hashes.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quarkcrawl.refine.repeats.loops import first_difference, hash_windows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from quarkcrawl.refine.repeats.runs import Rows

    Codes = NDArray[np.uint32]
    Numbers = NDArray[np.uint64]


SEGMENT: Final = np.dtype([("key", "u8"), ("start", "u8"), ("n", "u4"), ("repeats", "u1")])
"""Windows one behind the other whose least hash is the same: the hash, where the first begins, how
many they are, whether they can be equal to one another."""

MATCH: Final = np.dtype([("key", "u8"), ("first", "u8"), ("n", "u8")])
"""Windows one behind the other, and where as many begin that are equal, the first in the corpus."""

_WINDOW_BYTES_IN_MEMORY: Final = 96
"""Of a window while it is looked up."""


class WindowSearch:
    """Looks windows up.

    Args:
        codes: the characters of the corpus.
        n_chars: length of a window.
        memory_bytes: about how much is used.
    """

    def __init__(self, codes: Codes, n_chars: int, memory_bytes: int) -> None:
        self._codes = codes
        self._n_chars = n_chars
        self._n_windows = max(1, memory_bytes // _WINDOW_BYTES_IN_MEMORY)

    def in_memory(self, segments: Rows) -> Iterator[Rows]:
        """Matches among the windows of all segments that have the keys of these; keys ascend."""
        keys = segments["key"]
        borders = np.append(np.flatnonzero(keys[1:] != keys[:-1]) + 1, len(keys))
        n_before = np.append(0, np.cumsum(segments["n"], dtype=np.int64))
        start = 0
        while start < len(segments):
            # As many keys as fit, or one.
            most = n_before[start] + self._n_windows
            fitting = int(np.searchsorted(n_before[borders], most, "right"))
            following = int(np.searchsorted(borders, start, "right"))
            stop = int(borders[max(fitting - 1, following)])
            batch = segments[start:stop]
            ordered = batch[np.argsort(batch["start"], kind="stable")]
            yield from self.matches(partial(iter, [ordered]))
            start = stop

    def matches(self, portions: Callable[[], Iterable[Rows]]) -> Iterator[Rows]:
        """Matches among the windows of all segments of some keys; some come twice.

        Args:
            portions: gives the segments in the order of the corpus.
        """
        parts = [(1, 0)]
        while parts:
            n_parts, part = parts.pop()
            seen = _Known()
            for all_hashes, all_places in self._hashed(portions()):
                in_part = (all_hashes >> np.uint64(20)) % np.uint64(n_parts) == part
                hashes, places = all_hashes[in_part], all_places[in_part]
                matches = _runs(places, seen.firsts(hashes, places))
                if not self._are_equal(matches):
                    yield from self._by_text(portions())
                    return
                yield matches
                if len(seen) > self._n_windows:
                    parts += [(2 * n_parts, part), (2 * n_parts, part + n_parts)]
                    break

    def _hashed(self, portions: Iterable[Rows]) -> Iterator[tuple[Numbers, Numbers]]:
        """Windows of segments with their hashes, not too many at once."""
        for portion in portions:
            for rows in _cut(portion, self._n_windows):
                n = int(rows["n"].sum())
                hashes, places = np.empty(n, np.uint64), np.empty(n, np.uint64)
                starts = np.ascontiguousarray(rows["start"])
                counts = np.ascontiguousarray(rows["n"])
                hash_windows(self._codes, starts, counts, self._n_chars, hashes, places)
                yield hashes, places

    def _are_equal(self, matches: Rows) -> bool:
        places, others, counts = (
            np.ascontiguousarray(matches[name]) for name in ("key", "first", "n")
        )
        return first_difference(self._codes, places, others, counts, self._n_chars - 1) < 0

    def _by_text(self, portions: Iterable[Rows]) -> Iterator[Rows]:
        """The same with the characters in place of hashes, of which different windows had one."""
        firsts: dict[bytes, int] = {}
        for portion in portions:
            for start, n in zip(portion["start"].tolist(), portion["n"].tolist(), strict=True):
                windows = range(start, start + n)
                first_places = [
                    firsts.setdefault(self._codes[one : one + self._n_chars].tobytes(), one)
                    for one in windows
                ]
                yield _runs(np.array(windows, np.uint64), np.array(first_places, np.uint64))


class _Known:
    """Hashes that were seen, in order, and where each was first."""

    def __init__(self) -> None:
        self._hashes: Numbers = np.empty(0, np.uint64)
        self._places: Numbers = np.empty(0, np.uint64)

    def __len__(self) -> int:
        return len(self._hashes)

    def firsts(self, hashes: Numbers, places: Numbers) -> Numbers:
        """Where each hash was first; all of them are known from now on."""
        order = np.argsort(hashes, kind="stable")
        ordered = hashes[order]
        is_new = np.ones(len(hashes), np.bool_)
        is_new[1:] = ordered[1:] != ordered[:-1]
        distinct, first_places = ordered[is_new], places[order[is_new]]
        fresh = np.ones(len(distinct), np.bool_)
        if len(self._hashes):
            at = np.minimum(np.searchsorted(self._hashes, distinct), len(self._hashes) - 1)
            fresh = self._hashes[at] != distinct
            first_places = np.where(fresh, first_places, self._places[at])
        firsts = np.empty(len(hashes), np.uint64)
        firsts[order] = np.repeat(
            first_places, np.diff(np.append(np.flatnonzero(is_new), len(order)))
        )
        if len(self._hashes):
            at = np.searchsorted(self._hashes, distinct[fresh])
            self._hashes = np.insert(self._hashes, at, distinct[fresh])
            self._places = np.insert(self._places, at, first_places[fresh])
        else:
            self._hashes, self._places = distinct, first_places
        return firsts


def _runs(places: Numbers, firsts: Numbers) -> Rows:
    """Windows that were seen before, in runs."""
    is_later = firsts != places
    places, firsts = places[is_later], firsts[is_later]
    return joined(places, firsts, np.ones(len(places), np.uint64))


def joined(places: Numbers, firsts: Numbers, counts: Numbers) -> Rows:
    """Matches of which those that go on are one."""
    starts = np.ones(len(places), np.bool_)
    starts[1:] = (places[1:] != places[:-1] + counts[:-1]) | (
        firsts[1:] != firsts[:-1] + counts[:-1]
    )
    at = np.flatnonzero(starts)
    rows = np.empty(len(at), MATCH)
    rows["key"], rows["first"] = places[at], firsts[at]
    if len(at):
        rows["n"] = np.add.reduceat(counts, at)
    return rows


def _cut(segments: Rows, most_windows: int) -> Iterator[Rows]:
    """Segments in portions of not many more windows than that; a long segment becomes several."""
    if int(segments["n"].max(initial=0)) > most_windows:
        segments = _shortened(segments, most_windows)
    ends = np.cumsum(segments["n"].astype(np.int64))
    start = 0
    while start < len(segments):
        before = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + most_windows, "right")))
        yield segments[start:stop]
        start = stop


def _shortened(segments: Rows, most_windows: int) -> Rows:
    parts: list[Any] = []
    for row in segments:
        start, n = int(row["start"]), int(row["n"])
        for first in range(0, n, most_windows):
            part = row.copy()
            part["start"], part["n"] = start + first, min(most_windows, n - first)
            parts.append(part)
    shortened: Rows = np.array(parts, SEGMENT)
    return shortened
