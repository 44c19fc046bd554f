"""``python -m tests.fuzz.engine --seconds 3600``: mutated pages through the analysis engine.

Pages of ../shared (where it is there) and odd markup are cut, joined, repeated and bent, and go
through workers with all default stages. Nothing may come back but analyses and flags; what is
flagged, and every page that a stage failed on, is written to ``--out`` for a look.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import gzip
import json
import random
import sys
import time
from collections import Counter
from pathlib import Path

from quarkcrawl.analysis import (
    AnalysisEngine,
    AnalysisPlan,
    EngineOptions,
    PageInput,
    StagePlan,
    analyze,
)

SHARED = Path(__file__).parents[3] / "shared" / "data"
STAGES = "quarkcrawl.analysis.stages"
PLAN = AnalysisPlan(
    (
        StagePlan("segmentation", f"{STAGES}:segmentation", (("spans", True),)),
        StagePlan("content", f"{STAGES}:content", (("spans", True), ("items", True))),
        StagePlan("near", f"{STAGES}:near"),
    )
)
ODD = (
    b"<template><dl><dt>a<dd>b", b"<svg><foreignObject><p>x", b"<table><caption><td><th>",
    b"<base href='http://\xff/'>", b"<a href='//[::1'>", b"<meta charset=utf-16>", b"\0" * 9,
    b"<plaintext>", b"<!--", b"<script>", b"<noscript><iframe src=javascript:1>", b"\xef\xbb\xbf",
    b"<math><mtext><table>", b"<select><option><p>", "<p>天网\U0001f600\u202e".encode(),
    b"<td" + b" a=b" * 300 + b">", b"<div>" * 700, b"&#x110000;&#xd800;&nbsp", b"<frameset><frame>",
    b'<script type=application/ld+json>{"datePublished":"2008-13-45"}</script>', b"<br>" * 999,
    b"<div>" * 507 + b"<table><td></tr><b>x<p>y",
)  # fmt: skip
TYPES = ("text/html", "text/html; charset=gb2312", "text/html; charset=x", None, "text/plain", "")


def seeds(most: int = 40) -> list[bytes]:
    """Real pages, so many of each file, or a page of our own where there are none."""
    pages = [("<title>天网</title>" + "<p>北京大学网络实验室，天网。" * 30).encode("gb18030")]
    for path in sorted(SHARED.glob("*/*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line, _ in zip(lines, range(most), strict=False):
                row = json.loads(line)
                body = row.get("body_b64")
                html = row.get("html")
                if body or html:
                    pages.append(base64.b64decode(body) if body else html.encode())
    return pages


def bent(dice: random.Random, pages: list[bytes]) -> bytes:
    """A page that nobody wrote."""
    data = bytearray(dice.choice(pages))
    for _ in range(dice.randrange(1, 9)):
        at = dice.randrange(len(data) + 1)
        span = dice.choice((1, 9, 99, 999, 9999))
        match dice.randrange(7):
            case 0:
                del data[at : at + span]
            case 1:
                data[at:at] = dice.choice(ODD)
            case 2:
                data[at:at] = data[at : at + span] * dice.randrange(1, 9)
            case 3:
                data[at : at + 9] = dice.randbytes(9)
            case 4:
                other = dice.choice(pages)
                data[at:] = other[len(other) * at // (len(data) + 1) :]
            case 5:
                data[at:at] = dice.choice((b"<", b">", b'"', b"'", b"&", b"/", b"\x80", b"\r"))
            case 6:
                data = data[: 4 << 20].replace(dice.choice((b"<p", b"<div", b"<a", b"<td")),
                                               dice.choice((b"<li", b"<table", b"<svg", b"<dl")))  # fmt: skip
    return bytes(data[: 8 << 20])


async def run(seconds: float, workers: int, out: Path, seed: int) -> Counter[str]:
    """Send pages for so long; returns how many came back with which flags and failures."""
    dice, pages = random.Random(seed), seeds()
    engine = AnalysisEngine(PLAN, EngineOptions(workers))
    engine.start()
    found: Counter[str] = Counter()
    deadline = time.monotonic() + seconds

    async def one() -> None:
        while time.monotonic() < deadline:
            body = bent(dice, pages)
            number = found["pages"]
            found["pages"] += 1
            source = PageInput(f"http://a.cn/{number}.html", body, dice.choice(TYPES),
                               is_markup=dice.random() > 0.02, head=(200, "OK", "1.1", ()))  # fmt: skip
            result = await engine.analyze(source)
            words = [*result.flags, *(f"{name}: {text}" for name, text in result.failures.items())]
            for word in words:
                found[word[:90]] += 1
            if any(word.startswith("failed") or ":" in word for word in words):
                (out / f"{seed}-{number}.html").write_bytes(body)
                print(number, words, file=sys.stderr, flush=True)

    try:
        await asyncio.gather(*(one() for _ in range(4 * workers)))
    finally:
        engine.close()
    return found


def main() -> None:
    """Run until the time is over; exit code 1 if anything but flags of bounds came back."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("fuzz-engine"))
    parser.add_argument("--again", type=Path, help="analyze this page here, to see what it does")
    options = parser.parse_args()
    if options.again:
        print(analyze(PageInput("http://a.cn/1.html", options.again.read_bytes()), PLAN).failures)
        return
    options.out.mkdir(parents=True, exist_ok=True)
    found = asyncio.run(run(options.seconds, options.workers, options.out, options.seed))
    print(json.dumps(found, ensure_ascii=False, indent=1))
    bad = [word for word in found if word.startswith("failed") or ":" in word]
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
