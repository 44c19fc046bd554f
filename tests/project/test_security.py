"""Nothing that is read is ever executed: no pickle, no eval, no unsafe YAML, no shell, anywhere."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(
    path
    for folder in ("quarkcrawl", "spiders", "pipelines")
    for path in (ROOT / folder).rglob("*.py")
)

MODULES = {
    "pickle",
    "cPickle",
    "dill",
    "cloudpickle",
    "shelve",
    "marshal",
    "joblib",
    "yaml",
    "jsonpickle",
}
CALLS = {"eval", "exec", "compile", "__import__"}
METHODS = {
    ("os", "system"),
    ("os", "popen"),
    ("torch", "load"),
    ("pd", "read_pickle"),
    ("pandas", "read_pickle"),
}
KEYWORDS = {"allow_pickle", "shell"}
WRITERS = ("quarkcrawl/analysis/handle.py", "quarkcrawl/analysis/worker.py")
"""They write to pipes between a process and its own workers, as `multiprocessing` itself does."""

WRITING = {"dumps", "HIGHEST_PROTOCOL"}


def dangers(source: str) -> list[str]:
    """Names and lines of what could execute data."""
    found = []
    for node in ast.walk(ast.parse(source)):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        elif isinstance(node, ast.Call):
            found += [f"{node.lineno}: {word}" for word in _called(node)]
        found += [f"{node.lineno}: {n}" for n in names if n.partition(".")[0] in MODULES]
    return found


def _called(node: ast.Call) -> list[str]:
    function = node.func
    words = []
    if isinstance(function, ast.Name) and function.id in CALLS:
        words.append(function.id)
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        pair = (function.value.id, function.attr)
        words += [".".join(pair)] * (pair in METHODS)
    for keyword in node.keywords:
        is_false = isinstance(keyword.value, ast.Constant) and keyword.value.value is False
        if keyword.arg in KEYWORDS and not is_false:
            words.append(f"{keyword.arg}=")
    return words


@pytest.mark.full
def test_no_source_executes_data():
    found = {str(p.relative_to(ROOT)): d for p in SOURCES if (d := dangers(p.read_text("utf-8")))}
    for name in WRITERS:
        (said,) = found.pop(name)
        assert said.endswith(": pickle")
        assert set(re.findall(r"pickle\.(\w+)", (ROOT / name).read_text("utf-8"))) <= WRITING
    assert found == {}
    assert len(SOURCES) > 100


@pytest.mark.parametrize(
    "source",
    ["import pickle", "from pickle import loads", "import yaml\nyaml.load(x)", "eval('1')",
     "import os\nos.system('x')", "np.load(f, allow_pickle=True)", "run(x, shell=True)",
     "import shelve", "exec(x)", "from joblib import load"],
)  # fmt: skip
def test_each_danger_is_found(source):
    assert dangers(source)


def test_what_is_harmless_is_not():
    assert (
        dangers("import re\nre.compile('x')\nnp.load(f, allow_pickle=False)\njson.loads(x)") == []
    )
