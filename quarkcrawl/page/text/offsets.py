"""Where each character of the decoded text stands in the bytes of the body."""

from __future__ import annotations

import codecs
import threading
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.page.text.charset import HZ_RUN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page.text.charset import Charset

    Offsets = NDArray[np.int64]


_MANY_CODES: Final = 40_000
_ERROR_HANDLER: Final = "quarkcrawl-note-and-replace"


class _Noted(threading.local):
    """Byte ranges that the decoding under way in this thread could not read."""

    def __init__(self) -> None:
        self.ranges: list[tuple[int, int]] = []


_noted = _Noted()


def _note_and_replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    _noted.ranges.append((error.start, error.end))
    return "\ufffd", error.end


codecs.register_error(_ERROR_HANDLER, _note_and_replace)


def byte_offsets(body: bytes, charset: Charset) -> Offsets | None:
    """Byte offset of each character, and of the end.

    Args:
        body: the bytes that were decoded.
        charset: how they were decoded.

    Returns:
        ``len(charset.text) + 1`` offsets into ``body``; None where the encoding has several
        spellings for a character (shift states) and the way back is not unique.
    """
    first = _bom_bytes(body) if charset.source == "bom" else 0
    if charset.codec == "utf-8" and not charset.n_replaced:
        return np.append(_utf8_starts(body[first:]) + first, len(body))
    if charset.codec == "hz":
        sizes: Offsets | None = _hz_sizes(body)
    else:
        sizes = _sizes(body[first:], charset.codec)
    if sizes is None or len(sizes) != len(charset.text) or first + sizes.sum() != len(body):
        return None
    offsets = np.full(len(sizes) + 1, first, np.int64)
    offsets[1:] += np.cumsum(sizes)
    return offsets


def _bom_bytes(body: bytes) -> int:
    return 3 if body.startswith(codecs.BOM_UTF8) else 2


def _sizes(body: bytes, codec: str) -> Offsets | None:
    """Bytes behind each character, damaged places being one character each."""
    _noted.ranges = []
    body.decode(codec, _ERROR_HANDLER)
    pieces: list[Offsets] = []
    done = 0
    for start, end in (*_noted.ranges, (len(body), len(body))):
        sizes = _valid_sizes(body[done:start], codec)
        if sizes is None:
            return None
        pieces += (sizes, np.full(int(end > start), end - start, np.int64))
        done = end
    return np.concatenate(pieces)


def _valid_sizes(data: bytes, codec: str) -> Offsets | None:
    if codec == "utf-8":
        return np.diff(_utf8_starts(data), append=len(data))
    text = data.decode(codec, "ignore")
    if len(text) == len(data):
        return np.ones(len(text), np.int64)
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    sizes = _sizes_of_codes(codes, codec)
    return sizes if sizes.sum() == len(data) else None


def _sizes_of_codes(codes: NDArray[np.uint32], codec: str) -> Offsets:
    """Bytes of each character; counting is quicker than sorting if they are many."""
    is_long = len(codes) > _MANY_CODES
    used = np.flatnonzero(np.bincount(codes)) if is_long else np.unique(codes)
    size = np.array([len(chr(code).encode(codec, "replace")) for code in used.tolist()])
    if not is_long:
        return size[np.searchsorted(used, codes)]
    size_of = np.zeros(int(codes.max()) + 1, np.int64)
    size_of[used] = size
    return size_of[codes]


def _utf8_starts(data: bytes) -> Offsets:
    """Where the characters of valid UTF-8 start."""
    return np.flatnonzero((np.frombuffer(data, np.uint8) & 0xC0) != 0x80)


def _hz_sizes(body: bytes) -> Offsets:
    """In HZ the first character of a run answers for ``~{``, the last for ``~}``."""
    pieces: list[Offsets] = []
    for number, piece in enumerate(HZ_RUN.split(body)):
        if number % 2:
            sizes = np.full(len(piece) // 2, 2, np.int64)
            sizes[0] += 2
            sizes[-1] += 2
        else:
            sizes = _tilde_sizes(piece)
        pieces.append(sizes)
    return np.concatenate(pieces)


def _tilde_sizes(piece: bytes) -> Offsets:
    """Between the runs each byte is a character, but for ``~~``."""
    between = [np.ones(len(part), np.int64) for part in piece.split(b"~~")]
    pair = np.full(1, 2, np.int64)
    return np.concatenate([sizes for part in between for sizes in (pair, part)][1:])
