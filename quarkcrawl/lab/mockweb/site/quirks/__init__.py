"""Faults of hosts and pages: charsets, traps, failures."""

from quarkcrawl.lab.mockweb.site.quirks.all import quirks_of

__all__ = ["quirks_of"]
