"""Prometheus metrics of a worker and its campaign, served on loopback (extra ``metrics``)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from quarkcrawl.crawl.campaign import Campaign
from quarkcrawl.crawl.options import config_of
from quarkcrawl.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler


logger = logging.getLogger(__name__)

_LOOK_S = 1.0


def families(campaign: Campaign) -> list[tuple[str, str, str, dict[tuple[str, ...], float]]]:
    """What is to be shown: name, kind, help, and values by labels."""
    tally, frontier = campaign.tally, campaign.frontier
    counts = frontier.counts()
    ended: dict[tuple[str, ...], float] = {(r,): n for r, n in tally.reasons.items()}
    return [
        ("pages", "counter", "pages stored by this worker", {(): tally.pages}),
        ("body_bytes", "counter", "bytes of their bodies", {(): tally.body_bytes}),
        ("retries", "counter", "failed tries that were queued again", {(): tally.retries}),
        ("ended", "counter", "URLs ended by this worker", ended),
        ("open_leases", "gauge", "leases of this worker", {(): len(campaign.ledger)}),
        ("server_away", "gauge", "1 while the shared frontier is away", {():
        float(frontier.offline)}), ("fenced", "counter", "endings refused", {(): frontier.fenced}),
        ("frontier_seen", "gauge", "URLs met by the campaign", {(): counts.seen}),
        ("frontier_waiting", "gauge", "URLs that wait", {(): counts.pending}),
        ("frontier_leased", "gauge", "leases out", {(): counts.leased}),
        ("frontier_hosts", "gauge", "hosts met", {(): counts.hosts}),
        ("frontier_hosts_open", "gauge", "hosts not closed", {(): counts.hosts_open}),
        ("frontier_ended", "gauge", "URLs ended", {(r,): n for r, n in counts.ended.items()}),
    ]  # fmt: skip


class Metrics:
    """Scrapy extension and Prometheus collector.

    Values are taken in the crawl's own thread once a second; the server's thread only reads
    what was taken.
    """

    def __init__(self, crawler: Crawler, port: int) -> None:
        self._crawler = crawler
        self._port = port
        self._taken: list[tuple[str, str, str, dict[tuple[str, ...], float]]] = []
        self._server: Any = None
        self._loop = create_looping_call(self._take)
        crawler.signals.connect(self._start, signals.spider_opened)
        crawler.signals.connect(self._stop, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Metrics:
        """Build for a crawler, if a port is set.

        Raises:
            ConfigError: prometheus-client is not installed.
        """
        port = config_of(crawler.settings).metrics_port
        if not port:
            raise NotConfigured
        try:
            import prometheus_client  # noqa: F401, PLC0415
        except ImportError:
            message = "metrics_port needs prometheus-client: pip install 'quarkcrawl[metrics]'"
            raise ConfigError(message) from None
        return cls(crawler, port)

    def _start(self) -> None:
        from prometheus_client import CollectorRegistry, start_http_server  # noqa: PLC0415

        registry = CollectorRegistry()
        self._take()
        registry.register(self)
        try:
            self._server = start_http_server(self._port, "127.0.0.1", registry)
        except OSError as error:  # another worker has the port: the crawl is worth more
            logger.error("no metrics at 127.0.0.1:%d: %s", self._port, error.strerror)
            return
        self._loop.start(_LOOK_S, now=False)

    def _take(self) -> None:
        campaign = Campaign.of(self._crawler)
        if not campaign.closed and campaign.failure is None:
            self._taken = families(campaign)

    def collect(self) -> Iterator[Any]:
        """Called by the server's thread."""
        from prometheus_client.core import (  # noqa: PLC0415
            CounterMetricFamily,
            GaugeMetricFamily,
        )

        for name, kind, text, values in self._taken:
            family: Any = CounterMetricFamily if kind == "counter" else GaugeMetricFamily
            labels = ["reason"] if any(values) else []
            metric = family(f"quarkcrawl_{name}", text, labels=labels)
            for key, value in values.items():
                metric.add_metric(list(key), value)
            yield metric

    def _stop(self) -> None:
        if self._loop.running:
            self._loop.stop()
        if self._server is not None:
            server, thread = self._server
            server.shutdown()
            server.server_close()
            thread.join()
