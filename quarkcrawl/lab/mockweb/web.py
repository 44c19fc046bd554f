"""What a simulated web is: hosts, and a reply to every request.

The server in `quarkcrawl.lab.mockweb.server.server` speaks HTTP; a `Web` only decides *what* is
said, and how badly. A web must answer the same question in the same way in every process, so that a
test can compute what a crawl has to find; only ``visit`` may change an answer over time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


Headers = tuple[tuple[str, str], ...]


class Fault(StrEnum):
    """Ways in which a server breaks the protocol on purpose."""

    EMPTY = "empty"  # the connection is closed without a byte
    RESET = "reset"  # the connection is reset (RST) without a byte
    RESET_MIDWAY = "reset_midway"  # half of the body, then RST
    TRUNCATE = "truncate"  # Content-Length is true, half of the body comes, then an orderly end
    OVERLONG = "overlong"  # Content-Length says half of what is sent
    STALL = "stall"  # half of the body, then silence until the client goes
    HANG = "hang"  # the request is read and never answered
    GARBAGE = "garbage"  # bytes that are not HTTP
    BAD_CODING = "bad_coding"  # says gzip, sends plain bytes
    BAD_CHUNK = "bad_chunk"  # chunked, with a chunk size that is no number


class Coding(StrEnum):
    """Content codings; one is applied only where the client accepts it."""

    GZIP = "gzip"
    DEFLATE = "deflate"  # zlib stream, as RFC 9110 says
    RAW_DEFLATE = "raw-deflate"  # the bare stream that some servers send under the same name
    BROTLI = "br"


@dataclass(frozen=True, slots=True)
class Ask:
    """One request.

    Args:
        scheme: ``http`` or ``https``, by the port it came in.
        host: lower-case host name from the Host header; with ``:port`` if not a default port.
        target: path and query exactly as sent.
        method: request method.
        headers: request headers, names in lower case.
        visit: how often this URL has been asked for, this time included.
    """

    scheme: str
    host: str
    target: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    visit: int = 1

    @property
    def url(self) -> str:
        """The absolute URL that was asked for."""
        return f"{self.scheme}://{self.host}{self.target}"


@dataclass(frozen=True, slots=True)
class MockReply:
    """One answer.

    Args:
        status: HTTP status code.
        headers: header fields; lengths, codings, Date and Connection are the server's business.
        body: the entity before any content coding.
        delay_s: wait before the first byte.
        drip_s: if positive, the body comes in 16 pieces spread over this time.
        fault: a protocol violation, or None.
        chunked: send with Transfer-Encoding chunked (to HTTP/1.1 clients).
        coding: content coding to use if the client accepts it, gzip being second choice.
    """

    status: int = 200
    headers: Headers = ()
    body: bytes = b""
    delay_s: float = 0.0
    drip_s: float = 0.0
    fault: Fault | None = None
    chunked: bool = False
    coding: Coding | None = None


class Web(Protocol):
    """A set of hosts that answer requests, without any input or output of its own."""

    def hosts(self) -> Sequence[str]:
        """Host names that resolve; ``*.name`` stands for every name below ``name``."""
        ...

    def respond(self, ask: Ask) -> MockReply:
        """Answer one request, for any host and target whatever.

        Args:
            ask: the request.
        """
        ...


def not_found() -> MockReply:
    """A plain 404 page, the same for all hosts."""
    page = (
        '<!DOCTYPE html><html lang="zh-CN"><head><meta charset="utf-8"><title>404</title></head>'
        "<body><h1>404</h1><p>您访问的页面不存在。</p></body></html>"
    )
    return MockReply(404, (("Content-Type", "text/html; charset=utf-8"),), page.encode())
