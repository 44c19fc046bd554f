"""Progress on stderr: a live display on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text
from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from quarkcrawl.crawl.campaign import STORED, Campaign
from quarkcrawl.crawl.options import config_of
from quarkcrawl.frontier import steady_time

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


logger = logging.getLogger(__name__)

_LIVE_S = 0.5
_LINE_S = 10.0


def progress_line(campaign: Campaign) -> str:
    """The state of a campaign in one line."""
    tally, counts = campaign.tally, campaign.frontier.counts()
    ended = sum(n for reason, n in tally.reasons.items() if reason != STORED)
    return (
        f"{tally.pages} pages ({tally.pages_per_s():.1f}/s, {tally.body_bytes / 2**20:.1f} MiB), "
        f"{counts.hosts_open}/{counts.hosts} hosts open, {counts.pending} waiting, "
        f"{counts.leased} out, {ended} ended otherwise, {tally.retries} retries"
    )


class Progress:
    """Scrapy extension; see the module text."""

    def __init__(self, crawler: Crawler, *, live: bool) -> None:
        self._crawler = crawler
        self._is_live = live
        self._live: Live | None = None
        self._loop = create_looping_call(self._show)
        crawler.signals.connect(self._start, signals.spider_opened)
        crawler.signals.connect(self._stop, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Progress:
        """Build for a crawler, unless progress is off."""
        if not config_of(crawler.settings).progress:
            raise NotConfigured
        return cls(crawler, live=Console(stderr=True).is_terminal)

    def _start(self) -> None:
        if self._is_live:
            console = Console(stderr=True)
            self._live = Live(console=console, auto_refresh=False, transient=True)
            self._live.start()
        self._loop.start(_LIVE_S if self._is_live else _LINE_S, now=False)

    def _stop(self) -> None:
        if self._loop.running:
            self._loop.stop()
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _show(self) -> None:
        campaign = Campaign.of(self._crawler)
        if campaign.closed or campaign.failure is not None:  # its frontier may be closed too
            return
        if self._live is None:
            logger.info("%s", progress_line(campaign))
        else:
            self._live.update(_panel(campaign), refresh=True)


def _panel(campaign: Campaign) -> Group:
    table = Table(box=None, padding=(0, 2), show_header=False)
    drops = [(r, n) for r, n in campaign.tally.reasons.most_common(9) if r != STORED]
    for start in range(0, len(drops), 4):
        table.add_row(*(f"{reason} {n}" for reason, n in drops[start : start + 4]))
    elapsed_s = int(steady_time() - campaign.tally.started_at)
    head = Text(f"{elapsed_s // 60:02}:{elapsed_s % 60:02}  ", style="bold")
    return Group(head.append(progress_line(campaign), style="default"), table)
