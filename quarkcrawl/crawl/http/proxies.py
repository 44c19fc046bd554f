"""Proxies through which a crawl fetches: HTTP (CONNECT for https) and SOCKS5.

Behind a proxy it is the proxy that looks up names and connects. So the guard of the resolver does
not apply: URLs of private addresses and local names are still refused, but what a name leads to is
for the proxy to refuse. The rest holds as without one: pace, limits, robots.txt.
"""

from __future__ import annotations

import asyncio
import socket
from base64 import b64encode
from importlib import import_module
from itertools import cycle
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self
from urllib.parse import unquote, urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from quarkcrawl.crawl.http.framing import MendingConnector
from quarkcrawl.errors import ConfigError, FetchError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


_UNREACHABLE: Final = frozenset((1, 3, 4, 5, 6))
"""Replies of SOCKS5 (RFC 1928) that speak of the host: failure, no route, refused, too far."""

_AUTHENTICATION: Final = 407


class ProxyFaultError(OSError):
    """A proxy is away, or does not let us."""


class ProxyAddress(NamedTuple):
    """One proxy; as text it has no password.

    Args:
        scheme: ``"http"`` or ``"socks5"``.
        host: name or address of its machine.
        port: where it listens.
        user: empty: it asks for none.
        password: as it is, not quoted.
    """

    scheme: str
    host: str
    port: int
    user: str = ""
    password: str = ""

    @classmethod
    def parse(cls, url: str) -> Self:
        """Read an address that `quarkcrawl.config.CrawlConfig` has checked.

        Args:
            url: such as ``"http://user:password@proxy.example:3128"``.
        """
        parts = urlsplit(url)
        scheme = "socks5" if parts.scheme == "socks5h" else parts.scheme
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        return cls(scheme, parts.hostname or "", parts.port or 0, user, password)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    def __repr__(self) -> str:
        return f"ProxyAddress({str(self)!r})"

    def route(self, url: str, headers: list[tuple[str, str]]) -> Mapping[str, Any]:
        """Options with which aiohttp sends a request here; none for SOCKS5, for its connector does.

        Args:
            url: what is asked for.
            headers: those that go out; one for the proxy is added, unless a tunnel comes first.
        """
        if self.scheme != "http":
            return {}
        options: dict[str, Any] = {"proxy": URL(str(self))}
        if self.user:
            login = "Basic " + b64encode(f"{self.user}:{self.password}".encode()).decode()
            if url.startswith("https:"):
                options["proxy_headers"] = {"Authorization": login}  # aiohttp renames it
            else:
                headers.append(("Proxy-Authorization", login))
        return options

    def check(self, status: int, url: str) -> None:
        """Tell the proxy's own refusal from a reply of the host.

        Args:
            status: what came back.
            url: what was asked for.

        Raises:
            FetchError: the proxy wants another user or password.
        """
        if status == _AUTHENTICATION:
            raise FetchError(f"{self} wants a user and a password", reason="proxy", where=url)


def check_proxies(proxies: Sequence[str]) -> None:
    """Say before a crawl begins that it cannot speak to one of its proxies.

    Args:
        proxies: addresses as settings have them.

    Raises:
        ConfigError: one is SOCKS5, and the library that speaks it is missing.
    """
    if any(ProxyAddress.parse(url).scheme == "socks5" for url in proxies):
        try:
            import_module("python_socks.async_.asyncio")
        except ImportError:
            message = "SOCKS5 needs python-socks: pip install 'quarkcrawl[proxy]'"
            raise ConfigError(message, where="proxy") from None


class ProxySessions:
    """A session for each proxy of a crawl, or one without any.

    Args:
        proxies: addresses as settings have them; with several, each request takes the next.
        options: what connectors are made with; their ``resolver`` is left out behind a proxy.
        session: options of the sessions.

    Raises:
        ConfigError: a SOCKS5 proxy is asked for and the library that speaks it is missing.
    """

    def __init__(
        self, proxies: Sequence[str], options: Mapping[str, Any], session: Mapping[str, Any]
    ) -> None:
        check_proxies(proxies)
        listed = [ProxyAddress.parse(url) for url in proxies]
        self.is_proxied = bool(listed)
        self._open = [
            (proxy, aiohttp.ClientSession(connector=_connector(proxy, options), **session))
            for proxy in listed or (None,)
        ]
        self._turn = cycle(self._open)

    def next(self) -> tuple[ProxyAddress | None, aiohttp.ClientSession]:
        """The proxy and the session of the next request."""
        return next(self._turn)

    async def close(self) -> None:
        """Close all connections."""
        for _, session in self._open:
            await session.close()


def _connector(proxy: ProxyAddress | None, options: Mapping[str, Any]) -> aiohttp.TCPConnector:
    if proxy is None:
        return MendingConnector(**options)
    # A lookup that is not kept costs one for each connection, and proxies move.
    own = {**options, "resolver": None}
    if proxy.scheme == "http":
        return MendingConnector(**own)
    return SocksConnector(proxy, **{**own, "resolver": _NamesStay(), "use_dns_cache": False})


class _NamesStay(AbstractResolver):
    """Looks up nothing: names are given to the proxy."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The name itself as its address."""
        return [ResolveResult(hostname=host, host=host, port=port, family=family, proto=0, flags=0)]

    async def close(self) -> None:
        """Nothing is open."""


class SocksConnector(MendingConnector):
    """Connections through a SOCKS5 proxy.

    Args:
        proxy: where it is.
        options: what every connector is made with.
    """

    def __init__(self, proxy: ProxyAddress, **options: Any) -> None:
        super().__init__(**options)
        from python_socks import ProxyType  # noqa: PLC0415 - an extra
        from python_socks.async_.asyncio import Proxy  # noqa: PLC0415

        self._proxy = Proxy(
            ProxyType.SOCKS5, proxy.host, proxy.port, proxy.user or None, proxy.password or None,
            rdns=True,
        )  # fmt: skip

    async def _wrap_create_connection(
        self,
        *args: Any,
        addr_infos: list[Any],
        req: Any,
        timeout: Any,  # noqa: ASYNC109 - aiohttp's
        **options: Any,
    ) -> Any:
        """Where aiohttp makes the socket of a connection; libraries for proxies take this place."""
        options.pop("client_error", None)
        from python_socks import ProxyConnectionError, ProxyError  # noqa: PLC0415 - an extra

        host, port = addr_infos[0][4][:2]
        key = req.connection_key
        try:
            sock = await self._proxy.connect(host, port, timeout=timeout.sock_connect)
        except ProxyConnectionError as error:
            raise ProxyFaultError(str(error)) from error
        except ProxyError as error:
            if error.error_code in _UNREACHABLE:
                refused = ConnectionRefusedError(str(error))
                raise aiohttp.ClientConnectorError(key, refused) from error
            raise ProxyFaultError(str(error)) from error
        try:
            return await self._loop.create_connection(*args, **options, sock=sock)
        except OSError as error:
            sock.close()
            if options.get("ssl"):
                raise aiohttp.ClientConnectorSSLError(key, error) from error
            raise aiohttp.ClientConnectorError(key, error) from error
        except asyncio.CancelledError:
            sock.close()
            raise


def proxy_reason(error: BaseException) -> str | None:
    """Reason code of an exception that speaks of a proxy; None for any other.

    Args:
        error: what the HTTP client raised.
    """
    faults = ProxyFaultError, aiohttp.ClientProxyConnectionError
    if isinstance(error, faults) or isinstance(error.__cause__, ProxyFaultError):
        return "proxy"
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return "connection_refused" if error.status >= 500 else "proxy"
    return None
