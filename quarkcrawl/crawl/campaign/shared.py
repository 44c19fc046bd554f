"""A campaign that many workers share: opening its frontier, and what differs in a worker."""

from __future__ import annotations

import os
import socket
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.errors import ConfigError
from quarkcrawl.frontier import collecting, open_shared, steady_time
from quarkcrawl.store import worker_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from quarkcrawl.config import CrawlConfig
    from quarkcrawl.crawl.campaign.tally import Tally
    from quarkcrawl.frontier import Frontier, FrontierOptions, SharedFrontier


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
        agree_on_rules(frontier, options, config.max_campaign_pages)
    except BaseException:
        frontier.close()
        raise
    return collecting(frontier, wait_s=config.redis_wait_s, starts=config.redis_starts)


_SETTINGS: Final = {"concurrency": "host_concurrency", "address_concurrency": "ip_concurrency"}
"""Rules of a frontier whose setting is called otherwise."""


def agree_on_rules(
    frontier: SharedFrontier,
    options: FrontierOptions,
    max_pages: int = 0,
    *,
    settings: Mapping[str, str] = _SETTINGS,
) -> None:
    """Set the rules of a campaign at which nobody works; else they must be the same.

    Args:
        frontier: the campaign.
        options: rules of this worker.
        max_pages: bound on the pages of all hosts; 0: none.
        settings: by which rules are set, where they are called otherwise.

    Raises:
        ConfigError: other workers are at work by other rules.
    """
    ours = _rules(options, max_pages, settings)
    stored = [_rules(part.options, part.max_campaign_pages, settings) for part in frontier.parts]
    unlike = [rules for rules in stored if rules != ours]
    if not unlike and not any(part.is_between_rules for part in frontier.parts):
        return
    if unlike and frontier.others_at_work():
        theirs = unlike[0]
        words = [f"{n}={theirs[n]} (not {ours[n]})" for n in ours if ours[n] != theirs[n]]
        message = f"the campaign's workers go by {', '.join(words)}"
        raise ConfigError(message, where=frontier.address)
    frontier.set_rules(options, max_pages)


def _rules(options: FrontierOptions, max_pages: int, settings: Mapping[str, str]) -> dict[str, Any]:
    """By the names of the settings."""
    rules = {settings.get(name, name): value for name, value in asdict(options).items()}
    return {**rules, "max_campaign_pages": max_pages}


def worker_report(frontier: Frontier, tally: Tally, shard: Path) -> dict[str, Any]:
    """What a worker tells the campaign of itself, once a second."""
    return {
        "host_name": socket.gethostname(),
        "pid": os.getpid(),
        "shard": str(shard.resolve()),
        "started_at": frontier.server_time(tally.started_at),
        "pages": tally.pages,
        "pages_per_s": round(tally.pages_per_s(), 3),
        "retries": tally.retries,
        "fenced": frontier.fenced,
        "round_trips": frontier.round_trips,
        "uptime_s": round(steady_time() - tally.started_at, 1),
    }
