"""The default extractor: speed beside its peers, memory, and behavior on damaged pages.

    python benchmarks/extractor.py [--pages 400] [--repeats 3] [--only resiliparse]
        [--robustness 1000] [--memory 1000] [--code]

Prints JSON. Times are CPU milliseconds per page from bytes to text with headline, measured by
turns, the best of the repeats; peers get the page decoded for free. Malloc's thresholds are the
same for all. ``--robustness N`` also extracts every page of ../shared/data and N damaged ones,
``--memory N`` runs through N pages in a process of its own and says its peak. ``--code`` does
nothing but count blocks of code in posts of the sites that text and Markdown hold whole, white
space aside.
Quality: ``quarkcrawl train lines ../shared/data/extraction --folds 5``.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import importlib.util
import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import quarkcrawl as qc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data"

Pages = list[tuple[bytes, str]]


def marked_pages() -> Pages:
    return list(marked_pages_one_by_one())


def marked_pages_one_by_one() -> Iterator[tuple[bytes, str]]:
    for path in sorted((SHARED / "extraction").glob("*.jsonl.gz")):
        with gzip.open(path) as lines:
            for line in lines:
                row = json.loads(line)
                yield base64.b64decode(row["body_b64"]), row["encoding"].split("/")[0]


def every_page() -> Iterator[bytes]:
    """All pages of ../shared/data."""
    yield from (body for body, _ in marked_pages_one_by_one())
    yield from site_pages()


def mutated_pages(n_pages: int, seed: int = 1) -> Iterator[bytes]:
    rng = random.Random(seed)
    every = marked_pages()
    return (mutated(rng.choice(every)[0], rng) for _ in range(n_pages))


def site_pages() -> Iterator[bytes]:
    for path in sorted((SHARED / "sites").glob("*.jsonl.gz")):
        with gzip.open(path) as lines:
            for line in lines:
                yield json.loads(line)["html"].encode("utf-8", "surrogatepass")


def squeezed(text: str) -> str:
    return "".join(text.split())


def code_kept() -> dict[str, int]:
    """Blocks of code in posts of the sites, those of numbers or nine characters left out."""
    counts = dict.fromkeys(("pages", "blocks", "in_text", "in_markdown"), 0)
    for path in sorted((SHARED / "sites").glob("*.jsonl.gz")):
        with gzip.open(path) as lines:
            posts = [row for row in map(json.loads, lines) if row["template_label"] == "post"]
        for row in posts:
            page = qc.Page.from_html(row["html"], row["url"])
            blocks = [squeezed(page.tree.text(node)) for node in page.tree.nodes("pre")]
            blocks = [block for block in blocks if len(block) >= 10 and not block.isdigit()]
            if not blocks:
                continue
            content = qc.extract(page)
            text, markdown = squeezed(content.text), squeezed(content.markdown)
            counts["pages"] += 1
            counts["blocks"] += len(blocks)
            counts["in_text"] += sum(block in text for block in blocks)
            counts["in_markdown"] += sum(block in markdown for block in blocks)
    return counts


def title_and_text(body: bytes, _encoding: str) -> tuple[str, str]:
    content = qc.extract(body)
    return content.title, content.text


def extractors() -> dict[str, Callable[[bytes, str], object]]:
    found: dict[str, Callable[[bytes, str], object]] = {
        "quarkcrawl": title_and_text,
        "quarkcrawl parse only": lambda body, _: qc.Page.from_bytes(body).tree,
    }
    if importlib.util.find_spec("resiliparse"):
        from resiliparse.extract.html2text import extract_plain_text

        found["resiliparse"] = lambda body, encoding: extract_plain_text(
            body.decode(encoding, "replace"), main_content=True
        )
    if importlib.util.find_spec("trafilatura"):
        import trafilatura

        found["trafilatura"] = lambda body, encoding: trafilatura.extract(
            body.decode(encoding, "replace")
        )
    if importlib.util.find_spec("readability"):
        from readability import Document

        found["readability"] = lambda body, encoding: Document(
            body.decode(encoding, "replace")
        ).summary()
    return found


def cost_ms(run: Callable[[bytes, str], object], pages: Pages) -> float:
    start = time.process_time()
    for body, encoding in pages:
        try:
            run(body, encoding)
        except Exception:  # a peer that fails on a page has spent its time on it
            continue
    return (time.process_time() - start) / len(pages) * 1e3


def mutated(body: bytes, rng: random.Random) -> bytes:
    """A page cut off, with bytes lost, tags torn apart, or in another encoding."""
    kind = rng.randrange(4)
    if kind == 0:
        return body[: rng.randrange(len(body) + 1)]
    if kind == 1:
        start = rng.randrange(len(body) + 1)
        return body[:start] + body[start + rng.randrange(5000) :]
    if kind == 2:
        encoding = rng.choice(["gb18030", "utf-16", "big5", "latin-1"])
        return body.decode("utf-8", "ignore").encode(encoding, "replace")
    pieces = body.split(b"<")
    rng.shuffle(pieces)
    return b"<".join(pieces)


def extraction_s(body: bytes) -> tuple[float, qc.Content]:
    start = time.process_time()
    content = qc.extract(body)
    return time.process_time() - start, content


def robustness(bodies: Iterator[bytes]) -> dict[str, object]:
    """Failures, and times; the slowest pages are timed again, for other processes disturb."""
    times, failures, empty = [], [], 0
    slowest: list[tuple[float, bytes]] = []
    for body in bodies:
        seconds, content = extraction_s(body)
        times.append(seconds)
        slowest = sorted([*slowest, (seconds, body)], reverse=True)[:10]
        if content.failure:
            failures.append(content.failure)
        empty += bool(content.page.tree.text_chars[0]) and not content.text
    again = [min(extraction_s(body)[0] for _ in range(5)) for _, body in slowest]
    return {
        "pages": len(times),
        "failures": failures,
        "empty_although_text": empty,
        "median_ms": round(float(np.median(times)) * 1e3, 2),
        "slowest_in_medians": round(max(again) / float(np.median(times)), 1),
    }


_MEMORY = """
import itertools, sys
from pathlib import Path
from benchmarks.extractor import every_page, qc
for body in itertools.islice(every_page(), int(sys.argv[1])):
    content = qc.extract(body)
    content.title, content.text
status = Path("/proc/self/status").read_text().split("VmHWM:")[1]
print(int(status.split()[0]) // 1024)
"""


def peak_mib(n_pages: int) -> int:
    """Peak memory of a process that extracts so many pages.

    Not ``ru_maxrss``, in which a child begins with what its parent had when it was started.
    """
    command = [sys.executable, "-c", _MEMORY, str(n_pages)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return int(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", nargs="*", help="these peers only")
    parser.add_argument("--robustness", type=int, default=0)
    parser.add_argument("--memory", type=int, default=0)
    parser.add_argument("--code", action="store_true")
    given = parser.parse_args()
    if given.code:
        print(json.dumps(code_kept(), indent=1))
        return
    rng = random.Random(1)
    every = marked_pages()
    pages = [page for page in every if 20_000 < len(page[0]) < 300_000]
    pages = rng.sample(pages, min(given.pages, len(pages)))
    runs = extractors()
    if given.only is not None:
        runs = {name: run for name, run in runs.items() if name in given.only or "crawl" in name}
    best = dict.fromkeys(runs, float("inf"))
    qc.extract(pages[0][0])
    for _ in range(given.repeats):
        for name, run in runs.items():
            best[name] = min(best[name], cost_ms(run, pages))
    result: dict[str, object] = {
        "pages": len(pages),
        "mean_kib": round(float(np.mean([len(body) for body, _ in pages])) / 1024, 1),
        "ms_per_page": {name: round(value, 3) for name, value in best.items()},
    }
    if "resiliparse" in best:
        result["pages_per_s_to_resiliparse"] = round(best["resiliparse"] / best["quarkcrawl"], 3)
    if given.robustness:
        result["every_page"] = robustness(every_page())
        result["mutated"] = robustness(mutated_pages(given.robustness))
    if given.memory:
        result["peak_mib"] = {"pages": given.memory, "mib": peak_mib(given.memory)}
    print(json.dumps(result, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
