"""Name resolution with the address guard and the host map of replayed webs.

Two faces of one rule: `GuardedResolver` for the download handler of campaigns (aiohttp), and
`GuardedTwistedResolver`, set as TWISTED_DNS_RESOLVER, for whatever else resolves through the
reactor (Scrapy's own handlers in other projects).
"""

from __future__ import annotations

import socket
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver
from scrapy.resolver import CachingThreadedResolver
from twisted.internet.defer import Deferred, fail
from twisted.internet.error import DNSLookupError

from quarkcrawl.crawl.http.guards import HostMap, address_is_public
from quarkcrawl.crawl.options import config_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.crawler import Crawler
    from twisted.internet.base import ReactorBase

_MOST_PINNED: Final = 20_000
"""More than are out or kept open at once by far; who is forgotten is only asked for again."""
_PINNED_S: Final = 300.0


class PrivateAddressError(OSError):
    """The name leads to an address that the crawl may not talk to."""


class GuardedResolver(AbstractResolver):
    """aiohttp resolver: names to public addresses, or to the host map.

    Args:
        host_map: when given, every name leads there and nothing is asked of the DNS.
        allow_private: let names lead to private addresses.
    """

    def __init__(self, host_map: HostMap | None, *, allow_private: bool) -> None:
        self._map = host_map
        self._allow_private = allow_private
        self._inner = ThreadedResolver() if host_map is None else None

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Return the addresses to connect to.

        Raises:
            PrivateAddressError: only private addresses are behind the name.
            OSError: the name does not resolve.
        """
        if self._map is not None:
            return [self._mapped(host, port)]
        assert self._inner is not None
        results = await self._inner.resolve(host, port, family)
        if self._allow_private:
            return results
        public = [r for r in results if address_is_public(r["host"])]
        if results and not public:
            raise PrivateAddressError(f"{host} leads to {results[0]['host']}")
        return public

    def _mapped(self, host: str, port: int) -> ResolveResult:
        assert self._map is not None
        if host.endswith(".invalid"):
            raise OSError(socket.EAI_NONAME, f"{host} does not resolve")
        return ResolveResult(
            hostname=host,
            host=self._map.address,
            port=self._map.port(port),
            family=socket.AF_INET,
            proto=socket.IPPROTO_TCP,
            flags=socket.AI_NUMERICHOST,
        )

    async def close(self) -> None:
        """Close the inner resolver."""
        if self._inner is not None:
            await self._inner.close()


class _Pin(NamedTuple):
    """Address of a name, until when it is asked for again, and whether a connection failed."""

    result: ResolveResult
    until: float
    has_failed: bool = False


class PinnedResolver(GuardedResolver):
    """The same, but a name has one address as long as that is among its own and answers."""

    def __init__(self, host_map: HostMap | None, *, allow_private: bool) -> None:
        super().__init__(host_map, allow_private=allow_private)
        self._pinned: OrderedDict[tuple[str, int], _Pin] = OrderedDict()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Return the address to connect to.

        Raises:
            PrivateAddressError: only private addresses are behind the name.
            OSError: the name does not resolve.
        """
        key = host, port
        former = self._pinned.get(key)
        if former is None or former.until < time.monotonic():
            results = await super().resolve(host, port, family)
            if not results:
                raise OSError(socket.EAI_NONAME, f"{host} does not resolve")
            if self._pinned.get(key) in (None, former):  # nobody else was faster
                pin = _Pin(_chosen(results, former), time.monotonic() + _PINNED_S)
                self._pinned[key] = pin
        self._pinned.move_to_end(key)
        if len(self._pinned) > _MOST_PINNED:
            self._pinned.popitem(last=False)
        return [self._pinned[key].result]

    def unpin(self, host: str, port: int) -> None:
        """Ask for the name again, for another address if it has one: this one does not answer."""
        if (pin := self._pinned.get((host, port))) is not None:
            self._pinned[host, port] = pin._replace(until=0.0, has_failed=True)


def _chosen(results: Sequence[ResolveResult], former: _Pin | None) -> ResolveResult:
    """The address that a name had, or another one if that has failed; else the first."""
    if former is None:
        return results[0]
    address, has_failed = former.result["host"], former.has_failed
    return next((one for one in results if (one["host"] != address) == has_failed), results[0])


class GuardedTwistedResolver(CachingThreadedResolver):
    """Twisted's resolver with the same guard, for whoever puts Scrapy's own handlers back.

    It cannot change ports, so with a host map it refuses every name instead of asking the DNS.
    """

    def __init__(
        self,
        reactor: ReactorBase,
        cache_size: int,
        timeout: float,
        *,
        is_mapped: bool = False,
        allow_private: bool = False,
    ) -> None:
        super().__init__(reactor, cache_size, timeout)
        self._is_mapped = is_mapped
        self._allow_private = allow_private

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: ReactorBase) -> GuardedTwistedResolver:
        """Build from the settings."""
        settings, config = crawler.settings, config_of(crawler.settings)
        return cls(
            reactor,
            settings.getint("DNSCACHE_SIZE") if settings.getbool("DNSCACHE_ENABLED") else 0,
            settings.getfloat("DNS_TIMEOUT"),
            is_mapped=bool(config.host_map),
            allow_private=config.allow_private,
        )

    def getHostByName(self, name: str, timeout: Sequence[int] = ()) -> Deferred[str]:  # noqa: N802
        """Resolve a name; fails with DNSLookupError for private addresses."""
        if self._is_mapped:
            return fail(DNSLookupError("host_map needs quarkcrawl's own download handler"))
        resolving: Deferred[Any] = super().getHostByName(name, timeout)
        return resolving if self._allow_private else resolving.addCallback(self._check, name)

    def _check(self, address: str, name: str) -> Any:
        if address_is_public(address):
            return address
        return fail(DNSLookupError(f"{name} leads to the private address {address}"))
