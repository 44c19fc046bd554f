"""Characters that the corpus has twice: all substrings of so many or more, on character boundaries.

Exact: marked is each window of ``least_chars`` characters that stands at an earlier place of the
corpus, which is what a suffix array of the whole corpus marks. A window can be equal only to one
whose least hash of half as many characters is the same; so the hash is worked out for all
(``find_segments``), and of those that stand at one place only, most of a corpus, no window is
looked at again.

    scan      texts are read; characters and segments written     goes on after a kill
    match     windows of equal segments are compared              is done again after a kill
    extend    matches become spans                                is done again after a kill
    done      spans are read, in the order of the corpus
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quarkcrawl.errors import ConfigError
from quarkcrawl.refine.repeats.documents import RepeatedSpan
from quarkcrawl.refine.repeats.loops import common_chars, find_segments, hash_grams
from quarkcrawl.refine.repeats.runs import SortedRuns
from quarkcrawl.refine.repeats.windows import MATCH, SEGMENT, WindowSearch, joined
from quarkcrawl.refine.repeats.workfolder import Ids, WorkFolder
from quarkcrawl.store import storage_errors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from quarkcrawl.refine.repeats.documents import Texts
    from quarkcrawl.refine.repeats.runs import Rows


_SPAN: Final = np.dtype([("key", "u8"), ("n", "u8"), ("first", "u8")])

_LEAST_MEMORY_BYTES: Final = 1024
_SEGMENT_BYTES_IN_MEMORY: Final = 160
"""Of a segment while it is collected, sorted and copied, and the characters beside it."""


@dataclass(frozen=True, slots=True)
class SubstringOptions:
    """Which repeated substrings are meant.

    Args:
        least_chars: from which length on; a hundred characters are two or three sentences of
            Chinese and one of English, longer than titles, names and set phrases.
        memory_bytes: about how much is used; beside it files are mapped, whose memory the system
            takes back when it needs it.
    """

    least_chars: int = 100
    memory_bytes: int = 1 << 30

    def __post_init__(self) -> None:
        if self.least_chars < 1:
            raise ConfigError("least_chars is 1 or more")
        if self.memory_bytes < _LEAST_MEMORY_BYTES:
            raise ConfigError(f"memory_bytes is {_LEAST_MEMORY_BYTES} or more")


def repeated_substrings(
    texts: Texts, folder: Path, options: SubstringOptions | None = None
) -> Iterator[RepeatedSpan]:
    """The substrings of a corpus that stand at an earlier place of it, exactly, in bounded memory.

    Earlier is in a document before, or before in the same document. A span is as long as both
    places agree within their documents, and begins with the first window that the span before does
    not have; spans overlap where a text goes on like another earlier one.

    Args:
        texts: gives the documents.
        folder: for files, about 5 bytes a character; a search that was killed goes on from there,
            one that was finished is only read.
        options: which substrings are meant; None: the default ones.

    Returns:
        Spans in the order of the corpus.

    Raises:
        InputError: the folder is of other options or another corpus.
        StorageFullError: no room.
    """
    search = _Search(folder, options or SubstringOptions())
    search.run(texts)
    return search.spans()


class _Search:
    """A search in its folder.

    Args:
        path: the folder.
        options: which substrings are meant.
    """

    def __init__(self, path: Path, options: SubstringOptions) -> None:
        made_of = asdict(options) | {"search": "substrings", "version": 1}
        del made_of["memory_bytes"]
        self._folder = WorkFolder(path, made_of)
        self._n_chars = options.least_chars
        self._memory_bytes = options.memory_bytes
        self._n_rows = max(1, options.memory_bytes // _SEGMENT_BYTES_IN_MEMORY)
        self._segment_runs = SortedRuns(path, "segments", SEGMENT)
        self._match_runs = SortedRuns(path, "matches", MATCH)
        self._span_runs = SortedRuns(path, "spans", _SPAN)

    def run(self, texts: Texts) -> None:
        """Do what is not done."""
        if self._folder.stage == "scan":
            self._scan(texts)
        if self._folder.stage == "match":
            self._match()
        if self._folder.stage == "extend":
            self._extend()

    # Scan

    def _scan(self, texts: Texts) -> None:
        folder, collected = self._folder, _Collected(self._n_chars, self._folder.count("n_chars"))
        for number, document in folder.remaining(texts):
            collected.take(document[0], document[1])
            if collected.n_rows >= self._n_rows or collected.n_bytes >= self._memory_bytes // 4:
                self._keep(collected, number + 1)
                collected = _Collected(self._n_chars, folder.count("n_chars"))
        self._keep(collected, folder.n_documents + len(collected.ids))
        folder.keep(stage="match")

    def _keep(self, collected: _Collected, n_documents: int) -> None:
        folder, number = self._folder, self._folder.count("n_runs")
        self._segment_runs.write(number, collected.segments())
        id_end = folder.append_ids(collected.ids, folder.count("id_end"))
        for part in collected.parts:
            folder.append("text", part)
        folder.append("text_ends", np.array(collected.ends, np.int64).tobytes())
        n_chars = collected.n_chars
        folder.keep(n_documents=n_documents, n_runs=number + 1, id_end=id_end, n_chars=n_chars)

    # Match

    def _match(self) -> None:
        n_runs = self._folder.count("n_runs")
        match_rows = _Written(self._match_runs, MATCH, self._n_rows)
        for matches in self._matches(n_runs):
            match_rows.take(matches)
        self._folder.keep(stage="extend", n_match_runs=match_rows.finish())
        self._segment_runs.delete(n_runs)

    def _matches(self, n_runs: int) -> Iterator[Rows]:
        codes = self._folder.mapped("text", np.uint32)
        search = WindowSearch(codes, self._n_chars, self._memory_bytes // 2)
        most_rows = max(1, self._n_rows // 4)
        spool = _Spool(self._folder.path / "spool.rows")
        waiting = np.empty(0, SEGMENT)
        """Of the last key, of which more can follow."""
        for block in self._segment_runs.merged(n_runs, most_rows):
            rows = np.concatenate([waiting, block])
            if len(spool) and rows["key"][0] != spool.key:
                yield from search.matches(spool.portions)
                spool.clear()
            last = int(np.searchsorted(rows["key"], rows["key"][-1]))
            if len(spool) and last:
                n_spooled = int(np.searchsorted(rows["key"], spool.key, "right"))
                spool.add(rows[:n_spooled])
                yield from search.matches(spool.portions)
                spool.clear()
                rows, last = rows[n_spooled:], last - n_spooled
            yield from search.in_memory(_that_can_match(rows[:last]))
            waiting = rows[last:]
            if len(spool) or len(waiting) > most_rows:
                spool.add(waiting)
                waiting = waiting[:0]
        if len(spool):
            yield from search.matches(spool.portions)
            spool.clear()
        yield from search.in_memory(_that_can_match(waiting))

    # Extend

    def _extend(self) -> None:
        n_runs = self._folder.count("n_match_runs")
        span_rows = _Written(self._span_runs, _SPAN, self._n_rows)
        for spans in self._extended(self._match_runs.merged(n_runs, self._n_rows // 2)):
            span_rows.take(spans)
        self._folder.keep(stage="done", n_span_runs=span_rows.finish())
        self._match_runs.delete(n_runs)

    def _extended(self, blocks: Iterable[Rows]) -> Iterator[Rows]:
        codes = self._folder.mapped("text", np.uint32)
        text_ends = self._folder.mapped("text_ends", np.int64)
        done = 0
        """The first window that no span has."""
        for block in blocks:
            matches = joined(block["key"], block["first"], block["n"])
            spans = []
            for start, first, n in matches.tolist():
                window = max(start, done)
                while window < start + n:
                    other = first + window - start
                    end, other_end = (
                        int(text_ends[np.searchsorted(text_ends, place, "right")])
                        for place in (window, other)
                    )
                    most = min(end - window, other_end - other)
                    common = self._n_chars + common_chars(
                        codes, window + self._n_chars, other + self._n_chars, most - self._n_chars
                    )
                    spans.append((window, common, other))
                    window = done = window + common - self._n_chars + 1
            yield np.array(spans, _SPAN)

    # Done

    def spans(self) -> Iterator[RepeatedSpan]:
        """What was found."""
        ids = Ids(self._folder)
        text_ends = self._folder.mapped("text_ends", np.int64)
        n_span_runs = self._folder.count("n_span_runs")
        for rows in self._span_runs.merged(n_span_runs, min(self._n_rows, 1 << 16)):
            at = [np.searchsorted(text_ends, rows[name], "right") for name in ("key", "first")]
            starts = [np.where(one, text_ends[one - 1], 0) for one in at]
            places = [rows["key"] - starts[0].astype(np.uint64)]
            places.append(rows["first"] - starts[1].astype(np.uint64))
            lists = (at[0], at[1], places[0], places[1], rows["n"])
            for one, other, start, first, n in zip(*(a.tolist() for a in lists), strict=True):
                yield RepeatedSpan(
                    ids[one], start, start + n, ids[other], first, "corpus_substring"
                )


class _Collected:
    """Characters and segments of some documents.

    Args:
        n_chars: length of a window.
        n_before: characters of the documents before.
    """

    def __init__(self, n_chars: int, n_before: int) -> None:
        self._n_window = n_chars
        self._n_gram = max(1, n_chars // 2)
        self.n_chars = n_before
        self.ids: list[int | str] = []
        self.ends: list[int] = []
        self.parts: list[bytes] = []
        self.n_bytes = 0
        self.n_rows = 0
        self._rows: list[Rows] = []
        self._room: dict[str, NDArray[Any]] = {}

    def take(self, one: int | str, text: str) -> None:
        """Take in a document."""
        part = text.encode("utf-32-le", "surrogatepass")
        codes = np.frombuffer(part, np.uint32)
        if len(codes) >= self._n_window:
            self._take_windows(codes)
        self.ids.append(one)
        self.n_chars += len(codes)
        self.ends.append(self.n_chars)
        self.parts.append(part)
        self.n_bytes += len(part)

    def _take_windows(self, codes: NDArray[np.uint32]) -> None:
        if len(self._room.get("hashes", ())) < len(codes):
            n = len(codes) * 5 // 4
            kinds = {"hashes": "u8", "keys": "u8", "starts": "u4", "counts": "u4", "repeats": "u1"}
            self._room = {name: np.empty(n, kind) for name, kind in kinds.items()}
        room = self._room
        hash_grams(codes, self._n_gram, room["hashes"])
        n = find_segments(
            room["hashes"],
            len(codes) - self._n_window + 1,
            self._n_window - self._n_gram + 1,
            room["keys"],
            room["starts"],
            room["counts"],
            room["repeats"],
        )
        rows = np.empty(n, SEGMENT)
        rows["key"], rows["n"] = room["keys"][:n], room["counts"][:n]
        rows["start"] = room["starts"][:n].astype(np.uint64) + np.uint64(self.n_chars)
        rows["repeats"] = room["repeats"][:n]
        self._rows.append(rows)
        self.n_rows += n

    def segments(self) -> Rows:
        """All segments, in the order of the corpus."""
        return np.concatenate([np.empty(0, SEGMENT), *self._rows])


class _Written:
    """Rows that are written as runs, in portions.

    Args:
        runs: where they go.
        dtype: a row.
        n_rows: how long a portion is, about.
    """

    def __init__(self, runs: SortedRuns, dtype: np.dtype[np.void], n_rows: int) -> None:
        self._runs = runs
        self._n_rows = n_rows
        self._waiting: list[Rows] = [np.empty(0, dtype)]
        self._n_waiting = 0
        self._n_runs = 0

    def take(self, rows: Rows) -> None:
        """Take rows in."""
        self._waiting.append(rows)
        self._n_waiting += len(rows)
        if self._n_waiting >= self._n_rows:
            self._write()

    def finish(self) -> int:
        """All rows were taken in; how many runs there are."""
        self._write()
        return self._n_runs

    def _write(self) -> None:
        self._runs.write(self._n_runs, np.concatenate(self._waiting))
        self._waiting, self._n_waiting = self._waiting[:1], 0
        self._n_runs += 1


class _Spool:
    """Segments of one key that are too many for memory, in a file.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._portions: list[int] = []
        self.key = 0

    def __len__(self) -> int:
        return len(self._portions)

    def add(self, segments: Rows) -> None:
        """Put segments behind the others."""
        if len(segments):
            self.key = int(segments["key"][0])
            mode = "ab" if self._portions else "wb"
            with storage_errors(self._path), self._path.open(mode) as file:
                file.write(segments.tobytes())
            self._portions.append(len(segments))

    def portions(self) -> Iterator[Rows]:
        """The segments as they were put."""
        place = 0
        for n in self._portions:
            yield np.fromfile(self._path, SEGMENT, n, offset=place)
            place += n * SEGMENT.itemsize

    def clear(self) -> None:
        """Forget them."""
        self._path.unlink(missing_ok=True)
        self._portions = []


def _that_can_match(segments: Rows) -> Rows:
    """Without those whose key nothing else has, and whose windows are not equal to one another."""
    keys = segments["key"]
    same = np.zeros(len(keys) + 1, np.bool_)
    same[1:-1] = keys[1:] == keys[:-1]
    candidates: Rows = segments[same[:-1] | same[1:] | (segments["repeats"] > 0)]
    return candidates
