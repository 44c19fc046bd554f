"""Structural similarity side by side: the thesis' appendix repeated, all measures in one table.

Books (table I of the appendix): records that differ in the number of authors; each measure's
clusters against those of the tree edit distance, k medoids. Sites (table II): pages of real sites,
clusters around medoids against site and class by URL rule, at the similarity that is best, and at
the one that is best on the other half of the sites. JSON lines.

    python benchmarks/template_measures.py [--per-site 30] [--books 500]
    PYTHONPATH=folder/with/html_similarity python benchmarks/template_measures.py   # with this peer
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from pathlib import Path

import numpy as np

from quarkcrawl.lab.baselines.measures import MEASURES
from quarkcrawl.page import Page
from quarkcrawl.template.clustering.centers import agglomerate
from quarkcrawl.template.clustering.cluster import floor_of
from quarkcrawl.template.clustering.kinds import question_for
from quarkcrawl.template.clustering.lcs import ONE
from quarkcrawl.template.clustering.questions import KindOptions
from quarkcrawl.template.clustering.scores import adjusted_rand_index, purity
from quarkcrawl.template.structure.sequence import SequenceOptions, sequence_of_page
from quarkcrawl.template.structure.sequenceset import SequenceSet

SITES = Path(__file__).resolve().parents[2] / "shared" / "data" / "sites"
LISTS = {"tag", "category", "archive", "tag_index", "cat_index"}
WITH_KINDS = {"lcs-inverse", "tag-vector", "path-shingles-containment", "tree-edit"}
THRESHOLDS = [round(0.3 + 0.05 * k, 2) for k in range(14)] + [0.97, 0.99]


def matrix(features, compare):
    """All similarities in parts of ONE, and microseconds a pair; equal pages are compared too."""
    n = len(features)
    found = np.full((n, n), ONE, np.int32)
    started = time.process_time()
    for b in range(n):
        for a in range(b):
            found[a, b] = found[b, a] = round(compare(features[a], features[b]) * ONE)
    return found, 1e6 * (time.process_time() - started) / max(1, n * (n - 1) // 2)


def medoids(near, least):
    """Clusters of algorithm 3 from all similarities."""
    none = np.zeros(0, np.int32)
    zeros, ones = np.zeros(len(near), np.int64), np.ones(len(near), np.int64)
    begin = np.zeros(len(near) + 1, np.int64)
    items = SequenceSet(none, begin, none.astype(np.int64), zeros, ones)
    return agglomerate(near.copy(), floor_of(least), items)


# Books


def book(dice, authors):
    """A record; its elements do not depend on anything but the number of authors."""
    names = "".join("<dd><b>a</b></dd>" for _ in range(authors))
    return f"<html><body><h1>t</h1><dl>{names}</dl><cite>p</cite><time>d</time></body></html>"


def k_medoids(near, k):
    """Farthest-first seeds, then assignment and medoids in turn until nothing changes."""
    far = ONE - near.astype(np.int64)
    centers = [int(far.sum(0).argmin())]
    while len(centers) < k:
        centers.append(int(far[centers].min(0).argmax()))
    for _ in range(50):
        labels = far[centers].argmin(0)
        new = []
        for number, old in enumerate(centers):
            members = np.flatnonzero(labels == number)
            new.append(
                int(members[far[np.ix_(members, members)].sum(0).argmin()]) if len(members) else old
            )
        if new == centers:
            break
        centers = new
    return far[centers].argmin(0)


def error_rate(labels, truth):
    """Share of pages outside the best one-to-one matching of clusters."""
    from scipy.optimize import linear_sum_assignment

    table = np.zeros((labels.max() + 1, truth.max() + 1), np.int64)
    np.add.at(table, (labels, truth), 1)
    rows, columns = linear_sum_assignment(-table)
    return 1 - table[rows, columns].sum() / len(labels)


def books(n):
    dice = random.Random(7)
    plain = SequenceOptions(repeats="none", mask_prose=False)
    pages = [
        sequence_of_page(Page.from_html(book(dice, dice.randint(1, 6))), plain).sequence
        for _ in range(n)
    ]
    near = {}
    for name, measure in MEASURES.items():
        near[name], _ = matrix([measure.features(page) for page in pages], measure.compare)
    truth = {k: k_medoids(near["tree-edit"], k) for k in (6, 4, 2)}
    for name, found in near.items():
        row = {
            f"error_{k}": round(float(error_rate(k_medoids(found, k), truth[k])), 4) for k in truth
        }
        print(json.dumps({"table": "books", "measure": name} | row), flush=True)


# Sites


def sample(per_site):
    dice = random.Random(3)
    rows = []
    for path in sorted(SITES.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            found = [json.loads(line) for line in lines]
        rows += dice.sample(found, min(per_site, len(found)))
    return rows


def by_kind(labels, signs):
    """Clusters divided by kind of page, if signs are given."""
    if signs is None:
        return labels.tolist()
    named = [str(label) for label in labels]
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        question = question_for([signs[k] for k in members], KindOptions())
        for k in members if question else ():
            named[k] += f" {question.answer(signs[k])}"
    return named


def clusters(near, chosen, least, signs):
    part = medoids(near[np.ix_(chosen, chosen)], least)
    return by_kind(part, None if signs is None else [signs[k] for k in chosen])


def best(near, truth, chosen, signs):
    """(ARI, purity, similarity) of the best least similarity on some pages."""
    classes = [truth[k] for k in chosen]
    found = []
    for least in THRESHOLDS:
        labels = clusters(near, chosen, least, signs)
        found.append((adjusted_rand_index(labels, classes), purity(labels, classes), least))
    return max(found)


def crossed(near, truth, halves, signs):
    """ARI and purity of each half at the similarity that is best on the other."""
    scores = []
    for own, other in (halves, halves[::-1]):
        least = best(near, truth, other, signs)[2]
        labels = clusters(near, own, least, signs)
        classes = [truth[k] for k in own]
        scores.append((adjusted_rand_index(labels, classes), purity(labels, classes)))
    return np.mean(scores, axis=0)


def report(name, near, cost, truths, halves, signs=None):
    row = {"table": "sites", "measure": name, "us_per_pair": round(cost, 1)}
    for kind, truth in truths.items():
        ari, pure, least = best(near, truth, np.arange(len(near)), signs)
        cross = crossed(near, truth, halves, signs)
        row[kind] = {
            "ari": round(ari, 3), "purity": round(pure, 3), "at": least,
            "crossed_ari": round(float(cross[0]), 3), "crossed_purity": round(float(cross[1]), 3),
        }  # fmt: skip
    print(json.dumps(row), flush=True)


def peers(rows):
    """html_similarity, if it can be imported; (name, features, compare)."""
    try:
        from html_similarity.structural_similarity import get_tags
        from html_similarity.style_similarity import get_classes, jaccard_similarity
    except ImportError:
        return
    import difflib
    from io import StringIO

    import lxml.html

    def ratio(a, b):
        return difflib.SequenceMatcher(None, a, b).ratio()

    def tags(html):
        return [tag for tag in get_tags(lxml.html.parse(StringIO(html)))]  # noqa: C416

    html = [row["html"] for row in rows]
    made = [(tags(text), get_classes(text)) for text in html]
    yield "html_similarity structural", [one[0] for one in made], ratio
    yield "html_similarity style", [one[1] for one in made], jaccard_similarity
    yield (
        "html_similarity joint 0.3", made,
        lambda a, b: 0.3 * ratio(a[0], b[0]) + 0.7 * jaccard_similarity(a[1], b[1]),
    )  # fmt: skip


def sites(per_site):
    rows = sample(per_site)
    hosts = [row["url"].split("/")[2] for row in rows]
    label = [row["template_label"] for row in rows]
    truths = {
        "url_rule": [f"{h}|{k}" for h, k in zip(hosts, label, strict=True)],
        "lists_as_one": [
            f"{h}|{'list' if k in LISTS else k}" for h, k in zip(hosts, label, strict=True)
        ],
    }
    names = sorted(set(hosts))
    half = np.array([names.index(host) % 2 for host in hosts])
    halves = (np.flatnonzero(half == 0), np.flatnonzero(half == 1))
    pages = [Page.from_html(row["html"], row["url"]) for row in rows]
    plain = SequenceOptions(mask_prose=False)
    made = [sequence_of_page(page, plain).sequence for page in pages]
    signs = [page.signs for page in made]
    for name, measure in MEASURES.items():
        near, cost = matrix([measure.features(page) for page in made], measure.compare)
        report(name, near, cost, truths, halves)
        if name in WITH_KINDS:
            report(f"{name}, by kind", near, cost, truths, halves, signs)
    ours = MEASURES["lcs-inverse"]
    for name, options in {
        "lcs-inverse, prose masked": SequenceOptions(),
        "lcs-inverse, runs only": SequenceOptions(repeats="run", mask_prose=False),
        "lcs-inverse, suffix tree": SequenceOptions(repeats="suffix-tree", mask_prose=False),
        "lcs-inverse, nothing merged": SequenceOptions(repeats="none", mask_prose=False),
    }.items():  # fmt: skip
        found = [sequence_of_page(page, options).sequence for page in pages]
        near, cost = matrix(found, ours.compare)
        report(name, near, cost, truths, halves)
        if name.endswith("masked"):
            report(f"{name}, by kind", near, cost, truths, halves, signs)
    for name, features, compare in peers(rows):
        report(name, *matrix(features, compare), truths, halves)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--per-site", type=int, default=30)
    parser.add_argument("--books", type=int, default=500)
    words = parser.parse_args()
    books(words.books)
    sites(words.per_site)


if __name__ == "__main__":
    main()
