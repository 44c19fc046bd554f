"""At most so many requests at once to one address, over all workers of a campaign.

Hosts whose names lead to one machine are one burden to it. The address is known when the name was
looked up, after the lease: a request that finds no room is not sent, and its URL waits again,
untried, until its turn comes.
"""

from __future__ import annotations

import contextlib
import ipaddress
from typing import TYPE_CHECKING

from quarkcrawl.errors import FetchError, FrontierError
from quarkcrawl.frontier import steady_time

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from quarkcrawl.config import CrawlConfig
    from quarkcrawl.frontier import Frontier


GATE_KEY = "quarkcrawl_address_gate"
"""Key in ``request.meta`` under which a request carries the `AddressGate` that it goes through."""

_SLACK_S = 10.0


class AddressBusyError(FetchError):
    """The address has as many requests as it may; ``until`` is when to come back."""

    def __init__(self, url: str, address: str, until: float) -> None:
        super().__init__(f"{address} is busy", reason="download_error", where=url)
        self.until = until


class AddressGate:
    """Asks the frontier whether an address has room.

    Args:
        frontier: counts for all workers.
        config: ``ip_exempt``, ``host_map`` and the time limit of requests.
    """

    def __init__(self, frontier: Frontier, config: CrawlConfig) -> None:
        self._frontier = frontier
        self._exempt = config.ip_exempt
        self._is_replay = bool(config.host_map)
        self._hold_s = config.fetch_s + _SLACK_S

    def _is_exempt(self, address: str) -> bool:
        if self._is_replay and "replay" in self._exempt:
            return True
        return "loopback" in self._exempt and ipaddress.ip_address(address).is_loopback

    @contextlib.asynccontextmanager
    async def slot(self, token: int, address: str, url: str) -> AsyncIterator[None]:
        """Hold a place at an address while a request is out.

        Args:
            token: lease of the request.
            address: IP address to be connected to.
            url: for the error.

        Raises:
            AddressBusyError: there is none.
        """
        address = address.partition("%")[0]
        if self._is_exempt(address):
            yield
            return
        until = await self._frontier.enter_address(token, address, hold_s=self._hold_s)
        if until is not None:
            raise AddressBusyError(url, address, max(until, steady_time()))
        try:
            yield
        finally:
            with contextlib.suppress(FrontierError):  # it is over when its time is
                self._frontier.leave_address(token, address, hold_s=self._hold_s)
