"""Rebuilding a damaged corpus: page.dat is the truth, rows follow it.

Every whole record is kept, once per URL; what lies between goes to ``salvage/damaged-…``. A
record whose row is still there (same URL and MD5) keeps it, with all that later stages added;
otherwise its row is made anew from the record, with level 0 and the flag ``salvaged``. Rows
without a record are dropped.

Salvage in place holds the lock and can be run again if it is interrupted; until then no writer
opens the corpus. With ``out`` the source is only read.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from quarkcrawl.errors import InputError, NotStoredError, StoreError
from quarkcrawl.progress import CountedStep, no_progress
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
from quarkcrawl.store.repair.salvage.file import salvage_host
from quarkcrawl.store.repair.salvage.report import SalvageJob, SalvageReport
from quarkcrawl.store.repair.salvage.rows import SalvagedRows
from quarkcrawl.store.tables import last_number, settle_versions

if TYPE_CHECKING:
    from quarkcrawl.progress import Progress


def salvage(
    root: Path | str,
    out: Path | str | None = None,
    *,
    include_cut: bool = False,
    on_progress: Progress = no_progress,
) -> SalvageReport:
    """Save what can be saved of a corpus.

    Args:
        root: the corpus; a folder with page.dat files but without ``corpus.json`` will do.
        out: a new corpus to write to; None works in place.
        include_cut: also take records that recovery cut because they had no rows
            (``salvage/cut-…``), if their URLs are not stored.
        on_progress: is told of each host.

    Raises:
        CorpusLockedError: a writer holds the corpus.
        StoreError: the corpus cannot be read or written, or ``out`` holds pages already.
    """
    root = Path(root)
    target = root if out is None else Path(out)
    _check(root, target)
    with storage_errors(target):
        create_marker(target)
        with CorpusLock(target):
            return _run(SalvageJob(root, target), on_progress, include_cut=include_cut)


def _check(root: Path, target: Path) -> None:
    if not root.is_dir():
        raise NotStoredError("no such folder", where=root)
    if (root / MARKER).exists():
        check_marker(root)
    elif next(stored_files(root), None) is None and not (root / "journal").exists():
        raise NotStoredError("no corpus, and nothing of one to salvage", where=root)
    is_strange = target != root and target.is_dir() and not (target / MARKER).exists()
    if is_strange and any(target.iterdir()):
        raise InputError("is there already and no corpus; name a new folder", where=target)
    if target != root and next(stored_files(target), None) is not None:
        raise StoreError("the folder for salvaged pages holds pages already", where=target)


def _run(job: SalvageJob, on_progress: Progress, *, include_cut: bool) -> SalvageReport:
    note = job.target / SALVAGE_NOTE
    note.touch()
    sync_folder(job.target)
    rows = SalvagedRows(job, max(last_number(job.root), last_number(job.target)) + 1)
    by_bucket = _sources(job.root, include_cut=include_cut)
    step = CountedStep("hosts", on_progress, sum(map(len, by_bucket.values())))
    for ordinal in range(N_BUCKETS):
        with rows.bucket(ordinal) as bucket_rows:
            for host, paths in by_bucket[ordinal].items():
                bucket_rows.match(host, salvage_host(paths, page_dat_path(job.target, host), job))
                step.add()
    rows.finish()
    settle_versions(job.target)
    note.unlink()
    sync_folder(job.target)
    return job.report


def _sources(root: Path, *, include_cut: bool) -> dict[int, dict[str, list[Path]]]:
    """Files by true bucket and host; a host's own page.dat comes first."""
    by_bucket: dict[int, dict[str, list[Path]]] = defaultdict(lambda: defaultdict(list))
    for _, host, path in stored_files(root):
        own = path == page_dat_path(root, host)
        paths = by_bucket[bucket(host)][host]
        paths.insert(0 if own else len(paths), path)
    if include_cut:
        for path in sorted(root.glob("salvage/cut-*/*@*")):
            host = folder_host(path.name.rpartition("@")[0])
            by_bucket[bucket(host)][host].append(path)
    return by_bucket
