"""Files that are read by range, on this machine or in an object store: one place opens them.

A path without a scheme is opened by the operating system. Any other goes through pyarrow's file
systems, which speak ``s3://``, ``gs://``, ``hdfs://`` and ``file://``. A server that does not
answer is asked again for a while, see ``patience``. An object is written in one piece, so it
appears whole or not at all.
"""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol
from urllib.parse import parse_qsl

import pyarrow as pa

from quarkcrawl.errors import InputError, StoreError, without_credentials
from quarkcrawl.store.patience import patiently

if TYPE_CHECKING:
    from pyarrow import fs


_SCHEME: Final = "://"
_READ_BYTES: Final = 8 << 20
_S3_OPTIONS: Final = frozenset({"region", "scheme", "endpoint_override"})
_ENDPOINTS: Final = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
_REGIONS: Final = ("AWS_REGION", "AWS_DEFAULT_REGION")
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
        return without_credentials(self.text.partition("?")[0] if self.is_uri else self.text)

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
    def is_s3(self) -> bool:
        """Whether it is in an object store that speaks S3."""
        return self.text.startswith("s3://")

    @property
    def _may_have_credentials(self) -> bool:
        """Whether there is an @ where keys of an object store would be; they may hold slashes."""
        scheme, _, rest = self.text.partition("?")[0].partition(_SCHEME)
        return "@" in (rest.partition("/")[0] if scheme == "file" else rest)

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
            return _RemoteFile(self) if self.is_uri else _LocalFile(self.text)
        except _FAILURES as error:
            raise _unreadable(error, self) from error

    def exists(self) -> bool:
        """Whether there is a file of that name.

        Raises:
            StoreError: nobody can say.
        """
        if not self.is_uri:
            return Path(self.text).is_file()
        system, path = self.opened()
        try:
            return bool(patiently(lambda: system.get_file_info(path), self).is_file)
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

        system, path = self.opened()
        try:
            kind = patiently(lambda: system.get_file_info(path), self).type
        except _FAILURES as error:
            raise _unreadable(error, self) from error
        if kind is not fs.FileType.Directory:
            self.open().close()
            return [self]
        return [self / name for name in self.sizes()]

    def sizes(self) -> dict[str, int]:
        """Bytes of the files below a folder, however deep, by name from there on and in order.

        A folder that is not there has none: an object store knows no empty folders.

        Raises:
            StoreError: it cannot be listed.
        """
        from pyarrow import fs  # noqa: PLC0415 - see above

        system, path = self.opened()
        path = path.rstrip("/")
        selector = fs.FileSelector(path, recursive=True, allow_not_found=True)
        try:
            entries = patiently(lambda: system.get_file_info(selector), self)
        except _FAILURES as error:
            raise _unreadable(error, self) from error
        below = {one.path.removeprefix(path + "/"): one.size for one in entries if one.is_file}
        return dict(sorted(below.items()))

    def fetch(self, target: Path) -> None:
        """Copy the file to this machine.

        Args:
            target: the copy; it is whole, or not there.

        Raises:
            StoreError: it cannot be read or written.
        """
        file = self.open()
        draft = target.with_name(f".{target.name}.tmp")
        try:
            with draft.open("wb") as out:
                for offset in range(0, file.size, _READ_BYTES):
                    out.write(file.read_at(offset, _READ_BYTES))
                if out.tell() != file.size:
                    raise StoreError("became shorter while it was read", where=self)
            draft.rename(target)
        except _FAILURES as error:
            raise _unreadable(error, self) from error
        finally:
            draft.unlink(missing_ok=True)
            file.close()

    def put(self, data: bytes | Path) -> None:
        """Write the file in one piece; one that has the name is replaced.

        Args:
            data: its bytes, or a file of this machine that has them.

        Raises:
            StoreError: it cannot be written.
        """
        system, path = self.opened()
        try:
            patiently(lambda: _upload(system, path, data), self)
        except _FAILURES as error:
            raise _unreadable(error, self, "write") from error

    def delete(self) -> None:
        """Delete the file, if it is there.

        Raises:
            StoreError: it cannot be deleted.
        """
        system, path = self.opened()
        try:
            patiently(lambda: system.delete_file(path), self)
        except FileNotFoundError:
            return
        except _FAILURES as error:
            raise _unreadable(error, self, "delete") from error

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
        if self._may_have_credentials:
            words = 'credentials do not belong into a path (nor does "@")'
            message = f"{words}; give AWS_ACCESS_KEY_ID and the like"
            raise InputError(message, where=self)
        try:
            if self.is_s3:
                return self._in_s3()
            return _file_system(self.text if self.is_uri else Path(self.text).absolute().as_uri())
        except _FAILURES as error:
            raise _unreadable(error, self) from error

    def _in_s3(self) -> tuple[fs.FileSystem, str]:
        path, _, query = self.text.removeprefix("s3://").partition("?")
        options = dict(parse_qsl(query, keep_blank_values=True))
        if unknown := sorted(options.keys() - _S3_OPTIONS):
            message = f"no option {', '.join(unknown)}; there are {', '.join(sorted(_S3_OPTIONS))}"
            raise InputError(message, where=self)
        endpoint = options.get("endpoint_override") or _environment(_ENDPOINTS)
        scheme, mark, host = endpoint.partition(_SCHEME)
        scheme, host = (scheme, host) if mark else (options.get("scheme", "https"), endpoint)
        region = options.get("region") or _environment(_REGIONS)
        if not region and not host:
            region = patiently(lambda: _region_of(path.partition("/")[0]), self)
        return _s3_file_system(host.rstrip("/"), scheme, region, os.getpid()), path.rstrip("/")


def _environment(names: tuple[str, ...]) -> str:
    """The first of some environment variables that is set."""
    return next((value for name in names if (value := os.environ.get(name))), "")


@lru_cache(maxsize=256)
def _file_system(uri: str) -> tuple[fs.FileSystem, str]:
    from pyarrow import fs  # noqa: PLC0415 - see above

    system, path = fs.FileSystem.from_uri(uri)
    return system, path


@lru_cache(maxsize=64)
def _region_of(bucket: str) -> str:
    """The region of a bucket of Amazon's, which is asked for it."""
    from pyarrow import fs  # noqa: PLC0415 - see above

    region: str = fs.resolve_s3_region(bucket)
    return region


@lru_cache(maxsize=16)
def _s3_file_system(endpoint: str, scheme: str, region: str, _process: int) -> fs.FileSystem:
    """A client; each process has its own, for the threads of another one's are not here."""
    from pyarrow import fs  # noqa: PLC0415 - see above

    return fs.S3FileSystem(
        endpoint_override=endpoint or None,
        scheme=scheme,
        region=region or "us-east-1",
        background_writes=False,
        retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=1),  # `patiently` does it
    )


def _upload(system: fs.FileSystem, path: str, data: bytes | Path) -> None:
    """Write an object by a single call: a stream given up between two would be closed, and whole.

    That is what Arrow does with one that is dropped: the object would be there, and too short.
    Without being told not to, Arrow also compresses what is called ``.gz``.
    """
    if isinstance(data, bytes):
        with system.open_output_stream(path, compression=None) as out:
            out.write(data)
    elif data.stat().st_size == 0:
        _upload(system, path, b"")
    else:
        with (
            pa.memory_map(str(data)) as mapped,
            system.open_output_stream(path, compression=None) as out,
        ):
            out.write(mapped.read_buffer())


def _unreadable(error: Exception, path: StoragePath, what: str = "read") -> StoreError:
    if isinstance(error, StoreError):
        return error
    reason = getattr(error, "strerror", None) or str(error).partition("\n")[0]
    if isinstance(error, FileNotFoundError):  # whose text is the path alone, if pyarrow raised it
        reason = os.strerror(errno.ENOENT)
    return StoreError(f"cannot {what} ({reason})", where=path)


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

    def __init__(self, path: StoragePath) -> None:
        system, name = path.opened()
        self._path = path
        self._file: Any = patiently(lambda: system.open_input_file(name), path)
        self.size: int = self._file.size()

    def read_at(self, offset: int, length: int) -> bytes:
        inside = max(0, min(length, self.size - offset))
        if not inside:
            return b""
        data: bytes = patiently(lambda: self._read(inside, offset), self._path)
        return data

    def _read(self, length: int, offset: int) -> bytes:
        data: bytes = self._file.read_at(length, offset)
        if len(data) < length:  # a connection that broke off, or an object that was replaced
            raise ConnectionError(f"incomplete read, {len(data)} of {length} bytes")
        return data

    def close(self) -> None:
        self._file.close()
