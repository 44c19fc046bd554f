"""URLs in one spelling: canonical form, hosts, percent encoding."""

from quarkcrawl.page.urls.canonical import (
    TOO_LONG,
    LinkResolver,
    canonicalize,
    host_key,
    split_host,
)

__all__ = ["TOO_LONG", "LinkResolver", "canonicalize", "host_key", "split_host"]
