"""Pages that mean harm end within their limits, with a reason, and leave no process behind."""

import asyncio
import time
from pathlib import Path

import pytest

from quarkcrawl.config import CrawlConfig
from quarkcrawl.crawl.http.renderfetch import GuardedFetcher
from quarkcrawl.page import Page
from quarkcrawl.render import Renderer
from quarkcrawl.render.processes import find_by_argument, process_tree
from quarkcrawl.render.result import RENDER_REASONS
from tests.render.hostile import HOSTILE, SEEN
from tests.render.webserver import serving

pytestmark = pytest.mark.full

ALLOWED = {
    "endless-loop": {"render_timeout"},
    "endless-loop-late": {"render_timeout"},
    "endless-microtasks": {"render_timeout"},
    "memory-strings": {"render_memory", "render_crash", "render_timeout"},
    "memory-buffers": {"render_memory"},
    "dom-flood": {"render_too_large", "render_timeout", "render_stuck", "render_memory"},
    "endless-dialogs": {"render_timeout", "render_stuck"},
    "endless-requests": {"render_requests", "render_timeout"},
    "request-flood": {"render_requests", "render_timeout", "render_stuck"},
    "slow-requests": {"render_timeout"},
    "redirect": {"render_redirect"},
    "redirect-chain": {"render_redirect", "render_timeout"},
    "meta-refresh": {"render_redirect"},
    "reload-loop": {"render_redirect", "render_timeout"},
    "console-flood": {"rendered", "render_timeout", "render_memory", "render_stuck"},
    "deep-tree": {"rendered", "render_crash", "render_error"},
    "frames-in-frames": {"render_timeout", "render_requests", "rendered"},
}
"""How each may end; the others come to rest."""

QUICK = ("endless-loop", "memory-buffers", "endless-requests", "redirect", "odd-names")
LIMITS = {"wall_s": 2.0, "capture_s": 3.0, "max_memory_bytes": 600 << 20}
GIVES_NOTHING = {
    "render_stuck", "render_memory", "render_crash", "render_too_large", "render_error",
}  # fmt: skip


def hostile(names):
    slow = [pytest.param(name, marks=pytest.mark.slow) for name in names if name not in QUICK]
    return [*(name for name in names if name in QUICK), *slow]


@pytest.fixture(autouse=True)
def limits(screen):
    screen.limit(**LIMITS)


@pytest.mark.parametrize("name", hostile(HOSTILE))
def test_ends_within_its_limits(screen, name):
    screen.show("<p>warm")  # so that the start of a browser does not count
    if name == "memory-buffers":
        screen.limit(wall_s=12.0)  # a loaded machine is slow to fill it; the bound below stays
    started = time.monotonic()
    result = screen.fetch(name)
    # The bound that the renderer itself guarantees, and the time for ending a browser.
    assert time.monotonic() - started < LIMITS["wall_s"] + LIMITS["capture_s"] + 2 + 60
    assert result.reason in ALLOWED.get(name, {"rendered"})
    assert result.reason in RENDER_REASONS
    assert (result.page is None) == (result.reason in GIVES_NOTHING)
    if result.page is not None:
        assert SEEN in result.page.tree.text()
    assert {host for host, _ in screen.server.asked} == {"www.example.com"}
    assert len(screen.server.asked) <= screen.renderer.limits.max_requests + 1
    after = screen.show("<p>后来的页面")
    assert (after.reason, "后来的页面" in after.html) == ("rendered", True)


def test_a_page_that_finds_no_turn_in_time_is_told_so(screen):
    async def both():
        renderer = screen.renderer
        pages = [Page.from_html("<p>x"), Page.from_html("<p>y")]
        return await asyncio.gather(renderer.render(pages[0]), renderer.render(pages[1], 0.001))

    assert [result.reason for result in screen._runner.run(both())] == ["rendered", "render_busy"]


def test_robots_hold_for_what_pages_ask_for(screen):
    async def run():
        config = CrawlConfig(host_map=screen.server.host_map)
        fetcher = GuardedFetcher(config, lambda url: "robots" if "d.json" in url else None)
        async with fetcher, Renderer(fetcher=fetcher) as renderer:
            return await renderer.fetch("http://www.example.com/fetch-json")

    screen.server.asked.clear()
    result = asyncio.run(run())
    assert result.refused == {"robots": 1}
    assert [path for _, path in screen.server.asked] == ["/fetch-json"]


def test_what_was_blocked_is_counted(screen):
    assert screen.fetch("dialogs").blocked["dialog"] == 23
    assert screen.fetch("downloads").blocked["download"] == 5
    assert screen.fetch("websocket").blocked["websocket"] == 2
    assert screen.fetch("redirect").detail == "http://other.example.net/somewhere"
    other = screen.fetch("other-sites")
    assert other.refused["other_site"] == 3  # one of them by a redirect of the own site
    assert other.refused["image"] == 1


def test_private_addresses_are_refused_outside_a_host_map(browser_path):
    """The same page without a map: the guards see the addresses themselves."""

    async def run(url, html, **settings):
        async with (
            GuardedFetcher(CrawlConfig(**settings)) as fetcher,
            Renderer(fetcher=fetcher) as renderer,
        ):
            return await renderer.render(Page.from_html(html, url))

    with serving() as server:
        own = f"http://127.0.0.1:{server.server_port}/"
        page = f"<script>fetch('{own}small').then(()=>document.body.append('fetched'))</script>"
        refused = asyncio.run(run(own, page))
        assert refused.refused == {"private_address": 1}
        assert server.asked == []
        allowed = asyncio.run(run(own, page, allow_private=True))
        assert "fetched" in allowed.html.rpartition("</script>")[2]


def test_processes_are_gone_after_a_kill_and_after_the_end(screen):
    screen.show("<p>x")
    before, folder = process_tree(screen.renderer._process._roots), _profile(screen)
    assert len(before) >= 3  # the browser, its helpers, a page
    assert folder.is_dir()
    screen.limit(wall_s=30.0)
    assert screen.fetch("memory-buffers").reason == "render_memory"
    assert _alive(before) == []
    assert _is_gone(folder)
    screen.show("<p>x")
    folder = _profile(screen)
    tag = screen.renderer._process._tag
    pids = process_tree(find_by_argument(tag))
    screen._runner.run(screen.renderer.close())
    assert _alive(pids) == []
    assert find_by_argument(tag) == []
    assert _is_gone(folder)


def _is_gone(folder: Path, wait_s: float = 30) -> bool:
    """A loaded machine takes its time to empty it."""
    end = time.monotonic() + wait_s
    while folder.exists() and time.monotonic() < end:
        time.sleep(0.05)
    return not folder.exists()


def _profile(screen) -> Path:
    """Folder that the browser of a screen has for its profile."""
    root = screen.renderer._process._roots[0]
    words = Path(f"/proc/{root}/cmdline").read_text().replace(" ", "\0").split("\0")
    return Path(next(word for word in words if "user-data-dir=" in word).partition("=")[2])


def _alive(pids):
    """Those still running a moment later; a zombie runs no more."""
    deadline = time.monotonic() + 10
    while (left := [pid for pid in pids if _state(pid) not in {"", "Z"}]) and (
        time.monotonic() < deadline
    ):
        time.sleep(0.05)
    return left


def _state(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""
