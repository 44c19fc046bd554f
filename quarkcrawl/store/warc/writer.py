"""A folder of WARC files, each begun by a warcinfo record and closed at a bounded size.

Beside each stands its index in CDXJ form (`quarkcrawl.store.warc.cdxj`), in order of its keys.

A file is ``NAME.warc.gz.open`` until it is whole and synced, as Heritrix does it, so that a name
without ``.open`` always means a complete file.
"""

from __future__ import annotations

import os
import time
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from quarkcrawl.errors import ConfigError
from quarkcrawl.store.appendfile import storage_errors, sync_folder, write_whole
from quarkcrawl.store.warc.cdxj import CDXJ_SUFFIX, cdxj_line
from quarkcrawl.store.warc.record import WarcEntry, encode_entry, record_id

if TYPE_CHECKING:
    from collections.abc import Sequence


MAX_FILE_BYTES: Final = 1_000_000_000
"""Size at which a file is closed; what web archives agree on."""
WARC_SUFFIX: Final = ".warc.gz"
OPEN_SUFFIX: Final = ".open"
_BUFFER_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class _Open:
    name: str
    path: Path
    file: BinaryIO
    warcinfo_id: str
    index: list[str]


class WarcFolder(AbstractContextManager["WarcFolder"]):
    """Appends records to files ``PREFIX-00000.warc.gz`` and so on; a context manager.

    Args:
        folder: where; it is made if need be.
        prefix: begin of the files' names.
        about: lines of the warcinfo records, ``("software", "quarkcrawl 1.0")`` and the like.
        max_file_bytes: a file that is larger after a record is closed.

    Raises:
        ConfigError: the prefix cannot be part of a file name.
        StoreError: the folder cannot be written.
    """

    def __init__(
        self,
        folder: Path,
        prefix: str,
        about: Sequence[tuple[str, str]],
        *,
        max_file_bytes: int = MAX_FILE_BYTES,
    ) -> None:
        if not prefix or prefix != Path(prefix).name or prefix.startswith("."):
            raise ConfigError("cannot begin a file name", where=repr(prefix))
        self.folder = folder
        self.files: list[str] = []
        self.written_bytes = 0
        self._prefix = prefix
        self._about = tuple(about)
        self._max = max_file_bytes
        self._open: _Open | None = None
        with storage_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)

    def add(self, *entries: WarcEntry) -> None:
        """Write records that belong together, to one file.

        Raises:
            InputError: a record cannot be written; none of them is.
            StorageFullError: no room.
            StoreError: any other failure of the device.
        """
        current = self._open or self._start()
        encoded = [encode_entry(entry, current.warcinfo_id) for entry in entries]
        for entry, data in zip(entries, encoded, strict=True):
            line = cdxj_line(entry, current.name, current.file.tell(), len(data))
            if line is not None:
                current.index.append(line)
            self._write(current, data)
        if current.file.tell() > self._max:
            self._finish()

    def _start(self) -> _Open:
        """A new file with its warcinfo record."""
        name = f"{self._prefix}-{len(self.files):05}{WARC_SUFFIX}"
        path = self.folder / (name + OPEN_SUFFIX)
        now = int(time.time())
        urn = record_id("warcinfo", name, now)
        block = "".join(f"{key}: {value}\r\n" for key, value in self._about).encode()
        info = WarcEntry(
            "warcinfo", urn, now, block, "application/warc-fields", fields=[("WARC-Filename", name)]
        )
        with storage_errors(path):
            file = path.open("wb", buffering=_BUFFER_BYTES)
        self._open = _Open(name, path, file, urn, [])
        self.files.append(name)
        self._write(self._open, encode_entry(info))
        return self._open

    def _write(self, current: _Open, data: bytes) -> None:
        with storage_errors(current.path):
            current.file.write(data)
        self.written_bytes += len(data)

    def _finish(self) -> None:
        """Sync the open file and give it its name."""
        current = self._open
        if current is None:
            return
        with storage_errors(current.path):
            current.file.flush()
            os.fsync(current.file.fileno())
            current.file.close()
            index = self.folder / (current.name.removesuffix(WARC_SUFFIX) + CDXJ_SUFFIX)
            with write_whole(index) as lines:
                lines.writelines(f"{line}\n".encode() for line in sorted(current.index))
            current.path.rename(current.path.with_suffix(""))
            sync_folder(self.folder)
        self._open = None

    def close(self) -> None:
        """Finish the last file, which is there even if it holds no page; safe to call twice.

        Raises:
            StorageFullError: no room.
            StoreError: any other failure of the device.
        """
        if not self.files:
            self._start()
        self._finish()

    def abandon(self) -> None:
        """Close what is open without giving it its name."""
        if self._open is not None:
            current, self._open = self._open, None
            try:
                current.file.close()
            except OSError:  # its buffer does not fit on the full disk either
                return

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()
