"""Posts of threads: found one by one, and replies that are whole in the text of the page.

    python benchmarks/posts.py [--data ../shared/data/more] [--models FOLDER/left_out_*.npz]

Prints JSON. Where posts stand is found by rules that no training changes; which lines are content,
and so the text, is told by the shipped model, which has seen these pages, or by the mean over the
given models. A post is found if one of ours has a character F1 of .8 with it, one to one; a reply
is whole if the text holds it, white space left out.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linear_sum_assignment

from quarkcrawl.content import Content
from quarkcrawl.content.lines import default_extraction, load_model, read_model
from quarkcrawl.inputs import read_records
from quarkcrawl.lab.evaluate.extractors.plaintext import comparable, compose, score_text
from quarkcrawl.lab.gold import load_gold
from quarkcrawl.page import Page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.content.lines import BlockModel

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "more"
LEAST_F1 = 0.8


def n_matched(ours: Sequence[str], gold: Sequence[str]) -> int:
    """How many posts are found, one to one."""
    if not ours:
        return 0
    scores = np.array([[score_text(one, other).f1 for other in gold] for one in ours])
    pairs = linear_sum_assignment(-np.where(scores >= LEAST_F1, scores, 0.0))
    return int((scores[pairs] >= LEAST_F1).sum())


def posts_found(path: Path, model: BlockModel) -> dict[str, float]:
    """Precision, recall and F1 of posts of pages whose gold has one post a line."""
    n_ours = n_gold = n_right = 0
    for page in load_gold(path):
        gold = (page.gold_text or "").split("\n")
        content = Content(default_extraction(Page.from_bytes(page.body, page.url), model))
        ours = [post.text for post in content.posts]
        n_ours, n_gold = n_ours + len(ours), n_gold + len(gold)
        n_right += n_matched(ours, gold)
    return {
        "precision": n_right / max(n_ours, 1),
        "recall": n_right / n_gold,
        "f1": 2 * n_right / (n_ours + n_gold),
    }


def replies_whole(path: Path, model: BlockModel) -> dict[str, float]:
    """How many replies are whole, headlines are right, and the mean F1 of the pages."""
    scores, n_whole, n_replies, n_titles = list[float](), 0, 0, 0
    pages = zip(load_gold(path), read_records(path), strict=True)
    for page, (_, record) in pages:
        content = Content(default_extraction(Page.from_bytes(page.body, page.url), model))
        text = compose(content.title, content.text, with_title=True)
        scores.append(score_text(text, page.gold_text or "").f1)
        n_titles += comparable(content.title) == comparable(record["title"])
        replies = record["posts"][1:]
        n_replies += len(replies)
        n_whole += sum(comparable(reply) in comparable(text) for reply in replies)
    return {
        "f1": float(np.mean(scores)),
        "replies_whole": n_whole / n_replies,
        "headlines_exact": n_titles / len(scores),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--models", type=Path, nargs="*", default=[])
    asked = parser.parse_args()
    models = [*map(read_model, asked.models)] or [load_model()]
    told: dict[str, dict[str, float]] = {}
    for name, measure in (("harvest_forum", posts_found), ("zh_threads", replies_whole)):
        by_model = [measure(asked.data / f"{name}.jsonl.gz", model) for model in models]
        told[name] = {
            key: round(float(np.mean([one[key] for one in by_model])), 4) for key in by_model[0]
        }
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
