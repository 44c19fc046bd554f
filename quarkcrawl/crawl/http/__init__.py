"""Fetching: downloads, DNS, decompression, guards against private addresses."""

from quarkcrawl.crawl.http.addresses import GATE_KEY, AddressBusyError, AddressGate
from quarkcrawl.crawl.http.attachments import Attachments
from quarkcrawl.crawl.http.failures import lease_of, reason_of, request_of
from quarkcrawl.crawl.http.fetch import LIST_BYTES_KEY, fetch_of
from quarkcrawl.crawl.http.guards import address_is_public, url_refusal
from quarkcrawl.crawl.http.inflate import inflate
from quarkcrawl.crawl.http.proxies import check_proxies
from quarkcrawl.crawl.http.renderfetch import GuardedFetcher
from quarkcrawl.crawl.http.replies import (
    REDIRECTS,
    content_type,
    media_type,
    redirect_target,
    retry_after_s,
)
from quarkcrawl.crawl.http.robotstags import RobotsTags

__all__ = [
    "GATE_KEY",
    "LIST_BYTES_KEY",
    "REDIRECTS",
    "AddressBusyError",
    "AddressGate",
    "Attachments",
    "GuardedFetcher",
    "RobotsTags",
    "address_is_public",
    "check_proxies",
    "content_type",
    "fetch_of",
    "inflate",
    "lease_of",
    "media_type",
    "reason_of",
    "redirect_target",
    "request_of",
    "retry_after_s",
    "url_refusal",
]
