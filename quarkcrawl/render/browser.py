"""Finding and starting the browser.

The browser itself has no network: every name leads nowhere, it knows only a proxy that is nowhere,
and what a page asks for is fetched by us (`quarkcrawl.render.traffic`), under our guards, or
refused. What goes around the interception of requests (WebSocket, WebTransport, prefetching,
windows that links open) therefore ends in the browser; `tests/render/leaks.py` listens whether it
does.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.errors import ConfigError
from quarkcrawl.render.processes import (
    argument_of,
    find_by_argument,
    kill_all,
    private_bytes,
    process_tree,
)

if TYPE_CHECKING:
    from quarkcrawl.render.limits import RenderLimits


BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""Looked for on PATH, in this order."""

_ARGUMENTS: Final = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--mute-audio",
    "--block-new-web-contents",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    # With a proxy nobody looks up a name, not even the browser itself, which after a name that
    # leads nowhere asks the system's server for another to see whether that works.
    "--proxy-server=http://nowhere.invalid:1",
    "--proxy-bypass-list=<-loopback>",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    # One process for the page and its frames, so that one snapshot holds them all; nothing of
    # another site is loaded. (--disable-features would take the place of the driver's own list,
    # without which the browser asks for https first.)
    "--disable-site-isolation-trials",
    "--js-flags=--max-old-space-size=512",
)


def import_playwright() -> Any:
    """The driver's module.

    Raises:
        ConfigError: the extra is not installed.
    """
    try:
        import playwright.async_api as driver  # noqa: PLC0415 - an extra, and slow to load
    except ImportError:
        message = "rendering needs Playwright: pip install 'quarkcrawl[render]'"
        raise ConfigError(message, where="render") from None
    return driver


def find_browser(path: str = "") -> str:
    """Path of a Chromium or Chrome.

    Args:
        path: the one to take; empty: the first of `BROWSERS` on PATH.

    Returns:
        A path, or "" for the browser that Playwright itself has installed.

    Raises:
        ConfigError: the given one is not there.
    """
    if path:
        if shutil.which(path) is None:
            raise ConfigError("no browser at this path (render_browser)", where=path)
        return path
    for name in BROWSERS:
        if program := shutil.which(name):
            return program
    return ""


_PROFILES: Final = "playwright_"
"""The driver's folders for profiles begin so."""

_CLOSE_S: Final = 5.0
"""Longest time that a browser has for its own end."""


class BrowserProcess:
    """One running browser and its driver.

    Args:
        path: see `find_browser`.
    """

    def __init__(self, path: str = "") -> None:
        self._path = find_browser(path)
        self._driver_module = import_playwright()
        self._tag = f"--quarkcrawl-render={uuid.uuid4().hex}"
        self._driver: Any = None
        self._browser: Any = None
        self._roots: list[int] = []
        self._profile = ""
        self._rest_bytes = 0
        self.n_pages = 0

    async def start(self) -> None:
        """Start it.

        Raises:
            ConfigError: there is no browser that can be started.
        """
        is_root = hasattr(os, "geteuid") and os.geteuid() == 0
        self._driver = await self._driver_module.async_playwright().start()
        try:
            self._browser = await self._driver.chromium.launch(
                executable_path=self._path or None,
                args=[*_ARGUMENTS, self._tag],
                chromium_sandbox=not is_root,
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
            )
        except self._driver_module.Error as error:
            driver, self._driver = self._driver, None
            await driver.stop()
            text = str(error).strip().splitlines()[0]
            message = f"no browser can be started ({text}); set render_browser to a Chromium"
            raise ConfigError(message, where=self._path or "Playwright's Chromium") from None
        self._roots = find_by_argument(self._tag)
        self._profile = argument_of(self._roots, "--user-data-dir=")
        self._rest_bytes = self.held_bytes()

    @property
    def is_alive(self) -> bool:
        """Whether it takes pages."""
        return self._browser is not None and self._browser.is_connected()

    @property
    def grown_bytes(self) -> int:
        """Memory beyond what it held before its first page."""
        return self.held_bytes() - self._rest_bytes

    def held_bytes(self) -> int:
        """Memory of all its processes."""
        return private_bytes(process_tree(self._roots))

    async def new_context(self, limits: RenderLimits, user_agent: str) -> Any:
        """A fresh profile in memory: no cookies, no storage, no downloads, no service workers."""
        self.n_pages += 1
        return await self._browser.new_context(
            accept_downloads=False,
            service_workers="block",
            viewport={"width": limits.width_px, "height": limits.height_px},
            locale="zh-CN",
            user_agent=user_agent or None,
        )

    def kill(self) -> None:
        """End all its processes at once."""
        kill_all(process_tree(self._roots))

    async def stop(self) -> None:
        """End it in order; whatever is then left is killed."""
        pids = process_tree(self._roots)
        driver, browser, self._driver, self._browser = self._driver, self._browser, None, None
        if driver is None:
            return
        # The driver removes the browser's folders when it sees it end, so it must live to see it.
        with contextlib.suppress(Exception):
            await asyncio.wait_for(browser.close(), _CLOSE_S)
        kill_all(pids)
        await driver.stop()
        # The driver leaves it where a killed process still wrote while it was removed. Its name is
        # looked at because a path with a space in it has come here cut off.
        if Path(self._profile).name.startswith(_PROFILES):
            shutil.rmtree(self._profile, ignore_errors=True)
