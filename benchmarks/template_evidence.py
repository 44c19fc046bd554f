"""What the site model adds to the page model: content with and without what a site repeats.

Sites: the element that a post's class names call its body is truth; templates are made from every
second page of a site and used on the others. daniel_zh: hand-marked news, templates from all
pages of a host. F1 of characters, mean over pages. Prints JSON.

    python benchmarks/template_evidence.py [--every 8] [--method default]
"""

from __future__ import annotations

import argparse
import base64
import gzip
import json
from collections import Counter
from pathlib import Path

import numpy as np

from quarkcrawl.content import extract
from quarkcrawl.page import Page
from quarkcrawl.page.urls.canonical import host_key
from quarkcrawl.template.model.evidence import boilerplate_runs, learn_content, site_content
from quarkcrawl.template.model.fields import node_text
from quarkcrawl.template.train import train

BODIES = {"markdown-body", "post-body", "article-entry", "post-content", "entry-content"}
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


def records(path):
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def scores(found, true):
    a, b = Counter("".join(found.split())), Counter("".join(true.split()))
    common = sum((a & b).values())
    precision, recall = common / max(1, a.total()), common / max(1, b.total())
    return precision, recall, 2 * common / max(1, a.total() + b.total())


def body(page):
    """Text of the smallest element whose class names it the body, with half of the article."""
    tree = page.tree
    article = max((tree.text_chars[node] for node in tree.nodes("article")), default=0)
    named = [
        node
        for node in range(len(tree))
        if BODIES & set((tree.attr(node, "class") or "").split())
        and tree.text_chars[node] > article / 2
    ]
    node = min(named, key=lambda one: tree.text_chars[one], default=None)
    return None if node is None else node_text(tree, node)


def row(name, pairs, n_marked, n_changed):
    """Mean precision, recall and F1 of the page model and the two site models."""
    both = np.array(pairs).mean(axis=0).round(4) if pairs else np.zeros((3, 3))
    keys = ("precision", "recall", "f1")
    return {
        "set": name, "pages": len(pairs), "pages_with_boilerplate": n_marked,
        "pages_changed": n_changed,
        "page_model": dict(zip(keys, both[0].tolist(), strict=True)),
        "site_model": dict(zip(keys, both[1].tolist(), strict=True)),
        "site_model_content": dict(zip(keys, both[2].tolist(), strict=True)),
    }  # fmt: skip


def measure(name, pages, truths, templates, method, learn):
    pairs, n_marked, n_changed = [], 0, 0
    learned = learn_content(templates, learn, method)
    for page, truth in zip(pages, truths, strict=True):
        if not truth:
            continue
        host = host_key(page.url)
        n_marked += bool(boilerplate_runs(page, templates, host).any())
        found = [
            extract(page, method=method),
            site_content(page, templates, method, host),
            site_content(page, learned, method, host),
        ]
        n_changed += found[0].text != found[1].text
        pairs.append([scores(one.text, truth) for one in found])
    print(json.dumps(row(name, pairs, n_marked, n_changed)), flush=True)
    return pairs, n_marked, n_changed


def sites(every, method):
    every_pair, marked, changed = [], 0, 0
    for path in sorted((SHARED / "sites").glob("*.jsonl.gz")):
        rows = records(path)
        learn = [Page.from_html(r["html"], r["url"]) for r in rows[::2]]
        templates = train(learn).templates
        posts = [r for r in rows[1::2] if r["template_label"] == "post"][::every]
        pages = [Page.from_html(r["html"], r["url"]) for r in posts]
        pairs, n_marked, n_changed = measure(
            path.name.split(".")[0], pages, [body(page) for page in pages], templates, method, learn
        )
        every_pair += pairs
        marked += n_marked
        changed += n_changed
    print(json.dumps(row("all sites", every_pair, marked, changed)), flush=True)


def daniel(method):
    rows = records(SHARED / "extraction" / "daniel_zh.jsonl.gz")
    pages = [Page.from_bytes(base64.b64decode(r["body_b64"]), r["url"]) for r in rows]
    templates = train(pages).templates
    measure("daniel_zh", pages, [r["gold_text"] for r in rows], templates, method, pages)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--every", type=int, default=8)
    parser.add_argument("--method", default="default")
    words = parser.parse_args()
    daniel(words.method)
    sites(words.every, words.method)


if __name__ == "__main__":
    main()
