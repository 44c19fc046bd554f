"""``quarkcrawl render``: a page after its scripts have run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Option

from quarkcrawl.cli.options import OtherSettings, PageSource, PageUrl, assigned, complain

if TYPE_CHECKING:
    from quarkcrawl.page import Page
    from quarkcrawl.render import Rendered


RenderForm = Literal["html", "json", "blocks"]
"""What is printed."""

_PDOC = 6


def render(
    source: PageSource,
    form: Annotated[RenderForm, Option("--format", help="What is printed of the page.")] = "html",
    url: PageUrl = "",
    offline: Annotated[
        bool, Option("--offline", help="Fetch nothing that the page asks for.")
    ] = False,
    setting: OtherSettings = None,
    pdoc: Annotated[
        int, Option(min=1, max=10, help="Degree of coherence that blocks must reach.")
    ] = _PDOC,
) -> None:
    """Run a page in a browser and print what its scripts have built.

    \b
    Examples:
      quarkcrawl render https://www.pku.edu.cn/ > page.html
      quarkcrawl render page.html --url http://www.pku.edu.cn/ --offline --format json
      quarkcrawl render https://www.pku.edu.cn/ | quarkcrawl extract -

    A page comes from a file, a URL or "-", standard input. The browser itself has no network:
    what the page asks for on its own site is fetched under the guards of the crawl; with
    --offline nothing is. html is the page with shadow trees and frames laid flat; json tells
    how it ended and what was refused; blocks is one line for each visual block (VIPS) with its
    box. Needs the extra "render" and a Chromium. Exit code 1: nothing could be taken.
    """
    from quarkcrawl.cli.options import is_url, read_source  # noqa: PLC0415 - help needs no NumPy
    from quarkcrawl.render import import_playwright  # noqa: PLC0415

    if pdoc != _PDOC and form != "blocks":
        raise typer.BadParameter("goes with --format blocks", param_hint="--pdoc")
    values = assigned(setting or ())
    import_playwright()
    is_fetched = is_url(source) and not offline
    page = None if is_fetched else read_source(source, url=url).page
    import asyncio  # noqa: PLC0415 - help needs no event loop

    result = asyncio.run(_render(source, page, values, offline=offline))
    _show(result, form, pdoc)
    if result.page is None:
        complain(f"{result.reason} {result.detail}", where=source)
        raise typer.Exit(1)


async def _render(
    url: str, page: Page | None, values: dict[str, str], *, offline: bool
) -> Rendered:
    from quarkcrawl.config import CrawlConfig  # noqa: PLC0415
    from quarkcrawl.crawl.components import render_limits  # noqa: PLC0415
    from quarkcrawl.crawl.http import GuardedFetcher  # noqa: PLC0415 - loads Scrapy
    from quarkcrawl.page import canonicalize  # noqa: PLC0415
    from quarkcrawl.render import Renderer  # noqa: PLC0415

    config = CrawlConfig.from_mapping(values, source="--set")
    async with GuardedFetcher(config) as fetcher:
        gate = None if offline else fetcher
        limits = render_limits(config)
        async with Renderer(limits, gate, config.render_browser, config.agent) as renderer:
            if page is not None:
                return await renderer.render(page)
            return await renderer.fetch(canonicalize(url) or url)


def _show(result: Rendered, form: RenderForm, pdoc: int) -> None:
    if form == "json":
        typer.echo(json.dumps(_facts(result), ensure_ascii=False))
    elif result.page is not None and form == "blocks":
        _show_blocks(result.page, pdoc)
    elif result.html is not None:
        typer.echo(result.html)


def _facts(result: Rendered) -> dict[str, Any]:
    layout = result.layout
    return {
        "url": result.url,
        "reason": result.reason,
        "detail": result.detail,
        "requests": result.n_requests,
        "refused": dict(result.refused),
        "blocked": dict(result.blocked),
        "elapsed_s": round(result.elapsed_s, 3),
        "width_px": None if layout is None else layout.width_px,
        "height_px": None if layout is None else layout.height_px,
        "html": result.html,
    }


def _show_blocks(page: Page, pdoc: int) -> None:
    import numpy as np  # noqa: PLC0415

    from quarkcrawl.segment import VipsOptions, VipsSegmenter, block_boxes  # noqa: PLC0415

    cut = VipsSegmenter(VipsOptions(pdoc=pdoc)).segment(page)
    boxes = block_boxes(cut)
    assert boxes is not None
    for block, box in zip(cut, np.nan_to_num(boxes).tolist(), strict=True):
        sides = dict(zip(("x", "y", "width", "height"), box, strict=True))
        line = {"number": block.number, "path": block.path, "box": sides, "text": block.text}
        typer.echo(json.dumps(line, ensure_ascii=False))
