"""Items on the development pages: text beside the paper's method, table types by hand marks.

Marks are in data/table_marks.jsonl: set, page (id, or URL in sites/), ordinal of the table among
the page's visible tables, and what it is for, judged by its text and structure.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections import defaultdict
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import quarkcrawl as qc
from quarkcrawl.content.items.ibdom.options import IbDomOptions
from quarkcrawl.content.items.ibdom.rules import paper_data_tables
from quarkcrawl.content.items.options import ItemOptions
from quarkcrawl.content.items.tables.index import TableIndex
from quarkcrawl.content.items.tables.typing import data_tables
from quarkcrawl.lab.evaluate.extractors.plaintext import compose, score_text
from quarkcrawl.lab.gold.sets import TITLE_IN_GOLD
from quarkcrawl.page import Page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    from numpy.typing import NDArray

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
MARKS = Path(__file__).parent / "data" / "table_marks.jsonl"

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not SHARED.is_dir(), reason="../shared/data is absent"),
]


@lru_cache
def marks() -> dict[tuple[str, str], dict[int, str]]:
    found: defaultdict[tuple[str, str], dict[int, str]] = defaultdict(dict)
    for line in MARKS.read_text("utf-8").splitlines():
        row = json.loads(line)
        found[row["set"], row["page"]][row["table"]] = row["label"]
    return dict(found)


def lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as rows:
        yield from map(json.loads, rows)


@lru_cache
def marked_tables() -> list[tuple[TableIndex, dict[int, str]]]:
    found = {}
    for name in {name for name, _ in marks()}:
        if not name.startswith("sites/"):
            found[name] = SHARED / "extraction" / f"{name}.jsonl.gz"
        else:
            found[name] = SHARED / f"{name}.jsonl.gz"
    tables = []
    for name, path in found.items():
        seen = set()
        for row in lines(path):
            key = (name, row.get("id") or row["url"])
            if key in marks() and key not in seen:
                seen.add(key)
                body = row["html"].encode() if "html" in row else base64.b64decode(row["body_b64"])
                index = TableIndex(Page.from_bytes(body, row["url"] or "").tree)
                tables.append((index, marks()[key]))
    return tables


def accuracy(typing: Callable[[TableIndex], NDArray[np.bool_]], *, hard: bool = False) -> float:
    """Share of tables typed as marked; hard ones have two filled cells or more."""
    results = [
        bool(is_data[table]) == (label == "data")
        for index, labels in marked_tables()
        for is_data in [typing(index)]
        for table, label in labels.items()
        if not hard or index.cell_filled[index.cells_of(table)].sum() >= 2
    ]
    return sum(results) / len(results)


@pytest.mark.full
def test_marks_are_many_and_of_both_kinds() -> None:
    labels = [label for _, tables in marked_tables() for label in tables.values()]
    assert len(labels) == sum(map(len, marks().values())) >= 300
    assert min(labels.count("data"), labels.count("layout")) >= 100


@pytest.mark.full
def test_typing_of_tables() -> None:
    assert accuracy(lambda index: data_tables(index, ItemOptions())) >= 0.98
    assert accuracy(lambda index: data_tables(index, ItemOptions()), hard=True) >= 0.97


@pytest.mark.full
def test_typing_by_the_paper_is_calibrated_and_worse() -> None:
    found = [
        accuracy(lambda index, n=n: paper_data_tables(index, IbDomOptions(max_cell_units=n)))
        for n in range(4)
    ]
    assert max(found) == found[IbDomOptions().max_cell_units]
    assert 0.88 <= max(found) < 0.95


SETS = ("cwced", "daniel_zh", "magic_article_zh", "magic_forum_zh", "twevents")


@pytest.mark.full
@pytest.mark.parametrize("name", SETS)
def test_text_of_our_rules_is_not_below_the_paper(name: str) -> None:
    """All pages of the small sets, every fourth of the large one; all sets in docs/items.md."""
    rows = list(lines(SHARED / "extraction" / f"{name}.jsonl.gz"))
    rows = rows[:: 4 if len(rows) > 100 else 1]
    means = {}
    for method in ("ibdom", "rules"):
        scores = []
        for row in rows:
            content = qc.extract(base64.b64decode(row["body_b64"]), row["url"], method=method)
            text = compose(content.title, content.text, with_title=name in TITLE_IN_GOLD)
            scores.append(score_text(text, row["gold_text"]).f1)
        means[method] = sum(scores) / len(scores)
    assert means["rules"] >= means["ibdom"] >= 0.55
