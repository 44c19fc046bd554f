"""A layer between the store and its files: it writes down what is done, and can fail on order.

Everything the store does to files goes through `os` and `io.open`; inside `FileLayer` these are
wrapped. The events say what a disk would know of: writes and cuts of a file (by inode), entries
made and removed in folders, and syncs with the moment they *began*, since only what was written
before that is sure to be on disk when they end.
"""

# The calls that are wrapped are those of os; pathlib calls them too.
# ruff: noqa: PTH110, PTH112, PTH115, PTH116, RET503

from __future__ import annotations

import builtins
import contextlib
import errno
import io
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Event", "Fault", "FileLayer"]

WRITES = os.O_WRONLY | os.O_RDWR


@dataclass(frozen=True, slots=True)
class Event:
    """One thing done.

    Args:
        kind: write, cut, sync, failed_sync, link, unlink, or ``note`` of the test.
        inode: the file, or the folder of an entry.
        at: offset of a write, new size of a cut, index at which a sync began.
        name: of the entry; ``child`` is the inode it leads to.
    """

    kind: str
    inode: int = 0
    at: int = 0
    data: bytes = b""
    name: str = ""
    child: int = 0
    is_folder: bool = False


@dataclass
class Fault:
    """Which call fails: the ``nth`` one of a kind, or all from there on.

    Args:
        call: write, sync, open, mkdir, rename, unlink, cut.
        short: a write that stores a part first and comes back short, before the failing one.
    """

    call: str
    nth: int
    code: int = errno.EIO
    lasts: bool = False
    short: bool = False
    seen: int = 0
    struck: int = 0

    def strikes(self, call: str) -> bool:
        if call != self.call:
            return False
        self.seen += 1
        hit = self.seen >= self.nth if self.lasts else self.seen == self.nth
        self.struck += hit
        return hit

    def error(self, path: object = None) -> OSError:
        return OSError(self.code, os.strerror(self.code), str(path) if path else None)


class FileLayer:
    """Wraps file calls below ``root`` while entered."""

    def __init__(self, root: Path, fault: Fault | None = None) -> None:
        self.root = root
        self.fault = fault
        self.events: list[Event] = []
        self._files: dict[int, int] = {}
        self._lock = threading.RLock()
        self._real: dict[tuple[Any, str], Callable[..., Any]] = {}

    def note(self, number: int) -> None:
        """What the test wants to know of the moment."""
        with self._lock:
            self.events.append(Event("note", at=number))

    def _file(self, inode: int, *, is_new: bool = False) -> int:
        """What the model takes for an inode's number: file systems give one to many files."""
        if is_new:
            self._files[inode] = (1 << 40) + len(self.events)
        return self._files.get(inode, inode)

    # -- wrapping ------------------------------------------------------------------------------

    @contextlib.contextmanager
    def wrapped(self) -> Iterator[FileLayer]:
        names = ("open", "write", "ftruncate", "fdatasync", "fsync", "rename", "replace", "unlink",
                 "remove", "mkdir", "rmdir")  # fmt: skip
        wraps = {(os, name): getattr(self, f"_{name}") for name in names}
        wraps |= {(io, "open"): self._io_open, (builtins, "open"): self._io_open}
        self._real = {key: getattr(*key) for key in wraps}
        for (module, name), wrapper in wraps.items():
            setattr(module, name, wrapper)
        try:
            yield self
        finally:
            for (module, name), real in self._real.items():
                setattr(module, name, real)

    def _os(self, name: str, *args: Any, **more: Any) -> Any:
        return self._real[os, name](*args, **more)

    def _inside(self, path: Any) -> bool:
        return isinstance(path, str | os.PathLike) and str(path).startswith(str(self.root))

    def _check(self, call: str, path: object = None) -> None:
        if self.fault is not None and self.fault.strikes(call):
            raise self.fault.error(path)

    def _fd_inside(self, fd: int) -> bool:
        with contextlib.suppress(OSError):
            return os.readlink(f"/proc/self/fd/{fd}").startswith(str(self.root))
        return False

    def _entry(self, kind: str, path: Any, child: int = 0, *, is_folder: bool = False) -> None:
        parent = self._file(os.stat(Path(path).parent).st_ino)
        self.events.append(
            Event(kind, parent, name=Path(path).name, child=child, is_folder=is_folder)
        )

    # -- calls on paths ------------------------------------------------------------------------

    def _open(self, path: Any, flags: int, *args: Any, **more: Any) -> int:
        if not self._inside(path) or not flags & WRITES:
            return self._os("open", path, flags, *args, **more)
        with self._lock:
            self._check("open", path)
            is_new = not os.path.exists(path)
            fd = self._os("open", path, flags, *args, **more)
            self._opened(path, fd, is_new=is_new, cut=bool(flags & os.O_TRUNC))
            return fd

    def _opened(self, path: Any, fd: int, *, is_new: bool, cut: bool) -> None:
        inode = self._file(os.fstat(fd).st_ino, is_new=is_new)
        if is_new:
            self._entry("link", path, inode)
        elif cut:
            self.events.append(Event("cut", inode, 0))

    def _io_open(self, file: Any, mode: str = "r", *args: Any, **more: Any) -> Any:
        if not self._inside(file) or not set(mode) & set("wax+"):
            return self._real[io, "open"](file, mode, *args, **more)
        flags = os.O_RDWR if "+" in mode else os.O_WRONLY
        if "r" not in mode:
            flags |= os.O_CREAT | (os.O_APPEND if "a" in mode else os.O_TRUNC)
        raw = _Raw(self._open(file, flags | os.O_CLOEXEC, 0o644), self, "r+" in mode)
        stream: Any = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        text = {k: v for k, v in more.items() if k in ("encoding", "errors", "newline")}
        return stream if "b" in mode else io.TextIOWrapper(stream, **text)

    def _mkdir(self, path: Any, *args: Any, **more: Any) -> None:
        if not self._inside(path):
            return self._os("mkdir", path, *args, **more)
        with self._lock:
            self._check("mkdir", path)
            self._os("mkdir", path, *args, **more)
            self._entry("link", path, self._file(os.stat(path).st_ino, is_new=True), is_folder=True)

    def _rename(self, source: Any, target: Any, **more: Any) -> None:
        if not self._inside(source):
            return self._os("rename", source, target, **more)
        with self._lock:
            self._check("rename", source)
            inode = self._file(os.stat(source).st_ino)
            self._os("rename", source, target, **more)
            self._entry("unlink", source)
            self._entry("link", target, inode, is_folder=os.path.isdir(target))

    _replace = _rename

    def _unlink(self, path: Any, **more: Any) -> None:
        return self._away("unlink", path, **more)

    _remove = _unlink

    def _rmdir(self, path: Any, **more: Any) -> None:
        return self._away("rmdir", path, **more)

    def _away(self, call: str, path: Any, **more: Any) -> None:
        if not self._inside(path):
            return self._os(call, path, **more)
        with self._lock:
            self._check("unlink", path)
            self._os(call, path, **more)
            self._entry("unlink", path)

    # -- calls on descriptors ------------------------------------------------------------------

    def _write(self, fd: int, data: Any) -> int:
        if not self._fd_inside(fd):
            return int(self._os("write", fd, data))
        with self._lock:
            raw = bytes(data)
            if self.fault is not None and self.fault.strikes("write"):
                if not self.fault.short or len(raw) < 2 or self.fault.struck > 1:
                    raise self.fault.error()
                raw = raw[: len(raw) // 2]
                self.fault.nth, self.fault.lasts = self.fault.seen + 1, True
            status = os.fstat(fd)
            is_append = os.O_APPEND & _flags(fd)
            at = status.st_size if is_append else os.lseek(fd, 0, os.SEEK_CUR)
            written = int(self._os("write", fd, raw))
            self.events.append(Event("write", self._file(status.st_ino), at, raw[:written]))
            return written

    def _ftruncate(self, fd: int, size: int) -> None:
        if not self._fd_inside(fd):
            return self._os("ftruncate", fd, size)
        with self._lock:
            self._check("cut")
            self._os("ftruncate", fd, size)
            self.events.append(Event("cut", self._file(os.fstat(fd).st_ino), size))

    def _sync(self, fd: int) -> None:
        with self._lock:
            began, inode = len(self.events), self._file(os.fstat(fd).st_ino)
            if self.fault is not None and self.fault.strikes("sync"):
                self.events.append(Event("failed_sync", inode, began))
                raise self.fault.error()
        with self._lock:
            self.events.append(Event("sync", inode, began))

    _fdatasync = _fsync = _sync


def _flags(fd: int) -> int:
    text = Path(f"/proc/self/fdinfo/{fd}").read_text(encoding="ascii")
    return int(text.split("flags:")[1].split()[0], 8)


class _Raw(io.RawIOBase):
    """The file of an `io.open`: its bytes go through the layer."""

    def __init__(self, fd: int, layer: FileLayer, readable: bool) -> None:
        self._fd = fd
        self._layer = layer
        self._is_readable = readable

    def fileno(self) -> int:
        return self._fd

    def readable(self) -> bool:
        return self._is_readable

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        return os.lseek(self._fd, offset, whence)

    def tell(self) -> int:
        return os.lseek(self._fd, 0, os.SEEK_CUR)

    def readinto(self, buffer: Any) -> int:
        data = os.read(self._fd, len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def write(self, data: Any) -> int:
        return self._layer._write(self._fd, data)

    def truncate(self, size: int | None = None) -> int:
        size = self.tell() if size is None else size
        self._layer._ftruncate(self._fd, size)
        return size

    def close(self) -> None:
        if not self.closed:
            try:
                super().close()
            finally:
                os.close(self._fd)
