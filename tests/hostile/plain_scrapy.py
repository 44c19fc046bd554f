"""Plain Scrapy on the same web: a new project's settings, three levels, the same time-out.

    python -m tests.hostile.plain_scrapy HOSTS HTTP_PORT HTTPS_PORT OUT SECONDS

Runs as a process of its own; writes a JSON line for each request that ended.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor
from scrapy.resolver import HostResolution
from twisted.internet.address import IPv4Address
from twisted.internet.interfaces import IHostnameResolver
from zope.interface import implementer

PORTS = {80: 0, 443: 0}


@implementer(IHostnameResolver)
class Resolver:
    """Every name leads to the hostile server."""

    def __init__(self, reactor):
        self._reactor = reactor

    @classmethod
    def from_crawler(cls, crawler, reactor):
        return cls(reactor)

    def install_on_reactor(self):
        self._reactor.installNameResolver(self)

    def resolveHostName(self, receiver, host, portNumber=0, *args, **more):
        receiver.resolutionBegan(HostResolution(host))
        port = PORTS.get(portNumber, portNumber)
        receiver.addressResolved(IPv4Address("TCP", "127.0.0.1", port))
        receiver.resolutionComplete()
        return receiver


class PlainSpider(scrapy.Spider):
    """Every page an item; links within the host followed."""

    name = "plain"

    def __init__(self, hosts, out):
        super().__init__()
        self.urls = Path(hosts).read_text(encoding="utf-8").split()
        self.out = Path(out).open("w", encoding="utf-8", buffering=1)  # noqa: SIM115
        self.links = LinkExtractor()

    def note(self, seed: str, url: str, **facts) -> None:
        self.out.write(json.dumps({"seed": seed, "url": url[:300], **facts}) + "\n")

    async def start(self):
        for url in self.urls:
            yield self.request(url, url)

    def request(self, url: str, seed: str):
        meta = {"seed": seed, "asked": time.time()}
        return scrapy.Request(url, self.parse, errback=self.failed, meta=meta)

    def parse(self, response):
        seed = response.meta["seed"]
        facts = {"status": response.status, "bytes": len(response.body)}
        self.note(seed, response.url, end="page", **facts)
        if not isinstance(response, scrapy.http.TextResponse):
            return
        title = response.css("title::text").get() or ""
        self.note(seed, response.url, title=title[:100])
        host = urlsplit(seed).hostname
        for link in self.links.extract_links(response):
            if urlsplit(link.url).hostname == host:
                yield self.request(link.url, seed)

    def failed(self, failure):
        request = failure.request
        reason = type(failure.value).__name__
        status = getattr(getattr(failure.value, "response", None), "status", None)
        end = f"{reason} {status}" if status else reason
        self.note(request.meta["seed"], request.url, end=end)


def main(hosts: str, http: str, https: str, out: str, seconds: str, timeout_s: str) -> None:
    PORTS.update({80: int(http), 443: int(https)})
    settings = {
        # As `scrapy startproject` writes them, but for the delay of a second.
        "ROBOTSTXT_OBEY": True,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 2,
        "DOWNLOAD_DELAY": 0,
        "FEED_EXPORT_ENCODING": "utf-8",
        # As the other crawler of this comparison.
        "CONCURRENT_REQUESTS": 64,
        "DOWNLOAD_TIMEOUT": float(timeout_s),
        "RETRY_TIMES": 1,
        "DEPTH_LIMIT": 2,
        "TWISTED_DNS_RESOLVER": Resolver,
        "CLOSESPIDER_TIMEOUT": float(seconds),
        "LOG_LEVEL": "ERROR",
        "TELNETCONSOLE_ENABLED": False,
    }
    process = CrawlerProcess(settings)
    process.crawl(PlainSpider, hosts=hosts, out=out)
    process.start()


if __name__ == "__main__":
    main(*sys.argv[1:])
