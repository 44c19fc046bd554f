"""A corpus as WARC files."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl import __version__
from quarkcrawl.corpus.warc.entries import (
    Original,
    original_of,
    page_entries,
    redirect_entry,
    request_entry,
    revisit_entry,
    visit_entry,
)
from quarkcrawl.errors import DamagedRecordError, InputError, StoreError
from quarkcrawl.progress import CountedStep, no_progress, reported
from quarkcrawl.store import (
    Corpus,
    Damage,
    decode_record,
    new_folder,
    page_dat_path,
    read_records,
    shard_roots,
)
from quarkcrawl.store.tables import iter_batches, total_rows
from quarkcrawl.store.tianwang import Window, url_text
from quarkcrawl.store.warc import MAX_FILE_BYTES, WarcFolder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from quarkcrawl.progress import Progress
    from quarkcrawl.store import TianwangRecord, VisitRow
    from quarkcrawl.store.tables import RowKind
    from quarkcrawl.store.warc import WarcEntry


_COLUMNS: Final = [
    "url", "host", "offset", "length", "md5", "level", "hops", "fetched_at", "marks", "version"
]  # fmt: skip
_UNCHANGED: Final = "unchanged"
_PAGES: Final[tuple[RowKind, ...]] = ("page", "version")
_OWN_SUFFIXES: Final = (".warc.gz", ".warc.gz.open", ".cdxj", ".cdxj.tmp")
_NOTHING: Final[Mapping[str, Any]] = {}


@dataclass(frozen=True, slots=True)
class WarcProblem:
    """A page that is not in the WARC files, or a place of a file where none could be read."""

    reason: str
    where: str
    url: str
    detail: str


@dataclass(slots=True)
class WarcExport:
    """What an export wrote.

    Args:
        out: the folder.
        files: names of the WARC files.
        written_bytes: their size.
        pages, redirects, revisits, requests: records by what they stand for.
        problems: what could not be exported, and why.
    """

    out: str
    files: list[str] = field(default_factory=list)
    written_bytes: int = 0
    pages: int = 0
    redirects: int = 0
    revisits: int = 0
    requests: int = 0
    problems: list[WarcProblem] = field(default_factory=list)


def export_warc(
    root: Path | str,
    out: Path | str,
    *,
    prefix: str = "quarkcrawl",
    max_file_bytes: int = MAX_FILE_BYTES,
    operator: str = "",
    requests: bool = False,
    on_progress: Progress = no_progress,
) -> WarcExport:
    """Write all pages, redirects and duplicates of a corpus as WARC 1.1.

    Of a page that was visited again all versions are written, the newest first in the files; a
    visit that found it unchanged is a revisit record of the version that it found.

    The folder appears under its name when it is complete and synced; until then it is
    ``OUT.exporting``. A second export of the same corpus gives the same records, ids included,
    except for the warcinfo records.

    Args:
        root: a corpus, a shared crawl, or one page.dat file.
        out: folder for the files; it must not be there.
        prefix: begin of the files' names.
        max_file_bytes: size at which a file is closed.
        operator: who is responsible for the crawl, for the warcinfo records.
        requests: also a request record for each reply, made of its URL, which says so: the other
            header lines of requests are not kept.
        on_progress: is told of the pages, host by host.

    Raises:
        InputError: ``out`` is there already.
        StorageFullError: no room; what was written is removed.
        StoreError: the folder is no corpus, or the device failed.
    """
    root, out = Path(root), Path(out)
    if out.exists():
        raise InputError("is there already; an export makes a new folder", where=out)
    if root.is_file():
        with root.open("rb") as file:
            if b"version:" not in file.read(_LOOKED_AT_BYTES):
                raise InputError("no page.dat: no record begins in it", where=root)
    roots = [] if root.is_file() else shard_roots(root)
    draft = out.with_name(out.name + ".exporting")
    with (
        new_folder(out, draft, _clear),
        WarcFolder(draft, prefix, _about(operator), max_file_bytes=max_file_bytes) as folder,
    ):
        export = _Export(folder, WarcExport(str(out)), on_progress, requests=requests)
        return export.run(root, roots)


_LOOKED_AT_BYTES = 1 << 20


def _about(operator: str) -> list[tuple[str, str]]:
    about = [
        ("software", f"quarkcrawl/{__version__}"),
        ("format", "WARC File Format 1.1"),
        (
            "conformsTo",
            "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
        ),
        ("description", "replies as stored in page.dat: transfer and content encodings removed"),
    ]
    clean = " ".join(operator.split())
    return [*about, ("operator", clean)] if clean else about


def _clear(draft: Path) -> None:
    """Remove what an interrupted export left."""
    if not draft.is_dir():
        return
    if any(not path.name.endswith(_OWN_SUFFIXES) for path in draft.iterdir()):
        raise StoreError("is in the way: not made by an export", where=draft)
    shutil.rmtree(draft)


class _Export:
    """One pass over all pages, then over the other rows."""

    def __init__(
        self, folder: WarcFolder, report: WarcExport, on_progress: Progress, *, requests: bool
    ) -> None:
        self._folder = folder
        self._on_progress = on_progress
        self._with_requests = requests
        self._report = report
        self._originals: dict[str, Original | None] = {}  # by the MD5 that duplicates have
        self._visited: dict[str, list[Original]] = {}  # versions of pages that have visits

    def run(self, root: Path, shards: list[Path]) -> WarcExport:
        if not shards:
            self._plain_file(root)
        corpora = [Corpus.open(shard) for shard in shards]
        for corpus in corpora:
            self._originals.update((row.md5.hex(), None) for row in corpus.duplicates())
            self._visited.update((v.url, []) for v in corpus.visits() if v.reason == _UNCHANGED)
        step = CountedStep("pages", self._on_progress, total_rows(shards, *_PAGES))
        for kind in _PAGES:
            for shard in shards:
                self._pages(shard, kind, step)
        self._on_progress("redirects and duplicates", 0, None)
        for corpus in corpora:
            for redirect in corpus.redirects():
                self._report.redirects += self._add(redirect.url, redirect_entry(redirect))
        for corpus in corpora:
            self._revisits(corpus)
        self._folder.close()
        self._report.files = self._folder.files
        self._report.written_bytes = self._folder.written_bytes
        return self._report

    def _plain_file(self, path: Path) -> None:
        """The records of a page.dat that has no rows."""
        for item in reported(read_records(path), "records", self._on_progress):
            if isinstance(item, Damage):
                where = f"{path}@{item.offset}"
                self._problem("damaged", where, item.url or "", f"{item.kind}: {item.detail}")
            else:
                self._page(item.record, _NOTHING)

    def _revisits(self, corpus: Corpus) -> None:
        """What has no body of its own: duplicates, and pages that were found unchanged."""
        for row in corpus.duplicates():
            original = self._originals.get(row.md5.hex()) or Original(row.duplicate_of)
            self._report.revisits += self._add(row.url, revisit_entry(row, original))
        for visit in corpus.visits():
            self._visit(visit)

    def _visit(self, visit: VisitRow) -> None:
        """A revisit record of the version that a visit found."""
        if visit.reason != _UNCHANGED:
            return
        before = [o for o in self._visited[visit.url] if (o.date or 0) <= visit.at]
        original = max(before, key=lambda o: o.date or 0, default=Original(visit.url))
        self._report.revisits += self._add(visit.url, visit_entry(visit, original))

    def _pages(self, shard: Path, kind: RowKind, step: CountedStep) -> None:
        for host, rows in _by_host(shard, kind):
            path = page_dat_path(shard, host)
            try:
                window = Window(path)
            except StoreError as error:
                for row in rows:
                    self._problem("damaged", str(path), row["url"], error.message)
                step.add(len(rows))
                continue
            with window:
                for row in rows:
                    self._stored(window, path, row)
            step.add(len(rows))

    def _stored(self, window: Window, path: Path, row: Mapping[str, Any]) -> None:
        where = f"{path}@{row['offset']}"
        try:
            record = decode_record(window.read(row["offset"], row["length"]))
        except DamagedRecordError as error:
            self._problem("damaged", where, row["url"], error.message)
            return
        if url_text(record.url) != row["url"]:
            self._problem("damaged", where, row["url"], "the record is that of another page")
            return
        self._page(record, row)

    def _page(self, record: TianwangRecord, row: Mapping[str, Any]) -> None:
        entries = page_entries(record, row)
        if self._add(record.url, *entries):
            self._report.pages += 1
            if (versions := self._visited.get(url_text(record.url))) is not None:
                versions.append(original_of(entries[0]))
            if row.get("md5") in self._originals:
                self._originals[row["md5"]] = original_of(entries[0])

    def _add(self, url: str, reply: WarcEntry, *others: WarcEntry) -> bool:
        request = request_entry(reply) if self._with_requests else None
        entries = (reply, *others) if request is None else (reply, request, *others)
        try:
            self._folder.add(*entries)
        except InputError as error:
            self._problem("bad_url", error.where or "", url_text(url), error.message)
            return False
        self._report.requests += request is not None
        return True

    def _problem(self, reason: str, where: str, url: str, detail: str) -> None:
        self._report.problems.append(WarcProblem(reason, where, url, detail))


def _by_host(shard: Path, kind: RowKind) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Rows of a host that lie together, a batch at most."""
    for batch in iter_batches(shard, kind, _COLUMNS):
        for host, rows in groupby(batch.to_pylist(), key=itemgetter("host")):
            yield host, list(rows)
