"""Which stages of a job are finished, and the checksums of their files.

    {"run": "5d0e…"}
    {"stage": "twins", "note": "", "files": {"stages/twins.parquet": [81220, 3126400557]}}
    {"stage": "twins", "note": "", "files": null}

One JSON line a stage, its files with their size in bytes and CRC-32, written and synced after
they are; a line that is not whole is none. The last line of a stage counts. A stage whose files
are missing or changed is not finished. A log of another run (other settings, other input) is
thrown away with the files it names.
"""

from __future__ import annotations

import json
import os
import zlib
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.store import sync_file, sync_folder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


_READ_BYTES: Final = 1 << 20


class StageLog:
    """The log of a folder; whoever writes must hold a lock on it.

    Args:
        folder: where log and files are; made if it is not there.
        run: what the files depend on, in a word.

    Raises:
        OSError: the folder cannot be read or written.
    """

    def __init__(self, folder: Path, run: str) -> None:
        self.folder = folder
        self._path = folder / "stages.jsonl"
        self._stages: dict[str, dict[str, Any]] = {}
        folder.mkdir(parents=True, exist_ok=True)
        owner = self._read()
        if owner != run:
            for name in list(self._stages):
                self.forget(name)
            self._stages = {}
            self._path.unlink(missing_ok=True)
            self._append({"run": run})

    def _read(self) -> str | None:
        """Take in the log; returns its run."""
        run: str | None = None
        try:
            lines = self._path.read_bytes().splitlines(keepends=True)
        except FileNotFoundError:
            return None
        for line in lines:
            try:
                entry = json.loads(line) if line.endswith(b"\n") else None
            except ValueError:
                continue
            if not isinstance(entry, dict):
                continue
            if "run" in entry:
                run = entry["run"]
            elif "stage" in entry:
                self._stages[entry["stage"]] = entry
        if lines and not lines[-1].endswith(b"\n"):  # killed while writing: close the line
            self._write(b"\n")
        return run

    def is_done(self, stage: str, note: str = "") -> bool:
        """Whether a stage is finished with this note, and its files are as they were."""
        entry = self._stages.get(stage)
        if entry is None or entry["files"] is None or entry["note"] != note:
            return False
        return all(
            _checksum(self.folder / name) == checksum for name, checksum in entry["files"].items()
        )

    def finish(self, stage: str, files: Sequence[Path], note: str = "") -> None:
        """Note that a stage is finished; its files are durable before that."""
        checksums = {}
        for path in files:
            sync_file(path)
            checksums[path.relative_to(self.folder).as_posix()] = _checksum(path)
        for folder in {self.folder, *(path.parent for path in files)}:
            sync_folder(folder)
        entry = {"stage": stage, "note": note, "files": checksums}
        self._append(entry)
        self._stages[stage] = entry

    def forget(self, stage: str) -> None:
        """Delete the files of a stage; it is not finished any more."""
        entry = self._stages.get(stage)
        if entry is None or entry["files"] is None:
            return
        for name in self.files(stage):
            (self.folder / name).unlink(missing_ok=True)
        self._stages[stage] = {**entry, "files": None}
        self._append(self._stages[stage])

    def stages(self) -> list[str]:
        """Names of the stages that have files."""
        return [name for name, entry in self._stages.items() if entry["files"] is not None]

    def files(self, stage: str) -> list[str]:
        """Names of the files of a stage, as seen from the folder."""
        entry = self._stages.get(stage)
        return list((entry and entry["files"]) or ())

    def _append(self, entry: dict[str, Any]) -> None:
        self._write(json.dumps(entry, ensure_ascii=False).encode() + b"\n")

    def _write(self, data: bytes) -> None:
        with self._path.open("ab") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())


def _checksum(path: Path) -> list[int] | None:
    """Size and CRC-32; None if the file is not there."""
    size = crc = 0
    try:
        with path.open("rb") as file:
            while block := file.read(_READ_BYTES):
                size += len(block)
                crc = zlib.crc32(block, crc)
    except FileNotFoundError:
        return None
    return [size, crc]
