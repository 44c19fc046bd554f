"""Cost of topic items beyond the parse that all analyses share.

    python benchmarks/items.py [--repeats 5]

Prints JSON. Times are CPU milliseconds, the best of the repeats, for real pages (where
../shared/data is present) and generated ones: the parse alone, and what each method adds to it
on a tree whose arrays nobody has asked for yet, in all and per 100 KiB of source.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import TYPE_CHECKING, Any

from benchmarks.page import SHARED, generated_pages, real_pages
from quarkcrawl.content.items import ITEM_METHODS
from quarkcrawl.content.items_build import items_of
from quarkcrawl.page import Page, PageTree

if TYPE_CHECKING:
    from collections.abc import Callable


def added_ms(pages: list[Page], run: Callable[[Page], object], repeats: int) -> float:
    """Mean CPU milliseconds a page that a run costs on freshly parsed pages."""
    times = []
    for _ in range(repeats):
        spent = 0.0
        for page in pages:
            fresh = Page(page.body, page.charset, page.url)
            touch(fresh.tree)
            started = time.process_time()
            run(fresh)
            spent += time.process_time() - started
        times.append(spent)
    return min(times) / len(pages) * 1e3


def touch(_value: object) -> None:
    """Have a lazy value computed."""


def parse_ms(pages: list[Page], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        started = time.process_time()
        for page in pages:
            PageTree.parse(page.html)
        times.append(time.process_time() - started)
    return min(times) / len(pages) * 1e3


def measure(pages: list[Page], repeats: int) -> dict[str, Any]:
    kib = sum(len(page.body) for page in pages) / len(pages) / 1024
    report: dict[str, Any] = {"pages": len(pages), "mean KiB": round(kib, 1)}
    report["parse, ms"] = round(parse_ms(pages, repeats), 3)
    for name in ("ibdom", "rules"):
        region = ITEM_METHODS[name]
        ms = added_ms(pages, lambda page, region=region: items_of(region(page)), repeats)
        report[name] = {"added ms": round(ms, 3), "per 100 KiB": round(ms * 100 / kib, 3)}
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
