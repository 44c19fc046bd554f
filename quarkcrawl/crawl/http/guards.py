"""Which addresses the crawler may talk to.

Two gates: the URL (an IP literal in any spelling is canonicalized by
`quarkcrawl.page.urls.canonical` before it comes here) and the resolver (what a name leads to,
checked on the very addresses that are then connected to, so that a name cannot change between check
and use).
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

from quarkcrawl.errors import ConfigError


@dataclass(frozen=True, slots=True)
class HostMap:
    """A local server that answers for every host (replay, tests, the demo)."""

    address: str
    http_port: int
    https_port: int

    @classmethod
    def parse(cls, text: str) -> HostMap | None:
        """Read ``ADDRESS:HTTP_PORT:HTTPS_PORT``; an empty text means no map.

        Raises:
            ConfigError: the text has another form.
        """
        if not text:
            return None
        address, _, ports = text.partition(":")
        http, _, https = ports.partition(":")
        if not (_is_port(http) and _is_port(https)):
            raise ConfigError(f"host_map must be ADDRESS:HTTP_PORT:HTTPS_PORT, not {text!r}")
        return cls(address, int(http), int(https))

    def port(self, port: int | None) -> int:
        """The local port behind port 80 or 443 of a host.

        Other ports stay closed: they lead to port 1 of the loopback, where nothing listens.
        """
        return {80: self.http_port, 443: self.https_port}.get(port or 0, 1)


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdecimal() and 0 < int(text[:6]) < 65536


def is_address(host: str) -> bool:
    """True for an IP literal (without brackets), which no resolver is asked about."""
    if not host[-1:].isdigit() and ":" not in host:  # most names
        return False
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def address_is_public(address: str) -> bool:
    """True for an address of the public internet, IPv4 or IPv6 (also mapped and tunnelled).

    >>> [address_is_public(a) for a in ("8.8.8.8", "10.0.0.1", "::ffff:127.0.0.1", "fe80::1")]
    [True, False, False, False]
    """
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if inner is None and ip in _NAT64:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if ip.is_site_local or (inner is not None and not address_is_public(str(inner))):
            return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


_NAT64 = ipaddress.ip_network("64:ff9b::/96")


BLOCKED_PORTS = frozenset(
    {
        *(1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95),
        *(101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161),
        *(179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587),
        *(601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061),
        *(6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080),
        *(2375, 3306, 5432, 6379, 9200, 11211, 27017),
    }
)
"""Ports that browsers refuse (WHATWG, Fetch, "bad port"), and those of container engines and
databases that take a request's first line for an order or answer anybody."""


@lru_cache(maxsize=1024)  # asked when a URL is leased and when it is fetched
def url_refusal(url: str, *, allow_private: bool) -> str | None:
    """Reason code for which a canonical URL may not be requested, or None.

    >>> url_refusal("http://127.0.0.1/", allow_private=False)
    'private_address'
    >>> url_refusal("http://a.cn:6379/", allow_private=False)
    'blocked_port'
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return "bad_url"
    if parts.scheme not in {"http", "https"} or not host:
        return "bad_url"
    if allow_private:
        return None
    is_literal = ":" in host or host.replace(".", "").isdecimal()
    is_local = host == "localhost" or host.endswith((".localhost", ".local", ".internal"))
    if is_local or (is_literal and not address_is_public(host)):
        return "private_address"
    return "blocked_port" if port in BLOCKED_PORTS else None
