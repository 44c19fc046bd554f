"""The file of a feed: it takes whole items only, and knows a size it can be cut back to."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Protocol, cast

from scrapy.extensions.postprocessing import PostProcessingManager

from quarkcrawl.errors import StoreError
from quarkcrawl.store import AppendFile, make_folder, storage_errors, sync_folder

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


_FLUSH_BYTES: Final = 1 << 16


class ItemBuffer(io.RawIOBase):
    """What an exporter writes, until the item is whole; to the exporter it is the feed's file."""

    def __init__(self, position: int) -> None:
        super().__init__()
        self.data = bytearray()
        self._position = position

    def writable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """As a file: then encodings with a byte order mark write it only where `tell` is 0."""
        return True

    def tell(self) -> int:
        """Bytes before this place."""
        return self._position + len(self.data)

    def write(self, data: Any) -> int:
        """Take bytes; nothing reaches the file yet."""
        self.data += data
        return len(data)

    def take(self) -> bytes:
        """The bytes so far, which then are the file's."""
        data = bytes(self.data)
        self._position += len(data)
        self.data.clear()
        return data


class Sink(Protocol):
    """Where the bytes of a feed go: `AppendFile`, or a stream."""

    size: int

    def append(self, data: bytes) -> int:
        """Write bytes at the end."""
        ...

    def sync(self) -> None:
        """Make them survive a power cut."""

    def release(self) -> None:
        """Close it."""


class StreamSink:
    """Standard output or a pipe: what is written there cannot be taken back."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self._stream = stream
        self._name = name
        self.size = 0

    def append(self, data: bytes) -> int:
        """Write bytes; gives the place of the first."""
        with storage_errors(self._name):
            self._stream.write(data)
        self.size += len(data)
        return self.size - len(data)

    def sync(self) -> None:
        """Hand all bytes to the reader."""
        with storage_errors(self._name):
            self._stream.flush()

    def release(self) -> None:
        """Leave the stream open, as Scrapy does: it is somebody else's."""


class FeedFile:
    """Buffers items and postprocesses them on their way to a sink.

    A plugin (gzip, bz2, xz) is closed at each `sync` and begun anew by the next item: the file
    consists of members, each of which is whole, so that one can cut between them.
    """

    def __init__(self, sink: Sink, options: Mapping[str, Any], *, postprocessed: bool) -> None:
        self._sink = sink
        self._options = dict(options)
        self._plugins: list[Any] = list(options.get("postprocessing", ())) if postprocessed else []
        self._member: PostProcessingManager | None = None
        self._packed = io.BytesIO()
        self._n_whole_bytes = 0
        self.buffer = ItemBuffer(sink.size)

    def renew_buffer(self) -> ItemBuffer:
        """Begin the current item again, for an exporter that is new as well."""
        self.buffer = ItemBuffer(self.buffer.tell() - len(self.buffer.data))
        self._n_whole_bytes = 0
        return self.buffer

    def accept(self) -> None:
        """What the exporter wrote is whole."""
        self._n_whole_bytes = len(self.buffer.data)
        if self._n_whole_bytes >= _FLUSH_BYTES:
            self._pass_on()

    def reject(self) -> None:
        """Drop what the exporter wrote since the last `accept`."""
        del self.buffer.data[self._n_whole_bytes :]

    def _pass_on(self) -> None:
        self._n_whole_bytes = 0
        data = self.buffer.take()
        if not self._plugins:
            self._sink.append(data)
            return
        if self._member is None:
            self._packed = io.BytesIO()
            self._member = PostProcessingManager(self._plugins, self._packed, self._options)
        self._member.write(data)
        self._drain()

    def _drain(self) -> None:
        if packed := self._packed.getvalue():
            self._packed.seek(0)
            self._packed.truncate()
            self._sink.append(packed)

    def sync(self, *, at_end: bool = False) -> int:
        """Make all whole items survive a power cut; gives the size of the file.

        An empty file with a plugin gets an empty member at its end.

        Raises:
            StoreError: the device failed or is full.
        """
        if self.buffer.data or (at_end and self._plugins and not self._sink.size):
            self._pass_on()
        if self._member is not None:
            member, self._member = self._member, None
            member.close()
            self._drain()
        self._sink.sync()
        return self._sink.size

    def close(self) -> None:
        """Give the descriptor back; what was not synced may be lost."""
        self._sink.release()


def create_file(path: Path, *, overwrite: bool) -> AppendFile:
    """Open a feed's file for the first time in a job, so that its name survives a power cut.

    Raises:
        StoreError: it cannot be made.
    """
    with storage_errors(path):
        make_folder(path.parent)
        path.touch()  # with the permissions that any program gives its files
        sync_folder(path.parent)
    file = AppendFile(path)
    if overwrite:
        file.take_back(0)
    return file


def cut_file(path: Path, size: int) -> None:
    """Cut a file back to its size at the last commit.

    Raises:
        StoreError: it is not there, or shorter than that.
    """
    try:
        with storage_errors(path):
            descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    except StoreError as error:
        message = f"the feed cannot be continued at byte {size} ({_reason(error)})"
        raise StoreError(
            f"{message}; put the file back, or begin the job anew", where=path
        ) from None
    try:
        present = os.fstat(descriptor).st_size
        if present < size:
            message = f"has {present} bytes and had {size} at the last commit of the job"
            raise StoreError(f"{message}; put the file back, or begin the job anew", where=path)
        if present > size:
            with storage_errors(path):
                os.ftruncate(descriptor, size)
                os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _reason(error: StoreError) -> str:
    return cast("OSError", error.__cause__).strerror or "unreadable"
