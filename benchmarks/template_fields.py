"""Fields by one label a template: title and body of real sites against the pages' own structure.

For each site of ../shared/data/sites the largest cluster of posts is taken, title and body are
labeled on its central page, and both are extracted from all other pages of the cluster. Truth is
what a page declares: og:title or its first h1, where the page shows it, and its
article element. Prints JSON.

    python benchmarks/template_fields.py [--every 1] [--site NAME]
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from pathlib import Path

import numpy as np

from quarkcrawl.page import Page
from quarkcrawl.template.clustering.cluster import ClusterOptions
from quarkcrawl.template.model.alignment import align_page
from quarkcrawl.template.model.fields import extract_fields, node_text
from quarkcrawl.template.model.labels import propose, spread
from quarkcrawl.template.structure.sequence import SequenceOptions, sequence_of_page
from quarkcrawl.template.train import TrainOptions, train

SITES = Path(__file__).resolve().parents[2] / "shared" / "data" / "sites"


def folded(text):
    return " ".join(text.split())


def true_title(page):
    """The title a page declares, if it shows it anywhere."""
    title = declared_title(page)
    return title if title in folded(page.tree.text()) else ""


def declared_title(page):
    tree = page.tree
    said = {tree.attr(n, "property"): tree.attr(n, "content") for n in tree.nodes("meta")}
    if said.get("og:title"):
        title = folded(said["og:title"])
        return title if title != folded(said.get("og:site_name") or "") else ""
    for node in tree.nodes("h1"):
        if not tree.hidden[node]:
            return folded(tree.text(node))
    return ""


def true_body(page):
    articles = page.tree.nodes("article")
    return max(articles, key=lambda node: page.tree.text_chars[node], default=None)


def label(templates, template, page):
    """Positions at which a person would see title and body on this page."""
    made = sequence_of_page(page, templates.sequence)
    places = align_page(template, made.sequence, templates.cluster.weight).places
    title, body = true_title(page), true_body(page)
    best, heading = {}, {}
    for position, place in places.items():
        for node in made.nodes(place):
            hidden = page.tree.hidden[node]
            if title and not hidden and folded(page.tree.text(node)) == title:
                best.setdefault("title", position)
                if page.tree.tags[node] in {"h1", "h2", "h3"}:
                    heading.setdefault("title", position)
            if node == body:
                best["body"] = position
    best |= heading
    for name, position in best.items():
        template = template.with_label(name, position)
    return spread(templates.with_template(template), template.id), best


def char_f1(found, true):
    a, b = Counter("".join(found.split())), Counter("".join(true.split()))
    common = sum((a & b).values())
    return 2 * common / max(1, a.total() + b.total())


def site(path, every, options):
    rows = [json.loads(line) for line in gzip.open(path)][::every]  # noqa: SIM115
    pages = [Page.from_html(row["html"], row["url"]) for row in rows]
    done = train(pages, options)
    kinds = np.array([row["template_label"] for row in rows])
    posts = Counter(
        t for t, k in zip(done.template_of, kinds, strict=True) if t and k in ("post", "other")
    )
    template = done.templates[posts.most_common(1)[0][0]]
    members = [k for k, name in enumerate(done.template_of) if name == template.id]
    center = next(k for k in members if pages[k].url == template.example)
    templates, labels = label(done.templates, template, pages[center])
    others = [k for k in members if k != center]
    exact, scores, hits, n_title, n_body = 0, [], 0, 0, 0
    for k in others:
        got = extract_fields(pages[k], templates)
        hits += got.template == template.id
        title, body = true_title(pages[k]), true_body(pages[k])
        if title and "title" in labels:
            n_title += 1
            exact += folded(got.first("title")) == title
        if body is not None and "body" in labels:
            n_body += 1
            scores.append(char_f1(got.first("body"), node_text(pages[k].tree, body)))
    proposed = propose(template, [pages[k] for k in others[:7]], templates)
    return {
        "site": path.name.split(".")[0], "pages": len(others),
        "posts": int((kinds == "post").sum()),
        "own_template": round(hits / len(others), 4), "n_title": n_title,
        "title_exact": round(exact / max(1, n_title), 4),
        "n_body": n_body, "body_f1": round(float(np.mean(scores)), 4) if scores else None,
        "labels": {name: str(p) for name, p in labels.items()},
        "proposed": {name: str(p) for name, p in proposed.items()},
    }  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--site", default="")
    parser.add_argument("--no-mask", action="store_true")
    parser.add_argument("--support", type=float, default=1.0)
    parser.add_argument("--similarity", type=float, default=0.9)
    words = parser.parse_args()
    options = TrainOptions(
        SequenceOptions(mask_prose=not words.no_mask), ClusterOptions(words.similarity),
        essential_support=words.support,
    )  # fmt: skip
    rows = []
    for path in sorted(SITES.glob(f"{words.site}*.jsonl.gz")):
        rows.append(site(path, words.every, options))
        print(json.dumps(rows[-1], ensure_ascii=False), flush=True)
    good = [
        r for r in rows if r["n_title"] and r["title_exact"] >= 0.99 and (r["body_f1"] or 0) >= 0.97
    ]
    total = sum(r["n_title"] for r in rows)
    print(json.dumps({
        "sites": len(rows), "sites_that_hold": len(good),
        "title_exact": sum(r["title_exact"] * r["n_title"] for r in rows) / max(1, total),
        "body_f1": sum((r["body_f1"] or 0) * r["n_body"] for r in rows)
        / max(1, sum(r["n_body"] for r in rows)),
    }))  # fmt: skip


if __name__ == "__main__":
    main()
