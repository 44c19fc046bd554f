"""Which names can be sites, by the name alone (spec cwt200g, "Seed sites" 2, 5, 6c and 6d).

Each rule gives a reason code. `MALFORMED` names are dropped before anything is fetched; the other
rules belong to seed selection only and come after the check, as in the thesis.
"""

from __future__ import annotations

import re
from typing import Final

from quarkcrawl.page.urls import public_suffixes, top_level_domains

MALFORMED: Final = ("bad_name", "unknown_tld", "bare_suffix")

_ADDRESS = re.compile(r"\[.*\]|[0-9]+(\.[0-9]+){3}")
_HYPHEN = re.compile(r"(^|\.)-|-(\.|$)")


def name_reason(host: str) -> str | None:
    """Why a name can be no site at all, or None.

    >>> [name_reason(h) for h in ("www.pku.edu.cn", "www.sina.com.cnwww", "com.cn", "10.0.0.1")]
    [None, 'unknown_tld', 'bare_suffix', None]

    Args:
        host: host key, canonical.
    """
    name = without_port(host)
    if _ADDRESS.fullmatch(name):
        return None
    if _HYPHEN.search(name):
        return "bad_name"
    if name.rpartition(".")[2] not in top_level_domains():
        return "unknown_tld"
    return "bare_suffix" if name in public_suffixes() else None


def service_reason(host: str) -> str | None:
    """Why a host is no regular service: a port of its own, an address for a name."""
    name = without_port(host)
    if name != host:
        return "port"
    return "ip_address" if _ADDRESS.fullmatch(name) else None


def digit_reason(host: str) -> str | None:
    """``digit_leading`` for a name whose first character is a digit, else None."""
    return "digit_leading" if host[:1].isdigit() and not _ADDRESS.fullmatch(host) else None


def without_port(host: str) -> str:
    """A host key without its port.

    >>> without_port("a.cn:8080"), without_port("[2001:db8::1]:80")
    ('a.cn', '[2001:db8::1]')

    Args:
        host: host key.
    """
    return host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]
