"""URLs in one spelling: canonical form, hosts, percent encoding."""

from quarkcrawl.page.urls.canonical import LinkResolver, canonicalize, host_key, split_host

__all__ = ["LinkResolver", "canonicalize", "host_key", "split_host"]
