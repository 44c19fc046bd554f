"""Benchmarks keep a history, and the table of their README is made from it."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def history():
    spec = importlib.util.spec_from_file_location("history", BENCHMARKS / "history.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_is_that_of_the_newest_entries(history):
    text = history.README.read_text("utf-8")
    assert history.with_table(text) == text


def test_every_entry_says_when_and_of_what_it_is(history):
    names = {path.stem for path in history.HISTORY.glob("*.jsonl")}
    assert names == set(history.shown())
    for name in names:
        for entry in history.entries(name):
            assert re.fullmatch(r"2\d{3}-\d\d-\d\dT\d\d:\d\dZ", entry["date"])
            assert re.fullmatch(r"[0-9a-f]{7,10}", entry["commit"])
            assert ("said" in entry) != ("figures" in entry and "machine" in entry), name


def test_every_program_of_the_table_is_there(history):
    commands = [about["command"] for about in history.shown().values()]
    named = {word for c in commands for word in re.findall(r"benchmarks/(\w+)\.py", c)}
    assert all((BENCHMARKS / f"{name}.py").is_file() for name in named)


@pytest.fixture
def folder(history, tmp_path, monkeypatch):
    """A history of its own with one benchmark, which takes no time."""
    program = "import json; print(json.dumps({'a': [{'ms': 3.0}, {'ms': 1.5}]}))"
    (tmp_path / "table.toml").write_text(
        f"""[quick]\ncommand = '''python -c "{program}"'''\n[[quick.rows]]\nwhat = "all"
said = "{{:.1f}} ms, ratio {{:.1f}}"\nfigures = ["a.0.ms", "a.0.ms / a.-1.ms"]\n""",
        encoding="utf-8",
    )
    monkeypatch.setattr(history, "HERE", tmp_path)
    monkeypatch.setattr(history, "HISTORY", tmp_path / "history")
    return tmp_path


def test_a_run_is_kept_and_shown(history, folder):
    assert "| not yet |" in history.table()
    history.keep("quick", {"date": "2026-01-01", "commit": "0123456789", "said": {"all": "old"}})
    assert "| old |" in history.table()
    history.run("quick")
    entry = history.entries("quick")[-1]
    assert entry["figures"] == {"a": [{"ms": 3.0}, {"ms": 1.5}]}
    assert entry["cpu_s"] >= 0
    assert entry["load"] >= 0
    assert "| 3.0 ms, ratio 2.0 |" in history.table()
    text = f"before\n{history.BEGIN}old\n{history.END}after\n"
    assert history.with_table(text).startswith(f"before\n{history.BEGIN}| what |")
    assert history.with_table(text).endswith(f"{history.END}after\n")


def test_a_run_that_prints_no_json_is_not_kept(history, folder):
    table = (folder / "table.toml").read_text("utf-8").replace("json.dumps(", "list(")
    (folder / "table.toml").write_text(table, encoding="utf-8")
    with pytest.raises(SystemExit, match="printed no JSON"):
        history.run("quick")
    assert history.entries("quick") == []


def test_a_command_starts_without_a_shell(history, folder):
    (folder / "b.gz").touch()
    (folder / "a.gz").touch()
    pattern = f"{folder.name}/*.gz"
    words = history.started(f"quarkcrawl template evaluate {pattern} none*")
    files = [f"{folder.name}/a.gz", f"{folder.name}/b.gz"]
    assert words == [sys.executable, "-m", "quarkcrawl", "template", "evaluate", *files, "none*"]
    assert history.started("python x.py")[0] == sys.executable


def test_lines_of_json_are_read_too(history):
    assert history.parsed('{"a": 1}\nwords\n{"a": 2}\n') == [{"a": 1}, {"a": 2}]
    assert history.parsed(json.dumps([1])) == [1]
