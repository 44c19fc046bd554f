"""One worker of the Redis benchmarks, in a process of its own; prints its CPU seconds as JSON.

python benchmarks/redis_case.py CASE HOSTS OUT ADDRESS HTTP_PORT HTTPS_PORT REDIS_URL DELAY_S
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import resource
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

CONCURRENCY = int(os.environ.get("BENCH_CONCURRENCY", "64"))
PER_HOST = 8


def _import_scrapy() -> None:
    """Imports are not what is measured."""
    from scrapy.settings import default_settings

    names = ["scrapy.crawler", "scrapy.linkextractors", "twisted.web.client", "scrapy.robotstxt"]
    names += [path.rpartition(".")[0] for path in default_settings.DOWNLOADER_MIDDLEWARES_BASE]
    names += [path.rpartition(".")[0] for path in default_settings.SPIDER_MIDDLEWARES_BASE]
    for name in [*names, "scrapy.core.downloader.handlers.http11"]:
        importlib.import_module(name)


def cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def spider_case(
    case: str, hosts: list[str], out: str, ports: tuple[str, int, int], url: str, delay_s: float
) -> dict:
    """One ordinary spider, an item a page into a feed, on scrapy-redis or by SharedAddon."""
    from scrapy import Request, Spider, signals
    from scrapy.crawler import AsyncCrawlerProcess
    from scrapy.exceptions import DontCloseSpider
    from scrapy.linkextractors import LinkExtractor

    extractor = LinkExtractor()

    class Plain(Spider):
        name = "plain"
        pages = 0
        began = time.monotonic()

        @classmethod
        def from_crawler(cls, crawler, *args, **kwargs):
            spider = super().from_crawler(crawler, *args, **kwargs)
            if case == "scrapy_redis":
                crawler.signals.connect(spider.idle, signals.spider_idle)
            return spider

        def idle(self):
            # Wait for work of the others, as RedisSpider does; else the first takes all of it.
            if delay_s and time.monotonic() - self.began < 60:
                raise DontCloseSpider

        async def start(self):
            for host in hosts:
                yield Request(f"http://{host}/")

        def parse(self, response):
            type(self).pages += 1
            yield {"url": response.url}
            host = urlsplit(response.url).netloc
            for link in extractor.extract_links(response):
                if urlsplit(link.url).netloc == host:
                    yield Request(link.url)

    os.environ["BENCH_PORTS"] = json.dumps(ports)
    _import_scrapy()
    Path(out).mkdir(parents=True, exist_ok=True)
    if case == "shared":
        import quarkcrawl.crawl.jobs.shared  # noqa: F401

        parts = {
            "ADDONS": {"quarkcrawl.crawl.SharedAddon": 400},
            "QUARKCRAWL_REDIS": url,
            "QUARKCRAWL_LEASE_S": 30,
            "DOWNLOAD_TIMEOUT": 20,
            "JOBDIR": f"{out}/jobs",
            "FEEDS": {f"{out}/items-%(worker)s.jl": {"format": "jsonlines"}},
        }
    else:
        import scrapy_redis.dupefilter
        import scrapy_redis.scheduler  # noqa: F401

        parts = {
            "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
            "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
            "SCHEDULER_PERSIST": True,
            "REDIS_URL": url,
            "RANDOMIZE_DOWNLOAD_DELAY": False,
            "FEEDS": {f"{out}/items-{os.getpid()}.jl": {"format": "jsonlines"}},
        }
    process = AsyncCrawlerProcess(
        {
            "LOG_LEVEL": "ERROR",
            **parts,
            "TELNETCONSOLE_ENABLED": False,
            "REMOTE_CONTROL_ENABLED": False,
            "COOKIES_ENABLED": False,
            "REFERER_ENABLED": False,
            "RETRY_ENABLED": False,
            "METAREFRESH_ENABLED": False,
            "HTTPPROXY_ENABLED": False,
            "ROBOTSTXT_OBEY": True,
            "DEPTH_LIMIT": 2,
            "DOWNLOAD_DELAY": delay_s,
            "CONCURRENT_REQUESTS": CONCURRENCY,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 1 if delay_s else PER_HOST,
            "TWISTED_DNS_RESOLVER": "crawl_resolver.LocalResolver",
        }
    )
    before = cpu_s()
    process.crawl(Plain)
    process.start()
    return {"cpu_s": cpu_s() - before, "pages": Plain.pages}


def crawlee(hosts: list[str], ports: tuple[str, int, int], url: str, delay_s: float) -> dict:
    from crawlee.crawlers import ParselCrawler
    from crawlee.storage_clients import RedisStorageClient

    pages = 0

    async def run() -> None:
        crawler = ParselCrawler(storage_client=RedisStorageClient(connection_string=url))

        @crawler.router.default_handler
        async def handle(context) -> None:
            nonlocal pages
            pages += 1
            await context.enqueue_links(strategy="same-hostname")

        await crawler.run([f"http://{host}/" for host in hosts])

    before = cpu_s()
    asyncio.run(run())
    return {"cpu_s": cpu_s() - before, "pages": pages}


def ours(
    hosts_file: str, out: str, ports: tuple[str, int, int], url: str, delay_s: float, *, store: bool
) -> dict:
    from quarkcrawl.crawl.components import addon
    from quarkcrawl.crawl.run import run_crawl

    if not store:
        addon.PIPELINES.clear()
    config = {
        "out": out,
        "host_map": ":".join(map(str, ports)),
        "delay_s": delay_s,
        "host_concurrency": 1 if delay_s else PER_HOST,
        "concurrency": CONCURRENCY,
        "progress": False,
        "segmentation": False,
        "content": False,
        "lease_s": 30,
        "redis": url,
    }
    import_all()
    before = cpu_s()
    result = run_crawl(hosts_file, config, log_level="ERROR")
    return {
        "cpu_s": cpu_s() - before,
        "pages": result.summary["pages"],
        "round_trips": result.summary["round_trips"],
        "elapsed_s": result.summary["elapsed_s"],
    }


def import_all() -> None:
    import importlib

    from quarkcrawl.crawl.project import project_folder, use_project

    use_project(project_folder())
    names = [
        "quarkcrawl.crawl." + name
        for name in ("run", "http.download", "summary", "components.progress")
    ]
    names += [f"pipelines.{name}" for name in ("dedup", "spam", "page_dat")] + ["spiders.cwt"]
    for name in [*names, "redis", "redis.asyncio"]:
        importlib.import_module(name)


def main() -> None:
    case, hosts_file, out, address, http, https, url, delay = sys.argv[1:]
    ports, delay_s = (address, int(http), int(https)), float(delay)
    hosts = Path(hosts_file).read_text(encoding="utf-8").split()
    start = time.monotonic()
    if case in {"scrapy_redis", "shared"}:
        found = spider_case(case, hosts, out, ports, url, delay_s)
    elif case == "crawlee":
        found = crawlee(hosts, ports, url, delay_s)
    else:
        found = ours(hosts_file, out, ports, url, delay_s, store=case == "ours")
    print(json.dumps({**found, "wall_s": round(time.monotonic() - start, 3)}))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    main()
