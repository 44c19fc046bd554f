"""Jobs that many workers share: their requests lie on Redis servers."""

from quarkcrawl.crawl.jobs.shared.addon import SharedAddon
from quarkcrawl.crawl.jobs.shared.scheduler import SharedScheduler

__all__ = ["SharedAddon", "SharedScheduler"]
