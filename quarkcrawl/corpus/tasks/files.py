"""Files that several copies of a task may write at once."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, Final

from quarkcrawl.store import sync_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


_RENAME_EXCHANGE: Final = 2
_NO_EXCHANGE: Final = frozenset({errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM})
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


def put_in_place(draft: Path, path: Path) -> None:
    """Give a whole file or folder the name of another one, which is deleted.

    Readers find one of the two at any moment where the system can exchange names (Linux, but not
    on NFS); elsewhere none for the time between two renames, and a kill just then leaves the other
    one under the name of the draft with ``.former``.

    Args:
        draft: on the same file system.
        path: its name from then on.
    """
    former = former_of(draft)
    if path.is_dir() or (path.exists() and draft.is_dir()):  # a rename alone would not do
        if _exchange(draft, path):
            former = draft
        else:
            path.rename(former)
            try:
                draft.rename(path)
            except OSError:
                former.rename(path)
                raise
    else:
        draft.rename(path)
    sync_folder(path.parent)
    remove(former)


def former_of(draft: Path) -> Path:
    """Where `put_in_place` may leave what was in the place of a draft."""
    return draft.with_name(f"{draft.name}.former")


def remove(path: Path) -> None:
    """Delete a file or folder as far as possible; it may not be there."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two names at once; False where that cannot be done."""
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is None:
        return False
    here = -100  # AT_FDCWD: paths are as they stand
    if call(here, os.fsencode(one), here, os.fsencode(other), _RENAME_EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in _NO_EXCHANGE:
        return False
    raise OSError(number, os.strerror(number), str(other))
