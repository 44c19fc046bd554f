"""Jobs that many workers share: their requests lie on Redis servers."""

from quarkcrawl.crawl.jobs.shared.addon import SharedAddon

__all__ = ["SharedAddon"]
