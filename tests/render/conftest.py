"""One browser and one local web for the tests of a module."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from quarkcrawl.config import CrawlConfig
from quarkcrawl.crawl.http.renderfetch import GuardedFetcher
from quarkcrawl.page import Page
from quarkcrawl.render import Renderer, RenderLimits
from tests.browsers import browser_or_skip
from tests.render.webserver import serving

HOST = "http://www.example.com"


class Screen:
    """A renderer for synchronous tests, with the local web behind it."""

    def __init__(self, server, limits: RenderLimits) -> None:
        self.server = server
        self._runner = asyncio.Runner()
        self._fetcher = GuardedFetcher(CrawlConfig(host_map=server.host_map))
        self.renderer = Renderer(limits, self._fetcher)

    def limit(self, **values) -> None:
        self.renderer.limits = replace(self.renderer.limits, **values)

    def fetch(self, path: str):
        self.server.asked.clear()
        return self._runner.run(self.renderer.fetch(f"{HOST}/{path}"))

    def show(self, html: str, url: str = HOST + "/"):
        return self._runner.run(self.renderer.render(Page.from_html(html, url)))

    def close(self) -> None:
        self._runner.run(self.renderer.close())
        self._runner.run(self._fetcher.close())
        self._runner.close()


@pytest.fixture(scope="session")
def browser_path():
    pytest.importorskip("playwright")
    return browser_or_skip()


@pytest.fixture(scope="module")
def screen(browser_path):
    with serving() as server:
        made = Screen(server, RenderLimits(wall_s=10))
        yield made
        made.close()
