"""The layout of the source: each count of `tests.project.house` within its budget, which only falls."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project import house

BUDGET = json.loads(Path(__file__).with_name("budget.json").read_text())
FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "common", "misc"}


@pytest.mark.parametrize("what", house.COUNTS)
def test_a_count_is_within_its_budget(what):
    rows = house.COUNTS[what]()
    listed = "\n".join(str(row) for row in rows)
    assert len(rows) == BUDGET[what], f"{len(rows)} {what}; a lower one is written down\n{listed}"


def test_the_median_file_is_neither_a_scrap_nor_a_heap():
    assert BUDGET["lines in the median file"] <= house.median_lines() <= 250


def test_every_module_begins_with_its_purpose_and_no_name_says_nothing():
    paths = house.modules().values()
    assert not [path for path in paths if not ast.get_docstring(house.tree(path))]
    assert not [path for path in paths if path.stem in FORBIDDEN_NAMES]


@pytest.mark.parametrize(
    ("importer", "meant", "is_past"),
    [
        ("quarkcrawl.crawl.run", "quarkcrawl.store", False),
        ("quarkcrawl.crawl.run", "quarkcrawl.store.writer", True),
        ("quarkcrawl.store.writer", "quarkcrawl.store.layout", False),
        ("quarkcrawl.store", "quarkcrawl.store.layout", False),
        ("quarkcrawl.__main__", "quarkcrawl.cli", False),
        ("quarkcrawl.rank.job", "quarkcrawl.kernels", False),
    ],
)
def test_what_reaches_past_a_face(importer, meant, is_past):
    assert house.is_past_a_face(importer, meant) is is_past


def test_import_contracts_hold():
    run = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=house.ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
