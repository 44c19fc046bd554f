"""Jobs of any Scrapy spider that survive their process.

`DurableAddon` puts a scheduler in the place of Scrapy's (``scheduler``) that keeps a `SpiderJob`
(``job``): its file (``jobfile``), the order of waiting requests (``waiting``), those that are out
with what they gave (``opened``). Requests are JSON (``requests``, ``values``), and the feeds are
written by the job itself (``feeds``), so that each item stands in them once.

`SharedAddon` lets workers on many machines share a crawl: its requests lie on Redis servers
(``shared``), its items in files of each worker. Who does not use it does not load Redis' client.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from quarkcrawl.crawl.jobs.addon import DurableAddon
from quarkcrawl.crawl.jobs.jobfile import JOB_FILE, job_status

if TYPE_CHECKING:
    from quarkcrawl.crawl.jobs.shared import SharedAddon

__all__ = ["JOB_FILE", "DurableAddon", "SharedAddon", "job_status"]


def __getattr__(name: str) -> Any:
    if name != "SharedAddon":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = import_module(f"{__name__}.shared").SharedAddon
    return value
