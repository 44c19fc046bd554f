"""Draw the pictures of this folder: views of a page of the generated web, reports, the workbench.

Run from the project root, with chromium and the extras ``web`` and ``test`` installed:
``python docs/pictures/draw.py``. No page of the real web is in any of them.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import numpy as np
from PIL import Image

from quarkcrawl.content import extract
from quarkcrawl.lab.mockweb import Ask, MiniWeb
from quarkcrawl.page import Page
from quarkcrawl.workbench.report import block_map, content_view, write_campaign_page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page as Tab

# A short article: its related links are in the picture, too.
URL = "http://www.wanlongzhenshun.com.cn/yaowen/2003-02/08/content_1016.htm"
N_COLORS = 256
# What of a legend would be cut at the right edge, where a reader scrolls.
HIDE_CUT = """() => {
  for (const part of document.body.shadowRoot.querySelectorAll(".scroll li, .scroll > span"))
    if (part.getBoundingClientRect().right > innerWidth - 12) part.style.visibility = "hidden";
}"""
FOLDER = Path(__file__).resolve().parent
HOST = "zekangbei.com"  # a blog of the demo web whose pages have no pictures
PARTS = {"h1 qk-run": "title", "p qk-run": "body"}


def views() -> dict[str, str]:
    """The documents by name."""
    web = MiniWeb(seed=3, n_hosts=3, n_pages=60, hostile=False)
    scheme, _, host, target = URL.split("/", 3)
    reply = web.respond(Ask(scheme.rstrip(":"), host, f"/{target}"))
    # Views load nothing, so a picture of the page would be the sign of a broken one.
    body = re.sub(rb"<img\b", b"<wbr", reply.body, flags=re.IGNORECASE)
    content = extract(Page.from_bytes(body, URL), method="quark")
    return {
        "block-map": block_map(content.page, content.segmentation),
        "content": content_view(content),
    }


def draw_views(browser: str, folder: str) -> None:
    """One PNG a view."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        tab = chromium.new_context(viewport={"width": 1160, "height": 700}).new_page()
        for name, document in views().items():
            page = Path(folder, f"{name}.html")
            page.write_text(document, "utf-8")
            tab.goto(page.as_uri())
            tab.evaluate(HIDE_CUT)
            tab.screenshot(path=FOLDER / f"{name}.png")
        chromium.close()


def _quarkcrawl(*words: str) -> list[str]:
    return [sys.executable, "-m", "quarkcrawl", *words]


@contextmanager
def workbench(folder: str) -> Iterator[str]:
    """A workbench on the corpus of the demo, with templates; its address."""
    corpus = f"{folder}/demo"
    templates = ("template", "train", corpus, "--out", f"{corpus}/templates.json")
    for words in (("demo", "--out", corpus), templates):
        subprocess.run(_quarkcrawl(*words), check=True, capture_output=True)  # noqa: S603
    serve = _quarkcrawl("serve", corpus, "--port", "0", "--token", "t")
    process = subprocess.Popen(serve, stderr=subprocess.PIPE, text=True)  # noqa: S603
    try:
        assert process.stderr is not None
        yield process.stderr.readline().split()[1].partition("/?")[0]
    finally:
        process.terminate()
        process.wait()


def write_reports(folder: str) -> None:
    """Reports on the demo, in both languages where a command takes one, and two rankings."""

    def run(*words: str) -> None:
        command = _quarkcrawl(*words)
        subprocess.run(command, check=True, capture_output=True, cwd=folder)  # noqa: S603

    reports: dict[str, list[str]] = {
        "report": ["report", "demo"],
        "selection": ["select", "report", "--work", "demo/campaign/seeds"],
        "statistics": ["corpus", "stats", "demo", "--format", "html"],
    }
    for lang, end in (("en", ""), ("zh", "-zh")):
        for name, words in reports.items():
            run(*words, "--lang", lang, "--out", f"{name}{end}.html")
    campaign = Path(folder, "demo", "campaign")
    for lang, end in (("en", ""), ("zh", "-zh")):
        page = write_campaign_page("DEMO", campaign, lang)
        shutil.copy(page, f"{folder}/campaign{end}.html")
    for name in ("pagerank", "quarkrank"):
        run("rank", name, "demo")
    run("rank", "compare", "demo", "pagerank", "quarkrank", "--plot", str(FOLDER / "ranks.png"))


def draw_reports(browser: str, folder: str) -> None:
    """The top of each report, with a plain name for the temporary folder."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        tab = chromium.new_context(viewport={"width": 1120, "height": 700}).new_page()
        for name in ("report", "selection", "statistics", "campaign"):
            for path in sorted(Path(folder).glob(f"{name}*.html")):
                path.write_text(path.read_text("utf-8").replace(folder, "/data"), "utf-8")
                tab.goto(path.as_uri())
                tab.locator("table, .figures").first.wait_for()
                tab.screenshot(path=FOLDER / f"{path.stem}.png")
        chromium.close()


def draw_workbench(browser: str, base: str) -> None:
    """The page view and the fields of a template, in both languages."""
    from playwright.sync_api import sync_playwright

    def asked(path: str) -> list[dict[str, str]]:
        with urllib.request.urlopen(base + path) as reply:  # noqa: S310 - our own
            rows: list[dict[str, str]] = json.load(reply)["rows"]
            return rows

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for lang, name in (("en-US", "workbench"), ("zh-CN", "workbench-zh")):
            tab = chromium.new_context(
                locale=lang, viewport={"width": 1120, "height": 760}
            ).new_page()
            tab.goto(f"{base}/?token=t")
            tab.locator(".figures").wait_for()  # the tables have been read
            page = asked(f"/api/pages?host={quote(HOST)}&sort=longest")[0]["id"]
            tab.goto(f"{base}/page/{page}?block=2")
            tab.locator("#facts-of-block .why").first.wait_for()
            tab.locator("#sheet-text > div").wait_for()
            tab.screenshot(path=FOLDER / f"{name}.png")
        template = max(asked(f"/api/templates?host={quote(HOST)}"), key=lambda one: one["n_pages"])
        address = f"{base}/templates/{template['id']}"
        name_fields(tab, address)
        for lang, name in (("en", "fields"), ("zh", "fields-zh")):
            tab.goto(f"{address}?lang={lang}")
            tab.locator("#export a[href]").first.wait_for()
            tab.locator("#grid-state").evaluate("(one) => one.scrollIntoView()")
            tab.screenshot(path=FOLDER / f"{name}.png")
        chromium.close()


def name_fields(tab: Tab, address: str) -> None:
    """Name positions of a template; the workbench keeps them."""
    tab.goto(address)
    for place, name in PARTS.items():
        tab.frame_locator("#frame").locator(place).first.click()
        tab.fill("#name [name=name]", name)
        tab.keyboard.press("Enter")
        tab.locator(f"#fields [data-name={name}]").wait_for()
    tab.locator("#export a[href]").first.wait_for()


def few_colors(picture: Image.Image) -> Image.Image:
    """A picture with 256 of its own colors, for smaller files.

    The next color is always the one that costs most: its pixels times the squared distance to what
    is there. So the colors of a legend stay as they are; a median cut merges such small areas.
    """
    pixels = np.asarray(picture.convert("RGB"))
    colors, places, counts = np.unique(
        pixels.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True
    )
    values = colors.astype(np.int64)
    nearest = np.zeros(len(values), np.intp)
    palette = [int(counts.argmax())]
    distance = ((values - values[palette[0]]) ** 2).sum(axis=1)
    while len(palette) < N_COLORS and distance.any():
        palette.append(int((counts * distance).argmax()))
        other = ((values - values[palette[-1]]) ** 2).sum(axis=1)
        nearest[other < distance] = len(palette) - 1
        distance = np.minimum(distance, other)
    reduced = Image.fromarray(nearest[places].reshape(pixels.shape[:2]).astype(np.uint8), "P")
    reduced.putpalette(colors[palette].tobytes())
    return reduced


def main() -> None:
    """Write the pictures beside this file."""
    browser = shutil.which("chromium")
    if browser is None:
        sys.exit("chromium is needed")
    with tempfile.TemporaryDirectory() as folder:
        draw_views(browser, folder)
        with workbench(folder) as base:
            draw_workbench(browser, base)
        write_reports(folder)
        draw_reports(browser, folder)
    for path in FOLDER.glob("*.png"):
        few_colors(Image.open(path)).save(path, optimize=True)


if __name__ == "__main__":
    main()
