"""The worst pages of the default extractor: a list by set, and pictures that show what went wrong.

    python benchmarks/worst_pages.py [--models benchmarks/out/folds] [--pictures 10] [--per-set 5]

Every page is extracted by a model that was trained without its site. Prints JSON lines, the worst
of each set first; ``benchmarks/out/worst`` gets a picture of each of the worst pages of all
(chromium needed; nothing is fetched): green was found, red is wrong, yellow was missed.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from quarkcrawl.content import Content
from quarkcrawl.content.lines.extractor import default_extraction
from quarkcrawl.lab.evaluate.extractors.leftout import left_out_models
from quarkcrawl.lab.evaluate.extractors.plaintext import comparable, compose, score_text
from quarkcrawl.lab.evaluate.extractors.sidebyside import load_jobs
from quarkcrawl.lab.training.data import matched_share, squeeze
from quarkcrawl.page import Page

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "benchmarks" / "out"
COLORS = ("", "#9f9", "#f99", "#fe6")
FOUND, WRONG, MISSED = 1, 2, 3
HEIGHT_PX = 4000
UNWANTED = r"<script.*?</script>|<style.*?</style>|<link[^>]*>|<meta[^>]*>|<svg.*?</svg>|<img[^>]*>"
PLAIN = """<meta charset=utf-8><style>* {visibility: visible !important; opacity: 1 !important;
position: static !important; max-height: none !important} body {font: 13px sans-serif}
html, body {height: auto !important; overflow: visible !important; display: block !important}
</style>"""
"""Style sheets of pages hide what scripts would show."""


@dataclass
class Result:
    dataset: str
    name: str
    f1: float
    precision: float
    recall: float
    wrong_chars: int
    missed_chars: int
    page: Page
    states: np.ndarray


def results(models: Path) -> list[Result]:
    jobs = load_jobs([ROOT.parent / "shared" / "data" / "extraction"])
    found = []
    for number, model in left_out_models(jobs, folder=models):
        job = jobs[number]
        page = Page.from_bytes(job.page.body, job.page.url)
        content = Content(default_extraction(page, model))
        text = compose(content.title, content.text, with_title=job.with_title)
        score = score_text(text, job.page.gold_text or "")
        states = run_states(page, content.runs, comparable(job.page.gold_text or ""))
        chars = page.tree.run_chars
        wrong, missed = (int(chars[states == state].sum()) for state in (WRONG, MISSED))
        values = (score.f1, score.precision, score.recall)
        rounded = (round(value, 3) for value in values)
        found.append(Result(job.set_name, job.page.number, *rounded, wrong, missed, page, states))
    return sorted(found, key=lambda result: result.f1)


def run_states(page: Page, chosen: np.ndarray, gold: str) -> np.ndarray:
    """What became of each text run: left out, found, wrong, missed."""
    raw = page.tree.run_raw.tolist()
    texts = [
        "" if hidden else squeeze(run) for run, hidden in zip(page.tree.runs, raw, strict=True)
    ]
    is_gold = matched_share(texts, gold) >= 0.5
    return np.select([chosen & is_gold, chosen, is_gold], [FOUND, WRONG, MISSED], 0)


def painted(page: Page, states: np.ndarray) -> str:
    """The source with colored text, without scripts."""
    pieces, done = [], 0
    spans = zip(page.spans.start.tolist(), page.spans.end.tolist(), states.tolist(), strict=True)
    for start, end, state in sorted(spans):
        if state and start >= done:
            text = page.html[start:end]
            color = f"background:{COLORS[state]};color:#000"
            pieces += [page.html[done:start], f"<span style='{color}'>{text}</span>"]
            done = end
    pieces.append(page.html[done:])
    return PLAIN + re.sub(r"(?is)" + UNWANTED, "", "".join(pieces))


def picture(result: Result, path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        html = Path(folder) / "page.html"
        html.write_text(painted(result.page, result.states), "utf-8", "replace")
        command = [shutil.which("chromium") or "chromium", "--headless", "--no-sandbox"]
        command += ["--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND", "--hide-scrollbars"]
        command += [f"--user-data-dir={folder}/user", f"--window-size=1000,{HEIGHT_PX}"]
        command += [f"--screenshot={path}", html.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=90)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, default=OUT / "folds")
    parser.add_argument("--pictures", type=int, default=10)
    parser.add_argument("--per-set", type=int, default=5)
    given = parser.parse_args()
    every = results(given.models)
    sets: dict[str, list[Result]] = defaultdict(list)
    for result in every:
        sets[result.dataset].append(result)
    for _, members in sorted(sets.items()):
        for result in members[: given.per_set]:
            hidden = ("page", "states")
            row = {key: value for key, value in vars(result).items() if key not in hidden}
            print(json.dumps(row))
    folder = OUT / "worst"
    folder.mkdir(parents=True, exist_ok=True)
    for rank, result in enumerate(every[: given.pictures], 1):
        name = re.sub(r"\W+", "_", f"{rank:02}_{result.dataset}_{result.name}")
        picture(result, folder / f"{name}.png")


if __name__ == "__main__":
    main()
