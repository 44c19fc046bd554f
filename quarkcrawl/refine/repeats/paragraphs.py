"""Paragraphs that a host repeats on many pages, and paragraphs that the corpus has twice.

A paragraph is a line, compared in Unicode's form NFKC with white space collapsed, by 128 bits of
BLAKE2b: among 10^12 paragraphs a pair of different ones takes part with a chance of 10^-15.
Its occurrences are rows on disk, sorted by that digest (``runs``), so that equal ones lie side by
side in the order of the corpus.

    scan     texts are read, rows written         goes on where it was after a kill
    group    equal rows become spans              is done again after a kill
    done     spans are read, in the order of the corpus
"""

from __future__ import annotations

import unicodedata
from array import array
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.errors import ConfigError
from quarkcrawl.refine.repeats.documents import RepeatedSpan
from quarkcrawl.refine.repeats.runs import SortedRuns
from quarkcrawl.refine.repeats.workfolder import Ids, WorkFolder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from quarkcrawl.refine.repeats.documents import SourceText, Texts
    from quarkcrawl.refine.repeats.runs import Rows


_DIGEST_BYTES: Final = 16

_ROW: Final = np.dtype([("key", f"S{_DIGEST_BYTES}"), ("position", "u8"), ("end", "u4")])
"""An occurrence; its position is the document's number and, in 32 bits, where it begins."""

_SPAN: Final = np.dtype([("key", "u8"), ("end", "u4"), ("first", "u8"), ("reason", "u1")])
_CODES: Final = ("host_paragraph", "corpus_paragraph")

_ROW_BYTES_IN_MEMORY: Final = 160
"""Of a row while it is collected, sorted and copied, measured with both kinds of rows."""

_DOCUMENTS_AT_ONCE: Final = 1 << 20
"""Most of whose ids wait for being written."""


@dataclass(frozen=True, slots=True)
class ParagraphOptions:
    """Which repeated paragraphs are meant.

    Args:
        least_pages: on how many pages of a host a paragraph is the host's own; 0: none is.
        least_chars: how long a normalized paragraph is that the corpus may have only once; short
            lines repeat by nature. 0: any.
        memory_bytes: about how much is used for rows.
    """

    least_pages: int = 8
    least_chars: int = 20
    memory_bytes: int = 1 << 30

    def __post_init__(self) -> None:
        if min(self.least_pages, self.least_chars) < 0:
            raise ConfigError("least_pages and least_chars are 0 or more")
        if self.memory_bytes < _ROW_BYTES_IN_MEMORY:
            raise ConfigError(f"memory_bytes is {_ROW_BYTES_IN_MEMORY} or more")


def normalized_paragraph(line: str) -> str:
    """What paragraphs are compared by: NFKC, white space collapsed.

    Args:
        line: a line of a text.
    """
    return " ".join(unicodedata.normalize("NFKC", line).split())


def repeated_paragraphs(
    texts: Texts, folder: Path, options: ParagraphOptions | None = None
) -> Iterator[RepeatedSpan]:
    """The paragraphs of a corpus that are repeated, exactly, in bounded memory.

    Of a paragraph that many pages of a host have all occurrences are spans, the first one, too
    (`RepeatedSpan.is_first`); of one that the corpus repeats all but the first, which is that in
    the first document, and there the first. A paragraph can be both, and two spans then.

    Args:
        texts: gives the documents.
        folder: for files; a search that was killed goes on from there, one that was finished is
            only read.
        options: which paragraphs are meant; None: the default ones.

    Returns:
        Spans in the order of the corpus.

    Raises:
        InputError: the folder is of other options or another corpus.
        StorageFullError: no room.
    """
    search = _Search(folder, options or ParagraphOptions())
    search.run(texts)
    return search.spans()


class _Search:
    """A search in its folder.

    Args:
        path: the folder.
        options: which paragraphs are meant.
    """

    def __init__(self, path: Path, options: ParagraphOptions) -> None:
        made_of = asdict(options) | {"search": "paragraphs", "version": 1}
        del made_of["memory_bytes"]
        self._folder = WorkFolder(path, made_of)
        self._options = options
        self._n_rows = options.memory_bytes // _ROW_BYTES_IN_MEMORY
        self._host_runs = SortedRuns(path, "host", _ROW)
        self._corpus_runs = SortedRuns(path, "corpus", _ROW)
        self._span_runs = SortedRuns(path, "spans", _SPAN)

    def run(self, texts: Texts) -> None:
        """Do what is not done."""
        if self._folder.stage == "scan":
            self._scan(texts)
        if self._folder.stage == "group":
            self._group()

    def _scan(self, texts: Texts) -> None:
        folder, rows = self._folder, _Collected(self._options)
        for number, document in folder.remaining(texts):
            rows.take(number, document)
            if len(rows) >= self._n_rows or len(rows.ids) >= _DOCUMENTS_AT_ONCE:
                self._keep(rows, number + 1)
                rows = _Collected(self._options)
        self._keep(rows, folder.n_documents + len(rows.ids))
        folder.keep(stage="group")

    def _keep(self, rows: _Collected, n_documents: int) -> None:
        number = self._folder.count("n_runs")
        self._host_runs.write(number, rows.of_hosts())
        self._corpus_runs.write(number, rows.of_corpus())
        id_end = self._folder.append_ids(rows.ids, self._folder.count("id_end"))
        self._folder.keep(n_documents=n_documents, n_runs=number + 1, id_end=id_end)

    def _group(self) -> None:
        n_runs, n_rows = self._folder.count("n_runs"), self._n_rows // 2
        waiting: list[Rows] = []
        n_written = 0
        for spans in self._grouped(n_runs, n_rows):
            waiting.append(spans)
            if sum(map(len, waiting)) >= n_rows:
                self._span_runs.write(n_written, np.concatenate(waiting))
                waiting = []
                n_written += 1
        self._span_runs.write(n_written, np.concatenate([np.empty(0, _SPAN), *waiting]))
        self._folder.keep(stage="done", n_span_runs=n_written + 1)
        self._host_runs.delete(n_runs)
        self._corpus_runs.delete(n_runs)

    def _grouped(self, n_runs: int, n_rows: int) -> Iterator[Rows]:
        if self._options.least_pages:
            blocks = self._host_runs.merged(n_runs, n_rows)
            yield from _on_many_pages(blocks, self._options.least_pages)
        yield from _behind_the_first(self._corpus_runs.merged(n_runs, n_rows))

    def spans(self) -> Iterator[RepeatedSpan]:
        """What was found."""
        ids = Ids(self._folder)
        number, document = -1, ids[0] if self._folder.n_documents else 0
        n_span_runs = self._folder.count("n_span_runs")
        for rows in self._span_runs.merged(n_span_runs, min(self._n_rows, 1 << 16)):
            for key, end, first, reason in rows.tolist():
                if key >> 32 != number:
                    number = key >> 32
                    document = ids[number]
                first_id = document if first >> 32 == number else ids[first >> 32]
                start, first_start = key & 0xFFFFFFFF, first & 0xFFFFFFFF
                yield RepeatedSpan(document, start, end, first_id, first_start, _CODES[reason])


class _Collected:
    """Paragraphs of some documents, as they were read.

    Args:
        options: which paragraphs are meant.
    """

    def __init__(self, options: ParagraphOptions) -> None:
        self._least_chars = options.least_chars
        self._with_hosts = options.least_pages > 0
        self.ids: list[int | str] = []
        self._digests = bytearray()
        self._positions = array("Q")
        self._ends = array("I")
        self._is_long = bytearray()
        self._hosts = bytearray()
        """A digest a document that has a host."""
        self._n_of_host = array("Q")

    def __len__(self) -> int:
        return len(self._ends)

    def take(self, number: int, document: SourceText) -> None:
        """Take in the paragraphs of a document."""
        one, text, *rest = document
        self.ids.append(one)
        n_before, start = len(self._ends), 0
        for line in text.split("\n"):
            end = start + len(line)
            if paragraph := normalized_paragraph(line):
                digest = blake2b(paragraph.encode("utf-8", "surrogatepass"), digest_size=16)
                self._digests += digest.digest()
                self._positions.append(number << 32 | start)
                self._ends.append(end)
                self._is_long.append(len(paragraph) >= self._least_chars)
            start = end + 1
        host = rest[0] if rest else ""
        # Nothing is mixed into a document without a host, and its rows are left out.
        self._hosts += blake2b(host.encode(), digest_size=16).digest() if host else bytes(16)
        self._n_of_host.append(len(self._ends) - n_before)

    def _rows(self, digests: bytes | bytearray) -> Rows:
        rows = np.empty(len(self), _ROW)
        rows["key"] = np.frombuffer(digests, f"S{_DIGEST_BYTES}")
        rows["position"] = np.frombuffer(self._positions, np.uint64)
        rows["end"] = np.frombuffer(self._ends, np.uint32)
        return rows

    def of_corpus(self) -> Rows:
        """Rows whose keys are equal for equal paragraphs."""
        if not len(self):
            return np.empty(0, _ROW)
        return self._rows(self._digests)[np.frombuffer(self._is_long, np.bool_)]

    def of_hosts(self) -> Rows:
        """Rows whose keys are equal for equal paragraphs of a host."""
        if not len(self) or not self._with_hosts:
            return np.empty(0, _ROW)
        hosts = np.frombuffer(self._hosts, np.uint64).reshape(-1, 2)
        n_of_host = np.frombuffer(self._n_of_host, np.uint64).astype(np.int64)
        digests = np.frombuffer(self._digests, np.uint64).reshape(-1, 2)
        mixed = digests ^ np.repeat(hosts, n_of_host, axis=0)
        return self._rows(mixed.tobytes())[np.repeat(hosts.any(axis=1), n_of_host)]


def _spans(rows: Rows, firsts: Rows, reason: str) -> Rows:
    spans = np.empty(len(rows), _SPAN)
    spans["key"] = rows["position"]
    spans["end"] = rows["end"]
    spans["first"] = firsts
    spans["reason"] = _CODES.index(reason)
    return spans


def _group_starts(rows: Rows) -> Rows:
    """For each row the first one with its key."""
    numbers = np.arange(len(rows))
    keys = rows["key"]
    numbers[1:][keys[1:] == keys[:-1]] = 0
    starts: Rows = np.maximum.accumulate(numbers)
    return starts


def _behind_the_first(blocks: Iterable[Rows]) -> Iterator[Rows]:
    """Rows that are not the first of their key."""
    last = np.empty(0, _ROW)
    """The first row of the last key of the block before."""
    for block in blocks:
        rows = np.concatenate([last, block])
        starts = _group_starts(rows)
        is_later = starts != np.arange(len(rows))
        yield _spans(rows[is_later], rows["position"][starts[is_later]], "corpus_paragraph")
        last = rows[starts[-1:]]


def _on_many_pages(blocks: Iterable[Rows], least_pages: int) -> Iterator[Rows]:
    """Rows whose key so many documents have.

    What waits from block to block are the rows of the last key: all, while its documents are too
    few, afterwards the first one of each of so many documents.
    """
    waiting = np.empty(0, _ROW)
    n_told = 0
    """How many of those that wait were given."""
    for block in blocks:
        rows = np.concatenate([waiting, block])
        starts = _group_starts(rows)
        is_new = np.ones(len(rows), np.bool_)
        documents = rows["position"] >> np.uint64(32)
        is_new[1:] = (documents[1:] != documents[:-1]) | (starts[1:] != starts[:-1])
        n_pages = np.add.reduceat(is_new.astype(np.int64), np.unique(starts))
        is_host = np.repeat(n_pages, np.diff(np.append(np.unique(starts), len(rows))))
        taken = is_host >= least_pages
        taken[:n_told] = False
        yield _spans(rows[taken], rows["position"][starts[taken]], "host_paragraph")
        group = slice(int(starts[-1]), len(rows))
        waiting, n_told = rows[group], 0
        if is_host[-1] >= least_pages:
            waiting = waiting[is_new[group]][:least_pages]
            n_told = len(waiting)
