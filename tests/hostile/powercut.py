"""What a disk may hold after the power goes: a model stricter than the common file systems.

Of a file everything before its last completed sync is there; of what came later each write may
be there, missing, or torn at any 512-byte sector, in any order, with zeros in the gaps. Of a
folder the entries of its last sync are there, and any number of the later changes, in their
order. A file that was synced but whose folder was not may have no name (POSIX; ext4 is kinder).
"""

from __future__ import annotations

import os
import random
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from .filelayer import Event

__all__ = ["after_power_cut", "notes_before"]

SECTOR = 512


def notes_before(events: Sequence[Event], cut: int) -> list[int]:
    """What the test noted before the power went."""
    return [event.at for event in events[:cut] if event.kind == "note"]


def after_power_cut(
    events: Sequence[Event], cut: int, root: Path, root_inode: int, rng: random.Random
) -> None:
    """Make ``root`` what the disk may hold when the power goes after ``cut`` events."""
    happened = events[:cut]
    files: dict[int, bytearray] = defaultdict(bytearray)
    folders: dict[int, dict[str, int]] = defaultdict(dict)
    is_folder = {root_inode} | {e.child for e in happened if e.kind == "link" and e.is_folder}
    sure = _sure(happened, is_folder)
    keep = {inode: rng.random() for inode in {e.inode for e in happened}}
    stopped: set[int] = set()
    for index, event in enumerate(happened):
        is_sure = index in sure
        if event.kind in ("link", "unlink"):
            if not is_sure and (event.inode in stopped or rng.random() > keep[event.inode]):
                stopped.add(event.inode)
                continue
            if event.kind == "link":
                folders[event.inode][event.name] = event.child
            else:
                folders[event.inode].pop(event.name, None)
        elif event.kind in ("write", "cut") and (is_sure or rng.random() < keep[event.inode]):
            _apply(files[event.inode], event, None if is_sure else rng)
    _build(root, root_inode, folders, files, is_folder)


def _sure(events: Sequence[Event], folders: set[int]) -> set[int]:
    """Index of each event that is on disk for certain.

    What a failed sync was to write to a file may be gone, though a later sync says all is well: the
    kernel reports an error once and takes the pages for clean. What is done after it, the next one
    writes. Names in a folder wait for the next good sync: they stand in the file system's journal,
    and one that cannot write its journal (ext4, xfs, btrfs) takes no later sync either.
    """
    sure: set[int] = set()
    waiting: dict[int, list[int]] = defaultdict(list)
    for index, event in enumerate(events):
        if event.kind not in ("sync", "failed_sync"):
            waiting[event.inode].append(index)
            continue
        if event.kind == "failed_sync" and event.inode in folders:
            continue
        covered = [earlier for earlier in waiting[event.inode] if earlier < event.at]
        waiting[event.inode] = waiting[event.inode][len(covered) :]
        if event.kind == "sync":
            sure.update(covered)
    return sure


def _apply(content: bytearray, event: Event, rng: random.Random | None) -> None:
    if event.kind == "cut":
        if len(content) > event.at:
            del content[event.at :]
        else:
            content.extend(bytes(event.at - len(content)))
        return
    end = event.at + len(event.data)
    if rng is not None and rng.random() < 0.5:  # torn: some sectors only
        first = (end - 1) // SECTOR * SECTOR
        end = max(event.at, rng.randrange(event.at // SECTOR, first // SECTOR + 1) * SECTOR)
    content.extend(bytes(max(0, end - len(content))))
    content[event.at : end] = event.data[: end - event.at]


def _build(
    path: Path,
    inode: int,
    folders: dict[int, dict[str, int]],
    files: dict[int, bytearray],
    is_folder: set[int],
) -> None:
    path.mkdir(exist_ok=True)
    for name, child in folders[inode].items():
        if child in is_folder:
            _build(path / name, child, folders, files, is_folder)
        else:
            (path / name).write_bytes(files.get(child, b""))
            os.utime(path / name)
