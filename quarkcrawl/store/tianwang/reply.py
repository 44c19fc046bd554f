"""The stored form of an HTTP reply: the entity as a reader needs it, the headers as received.

The body is stored without transfer and content encodings, so the three headers that described
the transfer would now be wrong. They are kept under the prefix ``X-Crawler-`` and a true
``Content-Length`` is added. All offsets (content runs, source spans) count in this body.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from quarkcrawl.page.text import content_type_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.page import HeaderLine


_TRANSFER = frozenset({b"content-encoding", b"transfer-encoding", b"content-length"})
_LINE_BREAKS = re.compile(rb"[\r\n]+")
_NAME_BREAKS = re.compile(rb"[\r\n:\s]+")
_STATUS = re.compile(rb"HTTP/(\d+(?:\.\d+)?)\s+(\d{3})(?:\s+(.*))?$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class StoredReply:
    """A stored reply taken apart.

    Args:
        status_line: first line without its end; b"" when the data had no HTTP head.
        header_lines: names and values in order.
        body: the entity.
    """

    status_line: bytes
    header_lines: tuple[HeaderLine, ...]
    body: bytes

    @property
    def status(self) -> int | None:
        """Status code, None if the status line has none."""
        match = _STATUS.match(self.status_line)
        return int(match[2]) if match else None

    def get(self, name: str) -> str | None:
        """First value of a header, by name without regard to case; None if absent.

        Args:
            name: name of the header.
        """
        lower_name = name.lower().encode("latin-1", "replace")
        for key, value in self.header_lines:
            if key.lower() == lower_name:
                return value.decode("latin-1")
        return None

    @property
    def content_type(self) -> str | None:
        """The Content-Type, of several the one that browsers choose; None if absent."""
        lines = self.header_lines
        values = [v.decode("latin-1") for name, v in lines if name.lower() == b"content-type"]
        return content_type_of(values) if values else None


def status_phrase(status: int) -> str:
    """The usual words for a status code; "" if it has none."""
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def build_reply(
    status: int,
    reason_phrase: str,
    http_version: str,
    header_lines: Sequence[HeaderLine],
    body: bytes,
) -> bytes:
    """Put a reply together for storing.

    Args:
        status: status code.
        reason_phrase: words after it; may be "".
        http_version: ``"1.1"`` or ``"HTTP/1.1"``.
        header_lines: names and values as received; line breaks inside become spaces.
        body: the entity, transfer and content encodings removed.
    """
    version = http_version if http_version.upper().startswith("HTTP/") else f"HTTP/{http_version}"
    first = f"{version} {status} {reason_phrase}".rstrip().encode("latin-1", "replace")
    parts = [_LINE_BREAKS.sub(b" ", first)]
    parts += [_line(name, value) for name, value in header_lines]
    parts.append(b"Content-Length: %d" % len(body))
    return b"".join((b"\r\n".join(parts), b"\r\n\r\n", body))


def _line(name: bytes, value: bytes) -> bytes:
    name = _NAME_BREAKS.sub(b"-", name)
    if name.lower() in _TRANSFER:
        name = b"X-Crawler-" + name
    return name + b": " + _LINE_BREAKS.sub(b" ", value)


def split_reply(data: bytes) -> StoredReply:
    """Take stored data apart; never raises.

    Line ends may be CRLF or LF, mixed. Data that does not begin with a status line, or has no
    blank line, is taken as what it most likely is: all body, or all head.

    Args:
        data: status line, headers, body.
    """
    if not data.startswith(b"HTTP/"):
        return StoredReply(b"", (), data)
    at, width = data.find(b"\n\r\n"), 3
    bare = data.find(b"\n\n", 0, at + 1 if at >= 0 else len(data))  # not through a whole body
    if bare >= 0:
        at, width = bare, 2
    if at < 0:
        at, width = len(data), 0
    lines = data[:at].replace(b"\r\n", b"\n").rstrip(b"\r").split(b"\n")
    return StoredReply(lines[0], _header_lines(lines[1:]), data[at + width :])


def _header_lines(lines: list[bytes]) -> tuple[HeaderLine, ...]:
    fields: list[HeaderLine] = []
    for line in lines:
        if fields and line[:1] in {b" ", b"\t"}:  # a folded line goes on
            name, value = fields[-1]
            fields[-1] = (name, value + b" " + line.strip())
        else:
            name, _, value = line.partition(b":")
            fields.append((name, value.strip()))
    return tuple(fields)
