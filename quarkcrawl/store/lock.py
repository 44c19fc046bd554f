"""One writer at a time: a lock on ``LOCK`` that the kernel drops when its holder dies."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import socket
import sys
import time
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quarkcrawl.errors import CorpusLockedError, StoreError, without_credentials

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOOKS = 10
_LOOK_S = 0.02


def holder_note() -> dict[str, object]:
    """What a writer says of itself."""
    return {
        "pid": os.getpid(),
        "host_name": socket.gethostname(),
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "command": without_credentials(" ".join(sys.argv))[:500],  # it may name a server
    }


def holder_words(note: Any) -> str:
    """What a writer has said of itself, for people."""
    try:
        return (
            f"process {note['pid']} on {note['host_name']} "
            f"since {note['started']} ({note['command']})"
        )
    except (KeyError, TypeError):
        return "another process"


class CorpusLock(AbstractContextManager["CorpusLock"]):
    """Exclusive right to write below ``root``; a context manager. Readers need none.

    The file says who holds it, for people and for the error message; the lock itself is the
    kernel's (``flock``), so a killed writer leaves nothing to clean up.

    Raises:
        CorpusLockedError: another process (or another writer in this one) holds it.
        StoreError: the folder cannot be written.
    """

    def __init__(self, root: Path) -> None:
        self.path = Path(root) / "LOCK"
        try:
            self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise StoreError(f"cannot write ({error.strerror})", where=self.path) from error
        try:
            self._lock()
        except OSError as error:
            holder = self._holder()
            os.close(self._fd)
            if error.errno not in {errno.EAGAIN, errno.EACCES}:
                raise StoreError(f"cannot lock ({error.strerror})", where=self.path) from error
            raise CorpusLockedError(f"in use by {holder}", where=self.path) from None
        self._write_holder()

    def _lock(self) -> None:
        """Take it; whoever only looks (`is_locked`) has it for a moment, which is waited for."""
        for _ in range(_LOOKS):
            with suppress(BlockingIOError):
                return fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            time.sleep(_LOOK_S)
        return fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _write_holder(self) -> None:
        data = json.dumps(holder_note()).encode() + b"\n"
        try:  # a full disk must not keep anyone from opening the corpus
            os.ftruncate(self._fd, 0)
            os.pwrite(self._fd, data, 0)
        except OSError:
            pass

    def _holder(self) -> str:
        try:
            return holder_words(json.loads(os.pread(self._fd, 4096, 0)))
        except ValueError:
            return holder_words(None)

    @property
    def descriptor(self) -> int:
        """Number of the open file: a child that gets it (``pass_fds``) holds the lock, too."""
        return self._fd

    def release(self) -> None:
        """Let the next writer in; safe to call twice."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __exit__(self, *_: object) -> None:
        self.release()


@contextmanager
def waiting_lock(path: Path) -> Iterator[None]:
    """A lock that the kernel drops when its holder dies; others wait.

    Args:
        path: the file that is locked; made if it is not there.
    """
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def is_locked(root: Path) -> bool:
    """Whether somebody writes below a folder at this moment; the kernel knows, also after a kill.

    Args:
        root: the corpus.
    """
    try:
        fd = os.open(Path(root) / "LOCK", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:  # nobody ever wrote here, or it may not be read
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # a file system without locks
        return False
    finally:
        os.close(fd)
    return False
