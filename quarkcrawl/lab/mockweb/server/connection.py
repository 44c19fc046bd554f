"""One client connection: HTTP/1.1 on an asyncio protocol.

A protocol of a hundred lines instead of a web framework, because the faults need the naked
connection, and because the server must be faster than the crawler it feeds: see
``benchmarks/miniweb.py`` for the comparison with aiohttp.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import struct
import sys
import time
import traceback
from collections import defaultdict
from email.utils import formatdate

from quarkcrawl.lab.mockweb.server.request import (
    MAX_HEAD_BYTES,
    BadRequestError,
    Request,
    parse_head,
)
from quarkcrawl.lab.mockweb.server.wire import Transmission, transmit
from quarkcrawl.lab.mockweb.web import Ask, MockReply, Web

IDLE_S = 75.0
_MAX_WAITING_BYTES = 1 << 20
_LINGER_ZERO = struct.pack("ii", 1, 0)


class Desk:
    """What all connections of a server share: the web, the visit counts, the request log.

    Args:
        web: answers the requests.
        log_fd: file descriptor of the request log, or None.
    """

    def __init__(self, web: Web, log_fd: int | None = None) -> None:
        self.web = web
        self.log_fd = log_fd
        self.connections = 0
        # Keys are hashes: a long crawl must not make the server grow by its URLs.
        self._visits: defaultdict[int, int] = defaultdict(int)
        self._date = (0, "")

    def answer(self, request: Request, scheme: str, connection: int) -> MockReply:
        """Ask the web, count the visit and write the log line (before any byte is sent)."""
        key = hash((scheme, request.host, request.target))
        self._visits[key] += 1
        ask = Ask(
            scheme,
            request.host,
            request.target,
            request.method,
            request.headers,
            self._visits[key],
        )
        try:
            reply = self.web.respond(ask)
        except Exception:  # noqa: BLE001 - a fault in a web must show, not end the server
            traceback.print_exc(file=sys.stderr)
            reply = MockReply(
                500, (("Content-Type", "text/plain"),), b"the web raised an exception"
            )
        if self.log_fd is not None:
            self._log(ask, reply, connection)
        return reply

    def _log(self, ask: Ask, reply: MockReply, connection: int) -> None:
        entry = {
            "time": time.time(),
            "scheme": ask.scheme,
            "host": ask.host,
            "target": ask.target,
            "method": ask.method,
            "status": reply.status,
            "connection": connection,
            "visit": ask.visit,
            "fault": reply.fault,
        }
        assert self.log_fd is not None
        os.write(self.log_fd, json.dumps(entry).encode() + b"\n")

    def date(self) -> str:
        """The Date header, made once a second."""
        now = int(time.time())
        if now != self._date[0]:
            self._date = (now, formatdate(now, usegmt=True))
        return self._date[1]


class Connection(asyncio.Protocol):
    """Reads requests one after the other and sends the replies in order.

    Args:
        desk: the server's shared state.
        scheme: ``http`` or ``https``.
    """

    def __init__(self, desk: Desk, scheme: str) -> None:
        self._desk = desk
        self._scheme = scheme
        self._buffer = bytearray()
        self._skip_bytes = 0
        self._busy = False
        self._timer: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport
        self._port = 0
        self._number = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take a number and start the idle clock."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._port = transport.get_extra_info("sockname")[1]
        self._desk.connections += 1
        self._number = self._desk.connections
        self._wait_for_request()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature
        """Forget what was still to be sent."""
        self._stop_timer()
        self._busy = True

    def data_received(self, data: bytes) -> None:
        """Collect bytes; a reply under way is finished before the next request is read."""
        self._buffer += data
        if not self._busy:
            self._next_request()
        elif len(self._buffer) > _MAX_WAITING_BYTES:
            self._transport.abort()

    def _next_request(self) -> None:
        if self._skip_bytes:
            skipped = min(self._skip_bytes, len(self._buffer))
            del self._buffer[:skipped]
            self._skip_bytes -= skipped
        while self._buffer.startswith(b"\r\n"):
            del self._buffer[:2]
        end = self._buffer.find(b"\r\n\r\n")
        try:
            if end >= 0:
                self._handle(self._take_head(end))
            elif self._buffer:
                self._check_beginning()
        except BadRequestError as error:
            self._refuse(error)

    def _take_head(self, end: int) -> Request:
        if end > MAX_HEAD_BYTES:
            raise BadRequestError(431, "request head too long")
        head = bytes(self._buffer[:end])
        del self._buffer[: end + 4]
        return parse_head(head, self._scheme, self._port)

    def _check_beginning(self) -> None:
        """Refuse at once what cannot become a request (TLS on the plain port, for one)."""
        if len(self._buffer) > MAX_HEAD_BYTES:
            raise BadRequestError(431, "request head too long")
        if not self._buffer[:1].isalpha():
            raise BadRequestError(400, "not a request")

    def _handle(self, request: Request) -> None:
        self._busy = True
        self._stop_timer()
        self._skip_bytes = request.body_bytes
        reply = self._desk.answer(request, self._scheme, self._number)
        sending = transmit(reply, request, self._desk.date())
        if len(sending.pieces) == 1 and not sending.pieces[0][0]:
            self._transport.write(sending.pieces[0][1])
            self._finish(sending)
        else:
            self._send(sending, 0)

    def _send(self, sending: Transmission, index: int) -> None:
        """Schedule piece ``index`` after its pause; each piece schedules the next."""
        if index == len(sending.pieces):
            self._finish(sending)
            return
        pause_s, data = sending.pieces[index]

        def write() -> None:
            self._transport.write(data)
            self._send(sending, index + 1)

        self._timer = self._loop.call_later(pause_s, write)

    def _finish(self, sending: Transmission) -> None:
        if sending.after == "keep":
            self._busy = False
            self._wait_for_request()
            if self._buffer:
                self._loop.call_soon(self._resume)
        elif sending.after == "close":
            self._transport.close()
        elif sending.after == "reset":
            self._loop.call_later(0.02, self._reset)
        else:
            self._timer = self._loop.call_later(IDLE_S * 4, self._transport.abort)

    def _resume(self) -> None:
        if not self._busy:
            self._next_request()

    def _reset(self) -> None:
        """Close with RST: no lingering, unsent data is thrown away."""
        if not self._transport.is_closing():
            sock = self._transport.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_ZERO)
            self._transport.abort()

    def _refuse(self, error: BadRequestError) -> None:
        self._busy = True
        self._stop_timer()
        request = Request("GET", "*", "", {}, keep_alive=False, http10=False, body_bytes=0)
        reply = MockReply(error.status, (("Content-Type", "text/plain"),), str(error).encode())
        self._transport.write(transmit(reply, request, self._desk.date()).pieces[0][1])
        self._transport.close()

    def _wait_for_request(self) -> None:
        self._timer = self._loop.call_later(IDLE_S, self._transport.close)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
