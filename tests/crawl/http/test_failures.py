"""Why a download failed: the reason says whose fault it was, and at which step."""

import errno
import ssl
from types import SimpleNamespace

import aiohttp
import pytest

from quarkcrawl.crawl.http.download import failure_reason
from quarkcrawl.crawl.http.resolver import PrivateAddressError

KEY = SimpleNamespace(host="a.cn", port=443, ssl=True, is_ssl=True)


def no_connection(error: OSError, kind=aiohttp.ClientConnectorError) -> Exception:
    return kind(KEY, error)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (no_connection(ConnectionRefusedError(errno.ECONNREFUSED, "refused")), "connection_refused"),
        (no_connection(OSError(errno.EHOSTUNREACH, "no route")), "connection_refused"),
        (no_connection(TimeoutError(errno.ETIMEDOUT, "timed out")), "timeout"),
        (no_connection(ConnectionResetError(errno.ECONNRESET, "reset")), "tls"),
        (no_connection(ConnectionAbortedError("greeting takes too long")), "tls"),
        (no_connection(ssl.SSLError(1, "x"), aiohttp.ClientConnectorSSLError), "tls"),
        (no_connection(OSError(errno.EMFILE, "too many open files")), "download_error"),
        (no_connection(OSError(-2, "x"), aiohttp.ClientConnectorDNSError), "dns"),
        (no_connection(PrivateAddressError("x"), aiohttp.ClientConnectorDNSError),
         "private_address"),
        (PrivateAddressError("x"), "private_address"),
        (TimeoutError(), "timeout"),
        (ConnectionResetError(), "connection_lost"),
        (aiohttp.ServerDisconnectedError(), "connection_lost"),
        (aiohttp.ClientPayloadError(), "data_loss"),
        (ValueError(), "bad_url"),
        (RuntimeError(), "download_error"),
    ],
)  # fmt: skip
def test_each_failure_has_its_reason(error, reason):
    assert failure_reason(error) == reason
