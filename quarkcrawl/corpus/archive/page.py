"""What a worker does with one record of an archive: read it, extract, give back a row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from quarkcrawl.analysis import PageInput
from quarkcrawl.corpus.extraction import extraction_row
from quarkcrawl.corpus.warc import PageCapture, WarcImportOptions, read_capture
from quarkcrawl.errors import StorageUnreachableError, StoreError
from quarkcrawl.page import host_key
from quarkcrawl.page.urls import split_host
from quarkcrawl.store import DropRow, DuplicateRow, StoredReply, VisitRow, split_reply
from quarkcrawl.store.warc import WarcDamage, WarcFound, read_warc_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.analysis import AnalysisPlan
    from quarkcrawl.corpus.archive.index import RecordFilter
    from quarkcrawl.corpus.warc import Capture
    from quarkcrawl.store import RangeFile, StoragePath


class ArchiveRecord(NamedTuple):
    """A record that is to be extracted.

    Args:
        unit: number of its WARC file in this run.
        file: name of that file.
        path: where it is.
        offset: where the record begins.
        length: how long it is there.
        url: what the index or the record says.
        warc_record: the record; None: the worker reads it.
    """

    unit: int
    file: str
    path: StoragePath
    offset: int
    length: int
    url: str
    warc_record: WarcFound | None = None


class RecordResult(NamedTuple):
    """What became of a record.

    Args:
        kind: what it was.
        reason: why it has no row, in a word.
        row: columns of a page.
        damage: what is wrong with it.
    """

    kind: Literal["page", "drop", "redirect", "revisit", "skipped", "damage"]
    reason: str = ""
    row: dict[str, Any] | None = None
    damage: WarcDamage | None = None

    @property
    def is_unreachable(self) -> bool:
        """Whether the server of its file stayed away."""
        return (self.row or {}).get("failure") == StorageUnreachableError.reason


NOT_CHOSEN: Final = "not chosen"
"""Why a record of a WARC file has no row that the filter does not take."""


@dataclass(frozen=True, slots=True)
class RecordOptions:
    """How records are read.

    Args:
        record_filter: which of them.
        plan: what is done with each page.
        by_index: an index has chosen them, by detected media types and host.
        max_body_bytes: bodies are cut here.
    """

    record_filter: RecordFilter
    plan: AnalysisPlan
    by_index: bool
    max_body_bytes: int = WarcImportOptions().max_body_bytes

    @property
    def mime_types(self) -> tuple[str, ...]:
        """Declared media types of pages; empty: all, since the index has detected them."""
        if not self.record_filter.mime_types:
            return WarcImportOptions().mime_types
        return () if self.by_index else self.record_filter.mime_types

    def takes_type(self, mime: str) -> bool:
        """Whether a page that was read is of a wanted media type: our own exports have any.

        Args:
            mime: media type of the page.
        """
        mime_types = self.record_filter.mime_types
        return self.by_index or not mime_types or mime in mime_types


class _LastFile:
    """The file that was read last stays open: records come file by file."""

    def __init__(self) -> None:
        self._path: StoragePath | None = None
        self._file: RangeFile | None = None

    def open(self, path: StoragePath) -> RangeFile:
        if self._file is None or path != self._path:
            if self._file is not None:
                self._file.close()
            self._file = None
            self._path, self._file = path, path.open()
        return self._file


_LAST: Final = _LastFile()


def extract_records(records: Sequence[ArchiveRecord], options: RecordOptions) -> list[RecordResult]:
    """Extract the pages of records of one file.

    Args:
        records: their places, or themselves.
        options: what is wanted.
    """
    results: list[RecordResult] = []
    for record in records:
        if not (results and results[-1].is_unreachable):  # then none of this file is
            last = extract_record(record, options)
        results.append(last)
    return results


def extract_record(record: ArchiveRecord, options: RecordOptions) -> RecordResult:
    """Extract the page of one record.

    Args:
        record: its place, or itself.
        options: what is wanted.
    """
    try:
        warc_record = record.warc_record or read_warc_at(
            _LAST.open(record.path), record.offset, record.length
        )
    except StoreError as error:
        return RecordResult("page", row={"failure": error.reason, "detail": str(error)})
    if isinstance(warc_record, WarcFound) and warc_record.url != record.url:
        detail = f"the record is that of {warc_record.url[:200] or 'no page'}"
        warc_record = WarcDamage("wrong record", record.offset, record.length, detail)
    if isinstance(warc_record, WarcDamage):
        return RecordResult("damage", warc_record.kind, damage=replace(warc_record, url=record.url))
    if not options.by_index and not _is_wanted(warc_record, options.record_filter):
        return RecordResult("skipped", NOT_CHOSEN)
    capture = read_capture(warc_record, options.mime_types, options.max_body_bytes)
    if isinstance(capture, PageCapture) and not options.takes_type(capture.fetched.mime):
        return RecordResult("drop", "mime")
    return _result(capture, warc_record.kind, options.plan)


def _is_wanted(warc_record: WarcFound, record_filter: RecordFilter) -> bool:
    status = split_reply(warc_record.block[:64]).status if record_filter.statuses else None
    by_host = record_filter.hosts or record_filter.domains
    return record_filter.takes(
        split_host(host_key(warc_record.url))[0] if by_host else "", status or 0
    )


def _result(capture: Capture | None, kind: str, plan: AnalysisPlan) -> RecordResult:
    if capture is None:
        return RecordResult("skipped", kind or "no type")
    if isinstance(capture, DropRow):
        return RecordResult("drop", capture.reason)
    if isinstance(capture, DuplicateRow | VisitRow):
        return RecordResult("revisit")
    if not isinstance(capture, PageCapture):
        return RecordResult("redirect")
    fetched = capture.fetched
    data = capture.record.data
    reply = StoredReply(b"", fetched.header_lines, data[len(data) - fetched.body_bytes :])
    page = PageInput(
        fetched.url, reply.body, reply.content_type, is_markup=fetched.mime != "text/plain"
    )
    about = {
        "url": fetched.url,
        "host": fetched.host,
        "fetched_at": fetched.fetched_at,
        "status": fetched.status,
        "mime": fetched.mime,
        "md5": fetched.md5.hex(),
    }
    return RecordResult("page", row=about | extraction_row(page, plan))
