"""The default extractor by kind of page, each page by models that have not seen its site.

    python benchmarks/kinds.py [--folds 5] [--models benchmarks/out/kinds] [--data ../shared/data]
                               [--peers trafilatura resiliparse readability]

Trains the models of lines and of kinds once for each part of the sites (kept in the folder, so that
a second run does not train), extracts all pages as a user would, and prints a JSON line for each
set and kind: F1 of ``default`` and of peers on the same pages, where they are installed, and the
95 % interval of the difference from the first of them (trafilatura), sites drawn as wholes. Pages
of WCXB are scored by words, as WCXB does, all others by characters, and so are they in all_en. The
rules of posts and the thresholds were written with these pages in sight.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from functools import cache
from importlib.util import find_spec
from multiprocessing import Pool
from pathlib import Path

import numpy as np

from quarkcrawl.content import Content
from quarkcrawl.content.kind import read_kind_model, write_kind_model
from quarkcrawl.content.lines import default_extraction, read_model
from quarkcrawl.content.methods import _with_body
from quarkcrawl.errors import QuarkError
from quarkcrawl.inputs import read_records
from quarkcrawl.lab.evaluate import PEERS, compose, paired_bootstrap, peer_text, score_text
from quarkcrawl.lab.gold import TITLE_IN_GOLD, gold_page, groups_of, set_name
from quarkcrawl.lab.training import (
    SET_WEIGHTS,
    FitOptions,
    fold_models,
    marked_page,
    prepare_page,
)
from quarkcrawl.lab.training.kinds import read_kind_pages, train_kind_model
from quarkcrawl.page import Page

ROOT = Path(__file__).resolve().parents[1]
SEGMENTS = "trafilatura_segments"
"""Pieces of texts only: learned, not scored."""
NOT_USED = {"newspaper", "blog_source_silver"}
"""Gold texts that a tool made."""


def word_f1(text: str, gold: str) -> float:
    """F1 of the words of two texts as multisets."""
    found, wanted = (Counter(re.findall(r"\w+", one.lower())) for one in (text, gold))
    return 2 * (found & wanted).total() / max(found.total() + wanted.total(), 1)


def records(data: Path):
    """All pages that are learned: set, record, page."""
    paths = [*(data / "extraction").glob("*.jsonl.gz"), *(data / "more").glob("*.jsonl.gz")]
    for path in sorted(paths, key=lambda path: path.name):
        if set_name(path) not in NOT_USED:
            for where, record in read_records(path):
                yield set_name(path), record, gold_page(record, path.parent, where)


def groups(dataset: str, record: dict) -> list[str]:
    """Where a page counts."""
    names = [dataset, *(name for name in groups_of(dataset, "") if name)]
    if dataset in {"daniel_zh", "cwced", "magic_article_zh", "magic_forum_zh", "twevents"}:
        names.append("all_zh")
    if dataset.endswith("_en"):
        names.append("all_en")
    if dataset == "daniel_other":
        names.append(f"{dataset} {record['lang']}")
    if dataset.startswith("wcxb"):
        names.append("wcxb")
    if record.get("page_type"):
        names.append(f"{dataset} {record['page_type']}")
    return names


def extracted(job: tuple[Path, int, str, str, bytes]) -> tuple[str, str]:
    """Title and text of a page by the models of its part."""
    models, part, url, _, body = job
    lines, kinds = _models(models, part)
    content = Content(_with_body(default_extraction(Page.from_bytes(body, url), lines, kinds)))
    return content.title, content.text


@cache
def _models(folder: Path, part: int):
    return read_model(folder / f"left_out_{part}.npz"), read_kind_model(folder / f"kind_{part}.npz")


def peer(job: tuple[str, str, str]) -> str:
    """What a peer finds."""
    name, html, url = job
    try:
        return peer_text(name, Page.from_html(html, url))
    except QuarkError as error:
        print(f"{url}: {error}", file=sys.stderr)
        return ""


def peers_of(names: list[str], pages, pool) -> dict[str, list[str]]:
    """What each peer that is installed finds on each page."""
    installed = [name for name in names if find_spec(PEERS[name].module)]
    if absent := set(names) - set(installed):
        print("without", *sorted(absent), file=sys.stderr)
    return {
        name: pool.map(peer, [(name, page.text, page.url) for page in pages], chunksize=8)
        for name in installed
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--models", type=Path, default=ROOT / "benchmarks" / "out" / "kinds")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=["trafilatura"])
    options = parser.parse_args()
    found = list(records(options.data))
    with Pool() as pool:
        marked = [marked_page(page, dataset) for dataset, _, page in found]
        prepared = pool.map(prepare_page, marked, chunksize=8)
        pages = [page for page in prepared if page is not None]
        fit = FitOptions(set_weights=dict(SET_WEIGHTS))
        parts = {}
        for part, (_, tested) in enumerate(fold_models(pages, fit, options.folds, options.models)):
            parts |= {(pages[n].page.dataset, pages[n].page.name): part for n in tested}
        _train_kinds(options, pages, parts)
        numbers = [number for number, (dataset, _, _) in enumerate(found) if dataset != SEGMENTS]
        found, marked = [found[n] for n in numbers], [marked[n] for n in numbers]
        jobs = [
            (options.models, parts.get((dataset, page.number), 0), page.url, "", page.body)
            for dataset, _, page in found
        ]
        ours = pool.map(extracted, jobs, chunksize=8)
        theirs = peers_of(options.peers, [page for _, _, page in found], pool)
    report(found, [page.site for page in marked], ours, theirs)


def _train_kinds(options, pages, parts) -> None:
    """One model of kinds for each part, trained without the sites of that part."""
    if all((options.models / f"kind_{part}.npz").is_file() for part in range(options.folds)):
        return
    known = read_kind_pages([options.data / "extraction", options.data / "more"])
    for part in range(options.folds):
        tested = {p.page.site for p in pages if parts[p.page.dataset, p.page.name] == part}
        model = train_kind_model([page for page in known if page.site not in tested])
        write_kind_model(options.models / f"kind_{part}.npz", model)


def report(found, sites, ours, theirs) -> None:
    """Print a line for each set and kind."""
    rows = defaultdict(list)
    for number, (dataset, record, page) in enumerate(found):
        gold, title, text = page.gold_text or "", *ours[number]
        texts = [text, *(texts_of_peer[number] for texts_of_peer in theirs.values())]
        by_words = [word_f1(one, gold) for one in texts]
        composed = [compose(title, one, with_title=dataset in TITLE_IN_GOLD) for one in texts]
        by_chars = [score_text(one, gold).f1 for one in composed]
        for name in groups(dataset, record):
            scores = by_words if name.startswith("wcxb") else by_chars
            rows[name].append((*scores, sites[number]))
    for name, row in sorted(rows.items()):
        *scores, of = zip(*row, strict=True)
        means = [round(float(np.mean(one)), 4) for one in scores]
        line = {"set": name, "pages": len(row)}
        line |= dict(zip(["default", *theirs], means, strict=True))
        if theirs:
            gap = paired_bootstrap(*scores[:2], groups=of, n_draws=2000)
            line["difference"] = [round(x, 4) for x in (gap.mean, gap.low, gap.high)]
        print(json.dumps(line, ensure_ascii=False))


if __name__ == "__main__":
    main()
