"""Lines of large text files as Arrow batches, numbered, whatever their bytes are.

DuckDB's own CSV reader stops at, or drops, lines that are not UTF-8, and does not number lines;
this one costs less than it (docs/selection.md). Host names are ASCII in all the encodings that
URL lists come in, so a stretch of lines with other bytes is read as Latin-1, which loses none,
and the few names that have such bytes are decoded later, one by one.
"""

from __future__ import annotations

import codecs
import io
import sys
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from quarkcrawl.errors import InputError
from quarkcrawl.store.tianwang import GZIP_ERRORS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import pyarrow as pa


_CHUNK_BYTES = 8 << 20
_PART_BYTES = 1 << 17
_LONG_BYTES = 1 << 20
_BATCH_TEXTS = 1 << 16


def batch_schema() -> pa.Schema:
    """The columns of a batch: ``line``, and ``n``, its number from 1."""
    import pyarrow as pa  # noqa: PLC0415 - slow to load

    return pa.schema([("line", pa.string()), ("n", pa.int64())])


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """A file for reading, decompressed if its first bytes are those of gzip or zstd; - is stdin.

    Args:
        path: a file of any size, or -.

    Raises:
        InputError: it cannot be read, or its compressed data is damaged (the lines before were
            given out).
    """
    if str(path) == "-":
        yield sys.stdin.buffer
        return
    try:
        with path.open("rb") as raw:
            magic = raw.read(4)
            raw.seek(0)
            with _decompressed(raw, magic) as file:
                yield file
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror or error})", where=path) from error
    except read_errors() as error:
        raise InputError(f"damaged or cut off ({error})", where=path) from error


def read_errors() -> tuple[type[Exception], ...]:
    """What reading a file raises, damaged compressed data included."""
    return (OSError, EOFError, *GZIP_ERRORS, _zstd().ZstdError)


def _decompressed(raw: IO[bytes], magic: bytes) -> Any:
    if magic.startswith(b"\x1f\x8b"):
        from isal import igzip  # noqa: PLC0415

        return igzip.IGzipFile(fileobj=raw)  # type: ignore[no-untyped-call]
    if magic == b"\x28\xb5\x2f\xfd":
        return _zstd().open(raw, "rb")
    return raw


def _zstd() -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415
    else:
        from backports import zstd  # noqa: PLC0415
    return zstd


def line_batches(path: Path) -> Iterator[pa.RecordBatch]:
    """The lines of a file, without their ends; UTF-16 is known by its byte order mark.

    Yields:
        Batches of `batch_schema`; empty lines are among them, as empty strings.

    Raises:
        InputError: the file cannot be read to its end.
    """
    number = 1
    with opened(path) as file:
        for chunk in _whole_lines(_unmarked(file)):
            batch = _batch(chunk, number)
            number += batch.num_rows
            yield batch


def _unmarked(file: IO[bytes]) -> Iterator[bytes]:
    """Chunks of the file, without a byte order mark, UTF-16 brought to UTF-8."""
    decode = codecs.getincrementaldecoder("utf-16")("replace").decode
    utf16: bool | None = None
    for raw in _chunks(file):
        if utf16 is None:
            utf16 = raw[:2] in {codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE}
            raw = raw.removeprefix(codecs.BOM_UTF8)  # noqa: PLW2901
        yield decode(raw).encode("utf-8", "replace") if utf16 else raw


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    """The bytes in large chunks; those before a damage are given out before it is raised."""
    parts: list[bytes] = []
    size = 0
    is_plain = isinstance(file, io.BufferedReader)
    try:
        while part := file.read(_CHUNK_BYTES if is_plain else _PART_BYTES):
            parts.append(part)
            size += len(part)
            if is_plain or size >= _CHUNK_BYTES:
                yield parts[0] if is_plain else b"".join(parts)
                parts, size = [], 0
    except read_errors():
        yield b"".join(parts)
        raise
    if parts:
        yield b"".join(parts)


def _whole_lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes, cut at line ends; a "line" that has none for long is cut as it is."""
    rest = b""
    for chunk in chunks:
        data = rest + chunk
        end = data.rfind(b"\n") + 1
        rest = data[end:]
        if end:
            yield data[:end]
        elif len(rest) > _CHUNK_BYTES:
            rest = rest[:_LONG_BYTES]
    if rest:
        yield rest + b"\n"


def _batch(chunk: bytes, number: int) -> pa.RecordBatch:
    import numpy as np  # noqa: PLC0415
    import pyarrow as pa  # noqa: PLC0415

    if not chunk.isascii():
        chunk = chunk.decode("latin-1").encode()
    ends = np.flatnonzero(np.frombuffer(chunk, np.uint8) == 0x0A).astype(np.int32) + 1
    offsets = np.zeros(len(ends) + 1, np.int32)
    offsets[1:] = ends
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(chunk)]
    lines = pa.Array.from_buffers(pa.string(), len(ends), buffers)  # each with its line end
    numbers = pa.array(np.arange(number, number + len(ends)))
    return pa.RecordBatch.from_arrays([lines, numbers], schema=batch_schema())


def text_batches(texts: Iterable[str]) -> Iterator[pa.RecordBatch]:
    """Texts that come one by one (URLs of a WARC file) as batches."""
    from itertools import islice  # noqa: PLC0415

    import pyarrow as pa  # noqa: PLC0415

    number, source = 1, iter(texts)
    while batch := list(islice(source, _BATCH_TEXTS)):
        numbers = pa.array(range(number, number + len(batch)), pa.int64())
        lines = pa.array(batch, pa.string())
        yield pa.RecordBatch.from_arrays([lines, numbers], schema=batch_schema())
        number += len(batch)
