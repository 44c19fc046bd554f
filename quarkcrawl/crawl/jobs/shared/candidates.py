"""Requests as URLs of a shared frontier, and back.

The frontier knows a URL by its text. For a plain GET that is the URL as Scrapy's fingerprint has
it; for any other request the URL with a fragment, which no request sends: the fingerprint or, for
one that is not to be filtered, a digest of where it came from. So a page that is parsed twice,
since a worker died, gives the same requests twice, and all but one of them are dropped.

What the URL does not say stands beside it as JSON, see `RequestCodec`.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections import Counter
from hashlib import blake2b
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin

import orjson
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.request import RequestFingerprinter
from w3lib.url import canonicalize_url

from quarkcrawl.crawl.jobs.requests import (
    NotStorableError,
    RequestCodec,
    StoredRequestError,
)
from quarkcrawl.frontier import Candidate
from quarkcrawl.page import host_key

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler

_DIGEST_BYTES: Final = 15
_SLOT: Final = "download_slot"
_MOST_PRIORITY: Final = 1000
_MOST_ENTRY_BYTES: Final = 65536
_SEED_LEVEL: Final = 1


class RequestCandidates:
    """Requests of a spider as candidates of the frontier.

    Args:
        crawler: its fingerprints tell requests apart.
        spider: whose methods are the callbacks.
    """

    def __init__(self, crawler: Crawler, spider: Spider) -> None:
        self._codec = RequestCodec(spider, trusted=False)
        assert crawler.request_fingerprinter is not None
        self._fingerprint = crawler.request_fingerprinter.fingerprint
        self._is_usual = type(crawler.request_fingerprinter) is RequestFingerprinter

    def candidate(self, request: Request, origin: str, given: Counter[bytes]) -> Candidate:
        """A request as the frontier takes it.

        Args:
            request: without anything that belongs to this process.
            origin: URL by which the frontier knows the request whose page gave it.
            given: fingerprints of unfiltered requests that it gave before; this one is counted.

        Raises:
            NotStorableError: the request cannot be said in JSON.
        """
        row = self._codec.encode(request)
        url = self._known_as(request, origin, given)
        start = _url_start(request.url)
        payload: str | None
        if request.url == url.partition("#")[0]:
            rest = row[len(start) :]
            payload = None if rest == b"}" else "{" + rest[1:].decode()
        else:
            payload = row.decode()
        return Candidate(url, host_of(request), level_of(request.priority), payload)

    def request(self, candidate: Candidate) -> Request:
        """The request of a lease.

        Raises:
            StoredRequestError: what the server holds is none, or is of another host.
        """
        url, payload = candidate.url.partition("#")[0], candidate.origin
        if not payload or not payload.startswith("{"):  # of a list of URLs, or put in by hand
            row = _url_start(url) + b"}"
        elif payload.startswith('{"url":'):
            row = payload.encode("utf-8", "surrogatepass")
        else:
            comma = b"" if payload == "{}" else b","
            row = _url_start(url) + comma + payload[1:].encode("utf-8", "surrogatepass")
        request = self._codec.decode(row)
        if host_of(request) != candidate.host:
            reason = f"its host is not {candidate.host!r:.100}"
            raise StoredRequestError(f"stored request refused: {reason}: {row[:200]!r}")
        return request

    def of_entry(self, entry: bytes) -> Candidate | None:
        """An entry of a start list: a URL, or a request as JSON; None if it is none.

        An entry is taken once, also if it lies in the list twice; one with ``dont_filter`` though
        its URL was asked for before.
        """
        if len(entry) > _MOST_ENTRY_BYTES:
            return None
        data = entry.strip()
        if not data.startswith(b"{"):
            url = data if b"://" in data else b"http://" + data + b"/"
            data = orjson.dumps({"url": url.decode("utf-8", "replace")})
        try:
            request = self._codec.decode(data)
            candidate = self.candidate(request, _digest(data), Counter())
        except (StoredRequestError, NotStorableError):
            return None
        return candidate if candidate.host else None

    def _known_as(self, request: Request, origin: str, given: Counter[bytes]) -> str:
        """The text by which the frontier tells the request from others."""
        is_plain = request.method == "GET" and not request.body and not request.dont_filter
        if is_plain and self._is_usual:
            return canonicalize_url(request.url)
        fingerprint = self._fingerprint(request)
        if request.dont_filter:
            number = given[fingerprint]
            given[fingerprint] += 1
            fingerprint = f"{origin} {number} ".encode("utf-8", "surrogatepass") + fingerprint
        # A fingerprint of the project's own may be that of several URLs: no more than the host of
        # one of them may stand in the text.
        url = canonicalize_url(request.url)
        page = url if self._is_usual else urljoin(url, "/")
        return f"{page}#{_digest(fingerprint)}"


def host_of(request: Request) -> str:
    """What the frontier paces: the host of a request with its port, or its download slot."""
    slot = request.meta.get(_SLOT)
    if isinstance(slot, str) and slot != urlparse_cached(request).hostname:
        return slot
    return host_key(request.url)


def without_slot_of(request: Request, source: Request | None) -> None:
    """Take from a request the download slot that Scrapy noted on the one it was copied from."""
    slot = request.meta.get(_SLOT)
    if slot is not None and source is not None and slot == urlparse_cached(source).hostname:
        del request.meta[_SLOT]


def level_of(priority: int) -> int:
    """Level of a priority: the highest priority comes first, priority 0 with the seeds."""
    return _SEED_LEVEL - max(-_MOST_PRIORITY, min(_MOST_PRIORITY, priority))


def _digest(data: bytes) -> str:
    """A short text for a fingerprint."""
    return urlsafe_b64encode(blake2b(data, digest_size=_DIGEST_BYTES).digest()).decode()


def _url_start(url: str) -> bytes:
    """How a row of JSON begins."""
    return b'{"url":' + orjson.dumps(url)
