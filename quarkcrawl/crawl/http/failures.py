"""From exceptions to reason codes, for our download handler and for Scrapy's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
    UnsupportedURLSchemeError,
)

from quarkcrawl.crawl.leases import LEASE_KEY
from quarkcrawl.errors import FetchError

if TYPE_CHECKING:
    from scrapy import Request
    from twisted.python.failure import Failure

    from quarkcrawl.frontier import Lease


_REASONS: tuple[tuple[type[BaseException], str], ...] = (
    (CannotResolveHostError, "dns"),
    (DownloadConnectionRefusedError, "connection_refused"),
    (DownloadTimeoutError, "timeout"),
    (ResponseDataLossError, "data_loss"),
    (UnsupportedURLSchemeError, "bad_url"),
    (DownloadCancelledError, "download_error"),
    (DownloadFailedError, "connection_lost"),
)


def request_of(failure: Failure) -> Request:
    """The request that failed."""
    request: Request = failure.request  # type: ignore[attr-defined]  # set by Scrapy
    return request


def lease_of(failure: Failure) -> Lease:
    """The lease of a failed request that the scheduler made."""
    lease: Lease = request_of(failure).meta[LEASE_KEY]
    return lease


def reason_of(error: BaseException | None) -> str:
    """Reason code of a failed request."""
    if isinstance(error, FetchError):
        return error.reason
    for kind, reason in _REASONS:
        if isinstance(error, kind):
            return reason
    if isinstance(error, IgnoreRequest):
        return "robots" if "robots.txt" in str(error) else "dropped"
    return "extraction_error"
