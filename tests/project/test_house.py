"""The layout of the source: each count of `tests.project.house` within its budget, which only falls."""

import ast
import json
import re
import shutil
import subprocess
import sys
import tomllib
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
    ],
)
def test_what_reaches_past_a_face(importer, meant, is_past):
    assert house.is_past_a_face(importer, meant) is is_past


def test_no_group_is_repeated_possessively():
    """Python 3.11.2 reads such a pattern otherwise: ``(?>(?:…)*)`` means the same everywhere."""
    repeated = re.compile(r"(?<![\\(])\)(?:[*+?]|\{\d*,?\d*\})\+")
    assert repeated.search("(?:ab|c)*+")
    assert not repeated.search("(?>(?:ab|c)*)[a-z]*+")
    wrong = [
        (name, node.lineno)
        for name, path in house.modules().items()
        for node in ast.walk(house.tree(path))
        if isinstance(node, ast.Constant)
        if isinstance(text := node.value, str | bytes)
        if repeated.search(text if isinstance(text, str) else text.decode("latin-1"))
    ]
    assert wrong == []


def lint_imports(tree: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=tree, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_import_contracts_hold():
    run = lint_imports(house.ROOT)
    assert run.returncode == 0, run.stdout + run.stderr


def contracts() -> list[dict]:
    project = tomllib.loads((house.ROOT / "pyproject.toml").read_text("utf-8"))
    return project["tool"]["importlinter"]["contracts"]


@pytest.fixture
def copied_tree(tmp_path) -> Path:
    for name in ("quarkcrawl", "spiders", "pipelines"):
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(house.ROOT / name, tmp_path / name, ignore=ignore)
    shutil.copy(house.ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def source(tree: Path, module: str) -> Path:
    path = tree.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def first_layers(contract: dict) -> tuple[str, str]:
    """A module of the highest layer and one of the lowest."""
    (container,) = contract["containers"]
    high, *_, low = (layer.split(" | ")[0] for layer in contract["layers"])
    return f"{container}.{high}", f"{container}.{low}"


def broken(run: subprocess.CompletedProcess[str]) -> set[str]:
    return set(re.findall(r"^(.+) BROKEN", run.stdout, re.MULTILINE))


@pytest.mark.full
def test_each_contract_breaks_by_one_import_too_many(copied_tree):
    for contract in contracts():
        if contract["type"] == "layers":
            target, importer = first_layers(contract)
        else:
            target, importer = contract["forbidden_modules"][-1], "quarkcrawl.errors"
        with source(copied_tree, importer).open("a") as file:
            file.write(f"\nimport {target}\n")
    assert broken(lint_imports(copied_tree)) == {contract["name"] for contract in contracts()}


@pytest.mark.full
def test_each_contract_of_layers_breaks_by_a_module_without_a_layer(copied_tree):
    layers = [contract for contract in contracts() if contract["type"] == "layers"]
    for contract in layers:
        (container,) = contract["containers"]
        source(copied_tree, container).with_name("stray.py").write_text('"""Nowhere."""')
    run = lint_imports(copied_tree)
    assert run.returncode != 0
    for contract in layers:
        assert f"{contract['containers'][0]}.stray" in run.stdout
