"""Cost of cutting a page into blocks, and how it grows with the page.

    python benchmarks/segment.py [--repeats 3] [--trim] [--largest 1000000]

Prints JSON. Times are CPU milliseconds per page, the best of the repeats: of real pages (scaled
to 100 KiB too) what recognizing, counting, texts, paths and spans cost beyond the parse; and of
generated pages from 1,000 to 1,000,000 nodes the time to recognize and count, with the factor from
one size to the next: twice the nodes must take no more than 2.3 times as long. A page is cut at a
million tags, start and end tags alike, so flat pages end at half a million nodes.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import time
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from page import M_MMAP_THRESHOLD, M_TRIM_THRESHOLD, generated_pages, real_pages

from quarkcrawl.page import Page
from quarkcrawl.segment import QuarkRecognizer, SegmentOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

COUNTS = ("n_chars", "n_anchor_chars", "n_punctuation", "n_links", "n_images", "has_custom")
ARRAYS = ("tag", "end", "run_start", "run_end", "run_raw", "run_chars", "run_anchor", "text_chars")
DATE_LINE = r"(?:19|20)\d\d[-年/.]\d{1,2}[-月/.]\d{1,2}"


def fresh(pages: Iterable[Page]) -> list[Page]:
    """The same pages, parsed, nothing else computed."""
    made = [Page(page.body, page.charset, page.url) for page in pages]
    for page in made:
        touch(page.tree, ())
    return made


def touch(thing: object, names: Iterable[str]) -> None:
    """Have lazy values computed."""
    for name in names:
        getattr(thing, name)


def cpu_ms(run: Callable[[Any], object], inputs: list[Any]) -> float:
    started = time.process_time()
    for item in inputs:
        run(item)
    return (time.process_time() - started) / len(inputs) * 1e3


def real(pages: list[Page], repeats: int) -> dict[str, float]:
    """Costs of the steps, each on pages for which the steps before have been taken."""
    recognizer = QuarkRecognizer()
    with_pattern = QuarkRecognizer(SegmentOptions(custom_patterns=(DATE_LINE,)))
    best: dict[str, float] = {}
    for _ in range(repeats):
        parsed = fresh(pages)
        times = {"page arrays": cpu_ms(lambda page: touch(page.tree, ARRAYS), parsed)}
        times["recognize"] = cpu_ms(recognizer.recognize, parsed)
        found = [recognizer.recognize(page) for page in parsed]
        times["counts"] = cpu_ms(lambda blocks: touch(blocks, COUNTS), found)
        times["texts, one by one"] = cpu_ms(lambda blocks: [block.text for block in blocks], found)
        times["texts"] = cpu_ms(lambda blocks: blocks.texts, found)
        times["paths"] = cpu_ms(lambda blocks: [block.path for block in blocks], found)
        times["html"] = cpu_ms(lambda blocks: [block.html for block in blocks], found)
        times["page spans"] = cpu_ms(lambda page: touch(page, ("spans",)), parsed)
        times["block spans"] = cpu_ms(lambda blocks: [block.spans for block in blocks], found)
        times["recognize with a date pattern"] = cpu_ms(with_pattern.recognize, parsed)
        best = {name: min(value, best.get(name, value)) for name, value in times.items()}
    size_kib = sum(len(page.body) for page in pages) / len(pages) / 1024
    beyond = best["recognize"] + best["counts"]
    return {
        "pages": len(pages),
        "mean KiB": round(size_kib, 1),
        "blocks": round(sum(map(len, found)) / len(found), 1),
        **{name: round(value, 4) for name, value in best.items()},
        "recognize + counts, scaled to 100 KiB": round(beyond * 100 / size_kib, 4),
    }


def tables(n_nodes: int) -> str:
    """Layout tables within layout tables, as on portals."""
    row = "<tr><td><a href=/1>要闻</a><td><p>本市图书馆新馆今日开放，读者很多。<br>记者</table>"
    table = "<table><tr><td><table>" + row
    return "<body>" + table * (n_nodes // 12)


def deep(n_nodes: int) -> str:
    """One chain of elements: deeper than any parser keeps."""
    return "<div>字" * n_nodes


def flat(n_nodes: int) -> str:
    return "<div>图书馆新馆今日开放，读者很多，馆长说。</div>" * n_nodes


def growth(make: Callable[[int], str], largest: int, repeats: int) -> list[dict[str, float]]:
    recognizer = QuarkRecognizer()
    rows: list[dict[str, float]] = []
    n_nodes = largest
    while n_nodes >= 1000:
        page = Page.from_html(make(n_nodes))
        times = []
        for _ in range(repeats):
            parsed = fresh([page])
            whole = cpu_ms(lambda page: touch(recognizer.recognize(page), COUNTS), parsed)
            times.append(whole)
        if rows and len(page.tree) == rows[0]["nodes"]:  # the larger one was cut to this size
            rows.clear()
        rows.insert(0, {"nodes": len(page.tree), "ms": round(min(times), 3)})
        n_nodes //= 2
    for before, after in pairwise(rows):
        ratio = after["nodes"] / before["nodes"]
        after["time factor at twice the nodes"] = round(after["ms"] / before["ms"] * 2 / ratio, 2)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--largest", type=int, default=1_000_000, help="nodes")
    parser.add_argument("--trim", action="store_true", help="raise malloc's trim threshold")
    args = parser.parse_args()
    if args.trim:
        libc = ctypes.CDLL(None)
        libc.mallopt(M_TRIM_THRESHOLD, 256 << 20)
        libc.mallopt(M_MMAP_THRESHOLD, 256 << 20)
    shapes = {"tables": tables, "deep": deep, "flat": flat}
    portals = [Page.from_bytes(*page) for page in generated_pages()]
    pages = [Page.from_bytes(*page) for page in real_pages()]
    report = {
        "real pages": real(pages, args.repeats) if pages else None,
        "generated portals": real(portals, args.repeats),
        "growth": {name: growth(make, args.largest, args.repeats) for name, make in shapes.items()},
    }
    print(json.dumps(report, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
