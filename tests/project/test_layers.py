"""The architecture, checked: import contracts, exported names, small files."""

import ast
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import quarkcrawl

ROOT = Path(__file__).resolve().parents[2]
FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "common", "misc"}
SOURCES = [
    path for top in ("quarkcrawl", "spiders", "pipelines") for path in (ROOT / top).rglob("*.py")
]


def test_import_contracts_hold():
    run = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr


def modules():
    for info in pkgutil.walk_packages(quarkcrawl.__path__, "quarkcrawl."):
        # A Scrapy settings module exports what is in capitals.
        is_code = not info.name.endswith(("__main__", "crawl.settings"))
        if is_code and "._project" not in info.name:
            yield info.name


@pytest.mark.parametrize("name", sorted(modules()))
def test_exported_names_exist_and_every_public_module_says_what_it_exports(name):
    module = importlib.import_module(name)
    assert hasattr(module, "__all__"), name
    missing = [export for export in module.__all__ if not hasattr(module, export)]
    assert not missing


def test_no_file_is_long_and_no_name_says_nothing():
    long = {str(p): n for p in SOURCES if (n := len(p.read_text().splitlines())) > 400}
    assert not long
    assert not [p for p in SOURCES if p.stem in FORBIDDEN_NAMES]


def test_every_module_begins_with_its_purpose():
    silent = [
        p
        for p in SOURCES
        if p.read_text().strip() and not ast.get_docstring(ast.parse(p.read_text()))
    ]
    assert not silent
