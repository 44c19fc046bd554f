"""Cutting the end off page.dat files, keeping a copy of what is cut."""

from __future__ import annotations

import errno
import os
import shutil
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from quarkcrawl.errors import StorageFullError
from quarkcrawl.store.appendfile import sync_folder
from quarkcrawl.store.layout import host_folder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


_UNSAVED_BYTES: Final = 16 * 1024 * 1024
"""On a full disk, at most this much is cut without keeping a copy."""


@dataclass(frozen=True, slots=True)
class FileCut:
    """A page.dat whose first ``kept_bytes`` stay and whose last ``cut_bytes`` go."""

    path: Path
    host: str
    kept_bytes: int
    cut_bytes: int


def cut_files(root: Path, cuts: Sequence[FileCut]) -> Sequence[FileCut]:
    """Cut files; returns what was done.

    Raises:
        StorageFullError: there is no room for the copies of what should be cut.
    """
    if cuts:
        _keep_copies(root, cuts)
    for cut in cuts:
        _truncate(cut)
    return cuts


def _keep_copies(root: Path, cuts: Sequence[FileCut]) -> None:
    try:
        folder = new_salvage_folder(root, "cut")
        for cut in cuts:
            target = folder / f"{host_folder(cut.host)}@{cut.kept_bytes}"
            with cut.path.open("rb") as source, target.open("wb") as copy:
                source.seek(cut.kept_bytes)
                shutil.copyfileobj(source, copy)
                copy.flush()
                os.fsync(copy.fileno())  # before the bytes go from where they were
        for changed in (folder, folder.parent, root):
            sync_folder(changed)
    except OSError as error:
        total = sum(cut.cut_bytes for cut in cuts)
        if total > _UNSAVED_BYTES:
            raise StorageFullError(
                f"no room for a copy of {total} bytes that have no rows", where=root
            ) from error


def new_salvage_folder(root: Path, word: str) -> Path:
    """A new folder below ``salvage/`` for bytes that are taken out of the corpus."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    for ordinal in range(10_000):
        folder = root / "salvage" / f"{word}-{stamp}-{ordinal:04}"
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        return folder
    raise FileExistsError(errno.EEXIST, "no free name", str(root / "salvage"))


def _truncate(cut: FileCut) -> None:
    fd = os.open(cut.path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.ftruncate(fd, cut.kept_bytes)
        os.fsync(fd)
    finally:
        os.close(fd)
    if cut.kept_bytes == 0:  # a host of which nothing is stored has no folder
        cut.path.unlink()
        if not any(cut.path.parent.iterdir()):
            cut.path.parent.rmdir()
