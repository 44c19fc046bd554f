"""A Twisted resolver for plain Scrapy: every name leads to the benchmark's server and ports."""

from __future__ import annotations

import json
import os

from scrapy.resolver import HostResolution
from twisted.internet.address import IPv4Address
from twisted.internet.interfaces import IHostnameResolver
from zope.interface import implementer


@implementer(IHostnameResolver)
class LocalResolver:
    def __init__(self, reactor) -> None:
        self._reactor = reactor
        self._address, self._http, self._https = json.loads(os.environ["BENCH_PORTS"])

    @classmethod
    def from_crawler(cls, crawler, reactor):
        return cls(reactor)

    def install_on_reactor(self) -> None:
        self._reactor.installNameResolver(self)

    def resolveHostName(
        self,
        receiver,
        host,
        portNumber=0,
        addressTypes=None,
        transportSemantics="TCP",
    ):
        port = {80: self._http, 443: self._https}.get(portNumber, portNumber)
        receiver.resolutionBegan(HostResolution(host))
        receiver.addressResolved(IPv4Address("TCP", self._address, port))
        receiver.resolutionComplete()
        return receiver
