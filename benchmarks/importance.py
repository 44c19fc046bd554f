"""Learned weights of blocks beside 1.5 and .5, sites left out, and what ranks make of them.

Marked pages of ../shared/data/extraction. Rows: the model, trained without the site of each page;
logistic regression on the same features; 1.5 and .5 by the kinds of the Quark method; the same by
the default extractor, trained without the site of each page (--folds FOLDER). JSON lines. With a
corpus: Kendall's tau and shares of content between the two kinds of weights.

    python benchmarks/importance.py [--folds FOLDER] [--corpus CORPUS]
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np

from quarkcrawl.content import Content, extract
from quarkcrawl.content.lines.extractor import default_extraction
from quarkcrawl.lab.training.data import read_marked_pages
from quarkcrawl.lab.training.importance import gather_blocks, left_out_weights, scores
from quarkcrawl.page import Page
from quarkcrawl.segment import segmentation_of

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "extraction"


def by_kinds(pages, content_of):
    """1.5 for blocks of content, .5 for others."""
    found = []
    for page in pages:
        kinds = content_of(page).segmentation.kinds
        found += [1.5 if kind == "content" else 0.5 for kind in kinds]
    return np.array(found, np.float32)


def left_out_default(folder):
    from quarkcrawl.lab.training.fit import FitOptions
    from quarkcrawl.lab.training.lines_cv import SET_WEIGHTS, fold_models, read_pages

    marked = read_pages(DATA)
    models = {}
    for model, tested in fold_models(marked, FitOptions(set_weights=dict(SET_WEIGHTS)), 5, folder):
        models |= {marked[number].page.name: model for number in tested}

    def content(one):
        page = Page.from_bytes(one.body, one.url)
        return Content(default_extraction(page, models.get(one.name)))

    return content


def logistic(blocks, n_folds=5):
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold
    from sklearn.preprocessing import StandardScaler

    sites, found = np.array(blocks.sites)[blocks.page], np.zeros(len(blocks.level))
    for known, tested in GroupKFold(n_folds).split(blocks.matrix, blocks.level, sites):
        scaler = StandardScaler().fit(blocks.matrix[known])
        for level in (1, 2):
            model = LogisticRegression(max_iter=3000)
            label = blocks.level[known] >= level
            model.fit(scaler.transform(blocks.matrix[known]), label, blocks.block_weights[known])
            likely = model.predict_proba(scaler.transform(blocks.matrix[tested]))[:, 1]
            found[tested] += 0.5 * likely
    return (0.5 + found).astype(np.float32)


def quality(folds):
    pages = list(read_marked_pages(DATA))
    pages = [one for one in pages if len(segmentation_of(Page.from_bytes(one.body, one.url)))]
    blocks = gather_blocks(pages)
    rows = {
        "learned, sites left out": left_out_weights(blocks),
        "logistic, sites left out": logistic(blocks),
        "1.5 and .5 by Quark's kinds": by_kinds(
            pages, lambda one: extract(Page.from_bytes(one.body, one.url), method="quark")
        ),
    }
    if folds:
        rows["1.5 and .5 by default, sites left out"] = by_kinds(pages, left_out_default(folds))
    chinese = np.array([not name.endswith("_en") for name in blocks.datasets])[blocks.page]
    print(json.dumps({"levels": np.bincount(blocks.level).tolist(), "pages": len(pages)}))
    for name, weights in rows.items():
        found = {
            key: {k: round(v, 4) for k, v in scores(blocks, weights, chosen).items()}
            for key, chosen in (("all", None), ("chinese", chinese))
        }
        print(json.dumps({"weights": name, **found}), flush=True)


def ranks(corpus):
    from quarkcrawl.rank import RankJob, compare_ranks, rank_corpus, read_ranks

    with tempfile.TemporaryDirectory() as folder:
        out, tables, row = Path(folder), {}, {"corpus": corpus.name}
        jobs = {
            "pagerank": RankJob("pagerank"),
            "quarkrank": RankJob("quarkrank"),
            "importance": RankJob("quarkrank", weights="importance", name="importance"),
        }
        for name, job in jobs.items():
            started = time.process_time()
            report = rank_corpus(corpus, job, out=out)
            tables[name] = read_ranks(corpus, name, out)[0]
            row[name] = {
                "content_share": round(report.content_share, 4),
                "cpu_s": round(time.process_time() - started, 2),
            }
        for first, second in (("pagerank", "quarkrank"), ("pagerank", "importance"),
                              ("quarkrank", "importance")):  # fmt: skip
            found = compare_ranks(tables[first], tables[second])
            row[f"tau {first}, {second}"] = round(found.kendall_tau, 4)
        print(json.dumps(row))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folds", type=Path)
    parser.add_argument("--corpus", type=Path, action="append", default=[])
    given = parser.parse_args()
    if not given.corpus:
        quality(given.folds)
    for corpus in given.corpus:
        ranks(corpus)


if __name__ == "__main__":
    main()
