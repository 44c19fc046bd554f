"""Reading HTTP/1.x requests: pure functions over bytes."""

from __future__ import annotations

from dataclasses import dataclass

MAX_HEAD_BYTES = 96 * 1024
"""Longest request head that is read; very long URLs are part of a web, so this is generous."""

_DEFAULT_PORTS = {"http": ":80", "https": ":443"}


class BadRequestError(Exception):
    """The bytes are no request that this server answers.

    Args:
        status: status code of the answer.
        reason: what was wrong.
    """

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


@dataclass(frozen=True, slots=True)
class Request:
    """A parsed request head.

    Args:
        method: the method token.
        target: path and query as sent (absolute-form targets are reduced to it).
        host: lower-case host, without the scheme's default port and without ``own_port``.
        headers: names in lower case; of repeated fields the last counts.
        keep_alive: whether the client wants the connection to stay open.
        http10: an HTTP/1.0 client, which knows no chunked coding.
        body_bytes: length of the request body to skip.
    """

    method: str
    target: str
    host: str
    headers: dict[str, str]
    keep_alive: bool
    http10: bool
    body_bytes: int


def parse_head(head: bytes, scheme: str, own_port: int) -> Request:
    """Parse a request head (everything before the blank line).

    Args:
        head: the bytes before CRLF CRLF.
        scheme: ``http`` or ``https``; decides the default port.
        own_port: the port the server listens on; clients without port mapping name it in Host.

    Returns:
        The request.

    Raises:
        BadRequestError: with status 400, 501 or 505.
    """
    lines = head.decode("latin-1").split("\r\n")
    method, target, version = _request_line(lines[0])
    headers = _headers(lines[1:])
    target, authority = _origin_form(target)
    host = _host(authority or headers.get("host", ""), scheme, own_port)
    wish = headers.get("connection", "").lower()
    http10 = version == "HTTP/1.0"
    return Request(
        method,
        target,
        host,
        headers,
        "keep-alive" in wish if http10 else "close" not in wish,
        http10,
        _body_length(headers),
    )


def _request_line(line: str) -> tuple[str, str, str]:
    parts = line.split(" ")
    if len(parts) != 3 or not parts[0].isalpha() or not parts[1]:
        raise BadRequestError(400, "malformed request line")
    if parts[2] not in {"HTTP/1.1", "HTTP/1.0"}:
        raise BadRequestError(505 if parts[2].startswith("HTTP/") else 400, "unknown version")
    return parts[0], parts[1], parts[2]


def _headers(lines: list[str]) -> dict[str, str]:
    headers = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not name or name != name.strip():
            raise BadRequestError(400, "malformed header line")
        headers[name.lower()] = value.strip()
    return headers


def _origin_form(target: str) -> tuple[str, str]:
    if target.startswith(("http://", "https://")):
        authority, slash, rest = target.partition("://")[2].partition("/")
        return slash + rest or "/", authority
    return target, ""


def _host(authority: str, scheme: str, own_port: int) -> str:
    host = authority.lower()
    for port in (_DEFAULT_PORTS[scheme], f":{own_port}"):
        host = host.removesuffix(port)
    return host


def _body_length(headers: dict[str, str]) -> int:
    if "transfer-encoding" in headers:
        raise BadRequestError(501, "request bodies in chunks are not read")
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit() and len(length) < 19):
        raise BadRequestError(400, "malformed Content-Length")
    return int(length)
