"""One host's records, saved: copied without what lies between them."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from quarkcrawl.store.appendfile import sync_folder, write_whole
from quarkcrawl.store.tianwang import (
    Damage,
    LocatedRecord,
    encode_record,
    read_records,
    split_reply,
    url_text,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from quarkcrawl.store.repair.salvage.report import SalvageJob


@dataclass(frozen=True, slots=True)
class KeptRecord:
    """A whole record and where it lies; ``rewrite`` if its header there does not tell the truth."""

    url: str
    md5: bytes
    date: int
    path: Path
    offset: int
    length: int
    rewrite: bool = False


def salvage_host(sources: Sequence[Path], target: Path, job: SalvageJob) -> list[KeptRecord]:
    """Bring the records of one host into one sound file.

    Args:
        sources: files with the host's records, the best first.
        target: its page.dat; left untouched if it is the only source and sound.
        job: counts are added to its report, bytes that are taken out go to its backup.

    Returns:
        The records of ``target``, in order.
    """
    records, losses = _survey(sources, job)
    if list(sources) != [target] or losses or any(record.rewrite for record in records):
        for source, offset, length in losses:
            _copy_out(source, offset, length, job.backup())
        records = _rewrite(records, target)
        job.report.files_rewritten += 1
        for source in sources:
            if source != target and target.parent.parent.parent in source.parents:
                _set_aside(source, job.backup())
    job.report.hosts += bool(records)
    job.report.records_kept += len(records)
    return records


def _survey(
    sources: Sequence[Path], job: SalvageJob
) -> tuple[list[KeptRecord], list[tuple[Path, int, int]]]:
    """What there is: records to keep, and spans to take out."""
    report = job.report
    records: list[KeptRecord] = []
    losses: list[tuple[Path, int, int]] = []
    seen: set[str] = set()
    for source in sources:
        wrong_header = False
        for item in read_records(source):
            if isinstance(item, Damage):
                report.damages.append((source, item))
                wrong_header = item.length == 0 and item.kind == "bad length"
                if item.kind == "unterminated" and records:
                    records[-1] = replace(records[-1], rewrite=True)
                if item.length:
                    report.records_lost += 1
                    report.bytes_lost += item.length
                    losses.append((source, item.offset, item.length))
                continue
            url = url_text(item.record.url)
            body = split_reply(item.record.data).body
            md5 = hashlib.md5(body, usedforsecurity=False).digest()
            n_called_for = job.versions.get((url, md5), 0)
            if url in seen and not n_called_for:
                report.repeated += 1
                losses.append((source, item.offset, item.length))
            else:
                seen.add(url)
                if n_called_for:
                    job.versions[url, md5] = n_called_for - 1
                place = (source, item.offset, item.length)
                records.append(KeptRecord(url, md5, item.record.date, *place, rewrite=wrong_header))
            wrong_header = False
    return records, losses


def _rewrite(records: Sequence[KeptRecord], target: Path) -> list[KeptRecord]:
    """Write the records to a new file that takes the place of ``target``."""
    if not records:
        target.unlink(missing_ok=True)
        return []
    target.parent.mkdir(parents=True, exist_ok=True)
    rewritten = []
    with write_whole(target) as file:
        for record in records:
            offset = file.tell()
            file.write(_record_bytes(record))
            length = file.tell() - offset
            moved = replace(record, path=target, offset=offset, length=length, rewrite=False)
            rewritten.append(moved)
    for folder in (target.parent, target.parent.parent, target.parent.parent.parent):
        sync_folder(folder)
    return rewritten


def _record_bytes(record: KeptRecord) -> bytes:
    """The record's own bytes, or new ones where its header or its end is wrong."""
    if not record.rewrite:
        return _read(record.path, record.offset, record.length)
    for item in read_records(record.path, start=record.offset):
        if isinstance(item, LocatedRecord):
            return encode_record(item.record)
    raise AssertionError("a record that was read cannot be read again")


def _read(path: Path, offset: int, length: int) -> bytes:
    with path.open("rb") as file:
        file.seek(offset)
        return file.read(length)


def _copy_out(source: Path, offset: int, length: int, folder: Path) -> None:
    """Keep a copy of bytes that are taken out."""
    target = _free_path(folder, f"{source.parent.name}@{offset}")
    with source.open("rb") as file, target.open("wb") as copy:
        file.seek(offset)
        while length > 0 and (block := file.read(min(length, 1 << 20))):
            copy.write(block)
            length -= len(block)
        copy.flush()
        os.fsync(copy.fileno())


def _set_aside(source: Path, folder: Path) -> None:
    """Move a file out of the corpus whose records are in another one now."""
    source.rename(_free_path(folder, f"{source.parent.name}-{source.name}"))
    if not any(source.parent.iterdir()):
        source.parent.rmdir()


def _free_path(folder: Path, name: str) -> Path:
    """A path that nothing has yet: a host may lie in two wrong buckets under one name."""
    path = folder / name
    ordinal = 1
    while path.exists():
        ordinal += 1
        path = folder / f"{name}~{ordinal}"
    return path
