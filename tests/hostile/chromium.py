"""What Chromium makes of the same behaviours: a page, a download, an error, or nothing in time."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
from pathlib import Path

from playwright.async_api import Browser, Error, async_playwright

from quarkcrawl.render.browser import find_browser

from .behavior import Behavior
from .crawls import TIMEOUT_S, hostile_server

HEAVY = ("bomb", "endless", "large", "50-mb", "million")
_AT_ONCE = 4
LATE = f"still loading after {TIMEOUT_S} s"


def chromium_outcomes(folder: Path, rows: list[Behavior], *table: str) -> dict[str, str]:
    """By name: what came of the home page; what would fill the machine's memory is not asked."""
    rows = [row for row in rows if not any(word in row.name for word in HEAVY)]
    with hostile_server(folder, *table) as server:
        return asyncio.run(_visits(rows, server.http, server.https))


def chromium_version() -> str:
    """Such as ``"128.0.6613.119"``."""
    words = [str(find_browser()), "--version"]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return next(word for word in said.split() if word[:1].isdigit())


async def _visits(rows: list[Behavior], http: int, https: int) -> dict[str, str]:
    rules = f"MAP *:80 127.0.0.1:{http}, MAP *:443 127.0.0.1:{https}, MAP * ~NOTFOUND"
    room = asyncio.Semaphore(_AT_ONCE)
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(
            executable_path=find_browser(),
            args=[f"--host-resolver-rules={rules}", "--no-sandbox", "--disable-features=HttpsUpgrades"],
        )  # fmt: skip

        async def visit(row: Behavior) -> str:
            async with room:
                return await _visit(browser, row)

        found = await asyncio.gather(*map(visit, rows))
        await browser.close()
    return dict(zip([row.name for row in rows], found, strict=True))


async def _visit(browser: Browser, row: Behavior) -> str:
    context = await browser.new_context(ignore_https_errors=True, java_script_enabled=False)
    page = await context.new_page()
    try:
        async with asyncio.timeout(4 * TIMEOUT_S):
            reply = await page.goto(row.url, wait_until="load", timeout=1000 * TIMEOUT_S)
            if reply is None:
                return "nothing"
            text = f"page, status {reply.status}" if reply.status != 200 else "page"
            title = await page.title()
            if row.text is not None:
                text += ", text right" if title == row.text else ", text garbled"
            elif f"{row.host}/" not in title:
                text += " without its title"
            return text
    except TimeoutError:
        return LATE
    except Error as error:
        if "Timeout" in error.message:
            return LATE
        said = error.message.split("net::")[-1].split(" at ")[0].split("\n")[0]
        return "download" if "Download" in error.message else said[:60]
    finally:
        with contextlib.suppress(Error):
            await context.close()
