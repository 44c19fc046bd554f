"""One case of the crawl benchmark, in a process of its own; prints its CPU seconds as JSON.

python benchmarks/crawl_case.py CASE HOSTS OUT ADDRESS HTTP_PORT HTTPS_PORT
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import resource
import socket
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

CONCURRENCY = 64
PER_HOST = 8


def cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def plain_scrapy(hosts: list[str], ports: tuple[str, int, int], **settings: int) -> int:
    from scrapy import Request, Spider
    from scrapy.crawler import AsyncCrawlerProcess
    from scrapy.linkextractors import LinkExtractor

    extractor = LinkExtractor()

    class Plain(Spider):
        name = "plain"
        pages = 0

        async def start(self):
            for host in hosts:
                yield Request(f"http://{host}/")

        def parse(self, response):
            type(self).pages += 1
            host = urlsplit(response.url).netloc
            for link in extractor.extract_links(response):
                if urlsplit(link.url).netloc == host:
                    yield Request(link.url)

    os.environ["BENCH_PORTS"] = json.dumps(ports)
    process = AsyncCrawlerProcess(
        {
            "LOG_LEVEL": "WARNING",
            "TELNETCONSOLE_ENABLED": False,
            "REMOTE_CONTROL_ENABLED": False,
            "COOKIES_ENABLED": False,
            "REFERER_ENABLED": False,
            "RETRY_ENABLED": False,
            "METAREFRESH_ENABLED": False,
            "HTTPPROXY_ENABLED": False,
            "ROBOTSTXT_OBEY": True,
            "DEPTH_LIMIT": 2,
            "CONCURRENT_REQUESTS": CONCURRENCY,
            "CONCURRENT_REQUESTS_PER_DOMAIN": PER_HOST,
            "TWISTED_DNS_RESOLVER": "crawl_resolver.LocalResolver",
            **settings,
        }
    )
    process.crawl(Plain)
    process.start()
    return Plain.pages


def crawlee(hosts: list[str], ports: tuple[str, int, int]) -> int:
    from datetime import timedelta

    from crawlee import ConcurrencySettings
    from crawlee.crawlers import ParselCrawler
    from crawlee.http_clients import HttpxHttpClient
    from crawlee.storage_clients import MemoryStorageClient

    address, http, _ = ports
    assert http == 80, "crawlee's client maps names but not ports"

    def local(host, port, *args, **kwargs):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, int(port)))]

    socket.getaddrinfo = local
    pages = 0

    async def run() -> None:
        nonlocal pages
        crawler = ParselCrawler(
            http_client=HttpxHttpClient(),
            storage_client=MemoryStorageClient(),
            concurrency_settings=ConcurrencySettings(
                min_concurrency=CONCURRENCY,
                max_concurrency=CONCURRENCY,
                desired_concurrency=CONCURRENCY,
            ),
            max_crawl_depth=2,
            max_request_retries=0,
            respect_robots_txt_file=True,
            configure_logging=False,
            statistics_log_format="inline",
            request_handler_timeout=timedelta(seconds=30),
        )

        @crawler.router.default_handler
        async def handle(context) -> None:
            nonlocal pages
            pages += 1
            await context.enqueue_links(strategy="same-hostname")

        await crawler.run([f"http://{host}/" for host in hosts])

    asyncio.run(run())
    return pages


def ours(
    hosts_file: str, out: str, ports: tuple[str, int, int], *, store: bool, analyse: bool
) -> tuple[int, float]:
    from quarkcrawl.content.warmup import warm_up
    from quarkcrawl.crawl.components import addon
    from quarkcrawl.crawl.run import run_crawl

    if not store:
        addon.PIPELINES.clear()
    config = {
        "out": out,
        "host_map": ":".join(map(str, ports)),
        "delay_s": 0,
        "host_concurrency": PER_HOST,
        "concurrency": CONCURRENCY,
        "progress": False,
        "segmentation": analyse,
        "content": analyse,
    }
    if analyse:
        warm_up()
    before = cpu_s()
    result = run_crawl(hosts_file, config, log_level="WARNING")
    return sum(result.summary["reasons"].values()), before


def main() -> None:
    case, hosts_file, out, address, http, https = sys.argv[1:]
    ports = (address, int(http), int(https))
    hosts = Path(hosts_file).read_text(encoding="utf-8").split()
    _import(case)
    before, start = cpu_s(), time.monotonic()
    if case == "a_scrapy":
        pages = plain_scrapy(hosts, ports)
    elif case == "a2_scrapy_one_item":
        pages = plain_scrapy(hosts, ports, CONCURRENT_ITEMS=1)
    elif case == "b_crawlee":
        pages = crawlee(hosts, ports)
    else:
        pages, before = ours(
            hosts_file, out, ports, store=case != "c_ours_links", analyse=case == "e_ours_analysed"
        )
    print(
        json.dumps(
            {
                "cpu_s": round(cpu_s() - before, 3),
                "wall_s": round(time.monotonic() - start, 3),
                "handled": pages,
                "max_rss_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            }
        )
    )


def _import(case: str) -> None:
    """Imports are not what is measured; both sides have theirs behind them."""
    names = ["scrapy.crawler", "scrapy.linkextractors", "twisted.web.client"]
    if case == "b_crawlee":
        names = ["crawlee.crawlers", "crawlee.http_clients", "crawlee.storage_clients"]
    elif case[0] in "cd":
        from quarkcrawl.crawl.project import project_folder, use_project

        use_project(project_folder())
        modules = ("run", "http.download", "summary", "components.progress")
        names = [f"quarkcrawl.crawl.{name}" for name in modules]
        names += [f"pipelines.{name}" for name in ("dedup", "spam", "segmentation", "content")]
        names += ["pipelines.page_dat", "spiders.cwt"]
    if case.startswith("a"):
        from scrapy.settings import default_settings

        names += [path.rpartition(".")[0] for path in default_settings.DOWNLOADER_MIDDLEWARES_BASE]
        names += [path.rpartition(".")[0] for path in default_settings.SPIDER_MIDDLEWARES_BASE]
        names += ["scrapy.core.downloader.handlers.http11", "scrapy.robotstxt"]
    for name in names:
        importlib.import_module(name)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    main()
