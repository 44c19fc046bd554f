"""Which of several servers has what.

A name is on server ``BLAKE2b-64(name) mod n``, the digest read as a big-endian number, servers
counted from 0 in the order of the campaign's address. The name of a host is its key or, if hosts of
one registered domain share a delay, that domain; of a claim the digest; of an address the address
as text. All of a host is on one server, so that it is leased and paced there as in a campaign of
one server.

Who counts domains by another list of public suffixes would look for some hosts elsewhere: a
campaign that is placed by domain keeps the list's hash, one that is placed by host needs none.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from typing import TYPE_CHECKING, Final, TypeVar

from quarkcrawl.frontier.keys import pack
from quarkcrawl.page.urls import public_suffix_digest, registered_domain

if TYPE_CHECKING:
    from collections.abc import Iterable


T = TypeVar("T")

BY_HOST: Final = "host"
_KEPT: Final = 1 << 16


def by_domain() -> str:
    """What a campaign calls its placement if hosts of one domain are on one server."""
    return f"domain-{public_suffix_digest()}"


class Placement:
    """Places hosts, claims and addresses on servers, and tells tokens of servers apart.

    Args:
        n_servers: how many the campaign's address names.
        kind: what places a host, `BY_HOST` or what `by_domain` gives.
    """

    def __init__(self, n_servers: int, kind: str = BY_HOST) -> None:
        self.n_servers = n_servers
        self.by_domain = kind != BY_HOST
        self._hosts: dict[str, int] = {}

    def _of(self, name: bytes) -> int:
        digest = hashlib.blake2b(name, digest_size=8).digest()
        return int.from_bytes(digest, "big") % self.n_servers

    def of_host(self, host: str) -> int:
        """Number of the server that has a host.

        Args:
            host: key of the host.
        """
        number = self._hosts.get(host)
        if number is None:
            if len(self._hosts) >= _KEPT:
                self._hosts.clear()
            name = registered_domain(host) if self.by_domain else host
            number = self._hosts[host] = self._of(pack(name))
        return number

    def of_url(self, url: str) -> int:
        """Number of the server that knows whether a URL was seen.

        Args:
            url: canonical URL.
        """
        return self.of_host(authority(url))

    def of_digest(self, digest: bytes) -> int:
        """Number of the server that keeps who has a digest.

        Args:
            digest: hash of a body or the like.
        """
        return self._of(digest)

    def of_address(self, address: str) -> int:
        """Number of the server that counts the requests to an address.

        Args:
            address: IP address.
        """
        return self._of(pack(address))

    def token(self, number: int, token: int) -> int:
        """The campaign's token of a server's.

        Args:
            number: which server, counted from 0.
            token: that it gave.
        """
        return token * self.n_servers + number

    def server_token(self, token: int) -> tuple[int, int]:
        """Number of the server, and the token that it gave.

        Args:
            token: the campaign's.
        """
        return token % self.n_servers, token // self.n_servers

    def by_server(self, placed: Iterable[tuple[int, T]]) -> dict[int, list[tuple[int, T]]]:
        """Items by server, each with its place in the list that was given.

        Args:
            placed: number of the server and item.
        """
        by_number: dict[int, list[tuple[int, T]]] = defaultdict(list)
        for at, (number, item) in enumerate(placed):
            by_number[number].append((at, item))
        return by_number


def authority(url: str) -> str:
    """What stands between scheme and path of a canonical URL; "" if it has none."""
    parts = url.split("/", 3)
    return parts[2] if len(parts) > 3 else ""
