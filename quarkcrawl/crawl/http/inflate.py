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


ACCEPT_ENCODING = "gzip, deflate, br, zstd"

_MOST_ENCODINGS = 4
_MOST_CHARS = 200
_PIECE_BYTES = 1 << 16
_MOST_MEMBERS = 10_000
"""Of gzip, and frames of zstd; a million empty ones in 8 MiB would take a minute."""


class Inflated(NamedTuple):
    """Result of `inflate`.

    ``complete`` is False when the stream was damaged or cut; ``truncated`` is True when the
    bound was reached.
    """

    data: bytes
    complete: bool
    truncated: bool


class _Decoder(Protocol):
    is_marked: bool
    """Whether streams begin with a mark, so that what it gives before damage is no accident."""

    def feed(self, data: bytes, limit: int) -> bytes:
        """What the next piece gives, ``limit`` bytes or little more; raises for damage."""

    def finished(self) -> bool:
        """Whether the stream has come to its end."""


class _Zlib:
    """gzip (all members), zlib, and the raw deflate that some servers send as "deflate"."""

    def __init__(self, wbits: int) -> None:
        self.is_marked = wbits > 0
        self._wbits = wbits
        self._members = 1
        self._object = zlib.decompressobj(wbits)

    def feed(self, data: bytes, limit: int) -> bytes:
        out = self._object.decompress(data, limit)
        parts, size = [out], len(out)
        while self._object.eof and size < limit:
            rest = self._object.unused_data
            if not rest.startswith(b"\x1f\x8b"):
                break
            self._members += 1
            if self._members > _MOST_MEMBERS:
                raise zlib.error("too many members")
            self._object = zlib.decompressobj(self._wbits)
            parts.append(self._object.decompress(rest, limit - size))
            size += len(parts[-1])
        return b"".join(parts)

    def finished(self) -> bool:
        return self._object.eof


class _Brotli:
    is_marked = False

    def __init__(self) -> None:
        self._object = brotli.Decompressor()

    def feed(self, data: bytes, limit: int) -> bytes:
        parts = [self._object.process(data, output_buffer_limit=limit)]
        size = len(parts[0])
        while not self._object.can_accept_more_data() and size < limit:
            parts.append(self._object.process(b"", output_buffer_limit=limit - size))
            size += len(parts[-1])
        return b"".join(parts)

    def finished(self) -> bool:
        return bool(self._object.is_finished())


class _Zstd:
    """All frames of a zstd stream, with windows of at most 8 MiB (RFC 9659)."""

    is_marked = True

    def __init__(self) -> None:
        self._frames = 0
        self._next_frame()

    def _next_frame(self) -> None:
        self._frames += 1
        if self._frames > _MOST_MEMBERS:
            raise zstd.ZstdError("too many frames")
        self._object = zstd.ZstdDecompressor(
            options={zstd.DecompressionParameter.window_log_max: 23}
        )

    def feed(self, data: bytes, limit: int) -> bytes:
        if self._object.eof:  # the last frame ended with the piece before
            self._next_frame()
        parts = [self._object.decompress(data, max_length=limit)]
        size = len(parts[0])
        while self._object.eof and size < limit and (rest := self._object.unused_data):
            self._next_frame()
            parts.append(self._object.decompress(rest, max_length=limit - size))
            size += len(parts[-1])
        return b"".join(parts)

    def finished(self) -> bool:
        return bool(self._object.eof)


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
        body, ok = _decode(make, body, max_bytes + 1)
        if not body and not ok:
            return None
        complete &= ok
        if len(body) > max_bytes:
            body, truncated = body[:max_bytes], True
    return Inflated(body, complete or truncated, truncated)


def _decode(make: Callable[[bytes], _Decoder], data: bytes, limit: int) -> tuple[bytes, bool]:
    """What the stream gives, and whether that is all of it.

    A decoder that meets damage gives nothing of the piece that it lies in. So that piece is fed
    once more byte by byte: what precedes the damage is kept. (Not of brotli and bare deflate: they
    take the first bytes of any text for a stream.)
    """
    pieces = [(at, _PIECE_BYTES) for at in range(0, len(data), _PIECE_BYTES)]
    decoder = make(data[:2])
    inflated = _feed(decoder, data, pieces, limit)
    if inflated.damaged_at is not None and decoder.is_marked:
        at = inflated.damaged_at
        pieces = [(start, size) for start, size in pieces if start < at]
        pieces += [(start, 1) for start in range(at, min(at + _PIECE_BYTES, len(data)))]
        inflated = _feed(make(data[:2]), data, pieces, limit)
    return inflated.data, inflated.is_whole


class _Fed(NamedTuple):
    data: bytes
    is_whole: bool
    damaged_at: int | None = None


def _feed(decoder: _Decoder, data: bytes, pieces: list[tuple[int, int]], limit: int) -> _Fed:
    """Feed pieces, given as start and size, up to damage or the limit."""
    parts: list[bytes] = []
    total = 0
    for start, size in pieces:
        try:
            part = decoder.feed(data[start : start + size], limit - total)
        except (zlib.error, brotli.error, zstd.ZstdError, EOFError):
            return _Fed(b"".join(parts), is_whole=False, damaged_at=start)
        parts.append(part)
        total += len(part)
        if total >= limit:
            return _Fed(b"".join(parts), is_whole=True)
    return _Fed(b"".join(parts), decoder.finished())
