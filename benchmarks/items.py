"""Cost of topic items beyond the parse that all analyses share.

    python benchmarks/items.py [--repeats 5]

Prints JSON. Times are CPU milliseconds a page: for each page the best of the repeats, for real
pages (where ../shared/data is present) and generated ones. "parse" is the parse alone, "arrays"
what any analysis asks of the tree first; "items" is what a method adds to both, in all and per 100
KiB of source, "with arrays" what it costs on a tree that nobody has asked for anything yet.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import TYPE_CHECKING, Any

from page import SHARED, generated_pages, real_pages

from quarkcrawl.content.items.api import ITEM_METHODS
from quarkcrawl.content.items.build import items_of
from quarkcrawl.page import Page

if TYPE_CHECKING:
    from collections.abc import Callable


ARRAYS = (
    *("tag", "end", "parent", "run_start", "run_end", "hidden"),
    *("run_raw", "run_anchor", "run_class", "run_chars", "text_chars"),
)


def arrays(page: Page) -> None:
    """What each analysis asks of a tree: structure, character counts, links."""
    for name in ARRAYS:
        getattr(page.tree, name)
    page.tree.nodes("a")


def best_ms(pages: list[Page], *steps: Callable[[Page], object], repeats: int) -> list[float]:
    """Mean over the pages of the least CPU milliseconds of each step; steps follow each other."""
    best = [[float("inf")] * len(steps) for _ in pages]
    for _ in range(repeats):
        for page, least in zip(pages, best, strict=True):
            fresh = Page(page.body, page.charset, page.url)
            for number, step in enumerate(steps):
                started = time.process_time()
                step(fresh)
                least[number] = min(least[number], time.process_time() - started)
    return [sum(column) / len(pages) * 1e3 for column in zip(*best, strict=True)]


def measure(pages: list[Page], repeats: int) -> dict[str, Any]:
    kib = sum(len(page.body) for page in pages) / len(pages) / 1024
    report: dict[str, Any] = {"pages": len(pages), "mean KiB": round(kib, 1)}
    for name in ("ibdom", "rules"):

        def items(page: Page, name: str = name) -> object:
            return items_of(ITEM_METHODS[name](page))

        parse, base, added = best_ms(pages, lambda p: p.tree, arrays, items, repeats=repeats)
        report["parse, ms"], report["arrays, ms"] = round(parse, 3), round(base, 3)
        report[name] = {
            "items, ms": round(added, 3),
            "items, ms per 100 KiB": round(added * 100 / kib, 3),
            "with arrays, ms per 100 KiB": round((base + added) * 100 / kib, 3),
        }
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    corpora = {"generated": generated_pages()}
    if SHARED.is_dir():
        corpora["real"] = real_pages()
    report = {
        name: measure([Page.from_bytes(*page) for page in pages], repeats)
        for name, pages in corpora.items()
    }
    print(json.dumps(report, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
