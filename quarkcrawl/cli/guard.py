"""Fetching what strangers ask for: public addresses only, also after redirects."""

from __future__ import annotations

import http.client
import socket
import urllib.request
from typing import TYPE_CHECKING, Any

from quarkcrawl.cli.options import fetch, opener_of
from quarkcrawl.crawl.http import address_is_public, url_refusal
from quarkcrawl.errors import FetchError
from quarkcrawl.page import canonicalize

if TYPE_CHECKING:
    from quarkcrawl.page import Page


def guarded_fetch(url: str) -> Page:
    """Fetch a page as the crawler would: nothing on private addresses, also after redirects.

    The address that a name leads to is checked and then connected to, so that it cannot change in
    between; proxies are not used, for they would look the name up themselves.

    Raises:
        FetchError: with a reason code.
    """
    canonical_url = canonicalize(url)
    _refuse(canonical_url or "")
    opener = opener_of(_GuardedHttp, _GuardedRedirects)
    return fetch(url, opener=opener).page


def _refuse(url: str) -> None:
    reason = url_refusal(url, allow_private=False)
    if reason is not None:
        raise FetchError("this address is not fetched", reason=reason, where=url)


def _connect(address: tuple[str, int], timeout: Any = None, source: Any = None) -> socket.socket:
    """Connect to the first address of a name that answers, if all of them are public."""
    host, port = address
    entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    if not all(address_is_public(str(place[0])) for *_, place in entries):
        raise FetchError(
            "the name leads to a private address", reason="private_address", where=host
        )
    refusal: OSError | None = None
    for *_, place in entries:
        try:
            return socket.create_connection((str(place[0]), port), timeout, source)
        except OSError as error:
            refusal = error
    raise refusal or OSError(f"no address of {host}")


class _GuardedHttp(urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
    def do_open(self, http_class: Any, req: Any, **options: Any) -> http.client.HTTPResponse:
        def guarded(*args: Any, **more: Any) -> http.client.HTTPConnection:
            connection: Any = http_class(*args, **more)
            connection._create_connection = _connect  # noqa: SLF001 - there is no public way
            return connection  # type: ignore[no-any-return]

        return super().do_open(guarded, req, **options)


class _GuardedRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        _refuse(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)
