"""Replies put straight before the parser: what comes out, however the bytes arrive."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from itertools import repeat
from types import SimpleNamespace

import pytest
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import HttpProcessingError
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.crawl.http.framing import (
    MAX_HEAD_BYTES,
    MAX_HEADER_LINES,
    MendingHandler,
    ReplyMender,
)
from tests.cost import allowed_cpu_s

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"


def mended(*pieces: bytes, ends: bool = False) -> bytes:
    mender = ReplyMender()
    out = b"".join(map(mender.feed, pieces))
    return out + (mender.feed_eof() if ends else b"")


REGULAR = {
    "length": OK + b"Content-Length: 5\r\n\r\nhello",
    "chunks": OK + CHUNKED + b"\r\n5\r\nhello\r\n0\r\n\r\n",
    "to the end": OK + b"\r\nhello",
    "empty": OK + b"Content-Length: 0\r\n\r\n",
    "interim": b"HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n" + OK + b"Content-Length: 1\r\n\r\nx",
    "bare line feeds": b"HTTP/1.1 200 OK\nContent-Length: 2\n\nab",
    "no status": b"HTTP/1.1 OK\r\nContent-Length: 3, 3\r\n\r\n",
    "coding last": OK + b"Transfer-Encoding: chunked, gzip\r\n\r\n5\nhello",
    "unequal lengths": OK + b"Content-Length: 3, 5\r\n\r\nhello",
    "folded line": OK + b"X: one\r\n two\r\n\r\nhello",
    "NUL": OK + b"X: a\0b\r\n\r\nhello",
    "no chunk": OK + CHUNKED + b"\r\nzz\r\nhello",
    "no chunk end": OK + CHUNKED + b"\r\n2\r\nhello\r\n0\r\n\r\n",
}

LINES = b"A: 1\r\n\r\nx"
MENDED = {
    "small letters": (b"http/1.1 200 OK\r\n" + LINES, OK + LINES),
    "blanks of the status line": (b" HTTP/1.1 \t200   OK\r\n" + LINES, OK + LINES),
    "glued reason": (b"HTTP/1.1 200OK\r\n" + LINES, OK + LINES),
    "version 2": (b"HTTP/2 200\r\n" + LINES, b"HTTP/1.1 200\r\n" + LINES),
    "letters first": (b"abcdHTTP/1.0 200 OK\r\n" + LINES, b"HTTP/1.0 200 OK\r\n" + LINES),
    "no header lines": (
        OK + b": v\r\nno colon\r\nX Y: z\r\nB : 2\r\n" + LINES,
        OK + b"B: 2\r\n" + LINES,
    ),
    "carriage return": (OK + b"B: 2\r3\r\n" + LINES, OK + b"B: 2 3\r\n" + LINES),
    "no length": (OK + b"Content-Length: -5\r\n" + LINES, OK + LINES),
    "a length of two": (OK + b"Content-Length: 5 6\r\nContent-Length: 5 6\r\n" + LINES, OK + LINES),
    "icy": (b"ICY 200 OK\r\n\r\nx", b"HTTP/1.0 200 OK\r\n\r\nx"),
    "list of lengths": (
        OK + b"A: 1\r\nContent-Length: 5, 5\r\nB: 2\r\n\r\nhello",
        OK + b"A: 1\r\nContent-Length: 5\r\nB: 2\r\n\r\nhello",
    ),
    "lengths on two lines": (
        OK + b"content-length: 5\r\nContent-Length: 5\r\n\r\nhello",
        OK + b"content-length: 5\r\n\r\nhello",
    ),
    "length beside chunks": (
        OK + b"Content-Length: 3\r\n" + CHUNKED + b"\r\n1\r\nx\r\n0\r\n\r\n",
        OK + CHUNKED + b"\r\n1\r\nx\r\n0\r\n\r\n",
    ),
    "line feeds of chunks": (
        OK + CHUNKED + b"\r\n5\nhello\n1 \r\n!\n0\n\n",
        OK + CHUNKED + b"\r\n5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n",
    ),
    "extensions and trailers": (
        OK + CHUNKED + b"\r\n1;a=b\r\nx\r\n0;last\r\nExpires: never\r\n\r\n",
        OK + CHUNKED + b"\r\n1\r\nx\r\n0\r\n\r\n",
    ),
    "surplus of a length": (
        OK + b"Content-Length: 2\r\n\r\nabcd",
        OK + b"Content-Length: 2\r\n\r\nab",
    ),
    "surplus of chunks": (
        OK + CHUNKED + b"\r\n1\r\nx\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n",
        OK + CHUNKED + b"\r\n1\r\nx\r\n0\r\n\r\n",
    ),
    "body of 204": (b"HTTP/1.1 204 No\r\n\r\nbody", b"HTTP/1.1 204 No\r\n\r\n"),
    "blank lines first": (b"\r\n\r\n" + OK + b"\r\nx", OK + b"\r\nx"),
}


@pytest.mark.parametrize("name", REGULAR)
def test_what_is_regular_or_beyond_mending_passes_as_it_came(name):
    assert mended(REGULAR[name]) == REGULAR[name]


@pytest.mark.parametrize("name", MENDED)
def test_what_browsers_read_is_mended(name):
    given_, expected = MENDED[name]
    assert mended(given_) == expected


@pytest.mark.parametrize("begin", [b"SSH-2.0-OpenSSH_9.6\r\n", b"<html><title>", bytes(9)])
def test_what_is_not_http_is_refused_at_once(begin):
    with pytest.raises(HttpProcessingError, match="no HTTP"):
        mended(begin)


@given(data=st.data())
def test_how_the_bytes_are_cut_changes_nothing(data):
    reply = data.draw(st.sampled_from([*REGULAR.values(), *(raw for raw, _ in MENDED.values())]))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(reply)), max_size=8)))
    pieces = [reply[a:b] for a, b in zip([0, *cuts], [*cuts, len(reply)], strict=True)]
    assert mended(*pieces, ends=True) == mended(reply, ends=True)


@given(noise=st.binary(max_size=300))
def test_noise_behind_a_head_passes_or_is_dropped(noise):
    for head in (
        OK + b"\r\n",
        OK + b"X",
        OK + CHUNKED + b"\r\n",
        OK + b"Content-Length: 9\r\n\r\n",
    ):
        mended(head + noise, ends=True)


def test_a_last_chunk_without_its_empty_line_is_enough():
    reply = OK + CHUNKED + b"\r\n1\r\nx\r\n0\r\n"
    assert mended(reply, ends=True) == reply + b"\r\n"


@pytest.mark.parametrize(
    "unending",
    [
        (OK, b"X: v\r\n" * 100),
        (OK + b"X: ", b"v" * 100),
        (b"HTTP/1.1 200 ", b"O" * 100),
        (b"", b"HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n"),
        (OK + CHUNKED + b"\r\n0\r\n", b"X: v\r\n" * 100),
        (OK + CHUNKED + b"\r\n1;", b"e" * 100),
    ],
)
def test_what_has_no_end_is_refused_at_the_bound(unending):
    first, more = unending
    mender = ReplyMender()
    mender.feed(first)
    with pytest.raises(HttpProcessingError, match="more than"):
        deque(map(mender.feed, repeat(more, 2 * MAX_HEAD_BYTES // len(more))), maxlen=0)


def test_many_chunks_of_one_byte_are_not_copied_over_and_over(without_gc):
    reply = OK + CHUNKED + b"\r\n" + b"1\r\nx\r\n" * 80_000 + b"0\r\n\r\n"
    begun = time.process_time()
    assert mended(reply) == reply
    assert time.process_time() - begun < allowed_cpu_s(1)


class Transport(asyncio.Transport):
    """What a connection writes to; remembers whether it was closed."""

    closed = False

    def close(self):
        self.closed = True

    def is_closing(self):
        return self.closed

    def pause_reading(self): ...

    def resume_reading(self): ...


def connection() -> tuple[ResponseHandler, Transport]:
    handler, transport = MendingHandler(asyncio.get_running_loop()), Transport()
    handler.connection_made(transport)
    ask(handler)
    return handler, transport


def ask(handler) -> None:
    handler.set_response_params(
        read_until_eof=True, auto_decompress=False, max_headers=MAX_HEADER_LINES
    )


async def read(handler):
    message, payload = await handler.read()
    return SimpleNamespace(head=message, body=await payload.read())


def test_a_connection_is_used_again_after_mended_chunks():
    async def talk():
        handler, transport = connection()
        for text in (b"first", b"other"):
            handler.data_received(OK + CHUNKED + b"\n5\n" + text + b"\n0\n\n")
            assert (await read(handler)).body == text
            assert not handler.should_close
            ask(handler)
        assert not transport.closed

    asyncio.run(talk())


def test_a_surplus_ends_the_use_of_a_connection_and_not_the_reply():
    async def talk():
        handler, transport = connection()
        handler.data_received(OK + b"Content-Length: 2\r\n\r\nabcd")
        assert handler.should_close
        assert not transport.closed
        assert (await read(handler)).body == b"ab"

    asyncio.run(talk())


def test_a_surplus_that_comes_late_closes_a_connection_that_is_kept():
    async def talk():
        handler, transport = connection()
        handler.data_received(OK + b"Content-Length: 2\r\n\r\nab")
        assert (await read(handler)).body == b"ab"
        assert not handler.should_close
        handler.data_received(b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nplanted")
        assert handler.should_close
        assert transport.closed

    asyncio.run(talk())


def test_thousands_of_header_lines_and_cookies_arrive():
    async def talk():
        handler, _ = connection()
        lines = b"".join(b"X-%d: v\r\nSet-Cookie: c%d=v\r\n" % (n, n) for n in range(10_000))
        handler.data_received(OK + lines + b"Content-Length: 2\r\n\r\nab")
        reply = await read(handler)
        assert len(reply.head.raw_headers) == 20_001
        assert reply.body == b"ab"

    asyncio.run(talk())
