"""Files that are read by range, on this machine or in an object store: one place opens them.

A path without a scheme is opened by the operating system. Any other goes through pyarrow's file
systems, which speak ``s3://``, ``gs://``, ``hdfs://`` and ``file://``.
"""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import pyarrow as pa

from quarkcrawl.errors import StoreError

if TYPE_CHECKING:
    from pyarrow import fs


_SCHEME: Final = "://"
_FAILURES: Final = (OSError, pa.ArrowException, NotImplementedError)


class RangeFile(Protocol):
    """An open file of fixed size (that at opening) that is read at any place."""

    size: int

    def read_at(self, offset: int, length: int) -> bytes:
        """Bytes of the file; fewer than asked for only at its end.

        Args:
            offset: the first of them.
            length: how many.
        """

    def close(self) -> None:
        """Give the file back."""


@dataclass(frozen=True, slots=True)
class StoragePath:
    """A file or folder of this machine, or of an object store.

    Args:
        text: a path, or a URI such as ``s3://bucket/folder?region=us-east-1``.
    """

    text: str

    def __str__(self) -> str:
        return self.text

    def __truediv__(self, name: str) -> StoragePath:
        """What lies below; a name that is whole in itself (``/a``, ``s3://a``) stands alone."""
        if not self.text or name.startswith("/") or _SCHEME in name:
            return StoragePath(name)
        folder, mark, options = self.text.partition("?") if self.is_uri else (self.text, "", "")
        return StoragePath(f"{folder.rstrip('/')}/{name}{mark}{options}")

    @property
    def is_uri(self) -> bool:
        """Whether it names a file system of its own."""
        return _SCHEME in self.text

    @property
    def name(self) -> str:
        """The last part."""
        folder = self.text.partition("?")[0] if self.is_uri else self.text
        return folder.rstrip("/").rpartition("/")[2]

    def open(self) -> RangeFile:
        """Open the file.

        Raises:
            StoreError: it cannot be opened.
        """
        try:
            return _RemoteFile(*self.opened()) if self.is_uri else _LocalFile(self.text)
        except _FAILURES as error:
            raise _unreadable(error, self) from error

    def read_bytes(self) -> bytes:
        """The whole file.

        Raises:
            StoreError: it cannot be read.
        """
        file = self.open()
        try:
            return file.read_at(0, file.size)
        except _FAILURES as error:
            raise _unreadable(error, self) from error
        finally:
            file.close()

    def files(self) -> list[StoragePath]:
        """The files below a folder, however deep, in order; a file alone is its own list.

        Raises:
            StoreError: there is nothing of that name.
        """
        if not self.is_uri:
            return self._local_files()
        from pyarrow import fs  # noqa: PLC0415 - .1 s that local files need not pay

        try:
            system, path = self.opened()
            if system.get_file_info(path).type is not fs.FileType.Directory:
                self.open().close()
                return [self]
            found = system.get_file_info(fs.FileSelector(path, recursive=True))
        except _FAILURES as error:
            raise _unreadable(error, self) from error
        names = sorted(one.path for one in found if one.is_file)
        return [self / name.removeprefix(path).lstrip("/") for name in names]

    def _local_files(self) -> list[StoragePath]:
        path = Path(self.text)
        if not path.is_dir():
            self.open().close()
            return [self]
        return [StoragePath(str(one)) for one in sorted(path.rglob("*")) if one.is_file()]

    def opened(self) -> tuple[fs.FileSystem, str]:
        """The file system, and the path there, as pyarrow takes them.

        Raises:
            StoreError: no file system is known by that scheme, or it cannot be reached.
        """
        try:
            return _file_system(self.text if self.is_uri else Path(self.text).absolute().as_uri())
        except _FAILURES as error:
            raise _unreadable(error, self) from error


@lru_cache(maxsize=256)
def _file_system(uri: str) -> tuple[fs.FileSystem, str]:
    from pyarrow import fs  # noqa: PLC0415 - see above

    system, path = fs.FileSystem.from_uri(uri)
    return system, path


def _unreadable(error: Exception, path: StoragePath) -> StoreError:
    if isinstance(error, StoreError):
        return error
    reason = getattr(error, "strerror", None) or str(error).partition("\n")[0]
    if isinstance(error, FileNotFoundError):  # whose text is the path alone, if pyarrow raised it
        reason = os.strerror(errno.ENOENT)
    return StoreError(f"cannot read ({reason})", where=path)


class _LocalFile:
    """A file of this machine.

    Not mmap: a writer that takes back a record (disk full) shortens the file, and touching a mapped
    page beyond the new end kills the process. ``pread`` just returns less.
    """

    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self.size = os.fstat(self._fd).st_size

    def read_at(self, offset: int, length: int) -> bytes:
        data = os.pread(self._fd, length, offset)
        while len(data) < length:  # a signal, a 2 GiB limit, or a file that became shorter
            more = os.pread(self._fd, length - len(data), offset + len(data))
            if not more:
                break
            data += more
        return data

    def close(self) -> None:
        os.close(self._fd)


class _RemoteFile:
    """A file of one of pyarrow's file systems."""

    def __init__(self, system: fs.FileSystem, path: str) -> None:
        self._file: Any = system.open_input_file(path)
        self.size: int = self._file.size()

    def read_at(self, offset: int, length: int) -> bytes:
        inside = max(0, min(length, self.size - offset))
        data: bytes = self._file.read_at(inside, offset) if inside else b""
        return data

    def close(self) -> None:
        self._file.close()
