"""A campaign that many workers share: opening its frontier, and what differs in a worker."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.frontier import agree_on_rules, collecting, open_shared, steady_time
from quarkcrawl.store import worker_of

if TYPE_CHECKING:
    from pathlib import Path

    from quarkcrawl.config import CrawlConfig
    from quarkcrawl.crawl.campaign.tally import Tally
    from quarkcrawl.frontier import Frontier, FrontierOptions


def join_campaign(config: CrawlConfig, options: FrontierOptions, shard: Path) -> Frontier:
    """Join the campaign as the worker that writes ``shard``.

    Whoever held the shard before is dead (its lock was free): what it had out waits again.

    Raises:
        FrontierError: the server cannot be reached, or holds no campaign of this version.
        ConfigError: other workers are at work by other rules.
    """
    worker = worker_of(shard, socket.gethostname())
    frontier = open_shared(
        config.redis,
        with_domains=options.domain_delay_s > 0,
        worker=worker,
        wait_s=config.redis_wait_s,
    )
    try:
        agree_on_rules(frontier, options, config.max_campaign_pages, settings=_SETTINGS)
    except BaseException:
        frontier.close()
        raise
    return collecting(frontier, wait_s=config.redis_wait_s, starts=config.redis_starts)


_SETTINGS: Final = {"concurrency": "host_concurrency", "address_concurrency": "ip_concurrency"}
"""Rules of a frontier whose setting is called otherwise."""


def worker_report(frontier: Frontier, tally: Tally, shard: Path) -> dict[str, Any]:
    """What a worker tells of itself once a second: the server, or a file in its corpus."""
    return {
        "host_name": socket.gethostname(),
        "pid": os.getpid(),
        "shard": str(shard.resolve()),
        "started_at": frontier.server_time(tally.started_at),
        "pages": tally.pages,
        "pages_per_s": round(tally.pages_per_s(), 3),
        "endings": sum(tally.reasons.values()),
        "retries": tally.retries,
        "fenced": frontier.fenced,
        "round_trips": frontier.round_trips,
        "uptime_s": round(steady_time() - tally.started_at, 1),
    }
