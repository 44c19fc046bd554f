"""A corpus of WARC files: those that `export_warc` wrote, or other crawlers.

Of a URL the first capture is kept, of a body the first page; the others become duplicates rows, as
in a crawl. Damaged files give every record that is whole.
"""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quarkcrawl.analysis import map_pages
from quarkcrawl.corpus.warc.captures import (
    Capture,
    PageCapture,
    StoredCapture,
    dropped,
    prepare,
    read_capture,
)
from quarkcrawl.errors import InputError
from quarkcrawl.page import Page
from quarkcrawl.progress import no_progress, reported
from quarkcrawl.store import (
    CorpusWriter,
    DropRow,
    DuplicateRow,
    RedirectRow,
    StoragePath,
    VisitRow,
    corpus_draft,
    page_dat_path,
    read_at,
    split_reply,
)
from quarkcrawl.store.tables import settle_versions
from quarkcrawl.store.warc import WarcDamage, WarcFound, read_warc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from quarkcrawl.analysis import PoolOptions
    from quarkcrawl.progress import Progress

    Reader = Callable[[WarcFound], Capture | StoredCapture | None]


_GROUP_ROWS: Final = 1024
_NAMES: Final = (".warc", ".warc.gz", ".warc.open", ".warc.gz.open")


@dataclass(frozen=True, slots=True)
class WarcImportOptions:
    """What of foreign archives is stored.

    Args:
        mime_types: media types; others get a drops row ``mime``. Empty: all.
        max_body_bytes: bodies are cut here and marked.
    """

    mime_types: tuple[str, ...] = ("text/html", "application/xhtml+xml", "text/plain")
    max_body_bytes: int = 8 << 20


@dataclass(slots=True)
class WarcImport:
    """What an import did.

    Args:
        out: the new corpus.
        files: WARC files read.
        records: whole records in them.
        pages, duplicates, redirects, visits: rows of these kinds.
        drops: URLs that are not stored, by reason; each has a drops row.
        url_twice: captures of a URL that was there before, left out.
        skipped: records that are no capture of a page, by type.
        failures: pages that were stored unparsed, by what happened to their process.
        damages: bytes that are no whole record, by file.
    """

    out: str
    files: int = 0
    records: int = 0
    pages: int = 0
    duplicates: int = 0
    redirects: int = 0
    visits: int = 0
    drops: Counter[str] = field(default_factory=Counter)
    url_twice: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    damages: list[tuple[Path | StoragePath, WarcDamage]] = field(default_factory=list)


def import_warc(
    sources: Iterable[Path | str],
    out: Path | str,
    *,
    options: WarcImportOptions | None = None,
    pool: PoolOptions | None = None,
    on_progress: Progress = no_progress,
) -> WarcImport:
    """Make a corpus of WARC files.

    The corpus appears under its name when it is complete; until then it is ``OUT.importing``.

    Args:
        sources: WARC files, and folders that hold some (``*.warc``, ``*.warc.gz``), also in an
            object store (``s3://…``).
        out: folder of the new corpus; it must not be there.
        options: what is stored.
        pool: processes that parse the pages: one that a page kills, or keeps longer than
            ``timeout_s``, harms no other; the page is stored with the flag ``failed:parse``.
            None: in this process. The corpus is the same.
        on_progress: is told of the bytes that are read, record by record.

    Raises:
        InputError: ``out`` is there already, or there is no WARC file.
        StorageFullError: no room; what was written is removed.
        StoreError: a file cannot be opened, or the device failed.
    """
    out = Path(out)
    if out.exists():
        raise InputError("is there already; an import makes a new corpus", where=out)
    files = _files(sources)
    with corpus_draft(out, ".importing") as draft:
        with CorpusWriter(draft) as writer:
            report = WarcImport(str(out))
            job = _Import(writer, report, options or WarcImportOptions(), on_progress)
            job.run(files, pool)
        settle_versions(draft)
    return job.report


def _files(sources: Iterable[Path | str]) -> list[Path | StoragePath]:
    """The files, those of a folder in order of their names.

    Raises:
        InputError: one is not there, or a folder has none.
    """
    files: list[Path | StoragePath] = []
    for given in sources:
        place, source = StoragePath(str(given)), Path(given)
        if place.is_uri:
            files += _stored_files(place)
        elif source.is_dir():
            archives = sorted(path for path in source.iterdir() if path.name.endswith(_NAMES))
            if not archives:
                raise InputError("holds no WARC file (*.warc, *.warc.gz)", where=source)
            files += archives
        elif source.exists():
            files.append(source)
        else:
            raise InputError("no such file", where=source)
    return files


def _stored_files(place: StoragePath) -> list[StoragePath]:
    """A file of an object store, or those of a folder in it."""
    if place.name.endswith(_NAMES):
        place.open().close()
        return [place]
    archives = [path for path in place.files() if path.name.endswith(_NAMES)]
    if not archives:
        raise InputError("holds no WARC file (*.warc, *.warc.gz)", where=place)
    return archives


def _read(warc_record: WarcFound, options: WarcImportOptions) -> Capture | None:
    return read_capture(warc_record, options.mime_types, options.max_body_bytes)


def _read_and_prepare(
    warc_record: WarcFound, options: WarcImportOptions
) -> Capture | StoredCapture | None:
    capture = _read(warc_record, options)
    return prepare(capture) if isinstance(capture, PageCapture) else capture


@dataclass(slots=True, eq=False)
class _Import:
    """One pass over all files; revisits wait until all pages are there."""

    _writer: CorpusWriter
    report: WarcImport
    _options: WarcImportOptions
    _on_progress: Progress
    _known: set[str] = field(default_factory=set)
    _owners: dict[bytes, str] = field(default_factory=dict)  # URL of a page by MD5 of its body
    _places: dict[str, tuple[str, int, int, bytes]] = field(default_factory=dict)
    _revisits: list[DuplicateRow] = field(default_factory=list)

    def run(self, files: Sequence[Path | StoragePath], pool: PoolOptions | None) -> None:
        read = partial(_read, options=self._options)
        if pool is None:
            for warc_record in self._records(files):
                self._record(warc_record, read(warc_record))
        else:
            self._in_processes(files, partial(_read_and_prepare, options=self._options), pool)
        self._resolve()

    def _in_processes(
        self, files: Sequence[Path | StoragePath], read: Reader, pool: PoolOptions
    ) -> None:
        outcomes = map_pages(
            read, self._records(files), workers=pool.workers, timeout_s=pool.timeout_s,
            memory_bytes=pool.memory_bytes, input_bytes=lambda warc_record: len(warc_record.block),
        )  # fmt: skip
        with closing(outcomes):
            for outcome in outcomes:
                warc_record, capture = outcome.input, outcome.value
                if outcome.failure is not None:
                    self.report.failures[outcome.reason] += 1
                    capture = _read(warc_record, self._options)
                    if isinstance(capture, PageCapture):
                        capture = prepare(capture, parsed=False)
                self._record(warc_record, capture)

    def _records(self, files: Sequence[Path | StoragePath]) -> Iterator[WarcFound]:
        sizes = [path.stat().st_size for path in files if isinstance(path, Path)]
        total = sum(sizes) if len(sizes) == len(files) else None
        n_before = 0
        self._on_progress("bytes", 0, total)
        for path in files:
            self.report.files += 1
            n_read = 0
            for item in read_warc(path):
                n_read = max(n_read, item.offset + item.length)
                self._on_progress("bytes", n_before + n_read, total)
                if isinstance(item, WarcDamage):
                    self.report.damages.append((path, item))
                else:
                    yield item
            n_before += path.stat().st_size if isinstance(path, Path) else n_read
            self._on_progress("bytes", n_before, total)

    def _record(self, warc_record: WarcFound, capture: Capture | StoredCapture | None) -> None:
        self.report.records += 1
        if capture is None:
            self.report.skipped[warc_record.kind or "no type"] += 1
        elif isinstance(capture, DuplicateRow):
            self._revisits.append(capture)
        elif isinstance(capture, VisitRow):
            self._row(capture)
        else:
            self._capture(capture)

    def _capture(self, capture: PageCapture | StoredCapture | RedirectRow | DropRow) -> None:
        key = capture.url
        if version := _version(capture):
            key += f"#{version}"  # no canonical URL has a fragment
        if key in self._known:
            self.report.url_twice += 1
            return
        self._known.add(key)
        if isinstance(capture, PageCapture | StoredCapture):
            self._page(prepare(capture) if isinstance(capture, PageCapture) else capture)
        else:
            self._row(capture)

    def _page(self, page: StoredCapture) -> None:
        row = page.row
        owner = self._owners.get(row.md5)
        if owner is not None and owner != row.url:
            self._row(DuplicateRow(row.fetched, owner, row.links))
        elif page.record is None:
            self._row(dropped(row.url, "bad_url", page.problem, row.fetched_at))
        else:
            placed = self._writer.append_stored(page.record, row)
            self._owners[row.md5] = row.url
            self._places[row.url] = (placed.host, placed.offset, placed.length, placed.md5)
            self.report.pages += 1
            self._writer.commit(_GROUP_ROWS)

    def _row(self, row: DuplicateRow | RedirectRow | DropRow | VisitRow) -> None:
        if isinstance(row, DropRow):
            self.report.drops[row.reason] += 1
        elif isinstance(row, VisitRow):
            self.report.visits += 1
        elif isinstance(row, RedirectRow):
            self.report.redirects += 1
        else:
            self.report.duplicates += 1
        self._writer.append_row(row)
        self._writer.commit(_GROUP_ROWS)

    def _resolve(self) -> None:
        """Duplicates rows of revisits; their links are those of the original's body."""
        self._writer.sync().acknowledged()
        n_revisits = len(self._revisits)
        for revisit in reported(self._revisits, "revisits", self._on_progress, total=n_revisits):
            if revisit.url in self._known:
                self.report.url_twice += 1
                continue
            self._known.add(revisit.url)
            place = self._places.get(revisit.duplicate_of)
            if place is None and not revisit.md5:
                detail = f"revisit of {revisit.duplicate_of or 'a page that is not named'}"
                self._row(dropped(revisit.url, "no_original", detail, revisit.fetched_at))
                continue
            self._revisit(revisit, place)

    def _revisit(self, row: DuplicateRow, place: tuple[str, int, int, bytes] | None) -> None:
        if place is not None:
            host, offset, length, md5 = place
            record = read_at(page_dat_path(self._writer.root, host), offset, length)
            reply = split_reply(record.data)
            page = Page.from_bytes(reply.body, row.url, reply.content_type)
            row = DuplicateRow(replace(row.fetched, md5=md5), row.duplicate_of, page.links)
        self._row(row)


def _version(capture: PageCapture | StoredCapture | RedirectRow | DropRow) -> int:
    """Which version of its page a capture is, from 2; 0: the first, or no page."""
    if isinstance(capture, PageCapture):
        return capture.version
    if isinstance(capture, StoredCapture):
        return int(str(capture.row.analysis.get("version") or 0))
    return 0
