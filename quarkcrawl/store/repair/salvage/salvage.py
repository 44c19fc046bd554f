"""Rebuilding a damaged corpus: page.dat is the truth, rows follow it.

Every whole record is kept, once per URL; what lies between goes to ``salvage/damaged-…``. A
record whose row is still there (same URL and MD5) keeps it, with all that later stages added;
otherwise its row is made anew from the record, with level 0 and the mark ``salvaged``. Rows
without a record are dropped.

Salvage in place holds the lock and can be run again if it is interrupted; until then no writer
opens the corpus. With ``out`` the source is only read.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path

from quarkcrawl.errors import StoreError
from quarkcrawl.store.appendfile import storage_errors, sync_folder
from quarkcrawl.store.layout import (
    N_BUCKETS,
    bucket,
    folder_host,
    page_dat_path,
    stored_files,
)
from quarkcrawl.store.lock import CorpusLock
from quarkcrawl.store.marker import MARKER, SALVAGE_NOTE, check_marker, create_marker
from quarkcrawl.store.repair.cuts import new_salvage_folder
from quarkcrawl.store.repair.salvage.file import salvage_host
from quarkcrawl.store.repair.salvage.report import SalvageReport
from quarkcrawl.store.repair.salvage.rows import SalvagedRows
from quarkcrawl.store.tables import last_number


def salvage(
    root: Path | str, out: Path | str | None = None, *, include_cut: bool = False
) -> SalvageReport:
    """Save what can be saved of a corpus.

    Args:
        root: the corpus; a folder with page.dat files but without ``corpus.json`` will do.
        out: a new corpus to write to; None works in place.
        include_cut: also take records that recovery cut because they had no rows
            (``salvage/cut-…``), if their URLs are not stored.

    Raises:
        CorpusLockedError: a writer holds the corpus.
        StoreError: the corpus cannot be read or written, or ``out`` holds pages already.
    """
    root = Path(root)
    target = root if out is None else Path(out)
    _check(root, target)
    with storage_errors(target), ExitStack() as stack:
        create_marker(target)
        stack.enter_context(CorpusLock(target))
        return _Salvage(root, target, include_cut=include_cut).run()


def _check(root: Path, target: Path) -> None:
    if not root.is_dir():
        raise StoreError("no such folder", where=root)
    if (root / MARKER).exists():
        check_marker(root)
    if target != root and next(stored_files(target), None) is not None:
        raise StoreError("the folder for salvaged pages holds pages already", where=target)


class _Salvage:
    """One run; ``target`` equals ``root`` when working in place."""

    def __init__(self, root: Path, target: Path, *, include_cut: bool) -> None:
        self._root = root
        self._target = target
        self._include_cut = include_cut
        self._report = SalvageReport()

    def run(self) -> SalvageReport:
        note = self._target / SALVAGE_NOTE
        note.touch()
        sync_folder(self._target)
        number = max(last_number(self._root), last_number(self._target)) + 1
        rows = SalvagedRows(self._root, self._target, number, self._report, self._backup)
        by_bucket = self._sources()
        for ordinal in range(N_BUCKETS):
            with rows.bucket(ordinal) as bucket_rows:
                for host, paths in by_bucket[ordinal].items():
                    kept = salvage_host(
                        paths, page_dat_path(self._target, host), self._report, self._backup
                    )
                    bucket_rows.match(host, kept)
        rows.finish()
        note.unlink()
        sync_folder(self._target)
        return self._report

    def _sources(self) -> dict[int, dict[str, list[Path]]]:
        """Files by true bucket and host; a host's own page.dat comes first."""
        found: dict[int, dict[str, list[Path]]] = defaultdict(lambda: defaultdict(list))
        for _, host, path in stored_files(self._root):
            own = path == page_dat_path(self._root, host)
            paths = found[bucket(host)][host]
            paths.insert(0 if own else len(paths), path)
        if self._include_cut:
            for path in sorted(self._root.glob("salvage/cut-*/*@*")):
                host = folder_host(path.name.rpartition("@")[0])
                found[bucket(host)][host].append(path)
        return found

    def _backup(self) -> Path:
        """Folder for what is taken out, made when first needed."""
        if self._report.backup is None:
            self._report.backup = new_salvage_folder(self._target, "damaged")
        return self._report.backup
