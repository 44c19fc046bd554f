"""One case of the crawl benchmark, in a process of its own; prints pages and its own CPU as JSON.

python benchmarks/crawl_case.py CASE HOSTS OUT
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import resource
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

CONCURRENCY = 64
PER_HOST = 8
ADDRESS = "127.0.0.1"
PORTS = (ADDRESS, 80, 80)


def cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def plain_scrapy(hosts: list[str], *, reads: bool = True, **settings: int) -> int:
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
            if not reads:
                for number in range(1, _pages_of_a_host()):
                    for host in hosts:
                        yield Request(f"http://{host}/{number}.html", dont_filter=True)

        def parse(self, response):
            type(self).pages += 1
            if not reads:
                return
            host = urlsplit(response.url).netloc
            for link in extractor.extract_links(response):
                if urlsplit(link.url).netloc == host:
                    yield Request(link.url)

    os.environ["BENCH_PORTS"] = json.dumps(PORTS)
    process = AsyncCrawlerProcess(
        {
            "LOG_LEVEL": "ERROR",
            "TELNETCONSOLE_ENABLED": False,
            "REMOTE_CONTROL_ENABLED": False,
            "COOKIES_ENABLED": False,
            "REFERER_ENABLED": False,
            "RETRY_ENABLED": False,
            "METAREFRESH_ENABLED": False,
            "HTTPPROXY_ENABLED": False,
            "ROBOTSTXT_OBEY": reads,
            "DEPTH_LIMIT": 3,
            "CONCURRENT_REQUESTS": CONCURRENCY,
            "CONCURRENT_REQUESTS_PER_DOMAIN": PER_HOST,
            "TWISTED_DNS_RESOLVER": "crawl_resolver.LocalResolver",
            **settings,
        }
    )
    process.crawl(Plain)
    process.start()
    return Plain.pages


def _pages_of_a_host() -> int:
    """How many pages each host has, which its files tell."""
    web = Path(sys.argv[2]).parent / "web"
    return len(list(next(web.iterdir()).glob("*.html")))


def crawlee(hosts: list[str]) -> int:
    from datetime import timedelta

    from crawlee import ConcurrencySettings
    from crawlee.crawlers import ParselCrawler
    from crawlee.proxy_configuration import ProxyConfiguration
    from crawlee.storage_clients import MemoryStorageClient

    pages = 0

    async def run() -> None:
        nonlocal pages
        crawler = ParselCrawler(
            storage_client=MemoryStorageClient(),
            # Its client has a resolver of its own; the server answers as a proxy just as well.
            proxy_configuration=ProxyConfiguration(proxy_urls=[f"http://{ADDRESS}:80"]),
            concurrency_settings=ConcurrencySettings(
                min_concurrency=CONCURRENCY,
                max_concurrency=CONCURRENCY,
                desired_concurrency=CONCURRENCY,
            ),
            max_crawl_depth=3,
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


def ours(hosts_file: str, out: str, **settings: object) -> int:
    from quarkcrawl.crawl.run import run_crawl

    config = {
        "out": out,
        "host_map": ":".join(map(str, PORTS)),
        "levels": 4,
        "delay_s": 0,
        "host_concurrency": PER_HOST,
        "concurrency": CONCURRENCY,
        "progress": False,
        **settings,
    }
    return run_crawl(hosts_file, config, log_level="WARNING").summary["reasons"]["stored"]


def waiting(hosts_file: str, out: str) -> int:
    """Ours, with workers that do not work: what the loop alone can do."""
    from quarkcrawl.analysis import engine

    engine.analyze = analyze
    return ours(hosts_file, out, workers=16)


_HREF = re.compile(rb'<a href="([^"]+)"')
_WAIT_S = 0.02
_kept: list = []


def analyze(source, plan):
    """In place of the analysis: the columns of the first page, links by a pattern, and a rest."""
    from quarkcrawl.analysis import PageAnalysis, analyze
    from quarkcrawl.page import Links
    from quarkcrawl.store.tianwang import build_reply, deflate

    if not _kept:
        _kept.append(analyze(source, plan))
    root = "/".join(source.url.split("/", 3)[:3])
    urls = [root + match.decode() for match in _HREF.findall(source.body)]
    links = Links(urls, ["链接"] * len(urls), [False] * len(urls), ["a"] * len(urls))
    first = _kept[0]
    found = PageAnalysis(
        first.encoding, first.charset_source, first.title, None, links, first.columns
    )
    if source.head is not None:
        reply = build_reply(*source.head, source.body)
        found.packed = deflate(reply), len(reply)
    time.sleep(_WAIT_S)
    return found


def main() -> None:
    case, hosts_file, out = sys.argv[1:]
    hosts = Path(hosts_file).read_text(encoding="utf-8").split()
    pages = {
        "a0_fetch": lambda: plain_scrapy(hosts, reads=False, CONCURRENT_ITEMS=1),
        "a_scrapy": lambda: plain_scrapy(hosts),
        "a2_scrapy_one_item": lambda: plain_scrapy(hosts, CONCURRENT_ITEMS=1),
        "b_crawlee": lambda: crawlee(hosts),
        "d_stored": lambda: ours(hosts_file, out, segmentation=False, content=False),
        "e_analysed_in_process": lambda: ours(hosts_file, out, in_process=True),
        "e1_analysed": lambda: ours(hosts_file, out, workers=1),
        "e2_analysed": lambda: ours(hosts_file, out, workers=2),
        "w_waiting": lambda: waiting(hosts_file, out),
    }[case]()
    print(json.dumps({"pages": pages, "cpu_s": cpu_s()}))


if __name__ == "__main__":
    sys.modules["crawl_case"] = sys.modules["__main__"]  # as workers import it
    analyze.__module__ = "crawl_case"
    main()
