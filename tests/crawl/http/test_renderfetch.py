"""What the fetcher of the browser keeps, and whom it does not ask."""

import asyncio

import pytest

from quarkcrawl.config import CrawlConfig
from quarkcrawl.crawl.http import renderfetch
from quarkcrawl.crawl.http.renderfetch import GuardedFetcher
from quarkcrawl.errors import FetchError
from quarkcrawl.render import Reply


def script(url: str, n_bytes: int) -> Reply:
    return Reply(url, 200, "text/javascript; charset=utf-8", b"x" * n_bytes)


def test_kept_scripts_are_bounded_also_when_two_pages_ask_at_once(monkeypatch):
    monkeypatch.setattr(renderfetch, "_MAX_KEPT_BYTES", 100)
    fetcher = GuardedFetcher(CrawlConfig())
    for number in range(50):
        fetcher._keep(script("http://a.cn/same.js", 60))
        fetcher._keep(script(f"http://a.cn/{number}.js", 30))
    assert list(fetcher._kept) == ["http://a.cn/same.js", "http://a.cn/49.js"]
    assert fetcher._kept_bytes == sum(len(reply.body) for reply in fetcher._kept.values()) == 90


def test_a_refusal_that_comes_later_holds_for_what_is_kept():
    refusals: list[str] = []
    fetcher = GuardedFetcher(CrawlConfig(), lambda _: refusals[0] if refusals else None)
    fetcher._keep(script("http://a.cn/a.js", 10))
    assert asyncio.run(fetcher.fetch("http://a.cn/a.js", 99)).body
    refusals.append("opted_out")
    with pytest.raises(FetchError, match="may not be requested") as failure:
        asyncio.run(fetcher.fetch("http://a.cn/a.js", 99))
    assert failure.value.reason == "opted_out"
