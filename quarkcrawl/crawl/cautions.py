"""What the operator of a crawl should know of its settings before hosts complain."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quarkcrawl.config import CrawlConfig


def cautions(config: CrawlConfig) -> list[str]:
    """Sentences for the log and for the summary of the run.

    >>> from quarkcrawl.config import CrawlConfig
    >>> cautions(CrawlConfig(contact="mailto:me@example.cn"))
    []
    """
    says_who = "@" in config.agent or "://" in config.agent
    if says_who or config.host_map:  # a local server answers: nobody else is asked
        return []
    who = "no contact is set: owners of hosts cannot tell you to stop"
    return [f"{who} (--set contact=mailto:you@example.cn)"]
