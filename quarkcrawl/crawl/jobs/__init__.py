"""Jobs of any Scrapy spider that survive their process.

`DurableAddon` puts a scheduler in the place of Scrapy's (``scheduler``) that keeps a `SpiderJob`
(``job``): its file (``jobfile``), the order of waiting requests (``waiting``), those that are out
with what they gave (``opened``). Requests are JSON (``requests``, ``values``), and the feeds are
written by the job itself (``feeds``), so that each item stands in them once.

`SharedAddon` lets workers on many machines share a crawl: its requests lie on Redis servers
(``shared``), its items in files of each worker.
"""

from quarkcrawl.crawl.jobs.addon import DurableAddon
from quarkcrawl.crawl.jobs.jobfile import JOB_FILE, job_status

__all__ = ["JOB_FILE", "DurableAddon", "job_status"]
