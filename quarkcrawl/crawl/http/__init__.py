"""Fetching: downloads, DNS, decompression, guards against private addresses."""

from quarkcrawl.crawl.http.addresses import GATE_KEY, AddressBusyError, AddressGate
from quarkcrawl.crawl.http.attachments import Attachments
from quarkcrawl.crawl.http.failures import lease_of, reason_of, request_of
from quarkcrawl.crawl.http.fetch import fetch_of
from quarkcrawl.crawl.http.guards import address_is_public, url_refusal
from quarkcrawl.crawl.http.inflate import inflate
from quarkcrawl.crawl.http.renderfetch import GuardedFetcher
from quarkcrawl.crawl.http.replies import REDIRECTS, media_type, redirect_target, retry_after_s

__all__ = [
    "GATE_KEY",
    "REDIRECTS",
    "AddressBusyError",
    "AddressGate",
    "Attachments",
    "GuardedFetcher",
    "address_is_public",
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
