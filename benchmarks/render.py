"""Rendering and visual blocks: what they cost, and what visual blocks give to extraction.

    python benchmarks/render.py [--pages 100] [--data ../shared/data/extraction] [--only quality]

Prints JSON. ``quality``: Chinese development pages (every k-th of the article and forum sets) are
rendered without network, and the content step of Quark is run on Quark's blocks of the page as it
was sent, on Quark's blocks of the rendered page and on visual blocks of several degrees of
coherence; F1 by common subsequence as in `quarkcrawl.lab.evaluate`, with the interval of the
difference to Quark. ``cost``: seconds a page and CPU of all processes; the DevTools snapshot beside
a walk of the page by script, and the virtual clock beside waiting for an idle network, in turns.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import gzip
import json
import os
import resource
import statistics
import time
from pathlib import Path

import numpy as np

from quarkcrawl.content import Content
from quarkcrawl.content.quark.analyzer import (
    QuarkAnalyzer,
    extraction_of_blocks,
    quark_extraction,
)
from quarkcrawl.lab.evaluate import paired_bootstrap, score_text
from quarkcrawl.page import Page
from quarkcrawl.render import Renderer
from quarkcrawl.segment import VipsOptions, VipsSegmenter

SETS = ("cwced", "daniel_zh", "magic_article_zh", "magic_forum_zh", "twevents")
TITLE_IN_GOLD = {"daniel_zh", "twevents", "magic_forum_zh"}

WALK = """(() => {
    const rows = [], wanted = ['fontSize', 'fontWeight', 'color', 'backgroundColor', 'visibility'];
    const walk = node => {
        if (node.nodeType == 3) {
            const range = document.createRange(); range.selectNodeContents(node);
            const box = range.getBoundingClientRect();
            rows.push([3, node.data, box.x, box.y, box.width, box.height]);
        } else if (node.nodeType == 1) {
            const box = node.getBoundingClientRect(), style = getComputedStyle(node);
            rows.push([1, node.localName, [...node.attributes].map(a => [a.name, a.value]),
                box.x, box.y, box.width, box.height, wanted.map(name => style[name])]);
            for (const child of (node.shadowRoot || node).childNodes) walk(child);
        }
    };
    walk(document.documentElement);
    return rows;
})()"""


def load(folder: Path, limit: int) -> list[dict]:
    rows = []
    for name in SETS:
        with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            rows += [{**json.loads(line), "set": name} for line in lines]
    step = max(len(rows) // limit, 1)
    return rows[::step][:limit]


def page_of(row: dict) -> Page:
    return Page.from_bytes(base64.b64decode(row["body_b64"]), row["url"])


async def rendered(pages: list[Page]) -> list:
    async with Renderer() as renderer:
        return [await renderer.render(page) for page in pages]


def f1(extraction, row: dict) -> float:
    text = extraction.text
    if row["set"] in TITLE_IN_GOLD:
        text = f"{Content(extraction).title}\n{text}"
    return score_text(text, row["gold_text"]).f1


def visual_extraction(page: Page, options: VipsOptions):
    cut = VipsSegmenter(options).segment(page)
    return extraction_of_blocks(page, "quark", cut, QuarkAnalyzer().content(cut))


def quality(rows: list[dict]) -> dict:
    raw = [page_of(row) for row in rows]
    began = time.monotonic()
    results = asyncio.run(rendered(raw))
    elapsed = time.monotonic() - began
    usable = [k for k, result in enumerate(results) if result.page is not None]
    rows, raw = [rows[k] for k in usable], [raw[k] for k in usable]
    pages = [results[k].page for k in usable]
    plain = np.array([f1(quark_extraction(p), r) for p, r in zip(raw, rows, strict=True)])
    found = {"quark on the page as sent": plain}
    found["quark on the rendered page"] = np.array(
        [f1(quark_extraction(p), r) for p, r in zip(pages, rows, strict=True)]
    )
    cost_ms = {}
    for rules in ("paper", "quarkcrawl"):
        for pdoc in (4, 5, 6, 7, 8, 9):
            options = VipsOptions(pdoc=pdoc, rules=rules)
            name = f"vips {rules} {pdoc}"
            found[name] = np.array(
                [f1(visual_extraction(p, options), r) for p, r in zip(pages, rows, strict=True)]
            )
            start = time.process_time()
            n_blocks = [len(VipsSegmenter(options).segment(page)) for page in pages]
            cost_ms[name] = {
                "ms_per_page": round(1000 * (time.process_time() - start) / len(pages), 2),
                "blocks_per_page": round(statistics.mean(n_blocks), 1),
            }
    reasons = [result.reason for result in results]
    return {
        "pages": len(rows),
        "sets": {name: sum(row["set"] == name for row in rows) for name in SETS},
        "reasons": {reason: reasons.count(reason) for reason in set(reasons)},
        "seconds_per_page": round(elapsed / len(results), 3),
        "slowest_s": round(max(result.elapsed_s for result in results), 2),
        "f1": {
            name: {"macro": round(float(scores.mean()), 4), **cost_ms.get(name, {}),
                   "minus_quark": difference(scores, plain)}
            for name, scores in found.items()
        },
    }  # fmt: skip


def difference(scores, plain) -> list[float]:
    found = paired_bootstrap(scores.tolist(), plain.tolist())
    return [round(x, 4) for x in (found.mean, found.low, found.high)]


async def costs(pages: list[Page]) -> dict:
    """Clock seconds of ways to wait and to take, in turns over the same pages."""
    import quarkcrawl.render.visit as visiting
    from quarkcrawl.render.align import lay_out
    from quarkcrawl.render.serialize import serialize
    from quarkcrawl.render.snapshot import STYLES, DomSnapshot

    taken: dict[str, list[float]] = {"snapshot": [], "walk": [], "ours": []}
    original = visiting.Visit.take

    async def take(self):
        start = time.monotonic()
        raw = await self._send("DOMSnapshot.captureSnapshot", computedStyles=list(STYLES))
        taken["snapshot"].append(time.monotonic() - start)
        start = time.monotonic()
        await self._send("Runtime.evaluate", expression=WALK, returnByValue=True)
        taken["walk"].append(time.monotonic() - start)
        start = time.process_time()
        snapshot = DomSnapshot(raw)
        written = serialize(snapshot)
        page = Page.from_html(written.html, "")
        lay_out(page, written, snapshot)
        taken["ours"].append(time.process_time() - start)
        return await original(self)

    async def idle(self):
        """What most renderers do: wait until no request was out for half a second."""
        await self._page.goto(self._traffic.url, wait_until="networkidle", timeout=0)

    waits: dict[str, list[float]] = {"virtual clock": [], "idle network": []}
    clock = visiting.Visit.load
    async with Renderer() as renderer:
        await renderer.render(pages[0])
        for page in pages:
            for name, load in (("virtual clock", clock), ("idle network", idle)):
                visiting.Visit.load, visiting.Visit.take = load, original
                waits[name].append((await renderer.render(page)).elapsed_s)
            visiting.Visit.load, visiting.Visit.take = clock, take
            await renderer.render(page)
    visiting.Visit.load, visiting.Visit.take = clock, original
    return {
        "pages": len(pages),
        "median_s": {name: round(statistics.median(times), 3) for name, times in waits.items()},
        "snapshot_over_walk": round(
            statistics.median(a / b for a, b in zip(taken["snapshot"], taken["walk"], strict=True)),
            3,
        ),
        "take_median_ms": {
            name: round(1000 * statistics.median(times), 1) for name, times in taken.items()
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data/extraction"))
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--only", choices=("quality", "cost"))
    options = parser.parse_args()
    rows = load(options.data, options.pages)
    found: dict = {"load": os.getloadavg()[0]}
    if options.only != "cost":
        found["quality"] = quality(rows)
    if options.only != "quality":
        found["cost"] = asyncio.run(costs([page_of(row) for row in rows[:30]]))
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    found["cpu_s_of_browsers"] = round(children.ru_utime + children.ru_stime, 1)
    print(json.dumps(found, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
