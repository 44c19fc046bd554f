"""URLs in one spelling: canonical form, hosts, percent encoding; registered domains of hosts."""

from quarkcrawl.page.urls.canonical import (
    TOO_LONG,
    LinkResolver,
    canonicalize,
    host_key,
    split_host,
)
from quarkcrawl.page.urls.registry import (
    public_suffix_digest,
    public_suffixes,
    registered_domain,
    top_level_domains,
)

__all__ = [
    "TOO_LONG",
    "LinkResolver",
    "canonicalize",
    "host_key",
    "public_suffix_digest",
    "public_suffixes",
    "registered_domain",
    "split_host",
    "top_level_domains",
]
