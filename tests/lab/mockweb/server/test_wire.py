"""The wire form of replies, read back by the standard library's own HTTP client."""

import gzip
import http.client
import io
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.lab.mockweb.server.coding import accepted, choose
from quarkcrawl.lab.mockweb.server.request import BadRequestError, Request, parse_head
from quarkcrawl.lab.mockweb.server.wire import transmit
from quarkcrawl.lab.mockweb.web import Coding, Fault, MockReply

DATE = "Fri, 20 Nov 2026 09:00:00 GMT"


def request(method="GET", accept="", *, keep_alive=True, http10=False):
    headers = {"accept-encoding": accept} if accept else {}
    return Request(method, "/", "a.cn", headers, keep_alive, http10, 0)


class FakeSocket:
    def __init__(self, data):
        self._data = data

    def makefile(self, mode):
        return io.BytesIO(self._data)


def parse(data, method="GET"):
    response = http.client.HTTPResponse(FakeSocket(data), method=method)
    response.begin()
    return response


def sent(reply, req=None):
    transmission = transmit(reply, req or request(), DATE)
    return b"".join(piece for _, piece in transmission.pieces), transmission


@given(st.binary(max_size=20_000), st.booleans(), st.floats(0, 2), st.booleans())
def test_body_arrives_whole(body, chunked, drip_s, http10):
    reply = MockReply(200, (("Content-Type", "text/html"),), body, chunked=chunked, drip_s=drip_s)
    data, transmission = sent(reply, request(http10=http10))
    response = parse(data)
    assert response.read() == body
    assert response.getheader("Content-Type") == "text/html"
    assert (response.getheader("Transfer-Encoding") == "chunked") == (chunked and not http10)
    assert sum(pause for pause, _ in transmission.pieces) == pytest.approx(drip_s if body else 0)


DECODERS = {
    Coding.GZIP: gzip.decompress,
    Coding.DEFLATE: zlib.decompress,
    Coding.RAW_DEFLATE: lambda data: zlib.decompress(data, -15),
}
try:
    import brotli
except ModuleNotFoundError:  # optional; then the server falls back to gzip
    CODINGS = sorted(DECODERS)
else:
    DECODERS[Coding.BROTLI] = brotli.decompress
    CODINGS = sorted(Coding)


@given(st.binary(min_size=1, max_size=5000), st.sampled_from(CODINGS), st.booleans())
def test_codings_decode(body, coding, chunked):
    data, _ = sent(
        MockReply(body=body, coding=coding, chunked=chunked), request(accept="gzip, deflate, br")
    )
    response = parse(data)
    assert response.getheader("Content-Encoding") == coding.value.removeprefix("raw-")
    assert DECODERS[coding](response.read()) == body


def test_coding_only_as_accepted():
    assert choose(Coding.BROTLI, "gzip") is Coding.GZIP
    assert choose(Coding.BROTLI, "identity") is None
    assert choose(Coding.GZIP, "") is None
    assert choose(None, "gzip") is None
    assert accepted("GZIP;q=1.0, deflate;q=0") == {"gzip"}


def test_head_has_headers_only():
    data, _ = sent(MockReply(body=b"12345"), request("HEAD"))
    response = parse(data, "HEAD")
    assert response.getheader("Content-Length") == "5"
    assert data.endswith(b"\r\n\r\n")


@pytest.mark.parametrize("status", [204, 304])
def test_statuses_without_body(status):
    data, _ = sent(MockReply(status, body=b"nothing of this"))
    assert data.endswith(b"\r\n\r\n")


@pytest.mark.parametrize(
    ("fault", "after"),
    [
        (Fault.EMPTY, "close"),
        (Fault.RESET, "reset"),
        (Fault.HANG, "hang"),
        (Fault.RESET_MIDWAY, "reset"),
        (Fault.TRUNCATE, "close"),
        (Fault.STALL, "hang"),
        (Fault.GARBAGE, "close"),
        (Fault.OVERLONG, "close"),
        (Fault.BAD_CHUNK, "close"),
        (Fault.BAD_CODING, "keep"),
    ],
)
def test_fate_of_the_connection(fault, after):
    data, transmission = sent(MockReply(body=b"x" * 1000, fault=fault))
    assert transmission.after == after
    assert (not data) == (fault in {Fault.EMPTY, Fault.RESET, Fault.HANG})


def test_faults_break_what_they_say():
    with pytest.raises(http.client.IncompleteRead):
        parse(sent(MockReply(body=b"x" * 1000, fault=Fault.TRUNCATE))[0]).read()
    with pytest.raises(http.client.IncompleteRead):
        parse(sent(MockReply(body=b"x" * 1000, fault=Fault.BAD_CHUNK))[0]).read()
    with pytest.raises(http.client.BadStatusLine):
        parse(sent(MockReply(fault=Fault.GARBAGE))[0])
    overlong, _ = sent(MockReply(body=b"x" * 1000, fault=Fault.OVERLONG))
    assert len(parse(overlong).read()) == 500
    bad = parse(sent(MockReply(body=b"plain", fault=Fault.BAD_CODING))[0])
    assert bad.getheader("Content-Encoding") == "gzip"
    assert bad.read() == b"plain"


def test_connection_header():
    assert parse(sent(MockReply())[0]).getheader("Connection") is None
    closing = parse(sent(MockReply(), request(keep_alive=False))[0])
    assert closing.getheader("Connection") == "close"


# --- requests --------------------------------------------------------------------------------


def test_parse_head():
    head = b"GET /a?b=\xe5\xa4\xa9 HTTP/1.1\r\nHost: WWW.A.CN:8080\r\nAccept: */*\r\nX: a:b"
    parsed = parse_head(head, "http", 8080)
    assert (parsed.method, parsed.host, parsed.keep_alive) == ("GET", "www.a.cn", True)
    assert parsed.target.encode("latin-1") == b"/a?b=\xe5\xa4\xa9"
    assert parsed.headers["x"] == "a:b"


@pytest.mark.parametrize(
    ("line", "host", "target"),
    [
        ("GET http://b.cn/x HTTP/1.1", "b.cn", "/x"),
        ("GET http://b.cn HTTP/1.1", "b.cn", "/"),
        ("GET /x HTTP/1.1", "a.cn:99", "/x"),
    ],
)
def test_hosts(line, host, target):
    parsed = parse_head(f"{line}\r\nHost: a.cn:99".encode(), "http", 5)
    assert (parsed.host, parsed.target) == (host, target)


def test_default_port_belongs_to_the_scheme():
    head = b"GET / HTTP/1.1\r\nHost: a.cn:443"
    assert parse_head(head, "https", 5).host == "a.cn"
    assert parse_head(head, "http", 5).host == "a.cn:443"


def test_keep_alive():
    assert not parse_head(b"GET / HTTP/1.0", "http", 5).keep_alive
    assert parse_head(b"GET / HTTP/1.0\r\nConnection: Keep-Alive", "http", 5).keep_alive
    assert not parse_head(b"GET / HTTP/1.1\r\nConnection: close", "http", 5).keep_alive


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"GET /", 400),
        (b"GET / HTTP/2.0", 505),
        (b"GET / FTP", 400),
        (b"G=T / HTTP/1.1", 400),
        (b"GET / HTTP/1.1\r\nno colon", 400),
        (b"GET / HTTP/1.1\r\nContent-Length: -1", 400),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked", 501),
    ],
)
def test_refusals(head, status):
    with pytest.raises(BadRequestError) as caught:
        parse_head(head, "http", 5)
    assert caught.value.status == status


@given(st.binary(max_size=300))
def test_any_bytes_parse_or_are_refused(head):
    try:
        parsed = parse_head(head, "http", 5)
    except BadRequestError as error:
        assert error.status in {400, 501, 505}
    else:
        assert parsed.body_bytes >= 0
