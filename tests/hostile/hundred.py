"""One hundred more behaviors, on a server of their own; beside each a host that behaves.

A row is a name, what is said of it, how its home page ends, and what is written to the socket: bytes
as they are (``PAGE`` stands for the page's body, ``LENGTH`` for its size), seconds to wait, functions
of the connection.
"""

from __future__ import annotations

import gzip
import socket
import time
import zlib
from collections.abc import Callable
from typing import Final

from .behavior import Behavior, Conn

HUNDRED: dict[str, Behavior] = {}

OK: Final = b"HTTP/1.1 200 OK\r\n"
HTML: Final = b"Content-Type: text/html\r\n"
SIZE: Final = b"Content-Length: LENGTH\r\n"
CHUNKED: Final = b"Transfer-Encoding: chunked\r\n"
CLOSE: Final = b"Connection: close\r\n"
GZIP: Final = b"Content-Encoding: gzip\r\n"
END: Final = b"\r\nPAGE"
WHOLE: Final = OK + HTML + SIZE + END

ALSO: Final = {
    "leads-on": {"*": frozenset({"redirect", "redirect_limit"})},
    "leads-back-and-forth": {"/a": "redirect", "/b": "redirect"},
    "leads-two-ways": {"/y": "stored"},
}
"""Endings of URLs beyond the home page."""

Part = bytes | float | Callable[[Conn], object]


def rows(group: str, *lines: tuple[str, str, str, Part | list[Part]]) -> None:
    """Enter behaviors of a group: name, ending of the home page, what it does, what is written."""
    for name, home, says, parts in lines:
        expect = {"/": home} | ALSO.get(name, {})
        why = "how much has come when it is seen" if "|" in home else ""
        assert name not in HUNDRED, name
        act = _writer(parts if isinstance(parts, list) else [parts])
        HUNDRED[name] = Behavior(name, group, says, act, expect, why=why, most_requests=30)


def _writer(parts: list[Part]) -> Callable[[Conn], None]:
    def act(c: Conn) -> None:
        page = c.page().encode()
        for part in parts:
            if isinstance(part, bytes):
                size = str(len(page)).encode()
                c.send(part.replace(b"LENGTH", size).replace(b"PAGE", page))
            elif isinstance(part, float):
                time.sleep(part)
            else:
                part(c)

    return act


def _forever(data: bytes, pause_s: float = 0.0) -> Callable[[Conn], None]:
    def act(c: Conn) -> None:
        while True:
            c.send(data)
            time.sleep(pause_s)

    return act


def _by_bytes(data: bytes, pause_s: float, step: int = 1) -> Callable[[Conn], None]:
    def act(c: Conn) -> None:
        page = c.page().encode()
        whole = data.replace(b"LENGTH", str(len(page)).encode()).replace(b"PAGE", page)
        for at in range(0, len(whole), step):
            c.send(whole[at : at + step])
            time.sleep(pause_s)

    return act


def _chunks(size: int, line: bytes = b"%x\r\n", end: bytes = b"\r\n", last: bytes = b"0\r\n\r\n"):
    def act(c: Conn) -> None:
        page = c.page().encode()
        pieces = [page[at : at + size] for at in range(0, len(page), size)]
        c.send(b"".join(line % len(piece) + piece + end for piece in pieces) + last)

    return act


def _packed(pack: Callable[[bytes], bytes], *headers: bytes) -> Callable[[Conn], None]:
    def act(c: Conn) -> None:
        body = pack(c.page().encode())
        size = b"Content-Length: %d\r\n" % len(body)
        c.send(OK + HTML + b"".join(headers) + size + b"\r\n" + body)

    return act


def _leads(status: bytes, *locations: bytes, body: bytes = b"moved") -> bytes:
    lines = b"".join(b"Location: " + location + b"\r\n" for location in locations)
    size = b"Content-Length: %d\r\n" % len(body)
    return b"HTTP/1.1 " + status + b"\r\n" + lines + size + b"\r\n" + body


def _chain(c: Conn) -> None:
    number = int(c.path[1:] or 0)
    c.send(_leads(b"302 Found", b"/%d" % (number + 1)))


def _swing(c: Conn) -> None:
    c.send(_leads(b"302 Found", b"/b" if c.path in {"/", "/a"} else b"/a"))


def _half_closes(c: Conn) -> None:
    c.sock.shutdown(socket.SHUT_WR)
    time.sleep(1)


def _resets(c: Conn) -> None:
    time.sleep(0.2)
    c.reset()


def _asks_back(c: Conn) -> None:
    c.send(f"GET {c.path} HTTP/1.1\r\nHost: {c.host}\r\n\r\n")


def _member_with_name(body: bytes) -> bytes:
    raw = zlib.compressobj(wbits=-15)
    head = b"\x1f\x8b\x08\x08" + bytes(6) + b"n" * 200_000 + b"\0"
    tail = zlib.crc32(body).to_bytes(4, "little") + len(body).to_bytes(4, "little")
    return head + raw.compress(body) + raw.flush() + tail


def _with_dictionary(body: bytes) -> bytes:
    packer = zlib.compressobj(zdict=b"<html><head><title>")
    return packer.compress(body) + packer.flush()


rows(
    "status line",
    ("status-lower-case", "stored", "http/1.1 in small letters", b"http/1.1 200 OK\r\n" + HTML + SIZE + END),
    ("status-without-reason", "stored", "no reason and no space", b"HTTP/1.1 200\r\n" + HTML + SIZE + END),
    ("status-two-blanks", "stored", "two spaces between the words", b"HTTP/1.1  200  OK\r\n" + HTML + SIZE + END),
    ("status-tab", "stored", "a tab between the words", b"HTTP/1.1\t200\tOK\r\n" + HTML + SIZE + END),
    ("status-glued", "stored", "the reason glued to the number", b"HTTP/1.1 200OK\r\n" + HTML + SIZE + END),
    ("status-http-1-2", "stored", "HTTP/1.2", b"HTTP/1.2 200 OK\r\n" + HTML + SIZE + END),
    ("status-http-2", "stored", "HTTP/2 as text", b"HTTP/2 200\r\n" + HTML + SIZE + END),
    ("status-behind-blank-lines", "stored", "two empty lines first", b"\r\n\r\n" + WHOLE),
    ("status-behind-garbage", "stored", "three letters first", b"xyz" + WHOLE),
    ("status-behind-blank", "stored", "a space first", b" " + WHOLE),
    ("status-reason-gbk", "stored", "a reason in GBK", b"HTTP/1.1 200 \xb3\xc9\xb9\xa6\r\n" + HTML + SIZE + END),
    ("status-reason-long", "stored", "a reason of 50 KB", b"HTTP/1.1 200 " + b"O" * 50_000 + b"\r\n" + HTML + SIZE + END),
    ("status-226", "stored", "226 IM Used", b"HTTP/1.1 226 IM Used\r\n" + HTML + SIZE + END),
    ("status-299", "stored", "299, which nobody knows", b"HTTP/1.1 299 Odd\r\n" + HTML + SIZE + END),
    ("status-206", "stored", "206 with a range nobody asked for", b"HTTP/1.1 206 Partial\r\nContent-Range: bytes 5-9/100\r\n" + HTML + SIZE + END),
    ("status-418", "http_418", "418", b"HTTP/1.1 418 Teapot\r\n" + HTML + SIZE + END),
    ("status-600", "http_600", "600", b"HTTP/1.1 600 Much\r\n" + HTML + SIZE + END),
    ("status-205", "http_205", "205, which has no body, with one", b"HTTP/1.1 205 Reset\r\n" + HTML + SIZE + END),
    ("interim-100", "stored", "100 Continue, unasked, then a page", b"HTTP/1.1 100 Continue\r\n\r\n" + WHOLE),
    ("interim-many", "stored", "two hundred times 103, then a page", b"HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n" * 200 + WHOLE),
    ("interim-slow", "timeout", "102 every 300 ms, for ever", _forever(b"HTTP/1.1 102 Processing\r\n\r\n", 0.3)),
    ("status-421", "http_421", "421 Misdirected Request", b"HTTP/1.1 421 Misdirected\r\n" + HTML + SIZE + END),
    ("status-426", "http_426", "426 Upgrade Required", b"HTTP/1.1 426 Upgrade Required\r\nUpgrade: TLS/1.2\r\nConnection: Upgrade\r\n" + HTML + SIZE + END),
)  # fmt: skip

rows(
    "header lines",
    ("blank-before-colon", "stored", "a space before the colon", OK + b"Content-Type : text/html\r\n" + SIZE + END),
    ("tabs-around-value", "stored", "tabs around a value", OK + b"Content-Type:\ttext/html\t\r\n" + SIZE + END),
    ("name-empty", "stored", "a line that begins with the colon", OK + b": value\r\n" + HTML + SIZE + END),
    ("name-with-blank", "stored", "a space within a name", OK + b"X Y: v\r\n" + HTML + SIZE + END),
    ("value-control", "stored", "control characters in a value", OK + b"X: a\x01\x02\x7fb\r\n" + HTML + SIZE + END),
    ("value-carriage-return", "stored", "a lone carriage return in a value", OK + b"X: a\rb\r\n" + HTML + SIZE + END),
    ("value-60-kb", "stored", "five lines of 60 KB each", OK + b"".join(b"X-%d: %s\r\n" % (n, b"v" * 60_000) for n in range(5)) + HTML + SIZE + END),
    ("value-200-kb", "stored", "one line of 200 KB", OK + b"X: " + b"v" * 200_000 + b"\r\n" + HTML + SIZE + END),
    ("lines-600-kb", "bad_http", "600 KB of short lines, then a page", OK + b"X: vvvvvv\r\n" * 55_000 + HTML + SIZE + END),
    ("endings-mixed", "stored", "CRLF here, LF there", b"HTTP/1.1 200 OK\nContent-Type: text/html\r\nContent-Length: LENGTH\n\r\nPAGE"),
    ("endings-carriage-return", "bad_http|connection_lost", "lines end in a bare CR", b"HTTP/1.1 200 OK\rContent-Type: text/html\r\rPAGE"),
    ("type-empty", "stored", "an empty Content-Type", OK + b"Content-Type:\r\n" + SIZE + END),
    ("type-garbage", "stored", "a Content-Type of punctuation", OK + b"Content-Type: ;;,,\r\n" + SIZE + END),
    ("type-capitals", "stored", "TEXT/HTML", OK + b"Content-Type: TEXT/HTML\r\n" + SIZE + END),
    ("type-parameters", "stored", "a thousand parameters", OK + b"Content-Type: text/html" + b";a=b" * 1000 + b"\r\n" + SIZE + END),
    ("type-quote-open", "stored", "a quotation mark that is never closed", OK + b'Content-Type: text/html; charset="utf-8\r\n' + SIZE + END),
    ("type-any-last", "stored", "text/html, then */*", OK + HTML + b"Content-Type: */*\r\n" + SIZE + END),
    ("cookie-100-kb", "stored", "a cookie of 100 KB", OK + b"Set-Cookie: a=" + b"x" * 100_000 + b"\r\n" + HTML + SIZE + END),
    ("refresh-away", "stored", "Refresh to a private address", OK + b"Refresh: 0; url=http://127.0.0.1:1/\r\n" + HTML + SIZE + END),
    ("attachment", "stored", "Content-Disposition: attachment", OK + b"Content-Disposition: attachment; filename=../../x\r\n" + HTML + SIZE + END),
    ("location-of-200", "stored", "200 with a Location", OK + b"Location: http://127.0.0.1:1/\r\n" + HTML + SIZE + END),
    ("alternative-service", "stored", "Alt-Svc to a port of its own", OK + b'Alt-Svc: h3=":6379"; ma=99999999\r\n' + HTML + SIZE + END),
    ("name-60-kb", "stored", "a name of 60 KB", OK + b"n" * 60_000 + b": v\r\n" + HTML + SIZE + END),
    ("type-multipart", "mime", "multipart/x-mixed-replace without end", [OK + b"Content-Type: multipart/x-mixed-replace; boundary=x\r\n\r\n", _forever(b"--x\r\n\r\npart\r\n", 0.01)]),
    ("type-events", "mime", "text/event-stream without end", [OK + b"Content-Type: text/event-stream\r\n\r\n", _forever(b"data: x\n\n", 0.01)]),
)  # fmt: skip

rows(
    "body framing",
    ("length-plus", "stored", "a length with a plus sign", OK + HTML + b"Content-Length: +LENGTH\r\n" + END),
    ("length-two-numbers", "stored", "a length of two numbers", OK + HTML + b"Content-Length: LENGTH LENGTH\r\n" + END),
    ("length-hexadecimal", "stored", "a length in hexadecimal", OK + HTML + b"Content-Length: 0x40\r\n" + END),
    ("length-zeros", "stored", "a length with leading zeros", OK + HTML + b"Content-Length: 000LENGTH\r\n" + END),
    ("length-decimal-point", "stored", "a length with a decimal point", OK + HTML + b"Content-Length: LENGTH.0\r\n" + END),
    ("length-empty", "stored", "an empty length", OK + HTML + b"Content-Length:\r\n" + END),
    ("length-three-lines", "stored", "three lines that agree", OK + HTML + SIZE * 3 + END),
    ("length-nothing-but-body", "stored|duplicate", "length 0 and a body", OK + HTML + b"Content-Length: 0\r\n" + END),
    ("length-and-garbage", "stored", "garbage behind the body, at once", WHOLE + b"\x00\xff" * 5000),
    ("length-and-late-garbage", "stored", "garbage behind the body, half a second later", [WHOLE, 0.5, b"HTTP/1.1 200 OK\r\n\r\nplanted", 0.5]),
    ("length-and-endless-garbage", "stored", "garbage behind the body, without end", [WHOLE, _forever(b"y" * 65536)]),
    ("chunk-mixed-endings", "stored", "LF before a chunk, CRLF behind it", [OK + HTML + CHUNKED + b"\r\n", _chunks(40, b"%x\n", b"\r\n", b"0\n\r\n")]),
    ("chunk-one-byte", "stored", "each byte a chunk", [OK + HTML + CHUNKED + b"\r\n", _chunks(1)]),
    ("chunk-zeros", "stored", "sizes with leading zeros", [OK + HTML + CHUNKED + b"\r\n", _chunks(99, b"0000000%x\r\n")]),
    ("chunk-capitals", "stored", "sizes in capitals, padded with spaces", [OK + HTML + CHUNKED + b"\r\n", _chunks(171, b"%X  \r\n")]),
    ("chunk-extension-quoted", "stored", "extensions with quoted line ends", [OK + HTML + CHUNKED + b"\r\n", _chunks(99, b'%x;a="b;c"\r\n')]),
    ("chunk-0x", "bad_http", "sizes that begin with 0x", [OK + HTML + CHUNKED + b"\r\n", _chunks(99, b"0x%x\r\n")]),
    ("chunk-blank-first", "bad_http", "a space before a size", [OK + HTML + CHUNKED + b"\r\n", _chunks(99, b" %x\r\n")]),
    ("chunk-glued", "bad_http|data_loss", "no line end behind a chunk", [OK + HTML + CHUNKED + b"\r\n", _chunks(99, end=b"")]),
    ("chunk-no-empty-line", "stored", "the last chunk, and no empty line", [OK + HTML + CLOSE + CHUNKED + b"\r\n", _chunks(99, last=b"0\r\n")]),
    ("chunk-trailers", "stored", "trailers that change length and type", [OK + HTML + CHUNKED + b"\r\n", _chunks(99, last=b"0\r\nContent-Length: 3\r\nContent-Type: image/png\r\n\r\n")]),
    ("chunk-then-more", "stored", "a second reply behind the last chunk", [OK + HTML + CHUNKED + b"\r\n", _chunks(99), WHOLE]),
    ("chunk-stalls", "timeout", "half a chunk, then nothing", [OK + HTML + CHUNKED + b"\r\nfff\r\nPAGE", 60.0]),
    ("coding-capitals", "stored", "CHUNKED", [OK + HTML + b"Transfer-Encoding: CHUNKED\r\n\r\n", _chunks(99)]),
    ("coding-twice", "stored", "chunked, chunked", [OK + HTML + b"Transfer-Encoding: chunked, chunked\r\n\r\n", _chunks(99)]),
    ("coding-identity", "stored", "identity, with a body up to the close", OK + HTML + CLOSE + b"Transfer-Encoding: identity\r\n" + END),
    ("http-1-0-chunks", "stored", "HTTP/1.0 with chunks", [b"HTTP/1.0 200 OK\r\n" + HTML + CHUNKED + b"\r\n", _chunks(99)]),
    ("reset-without-length", "stored|data_loss|connection_lost", "a body without length that ends in a reset", [OK + HTML + END, _resets]),
)  # fmt: skip

rows(
    "timing",
    ("head-by-bytes", "stored", "the head byte by byte, in a second", [_by_bytes(OK + HTML + SIZE, 0.01), END]),
    ("body-by-bytes", "stored", "the body byte by byte, in half a second", [OK + HTML + SIZE + b"\r\n", _by_bytes(b"PAGE", 0.002)]),
    ("body-late", "stored", "the body a second after the head", [OK + HTML + SIZE, 1.0, END]),
    ("half-closes", "connection_lost", "closes its side without a word", _half_closes),
    ("one-letter", "connection_lost", "the letter H, then a close", b"H"),
    ("four-letters", "timeout", "the letters HTTP, then nothing", [b"HTTP", 60.0]),
)  # fmt: skip

rows(
    "redirect",
    ("leads-nowhere", "bad_redirect", "302 without a Location", _leads(b"302 Found")),
    ("leads-into-a-script", "bad_redirect", "302 to javascript:", _leads(b"302 Found", b"javascript:alert(1)")),
    ("leads-to-data", "bad_redirect", "302 to data:", _leads(b"302 Found", b"data:text/html,<p>x")),
    ("leads-on", "redirect", "302 from each number to the next", _chain),
    ("leads-back-and-forth", "redirect", "302 between two pages", _swing),
    ("leads-two-ways", "redirect", "302 with two Locations", [lambda c: c.send(_leads(b"302 Found", b"/x", b"/y") if c.path == "/" else OK + HTML + b"Content-Length: 4\r\n\r\n" + c.path.encode() * 2)]),
    ("leads-with-endless-body", "redirect", "302 whose body has no end", [lambda c: _forever(b"m" * 65536)(c) if c.send(b"HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n") is None else None]),
)  # fmt: skip

rows(
    "content encoding",
    ("gzip-members", "stored", "gzip in two members", _packed(lambda b: gzip.compress(b[:50]) + gzip.compress(b[50:]), GZIP)),
    ("gzip-and-garbage", "stored", "garbage behind the gzip", _packed(lambda b: gzip.compress(b) + b"garbage" * 9, GZIP)),
    ("gzip-name", "stored", "gzip with a file name of 200 KB", _packed(_member_with_name, GZIP)),
    ("zlib-dictionary", "stored+bad_encoding", "deflate that needs a dictionary", _packed(_with_dictionary, b"Content-Encoding: deflate\r\n")),
    ("encoding-none", "stored+bad_encoding", "Content-Encoding: none", _packed(bytes, b"Content-Encoding: none\r\n")),
    ("encoding-identity", "stored", "Content-Encoding: identity", _packed(bytes, b"Content-Encoding: identity\r\n")),
    ("encoding-utf-8", "stored+bad_encoding", "Content-Encoding: utf-8", _packed(bytes, b"Content-Encoding: utf-8\r\n")),
    ("encoding-said-twice", "stored+bad_encoding", "gzip said twice and done once", _packed(gzip.compress, b"Content-Encoding: gzip, gzip\r\n")),
    ("body-of-nuls", "stored", "100 KB of NUL behind the page", _packed(lambda b: b + bytes(100_000))),
)  # fmt: skip

rows(
    "other protocols",
    ("speaks-tls", "connection_lost", "a TLS alert on port 80", b"\x15\x03\x01\x00\x02\x02\x46"),
    ("speaks-smtp", "bad_http", "220 of a mail server", b"220 mail.example ESMTP\r\n"),
    ("speaks-redis", "bad_http", "-ERR of a database", b"-ERR unknown command 'GET'\r\n"),
    ("speaks-rtsp", "bad_http", "RTSP/1.0 200 OK", b"RTSP/1.0 200 OK\r\nCSeq: 1\r\n\r\n"),
    ("speaks-http-2", "bad_http", "frames of HTTP/2", b"\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x08\x07" + bytes(12)),
    ("asks-back", "bad_http", "a request instead of a reply", _asks_back),
    ("speaks-sip", "bad_http", "SIP/2.0 200 OK", b"SIP/2.0 200 OK\r\nVia: SIP/2.0/UDP x\r\n\r\n"),
)  # fmt: skip
