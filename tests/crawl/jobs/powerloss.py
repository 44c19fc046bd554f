"""Runs on a disk whose power goes when they are killed: what was not synced may be gone.

What a run does to its folder is recorded below SQLite and DuckDB by a preloaded library
(recorder.c); `tests.hostile.powercut` then says what the disk may hold.
"""

from __future__ import annotations

import random
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile.filelayer import Event
from tests.hostile.powercut import after_power_cut

SOURCE = Path(__file__).with_name("recorder.c")
HEAD = struct.Struct("<BBB5xQQQII")
KINDS = {1: "write", 2: "cut", 3: "sync", 4: "link", 5: "unlink"}


def compiled(folder: Path) -> Path:
    """The recorder as a library; skips a test where it cannot be made."""
    if sys.platform != "linux" or shutil.which("cc") is None:
        pytest.skip("the recorder needs Linux and a C compiler")
    library = folder / "recorder.so"
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE), "-ldl", "-lpthread"],
        check=True,
    )
    return library


class Disk:
    """A folder of which everything done is recorded, and that may lose its power.

    Args:
        folder: what lies on the disk; what is in it now is sure to be there.
        log: file of the events, elsewhere.
    """

    def __init__(self, library: Path, folder: Path, log: Path) -> None:
        self.folder, self.log = folder, log
        self.environment = {
            "LD_PRELOAD": str(library), "RECORDER_ROOT": str(folder), "RECORDER_LOG": str(log)
        }  # fmt: skip
        self._remember()

    def _remember(self) -> None:
        """Take what is there for safe."""
        self.log.write_bytes(b"")
        self._before: list[Event] = []
        self._ids = {self.folder.stat().st_ino: self.folder.stat().st_ino}
        for path in sorted(self.folder.rglob("*")):
            inode, parent = path.stat().st_ino, self._ids[path.parent.stat().st_ino]
            self._ids[inode] = inode
            self._before.append(
                Event("link", parent, name=path.name, child=inode, is_folder=path.is_dir())
            )
            if path.is_file():
                self._before.append(Event("write", inode, 0, path.read_bytes()))
        inodes = {event.inode for event in self._before}
        began = len(self._before)
        self._before += [Event("sync", inode, began) for inode in sorted(inodes)]

    def events(self) -> list[Event]:
        """What was there, and what was done since."""
        data, events, ids = self.log.read_bytes(), list(self._before), dict(self._ids)
        index_at: dict[int, int] = {}
        offset = 0
        while offset < len(data):
            index_at[offset] = len(events)
            kind, is_folder, is_new, inode, at, child, n_name, n_data = HEAD.unpack_from(
                data, offset
            )
            name_end = offset + HEAD.size + n_name
            name = data[offset + HEAD.size : name_end].decode()
            if is_new:  # file systems give one number to many files
                ids[child] = (1 << 40) + len(events)
            if KINDS[kind] == "sync":
                at = index_at.get(at, len(events))
            events.append(
                Event(KINDS[kind], ids.get(inode, inode), at, data[name_end : name_end + n_data],
                      name, ids.get(child, child), bool(is_folder))
            )  # fmt: skip
            offset = name_end + n_data
        return events

    def lose_power(self, dice: random.Random) -> None:
        """The folder becomes what the disk may hold."""
        self._rebuild(self.events(), dice)
        self._remember()

    def as_recorded(self, target: Path) -> None:
        """What the events say that the folder holds now: all of them, synced or not."""
        events = self.events()
        began = len(events)
        inodes = {event.inode for event in events}
        synced = [*events, *(Event("sync", inode, began) for inode in sorted(inodes))]
        after_power_cut(synced, len(synced), target, self.folder.stat().st_ino, random.Random(0))

    def _rebuild(self, events: list[Event], dice: random.Random) -> None:
        root_inode = self.folder.stat().st_ino
        after = self.folder.with_name(self.folder.name + "-after")
        after_power_cut(events, len(events), after, root_inode, dice)
        shutil.rmtree(self.folder)
        after.rename(self.folder)
