"""Files that several copies of a task may write at once, and a lock that is waited for."""

from __future__ import annotations

import errno
import fcntl
import os
import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, Final

from quarkcrawl.store import sync_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


_NO_LINKS: Final = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})


@contextmanager
def first_of_copies(path: Path, *, is_renewed: bool = False) -> Iterator[BinaryIO]:
    """A file to write to that gets its name once it is whole, unless another copy has it by then.

    Where the file system has no hard links, the last copy to finish gives the file; likewise with
    ``is_renewed``, for a file that may be left from other inputs.
    """
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if is_renewed:
            temporary.rename(path)
        else:
            _give_name(temporary, path)
        sync_folder(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def _give_name(temporary: Path, path: Path) -> None:
    try:
        os.link(temporary, path)
    except FileExistsError:
        return
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        temporary.rename(path)


@contextmanager
def waiting_lock(path: Path) -> Iterator[None]:
    """A lock that the kernel drops when its holder dies; others wait."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)
