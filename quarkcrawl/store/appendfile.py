"""How files are written: by whole records, taken back where they do not fit, or whole at once."""

from __future__ import annotations

import errno
import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

from quarkcrawl.errors import StorageFullError, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC


def storage_error(error: OSError, path: object) -> StoreError:
    """The error of ours for a failed system call on ``path``.

    Args:
        error: what the system said.
        path: file or folder it was about.
    """
    if error.errno in _FULL:
        return StorageFullError(f"no room to write ({error.strerror})", where=path)
    return StoreError(f"cannot write ({error.strerror})", where=path)


@contextmanager
def storage_errors(path: object) -> Iterator[None]:
    """Turn failed system calls within the block into errors of ours.

    Args:
        path: file or folder that they are about.

    Raises:
        StorageFullError: no room.
        StoreError: any other failure.
    """
    try:
        yield
    except OSError as error:
        raise storage_error(error, path) from error


def sync_file(path: Path) -> None:
    """Make the bytes of a file survive a power cut.

    Args:
        path: the file.
    """
    with path.open("rb") as file:
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Make the entries of a folder survive a power cut.

    Args:
        path: the folder.
    """
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def make_folder(path: Path) -> None:
    """Make a folder, and those above it that are missing, so that they survive a power cut.

    Args:
        path: the folder; it may be there.
    """
    missing = [each for each in (path, *path.parents) if not each.exists()]
    path.mkdir(parents=True, exist_ok=True)
    for each in missing:
        sync_folder(each.parent)


@contextmanager
def write_whole(path: Path) -> Iterator[BinaryIO]:
    """A file to write to that gets its name only when it is whole and synced.

    Args:
        path: the name; a file that has it is replaced.
    """
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.rename(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def new_folder(folder: Path, draft: Path, clear: Callable[[Path], None]) -> Iterator[None]:
    """Give a draft, which the block fills, its name once the block has ended well.

    Args:
        folder: the name; nothing has it yet.
        draft: the folder until then.
        clear: removes a draft, also one that an earlier run left; it may refuse.

    Raises:
        StorageFullError: no room.
        StoreError: any other failure of the device.
    """
    clear(draft)
    try:
        with storage_errors(folder):
            yield
            draft.rename(folder)
            sync_folder(folder.parent)
    finally:
        clear(draft)


class AppendFile:
    """An open file with its size and the number of its users.

    One `append` is one write call. A write that comes back short is tried further; when the
    device is full, the file is cut back to where the record began. The last user's `release`
    closes the file, so that a sync in another thread never meets a closed descriptor.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.broken = False
        self._users = 1
        self._lock = threading.Lock()
        with storage_errors(path):
            self._fd = os.open(path, _FLAGS, 0o644)
        self.size = os.fstat(self._fd).st_size

    def append(self, data: bytes) -> int:
        """Write ``data`` at the end and return the offset it begins at.

        Args:
            data: bytes of one record or line.

        Raises:
            StorageFullError: no room; the file is as it was.
            StoreError: any other failure; the file is as it was, or `broken` is set.
        """
        with self._lock:
            offset = self.size
            try:
                written = os.write(self._fd, data)
                while written < len(data):
                    written += os.write(self._fd, data[written:])
            except OSError as error:
                self._cut(offset)
                raise storage_error(error, self.path) from error
            self.size = offset + len(data)
            return offset

    def take_back(self, offset: int) -> None:
        """Cut the file back to ``offset``.

        Args:
            offset: size that the file gets again.
        """
        with self._lock:
            self._cut(offset)
            self.size = offset

    def _cut(self, offset: int) -> None:
        try:
            os.ftruncate(self._fd, offset)
        except OSError:  # the next open's recovery cuts what we could not
            self.broken = True

    def sync(self) -> None:
        """Make everything written so far survive a power cut.

        Raises:
            StoreError: the device failed; what was written since the last sync is in doubt.
        """
        try:
            os.fdatasync(self._fd)
        except OSError as error:
            self.broken = True
            raise storage_error(error, self.path) from error

    def retain(self) -> AppendFile:
        """Count one more user."""
        with self._lock:
            self._users += 1
        return self

    def release(self) -> None:
        """Count one user less; the last one closes the file."""
        with self._lock:
            self._users -= 1
            last = self._users == 0
        if last:
            os.close(self._fd)
