"""What the tests of docs/published.md share: the page, the runs that are kept, the programs that made them."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "data"


def kept_run(name: str) -> dict:
    """Figures of the last run of a benchmark that is kept in its history."""
    lines = (ROOT / "benchmarks" / "history" / f"{name}.jsonl").read_text("utf-8").splitlines()
    return json.loads(lines[-1])["figures"]


@pytest.fixture(scope="session")
def kept() -> dict:
    """What `benchmarks/published.py` has found."""
    return kept_run("published")


@pytest.fixture(scope="session")
def sites() -> dict:
    """Methods that compare pages of a site."""
    return kept_run("published_sites")["content_sites"]


@pytest.fixture(scope="session")
def lists() -> dict:
    """Lists of real hosts and the mock web, by the commands."""
    return kept_run("published_lists")["lists"]


@pytest.fixture(scope="session")
def text() -> str:
    return (ROOT / "docs" / "published.md").read_text("utf-8")


@pytest.fixture(scope="session")
def page(text: str) -> list[list[str]]:
    """Rows of the tables of the page, cell by cell."""
    rows = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


@pytest.fixture(scope="session")
def program() -> Callable[[str], ModuleType]:
    """Imports a benchmark by name; benchmarks are programs and no package."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    yield importlib.import_module
    sys.path.remove(str(ROOT / "benchmarks"))


def short(value: float, digits: int = 3) -> str:
    """A figure as the page writes it, without the zero before the point."""
    return f"{value:.{digits}f}".replace("0.", ".", 1)
