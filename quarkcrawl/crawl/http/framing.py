"""Replies that browsers read and a strict parser refuses, put straight before it sees them.

aiohttp's parser gets each reply through `ReplyMender`, which follows the framing: head, then a body
by length, by chunks or up to the end. What is regular passes as it came. What is mended, all of it
as Chromium was seen to read it (docs/hostile.md): ``ICY`` for HTTP/1.0, status lines with other
blanks, letters or versions, header lines that are none (dropped), equal Content-Lengths (``N, N``,
or on several lines), a Content-Length that is no number (the body ends with the connection) or
stands beside chunks, lines of chunks that end in a bare line feed, a last chunk without its empty
line. Trailers and whatever follows a whole reply are dropped; the connection is not used again
then. Heads, with interim replies, and trailers have a bound of bytes. Unequal lengths, NUL in a
head, chunks without a size and what is not HTTP are refused.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any, Final

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import BadHttpMessage

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_HEAD_BYTES: Final = 1 << 19
"""Of all heads of a reply; Chromium reads 256 KiB, Firefox 384 KiB."""

MAX_HEADER_LINES: Final = MAX_HEAD_BYTES // 4

_MAX_LINE_BYTES: Final = 1 << 14
"""Of a line between chunks, as in Chromium."""

_HEAD_END: Final = re.compile(rb"\n\r?\n")
_SLOP_BYTES: Final = 4
"""So much may stand before the status line."""
_BEGINS: Final = re.compile(rb"[^\n]{0,4}?(?:http|icy )", re.IGNORECASE)
_STATUS: Final = re.compile(
    rb"[^\n]{0,4}?(?:http/(\d+)(?:\.(\d+))?|icy)[ \t]+(\d{3})(?!\d)[ \t]*([^\r\n]*)", re.IGNORECASE
)
_PLAIN_STATUS: Final = re.compile(rb"HTTP/1\.[01] \d{3}(?: [^\r\n]*)?\r?\n")
_NAME: Final = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]++"
_PLAIN_LINES: Final = re.compile(rb"(?>(?:(?:%s:|[ \t])[^\r\n]*+\r?\n)*)\r?\n" % _NAME)
_HEADER_LINE: Final = re.compile(rb"(%s)[ \t]*:(.*)" % _NAME, re.DOTALL)
_FRAMING: Final = re.compile(
    rb"^(content-length|transfer-encoding)[ \t]*:[ \t]*([^\r\n]*?)[ \t]*\r?\n(?![ \t])",
    re.IGNORECASE | re.MULTILINE,
)
_CHUNK_SIZE: Final = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?", re.DOTALL)
_INTERIM: Final = 100
_SWITCHED: Final = 101
_FINAL: Final = 200
_NO_BODY: Final = frozenset({204, 304})
_MAX_DIGITS: Final = 15


class ReplyMender:
    """Follows the framing of one reply; what `feed` returns is for a strict parser.

    Args:
        has_body: False for a reply to HEAD.

    Attributes:
        has_surplus: whether there were bytes behind the whole reply.
    """

    def __init__(self, *, has_body: bool = True) -> None:
        self.has_surplus = False
        self._has_body = has_body
        # A state takes bytes and where in them it begins; it returns what the parser is given, and
        # where the next state begins.
        self._state: Callable[[bytes, int], tuple[bytes, int]] = self._head
        self._held = bytearray()
        self._left = 0
        self._head_bytes = 0

    @property
    def is_over(self) -> bool:
        """Whether the whole reply has come."""
        return self._state == self._behind

    def feed(self, data: bytes) -> bytes:
        """Take bytes from the connection.

        Raises:
            BadHttpMessage: head, trailers or a line between chunks are longer than they may be.
        """
        parts: list[bytes] = []
        at = 0
        while at < len(data):
            part, at = self._state(data, at)
            parts.append(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def feed_eof(self) -> bytes:
        """What is to be added where the connection ends."""
        if self._state == self._trailer:  # all data came: only the empty line is missing
            return b"\r\n"
        held, self._held = bytes(self._held), bytearray()
        return held

    def _head(self, data: bytes, at: int) -> tuple[bytes, int]:
        held = self._held
        seen = len(held)
        held += data[at:] if seen else data[at:].lstrip(b"\r\n")
        if len(held) >= _SLOP_BYTES + len(b"HTTP") and not _BEGINS.match(held):
            raise BadHttpMessage("no HTTP")
        head_end = _HEAD_END.search(held, max(0, seen - 2))
        if self._head_bytes + (head_end.end() if head_end else len(held)) > MAX_HEAD_BYTES:
            raise BadHttpMessage(f"more than {MAX_HEAD_BYTES} bytes of header lines")
        if head_end is None:
            return b"", len(data)
        head = bytes(held[: head_end.end()])
        n_behind = len(held) - head_end.end()
        held.clear()
        self._head_bytes += len(head)
        return self._begin(head), len(data) - n_behind

    def _begin(self, head: bytes) -> bytes:
        """Choose the framing by a whole head; returns it in order."""
        status = _STATUS.match(head)
        code = int(status[3]) if status else 0
        if status and not _PLAIN_STATUS.match(head):
            is_old = status[1] is None or (status[1], status[2]) == (b"1", b"0")
            first = b"HTTP/1.%d %d %s" % (not is_old, code, status[4])
            head = first.rstrip() + head[status.end() :]
        head = _with_plain_lines(head)
        if _INTERIM <= code < _FINAL and code != _SWITCHED:  # another head follows
            return head
        self._state = self._pass
        if code < _FINAL:
            return head
        codings, lengths = _framing(head)
        if not self._has_body or code in _NO_BODY:
            self._state = self._behind
        elif codings:
            if codings[-1] == b"chunked":
                self._state = self._chunk_line
                head = _with_length(head, b"") if lengths else head
        elif len(set(lengths)) == 1 and not lengths[0].isdigit():
            head = _with_length(head, b"")
        elif len(set(lengths)) == 1 and len(lengths[0]) <= _MAX_DIGITS:
            self._left = int(lengths[0])
            self._state = self._body if self._left else self._behind
            head = _with_length(head, lengths[0]) if len(lengths) > 1 else head
        return head

    def _part(self, data: bytes, at: int, then: Callable[..., tuple[bytes, int]]) -> bytes:
        """The next bytes of a body or chunk, of which so many are left."""
        part = data[at : at + self._left]
        self._left -= len(part)
        if not self._left:
            self._state = then
        return part

    def _body(self, data: bytes, at: int) -> tuple[bytes, int]:
        part = self._part(data, at, self._behind)
        return part, at + len(part)

    def _chunk(self, data: bytes, at: int) -> tuple[bytes, int]:
        part = self._part(data, at, self._chunk_end)
        return part, at + len(part)

    def _chunk_line(self, data: bytes, at: int) -> tuple[bytes, int]:
        line, behind = self._line(data, at)
        if line is None:
            return b"", behind
        size = _CHUNK_SIZE.fullmatch(line)
        if size is None:
            return self._give_up(line + b"\r\n"), behind
        self._left = int(size[1], 16)
        self._state = self._chunk if self._left else self._trailer
        return size[1] + b"\r\n", behind

    def _chunk_end(self, data: bytes, at: int) -> tuple[bytes, int]:
        line, behind = self._line(data, at)
        if line is None:
            return b"", behind
        if line:
            return self._give_up(line + b"\r\n"), behind
        self._state = self._chunk_line
        return b"\r\n", behind

    def _trailer(self, data: bytes, at: int) -> tuple[bytes, int]:
        line, behind = self._line(data, at)
        if line is None:
            return b"", behind
        if line:
            self._head_bytes += len(line) + 2
            if self._head_bytes > MAX_HEAD_BYTES:
                raise BadHttpMessage(f"more than {MAX_HEAD_BYTES} bytes of trailers")
            return b"", behind
        self._state = self._behind
        return b"\r\n", behind

    def _line(self, data: bytes, at: int) -> tuple[bytes | None, int]:
        """A line of the chunks without its end, None if it is not whole; and what follows."""
        end = data.find(b"\n", at)
        stop = len(data) if end < 0 else end
        if len(self._held) + stop - at > _MAX_LINE_BYTES:
            raise BadHttpMessage(f"a line of more than {_MAX_LINE_BYTES} bytes between chunks")
        if end < 0:
            self._held += data[at:]
            return None, stop
        line = bytes(self._held) + data[at:end]
        self._held.clear()
        return line.removesuffix(b"\r"), end + 1

    def _behind(self, data: bytes, at: int) -> tuple[bytes, int]:  # noqa: ARG002
        self.has_surplus = True
        return b"", len(data)

    def _pass(self, data: bytes, at: int) -> tuple[bytes, int]:
        return data[at:], len(data)

    def _give_up(self, line: bytes = b"") -> bytes:
        """Leave the rest to the parser, as it came."""
        self._state = self._pass
        held, self._held = bytes(self._held), bytearray()
        return held + line


def _with_plain_lines(head: bytes) -> bytes:
    """A head without the lines that are no header lines."""
    start = head.index(b"\n") + 1
    if _PLAIN_LINES.fullmatch(head, start):
        return head
    lines = [head[:start].rstrip(b"\r\n")]
    for line in head[start:].split(b"\n"):
        text = line.replace(b"\r", b" ").rstrip()
        if match := _HEADER_LINE.match(text):
            lines.append(match[1] + b":" + match[2])
        elif text[:1] in {b" ", b"\t"} and len(lines) > 1:
            lines.append(text)
    return b"\r\n".join([*lines, b"", b""])


def _framing(head: bytes) -> tuple[list[bytes], list[bytes]]:
    """Transfer codings and Content-Lengths of a head, those of lists one by one."""
    codings: list[bytes] = []
    lengths: list[bytes] = []
    for name, value in _FRAMING.findall(head):
        values = codings if name[:1] in b"tT" else lengths
        values += [part.strip().lower() for part in value.split(b",")]
    return codings, lengths


def _with_length(head: bytes, length: bytes) -> bytes:
    """A head with that Content-Length in place of its own; with none if it is empty."""
    is_first = bool(length)

    def mended(match: re.Match[bytes]) -> bytes:
        nonlocal is_first
        if match[1][:1] in b"tT":
            return match[0]
        line = match[1] + b": " + length + b"\r\n" if is_first else b""
        is_first = False
        return line

    return _FRAMING.sub(mended, head)


class _MendedParser:
    """aiohttp's parser behind a `ReplyMender`."""

    def __init__(self, parser: Any, mender: ReplyMender, handler: MendingHandler) -> None:
        self._parser = parser
        self._mender = mender
        self._handler = handler
        self.pause_reading = parser.pause_reading

    def feed_data(self, data: bytes) -> Any:
        if not data:  # goes on with what it has
            return self._parser.feed_data(data)
        if self._mender.is_over:
            self._handler.end_use()
            return (), False, b""
        result = self._parser.feed_data(self._mender.feed(data))
        if self._mender.has_surplus:
            self._handler.force_close()
        return result

    def feed_eof(self) -> Any:
        if rest := self._mender.feed_eof():
            self._parser.feed_data(rest)
        return self._parser.feed_eof()


class MendingHandler(ResponseHandler):
    """aiohttp's protocol of a connection, with a `_MendedParser` for each reply."""

    def set_response_params(self, *, skip_payload: bool = False, **options: Any) -> None:
        """Expect one reply."""
        tail, self._tail = self._tail, b""  # else the bare parser gets it
        super().set_response_params(skip_payload=skip_payload, **options)
        mender = ReplyMender(has_body=not skip_payload)
        self._parser: Any = _MendedParser(self._parser, mender, self)
        self._tail = tail
        self._drain_tail()

    def end_use(self) -> None:
        """What is sent without being asked for must not become the reply to a later request."""
        self.force_close()
        is_read = self._payload is None or self._payload.is_eof()
        if is_read and not self._buffer and self.transport is not None:
            self.transport.close()  # it lies among those that are kept


class MendingConnector(aiohttp.TCPConnector):
    """Connections whose replies are put straight before they are parsed."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._factory: Any = functools.partial(MendingHandler, loop=self._loop)
