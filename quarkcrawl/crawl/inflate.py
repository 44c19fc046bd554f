"""Content encodings removed under a bound, so that a bomb costs no more memory than allowed."""

from __future__ import annotations

import sys
import zlib
from typing import TYPE_CHECKING, NamedTuple, Protocol

import brotli

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ACCEPT_ENCODING", "Inflated", "inflate"]

ACCEPT_ENCODING = "gzip, deflate, br, zstd"


_MOST_ENCODINGS = 4
_MOST_CHARS = 200


class Inflated(NamedTuple):
    """Result of `inflate`.

    ``complete`` is False when the stream was damaged or cut; ``truncated`` is True when the
    bound was reached.
    """

    data: bytes
    complete: bool
    truncated: bool


class _Decoder(Protocol):
    def feed(self, data: bytes, limit: int) -> bytes: ...
    def finished(self) -> bool: ...


class _Zlib:
    """gzip (all members), zlib, and the raw deflate that some servers send as "deflate"."""

    def __init__(self, wbits: int) -> None:
        self._wbits = wbits
        self._object = zlib.decompressobj(wbits)

    def feed(self, data: bytes, limit: int) -> bytes:
        out = self._object.decompress(data, limit)
        parts, size = [out], len(out)
        while self._object.eof and size < limit:
            rest = self._object.unused_data
            if not rest.startswith(b"\x1f\x8b"):
                break
            self._object = zlib.decompressobj(self._wbits)
            parts.append(self._object.decompress(rest, limit - size))
            size += len(parts[-1])
        return b"".join(parts)

    def finished(self) -> bool:
        return self._object.eof


class _Brotli:
    def __init__(self) -> None:
        self._object = brotli.Decompressor()

    def feed(self, data: bytes, limit: int) -> bytes:
        parts, size = [self._object.process(data, output_buffer_limit=limit)], 0
        while not self._object.can_accept_more_data() and size <= limit:
            parts.append(self._object.process(b"", output_buffer_limit=limit))
            size += len(parts[-1])
        return b"".join(parts)

    def finished(self) -> bool:
        return bool(self._object.is_finished())


class _Zstd:
    """All frames of a zstd stream, with windows of at most 8 MiB (RFC 9659)."""

    def __init__(self) -> None:
        self._object = _zstd()

    def feed(self, data: bytes, limit: int) -> bytes:
        parts = [self._object.decompress(data, max_length=limit)]
        size = len(parts[0])
        while self._object.eof and size < limit and (rest := self._object.unused_data):
            self._object = _zstd()
            parts.append(self._object.decompress(rest, max_length=limit - size))
            size += len(parts[-1])
        return b"".join(parts)

    def finished(self) -> bool:
        return bool(self._object.eof)


def _zstd() -> zstd.ZstdDecompressor:
    return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: 23})


_DECODERS: dict[str, Callable[[bytes], _Decoder]] = {
    "gzip": lambda _: _Zlib(31),
    "x-gzip": lambda _: _Zlib(31),
    "deflate": lambda head: _Zlib(15 if _is_zlib(head) else -15),
    "br": lambda _: _Brotli(),
    "zstd": lambda _: _Zstd(),
}


def _is_zlib(head: bytes) -> bool:
    return len(head) >= 2 and head[0] & 15 == 8 and (head[0] * 256 + head[1]) % 31 == 0


def inflate(body: bytes, encodings: str, *, max_bytes: int) -> Inflated | None:
    """Remove the content encodings of a body.

    Args:
        body: the entity as received.
        encodings: value of the Content-Encoding header, e.g. ``"gzip"`` or ``"gzip, br"``.
        max_bytes: bound of the result; more is cut off.

    Returns:
        The decoded body, or None if an encoding is unknown or the very start is damaged: then
        the body is best kept as it is.
    """
    truncated, complete = False, True
    names = [e.strip().lower() for e in encodings[:_MOST_CHARS].split(",") if e.strip()]
    if len(names) > _MOST_ENCODINGS:
        return None
    for name in reversed(names):
        if name == "identity":
            continue
        make = _DECODERS.get(name)
        if make is None:
            return None
        body, ok = _decode(make(body[:2]), body, max_bytes + 1)
        if not body and not ok:
            return None
        complete &= ok
        if len(body) > max_bytes:
            body, truncated = body[:max_bytes], True
    return Inflated(body, complete or truncated, truncated)


def _decode(decoder: _Decoder, data: bytes, limit: int) -> tuple[bytes, bool]:
    """Feed in pieces, so that what precedes the damage is kept."""
    parts: list[bytes] = []
    size = 0
    for start in range(0, len(data), 65536):
        try:
            part = decoder.feed(data[start : start + 65536], limit - size)
        except (zlib.error, brotli.error, zstd.ZstdError, EOFError):
            return b"".join(parts), False
        parts.append(part)
        size += len(part)
        if size >= limit:
            return b"".join(parts), True
    return b"".join(parts), decoder.finished()
