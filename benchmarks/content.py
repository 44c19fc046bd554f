"""Content extraction: pages a CPU second from bytes to text, ours beside peers; cost in a crawl.

    python benchmarks/content.py [--data ../shared/data/extraction] [--pages 300] [--rounds 3]
        [--kib 16]

Prints JSON. All extractors run in this one process (so with the same malloc settings) on the same
Chinese pages, in turns, so that what else the machine does hits all of them alike; jieba's loading
is done before. Peers are given correctly decoded text, as their users have it; ours bytes.
``crawl`` is what the analysis adds to a page that a crawl has parsed anyway. With ``--kib`` the
twelve pages are taken whose size is nearest to that.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import gzip
import json
import math
import sys
import time
from itertools import pairwise
from pathlib import Path

import quarkcrawl as qc

N_OF_A_SIZE = 12
SETS = ("cwced", "daniel_zh", "magic_article_zh", "magic_forum_zh", "twevents")


def load(folder: Path, limit: int) -> list[tuple[bytes, str, str]]:
    pages = []
    for name in SETS:
        with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                body = base64.b64decode(row["body_b64"])
                text = body.decode(row["encoding"].split("/")[0], "replace")
                pages.append((body, text, row["url"]))
    step = max(len(pages) // limit, 1)
    return pages[::step][:limit]


def extractors() -> dict:
    found = {
        method: lambda body, text, url, method=method: qc.extract(body, url, method=method).text
        for method in ("quark", "default")
    }
    try:
        import trafilatura

        found["trafilatura"] = lambda body, text, url: trafilatura.extract(text)
    except ImportError:
        pass
    try:
        from resiliparse.extract.html2text import extract_plain_text
        from resiliparse.parse.html import HTMLTree

        found["resiliparse"] = lambda body, text, url: extract_plain_text(
            HTMLTree.parse(text), main_content=True
        )
    except ImportError:
        pass
    try:
        from readability import Document

        found["readability"] = lambda body, text, url: Document(text).summary()
    except ImportError:
        pass
    return found


def timed(function, *arguments) -> float:
    start = time.process_time()
    with contextlib.suppress(Exception):  # a peer that fails has failed in its own time
        function(*arguments)
    return time.process_time() - start


def compare(pages: list, rounds: int, chunk: int = 10) -> dict[str, float]:
    """Pages a CPU second of each extractor, run in turns over small chunks of pages.

    Of each page the least of some rounds counts: what else the machine does only adds.
    """
    from quarkcrawl.content.quark import tokens

    found = extractors()
    for run in found.values():
        for page in pages[:5]:
            timed(run, *page)
    spent = {name: [math.inf] * len(pages) for name in found}
    for _ in range(rounds):
        tokens._FORMS.clear()  # noqa: SLF001  (as if no page had been seen)
        for start in range(0, len(pages), chunk):
            for name, run in found.items():
                for number in range(start, min(start + chunk, len(pages))):
                    spent[name][number] = min(spent[name][number], timed(run, *pages[number]))
    return {name: len(pages) / sum(seconds) for name, seconds in spent.items()}


def crawl_cost(pages: list) -> dict[str, float]:
    """CPU milliseconds that each step adds per 100 KiB of page."""
    from quarkcrawl.content import Content
    from quarkcrawl.content.quark.analyzer import quark_extraction
    from quarkcrawl.page import Page
    from quarkcrawl.segment import segmentation_of

    steps = ("parse and links", "segmentation", "content", "topic")
    spent = dict.fromkeys(steps, 0.0)
    for body, _, url in pages:
        page = Page.from_bytes(body, url)
        marks = [time.process_time()]
        _ = page.tree, page.links
        marks.append(time.process_time())
        held = segmentation_of(page)  # as the crawl's stages do: the next step finds it cut
        marks.append(time.process_time())
        content = Content(quark_extraction(page))
        marks.append(time.process_time())
        _ = content.topic_probability
        marks.append(time.process_time())
        del held
        for step, (start, end) in zip(steps, pairwise(marks), strict=True):
            spent[step] += end - start
    hundred_kib = sum(len(body) for body, _, _ in pages) / 102_400
    return {name: seconds * 1000 / hundred_kib for name, seconds in spent.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/extraction"))
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--kib", type=int, help="in place of --pages")
    options = parser.parse_args()
    if options.kib is not None:
        pages = load(options.data, sys.maxsize)
        pages = sorted(pages, key=lambda page: abs(len(page[0]) - options.kib * 1024))
        pages = pages[:N_OF_A_SIZE]
    else:
        pages = load(options.data, options.pages)
    speed = compare(pages, options.rounds)
    result = {
        "pages": len(pages),
        "mean_kib": sum(len(body) for body, _, _ in pages) / 1024 / len(pages),
        "pages_per_cpu_s": {name: round(value, 1) for name, value in speed.items()},
        "quark_times": {name: round(speed["quark"] / value, 2) for name, value in speed.items()},
        "crawl_ms_per_100_kib": {
            name: round(value, 2) for name, value in crawl_cost(pages).items()
        },
    }
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
