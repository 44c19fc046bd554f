"""Reason codes: how a URL can end, in one place, each with its meaning.

Every URL that the frontier hands out ends with exactly one of these, or with `http_reason` of its
status; every URL that is refused before it is queued has one too. They are counted in the run
summary and listed in the analysis tables (``drops``, ``redirects``, ``duplicates``).
"""

from __future__ import annotations

STORED = "stored"
UNCHANGED = "unchanged"
CHANGED = "changed"

KEPT = frozenset({STORED, UNCHANGED, CHANGED})
"""Endings of URLs of which a page is in page.dat."""

REASONS: dict[str, str] = {
    STORED: "the page is in page.dat",
    "duplicate": "the body has the MD5 of a stored page; the table of duplicates names both",
    "redirect": "the server redirected; the table of redirects says where to",
    "sitemap": "a sitemap; what it names was offered to the frontier",
    "feed": "a feed; what it names was offered to the frontier",
    "list_moved": "a sitemap or feed was redirected; its target was asked",
    "no_sitemap": "there is no sitemap at the well-known place",
    "no_list": "the reply to a request for a sitemap or feed is neither",
    "bad_list": "the sitemap or feed could not be read",
    "host_alias": "the host's home page is that of another host",
    "spam_host": "the host is on the spam-domain list",
    "opted_out": "the host is on the list of hosts that do not want to be crawled",
    UNCHANGED: "the page was asked for again and is as it was",
    CHANGED: "the page was asked for again, and its new version is in page.dat",
    "robots": "robots.txt does not allow the URL",
    "robots_unreachable": "robots.txt could not be fetched, so nothing else may be",
    "noindex": "the page, or its reply, says noindex, and robots_meta obeys",
    "noarchive": "the page, or its reply, says noarchive, and robots_meta obeys",
    "mime": "the server's media type is not one that is stored",
    "private_address": "the host name leads to a private, loopback or reserved address",
    "bad_url": "the URL cannot be requested",
    "blocked_port": "the port is that of another service (SSH, mail, databases); browsers do not "
    "ask it either",
    "bad_redirect": "the redirect has no target that can be requested",
    "redirect_limit": "too many redirects in a row",
    "url_too_long": "the URL is longer than max_url_chars",
    "trap_depth": "the path has more segments than max_path_segments",
    "trap_repeat": "a path segment repeats more than max_segment_repeats times",
    "trap_pattern": "the host has used up pattern_pages URLs of this pattern",
    "host_budget": "the host has used up max_host_pages",
    "campaign_budget": "the campaign's workers have stored max_campaign_pages",
    "dns": "the host name does not resolve",
    "connection_refused": "nothing listens at the port",
    "connection_lost": "the connection broke before a whole reply was there",
    "proxy": "the proxy could not be reached, or did not let the request through",
    "tls": "no TLS connection could be made",
    "timeout": "no whole reply in time",
    "bad_http": "the reply is not HTTP, or its head is longer than 512 KiB",
    "data_loss": "the body ended before its announced length",
    "no_item": "the callback yielded no page",
    "callback_error": "the callback raised an exception",
    "pipeline_error": "a pipeline stage raised an exception and the page could not be kept",
    "not_stored": "the page went through all stages and none stored it",
    "dropped": "a pipeline stage dropped the item without a reason code",
    "damaged": "the record was not whole when corpora were merged",
    "lease_lost": "the lease ran out meanwhile; another worker of the campaign has the URL",
    "lease_expired": "the lease ran out on its last try",
    "extraction_error": "a spider middleware raised an exception",
    "download_error": "the download failed in another way",
}

LISTS = frozenset({"sitemap", "feed", "list_moved"})
"""Endings of sitemaps and feeds that led to URLs, which stand in no row."""

RETRIED = frozenset(
    {
        "dns",
        "connection_refused",
        "connection_lost",
        "proxy",
        "tls",
        "timeout",
        "bad_http",
        "data_loss",
        "download_error",
        "http_408",
        "http_429",
        "http_500",
        "http_502",
        "http_503",
        "http_504",
    }
)
"""Failures that may pass: the URL is tried again until its tries are used up."""

PASSING = RETRIED | {"robots_unreachable", "lease_expired"}
"""Reasons for which a URL was given up although its page may be there at another time."""

SILENCE = frozenset(
    {
        "dns",
        "connection_refused",
        "connection_lost",
        "proxy",
        "tls",
        "timeout",
        "http_502",
        "http_503",
        "http_504",
    }
)
"""Failures by which a whole server may be away."""

HOST_FAULTS = frozenset(
    {"dns", "connection_refused", "tls", "private_address", "blocked_port", "timeout"}
)
"""Failures of robots.txt that close a host, since no page of it could be had either."""


def is_failure(reason: str) -> bool:
    """Whether a URL that ended so may be revived by somebody who asks for it."""
    return reason in PASSING or reason.startswith("http_")


def http_reason(status: int) -> str:
    """Reason code of a reply that is neither a page nor a redirect.

    >>> http_reason(404)
    'http_404'
    """
    return f"http_{status}"
