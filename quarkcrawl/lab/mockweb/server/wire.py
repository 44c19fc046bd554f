"""From a reply to bytes on the wire: a pure function, so that every fault can be tested."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Literal

from quarkcrawl.lab.mockweb.server.coding import choose, encode
from quarkcrawl.lab.mockweb.web import Fault, MockReply

if TYPE_CHECKING:
    from quarkcrawl.lab.mockweb.server.request import Request


After = Literal["keep", "close", "reset", "hang"]

_PIECES = 16
_CHUNK_BYTES = 4096
_REASONS = {status.value: status.phrase for status in HTTPStatus}
_HALF_SENT: dict[Fault, After] = {
    Fault.RESET_MIDWAY: "reset",
    Fault.TRUNCATE: "close",
    Fault.STALL: "hang",
}
_NOTHING_SENT: dict[Fault, After] = {
    Fault.EMPTY: "close",
    Fault.RESET: "reset",
    Fault.HANG: "hang",
}
_GARBAGE = b"\x16\x03\x01<<< \xb0\xd7\xb6\xc8 ERROR 2002 >>>\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Transmission:
    """What goes over the connection.

    Args:
        pieces: pairs of a pause in seconds and the bytes that follow it.
        after: what becomes of the connection then.
    """

    pieces: tuple[tuple[float, bytes], ...]
    after: After


def transmit(reply: MockReply, request: Request, date: str) -> Transmission:
    """Lay out a reply.

    Args:
        reply: what the web answers.
        request: the request; decides on HEAD, codings, chunks and keep-alive.
        date: value of the Date header.

    Returns:
        The pieces with their pauses, and the fate of the connection.
    """
    fault = reply.fault
    if fault in _NOTHING_SENT:
        return Transmission((), _NOTHING_SENT[fault])
    if fault is Fault.GARBAGE:
        return Transmission(((reply.delay_s, _GARBAGE),), "close")
    head, body, after = _compose(reply, request, date)
    if fault in _HALF_SENT:
        return Transmission(((reply.delay_s, head + body[: len(body) // 2]),), _HALF_SENT[fault])
    if reply.drip_s > 0 and reply.body and body:
        return Transmission(((reply.delay_s, head), *_drip(body, reply.drip_s)), after)
    return Transmission(((reply.delay_s, head + body),), after)


def _compose(reply: MockReply, request: Request, date: str) -> tuple[bytes, bytes, After]:
    """Head and framed body of a reply."""
    lines = [f"HTTP/1.1 {reply.status} {_REASONS.get(reply.status, 'Unknown')}", f"Date: {date}"]
    lines += [f"{name}: {value}" for name, value in reply.headers]
    body = _coded(reply, request, lines)
    keep = request.keep_alive
    if reply.status in {204, 304}:
        body = b""
    elif _wants_chunks(reply) and not request.http10:
        lines.append("Transfer-Encoding: chunked")
        body = _chunks(body, broken=reply.fault is Fault.BAD_CHUNK)
    elif reply.fault is Fault.OVERLONG:
        lines.append(f"Content-Length: {len(body) // 2}")
        keep = False
    else:
        lines.append(f"Content-Length: {len(body)}")
    keep = keep and reply.fault is not Fault.BAD_CHUNK
    if not keep or request.http10:
        lines.append("Connection: keep-alive" if keep else "Connection: close")
    head = "\r\n".join([*lines, "", ""]).encode("latin-1", "replace")
    return head, b"" if request.method == "HEAD" else body, "keep" if keep else "close"


def _coded(reply: MockReply, request: Request, lines: list[str]) -> bytes:
    if reply.fault is Fault.BAD_CODING:
        lines.append("Content-Encoding: gzip")
        return reply.body
    coding = choose(reply.coding, request.headers.get("accept-encoding", ""))
    if coding is None or not reply.body:
        return reply.body
    name, body = encode(reply.body, coding)
    lines.append(f"Content-Encoding: {name}")
    return body


def _wants_chunks(reply: MockReply) -> bool:
    return reply.chunked or reply.fault is Fault.BAD_CHUNK


def _chunks(body: bytes, *, broken: bool) -> bytes:
    parts = []
    for start in range(0, len(body), _CHUNK_BYTES):
        piece = body[start : start + _CHUNK_BYTES]
        parts.append(b"%x\r\n%b\r\n" % (len(piece), piece))
    return b"".join([*parts, b"zz\r\n" if broken else b"0\r\n\r\n"])


def _drip(body: bytes, drip_s: float) -> list[tuple[float, bytes]]:
    size = -(-len(body) // _PIECES)
    pieces = [body[start : start + size] for start in range(0, len(body), size)]
    return [(drip_s / len(pieces), piece) for piece in pieces]
