"""Which words around a picture find it: its caption or alternative text is hidden and looked for.

Pictures of the topic of the pages of ../shared/data/extraction. A query is the caption (or the
alternative text) of one picture, that field is left out of the index, and the place at which the
picture comes is noted. A text that several pictures of a page have, or that is the headline, is no
query. JSON lines: mean reciprocal rank and how often it is among the first ten, over pages.

    python benchmarks/pictures.py
"""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

from quarkcrawl.content.quark.tokens import words
from quarkcrawl.corpus.pictures.rows import FIELDS, picture_rows, weighted_terms
from quarkcrawl.lab.training.data import read_marked_pages
from quarkcrawl.page import Page

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "extraction"
NEAR = {"before": 1.0, "after": 1.0}
SETS = {
    "the other of caption and alt": {},
    "and neighbours": NEAR,
    "and headline": {"title": 1.0},
    "and block": {"block_text": 1.0},
    "and neighbours, headline": {**NEAR, "title": 1.0},
    "all": {**NEAR, "title": 1.0, "block_text": 1.0},
    "all, neighbours twice": {"before": 2.0, "after": 2.0, "title": 1.0, "block_text": 1.0},
    "all, block half": {**NEAR, "title": 1.0, "block_text": 0.5},
    "all, neighbours twice, block half": {
        "before": 2.0, "after": 2.0, "title": 1.0, "block_text": 0.5,
    },
}  # fmt: skip


class Index:
    """BM25 over arrays."""

    def __init__(self, texts, k1=1.2, b=0.75):
        self.hits, self.n, self.k1 = defaultdict(list), len(texts), k1
        lengths = np.array([sum(text.values()) for text in texts])
        self.norm = k1 * (1 - b + b * lengths / max(lengths.mean(), 1e-9))
        for number, text in enumerate(texts):
            for term, tf in text.items():
                self.hits[term].append((number, tf))

    def place(self, query, wanted):
        """Rank of one text, ties counting half; infinity if it has no word of the query."""
        scores = np.zeros(self.n)
        for term in set(query):
            if not self.hits.get(term):
                continue
            numbers, tf = map(np.array, zip(*self.hits[term], strict=True))
            idf = np.log(1 + (self.n - len(numbers) + 0.5) / (len(numbers) + 0.5))
            scores[numbers] += idf * tf * (self.k1 + 1) / (tf + self.norm[numbers])
        if not scores[wanted]:
            return np.inf
        better = (scores > scores[wanted]).sum()
        return better + (1 + (scores == scores[wanted]).sum()) / 2


def queries(rows, hidden):
    """Numbers of pictures whose hidden field is a fair question."""
    often = Counter((row["page"], row[hidden]) for row in rows)
    for number, row in enumerate(rows):
        text = (row[hidden] or "").strip()
        is_own = often[row["page"], row[hidden]] == 1 and text != row["title"].strip()
        if is_own and row["caption"].strip() != row["alt"].strip() and len(set(words(text))) > 1:
            yield number


def main():
    rows, started = [], time.process_time()
    for one in read_marked_pages(DATA):
        for row in picture_rows(Page.from_bytes(one.body, one.url)):
            rows.append(row | {"page": one.name, "english": one.dataset.endswith("_en")})
    cpu = time.process_time() - started
    print(json.dumps({"pictures": len(rows), "cpu_s": round(cpu, 1), "fields": {
        name: sum(bool(row[name]) for row in rows) for name in FIELDS}}))  # fmt: skip
    for hidden, other in (("caption", "alt"), ("alt", "caption")):
        numbers = list(queries(rows, hidden))
        for name, weights in SETS.items():
            report(rows, hidden, numbers, name, {other: 1.0, **weights})


def report(rows, hidden, numbers, name, weights):
    index = Index([weighted_terms(row, weights) for row in rows])
    places = {n: index.place(list(words(rows[n][hidden])), n) for n in numbers}
    row = {"hidden": hidden, "indexed": name}
    for key, is_english in (("chinese", False), ("english", True)):
        of_page = defaultdict(list)
        for n, place in places.items():
            if rows[n]["english"] == is_english:
                of_page[rows[n]["page"]].append(place)
        if of_page:
            row[key] = {
                "pages": len(of_page),
                "queries": sum(map(len, of_page.values())),
                "mrr": round(
                    float(np.mean([np.mean(1 / np.array(v)) for v in of_page.values()])), 3
                ),
                "in_10": round(
                    float(np.mean([np.mean(np.array(v) <= 10) for v in of_page.values()])), 3
                ),
            }
    print(json.dumps(row, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
