"""Replies of other crawlers' WARC files in the form in which page.dat keeps them.

Other archives keep a reply as it came over the wire: chunked, compressed. Here transfer and content
encodings are removed under a bound, as a crawl does it. Many archives hold bodies that are decoded
already while the headers still name an encoding; a body that does not begin like its encoding is
taken as it is.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.store import build_reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from quarkcrawl.store import StoredReply


_STEP_BYTES: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class EntityBody:
    """A body without encodings, and the flags that a crawl would give its page."""

    data: bytes
    flags: tuple[str, ...] = ()


def entity_body(reply: StoredReply, max_body_bytes: int) -> EntityBody:
    """The body as a reader sees it; never raises.

    Args:
        reply: the reply as archived.
        max_body_bytes: the body is cut here and flagged ``truncated``.
    """
    flags: list[str] = []
    data = reply.body
    for name in _encodings(reply):
        reader = _READERS.get(name)
        if reader is None:
            flags.append("bad_encoding")
            break
        if not _looks_like(name, data):
            continue
        data, whole = _read(reader, data, max_body_bytes)
        if not whole and "bad_encoding" not in flags:
            flags.append("bad_encoding")
    if len(data) > max_body_bytes:
        data = data[:max_body_bytes]
        flags.append("truncated")
    return EntityBody(data, tuple(flags))


def _encodings(reply: StoredReply) -> list[str]:
    """Names of the encodings in the order in which they are to be removed."""
    encodings = []
    for header in ("transfer-encoding", "content-encoding"):
        names = [name.strip().lower() for name in (reply.get(header) or "").split(",")]
        encodings += [name for name in reversed(names) if name not in {"", "identity", "none"}]
    return encodings[:5]


def _looks_like(name: str, data: bytes) -> bool:
    if name in {"gzip", "x-gzip"}:
        return data.startswith(b"\x1f\x8b")
    if name == "zstd":
        return data.startswith(b"\x28\xb5\x2f\xfd")
    if name == "deflate":
        return len(data) > 1 and (data[0] << 8 | data[1]) % 31 == 0 and data[0] & 15 == 8
    if name == "chunked":
        size = data[:20].partition(b"\n")[0].partition(b";")[0].strip()
        return bool(size) and all(byte in b"0123456789abcdefABCDEF" for byte in size)
    return data.lstrip()[:1] != b"<"  # brotli has no magic number; markup has


def _reader(name: str, **options: Any) -> Callable[[bytes], Any]:
    def opened(data: bytes) -> Any:
        from fastwarc import stream_io  # noqa: PLC0415 - loaded when used

        return getattr(stream_io, name)(io.BytesIO(data), **options)

    return opened


_READERS: Final[dict[str, Callable[[bytes], Any]]] = {
    "chunked": _reader("ChunkedReader"),
    "gzip": _reader("GzipReader"),
    "x-gzip": _reader("GzipReader"),
    "deflate": _reader("GzipReader", zlib=True),
    "br": _reader("BrotliReader"),
    "zstd": _reader("ZstdReader"),
}


def _read(opened: Callable[[bytes], Any], data: bytes, limit: int) -> tuple[bytes, bool]:
    """What a decoder gives, a byte more than the limit at most; and whether it met no damage."""
    parts: list[bytes] = []
    size = 0
    try:
        reader = opened(data)
        while size <= limit and (part := reader.read(min(_STEP_BYTES, limit + 1 - size))):
            parts.append(part)
            size += len(part)
    except (OSError, ValueError):
        return b"".join(parts), False
    return b"".join(parts), True


def stored_reply(reply: StoredReply, body: bytes) -> bytes:
    """The reply for page.dat: headers as received, the body without encodings."""
    line = reply.status_line.decode("latin-1")
    version, _, rest = line.partition(" ")
    phrase = rest.strip().partition(" ")[2]
    return build_reply(reply.status or 0, phrase, version, reply.header_lines, body)
