from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.store.tianwang.reply import build_reply, split_reply

LINES = (
    (b"Content-Type", b"text/html"),
    (b"content-ENCODING", b"gzip"),
    (b"Transfer-Encoding", b"chunked"),
    (b"Content-Length", b"77"),
    (b"Set-Cookie", b"a=1"),
    (b"Set-Cookie", b"b=2"),
)


def test_the_stored_form() -> None:
    assert build_reply(200, "OK", "HTTP/1.1", LINES, b"<p>") == (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Crawler-content-ENCODING: gzip\r\n"
        b"X-Crawler-Transfer-Encoding: chunked\r\nX-Crawler-Content-Length: 77\r\n"
        b"Set-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 3\r\n\r\n<p>"
    )


def test_no_reason_phrase_and_bare_version() -> None:
    assert build_reply(204, "", "1.0", (), b"") == b"HTTP/1.0 204\r\nContent-Length: 0\r\n\r\n"


def test_line_breaks_cannot_forge_headers_or_body() -> None:
    data = build_reply(
        200, "OK\r\n\r\nevil", "1.1", ((b"X\r\nY: 1", b"a\r\n\r\nbody"), (b"", b"")), b"body"
    )
    reply = split_reply(data)
    assert reply.body == b"body"
    assert reply.get("Content-Length") == "4"
    assert len(reply.header_lines) == 3


header = st.tuples(st.binary(max_size=20), st.binary(max_size=40))


@given(st.integers(100, 999), st.text(max_size=10), st.lists(header, max_size=5), st.binary())
def test_the_body_always_comes_back(
    status: int, reason: str, lines: list[tuple[bytes, bytes]], body: bytes
) -> None:
    reply = split_reply(build_reply(status, reason, "1.1", lines, body))
    assert reply.body == body
    assert reply.status == status
    assert reply.header_lines[-1] == (b"Content-Length", b"%d" % len(body))


token = st.from_regex(rb"[A-Za-z][A-Za-z0-9-]{0,20}", fullmatch=True)
value = st.from_regex(rb"[!-~]([ -~]{0,30}[!-~])?", fullmatch=True)


@given(st.lists(st.tuples(token, value), max_size=8))
def test_headers_come_back_as_received_but_for_the_transfer(
    lines: list[tuple[bytes, bytes]],
) -> None:
    reply = split_reply(build_reply(200, "OK", "1.1", lines, b""))
    transfer = {b"content-length", b"content-encoding", b"transfer-encoding"}
    wanted = [(b"X-Crawler-" + n if n.lower() in transfer else n, v) for n, v in lines]
    assert list(reply.header_lines[:-1]) == wanted


@pytest.mark.parametrize(
    "data",
    [
        b"HTTP/1.0 200 OK\r\nA: 1\r\nB: 2\r\n\r\nbody",
        b"HTTP/1.0 200 OK\nA: 1\nB: 2\n\nbody",
        b"HTTP/1.0 200 OK\r\nA: 1\r\nB: 2\r\n\nbody",
        b"HTTP/1.0 200 OK\nA:1\n  \nB: 2\n\r\nbody",
    ],
)
def test_line_ends_of_other_writers(data: bytes) -> None:
    reply = split_reply(data)
    assert reply.status == 200
    assert reply.get("a") == "1" or reply.get("A") == "1 "
    assert reply.get("B") == "2"
    assert reply.body == b"body"


def test_a_blank_line_in_the_body_is_the_bodys_business() -> None:
    reply = split_reply(b"HTTP/1.0 200 OK\r\nA: 1\r\n\r\nx\n\ny\r\n\r\n")
    assert reply.body == b"x\n\ny\r\n\r\n"


def test_data_without_head_or_without_end() -> None:
    assert split_reply(b"<html>\n\n").body == b"<html>\n\n"
    assert split_reply(b"<html>").status is None
    assert split_reply(b"HTTP/1.1 404 Not Found").status == 404
    assert split_reply(b"HTTP/nonsense\n\nx").status is None
    assert split_reply(b"").body == b""


@given(st.binary())
def test_never_raises(data: bytes) -> None:
    split_reply(data)
    split_reply(b"HTTP/" + data)
