"""Kinds of pages of equal structure: what is asked, and constants chosen on other sites.

Pages of ../shared/data/sites, clustered within hosts, against site and class by URL rule. The
last rows leave one site out: the constants that are best on the other twelve (mean ARI of sites)
are used on it. JSON lines.

    python benchmarks/template_kinds.py [--per-site 0]
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

from quarkcrawl.page import Page
from quarkcrawl.template.clustering.cluster import cluster
from quarkcrawl.template.clustering.groups import groups_of
from quarkcrawl.template.clustering.kinds import divide_by_kind
from quarkcrawl.template.clustering.questions import KindOptions, title_segments
from quarkcrawl.template.clustering.scores import adjusted_rand_index, purity
from quarkcrawl.template.structure.sequence import sequence_of_page

SITES = Path(__file__).resolve().parents[2] / "shared" / "data" / "sites"
COVERS, SHARES, PROSE = (0.8, 0.85, 0.9, 0.95), (0.01, 0.02, 0.05, 0.1), (0.25, 0.5, 0.75, 1.0)


def read(per_site):
    """Sequences, addresses and classes of the pages."""
    dice = random.Random(3)
    sequences, urls, classes = [], [], []
    for path in sorted(SITES.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        for row in dice.sample(rows, min(per_site or len(rows), len(rows))):
            sequences.append(sequence_of_page(Page.from_html(row["html"], row["url"])).sequence)
            urls.append(row["url"])
            classes.append(row["template_label"])
    return sequences, urls, classes


def blanked(sequences, **signs):
    return [replace(one, signs=replace(one.signs, **signs)) for one in sequences]


def scores(labels, classes, hosts):
    """Overall, and the mean over sites."""
    parts = [np.flatnonzero(hosts == host) for host in np.unique(hosts)]
    each = [
        (adjusted_rand_index(labels[one], classes[one]), purity(labels[one], classes[one]))
        for one in parts
    ]
    ari, pure = np.mean(each, axis=0)
    return {
        "ari": round(adjusted_rand_index(labels, classes), 4),
        "purity": round(purity(labels, classes), 4),
        "sites_ari": round(float(ari), 4),
        "sites_purity": round(float(pure), 4),
        "clusters": len(set(labels.tolist())),
    }


def title_alone(sequences, hosts):
    """No structure: pages of a host with the same beginning of the title, if 1 % have it."""
    labels = np.empty(len(hosts), object)
    for host in np.unique(hosts):
        here = np.flatnonzero(hosts == host)
        parts = [title_segments(sequences[page].signs.title) for page in here]
        counts = Counter(part for one in parts for part in set(one))
        own = [[p for p in one if counts[p] < 0.5 * len(here)] for one in parts]
        firsts = [one[0] if one else "" for one in own]
        frequent = Counter(firsts)
        names = [first if frequent[first] >= 0.01 * len(here) else None for first in firsts]
        labels[here] = [f"{host} {name}" for name in names]
    return np.unique(labels.astype(str), return_inverse=True)[1]


def by_site(labels, classes, hosts):
    names = np.unique(hosts)
    return {h: adjusted_rand_index(labels[hosts == h], classes[hosts == h]) for h in names}


def left_out(found, sequences, classes, hosts):
    """Each site with the constants that are best on the others; how often each was chosen."""
    grid = [
        KindOptions(("title", "class"), *way) for way in itertools.product(COVERS, SHARES, PROSE)
    ]
    labels = [divide_by_kind(found, sequences, how).labels for how in grid]
    tables = [by_site(one, classes, hosts) for one in labels]
    made, chosen = np.full(len(hosts), -1), {}
    for host in np.unique(hosts):
        means = [np.mean([v for h, v in one.items() if h != host]) for one in tables]
        best = [k for k, mean in enumerate(means) if mean > max(means) - 1e-9]
        which = best[len(best) // 2]
        way = grid[which]
        chosen[host] = [way.least_cover, way.least_share, way.max_prose, len(best)]
        here = hosts == host
        made[here] = labels[which][here] + 100_000 * len(chosen)
    every = [scores(one, classes, hosts)["ari"] for one in labels]
    return made, {"chosen": chosen, "grid": len(grid), "grid_ari": [min(every), max(every)]}


def show(name, labels, classes, hosts, **more):
    print(json.dumps({"rule": name} | scores(labels, classes, hosts) | more), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--per-site", type=int, default=0)
    sequences, urls, kinds = read(parser.parse_args().per_site)
    hosts = np.array(groups_of(urls))
    classes = np.array([f"{h}|{k}" for h, k in zip(hosts, kinds, strict=True)])
    found = cluster(sequences, None, hosts.tolist())
    no_titles = blanked(sequences, title="")

    def row(name, base, pages, how):
        show(name, divide_by_kind(base, pages, how).labels, classes, hosts)

    show("structure", found.labels, classes, hosts)
    row("structure, title", found, sequences, KindOptions(("title",)))
    row("structure, class", found, no_titles, KindOptions(("class",)))
    row("structure, title or class", found, sequences, KindOptions())
    row("structure, class or title", found, sequences, KindOptions(("class", "title")))
    row("the same, also of prose", found, sequences, KindOptions(max_prose=1.0))
    show("title alone", title_alone(sequences, hosts), classes, hosts)
    made, more = left_out(found, sequences, classes, hosts)
    show("one site left out", made, classes, hosts, **more)


if __name__ == "__main__":
    main()
