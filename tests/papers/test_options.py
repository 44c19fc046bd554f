"""Each row of "Options of the papers" (docs/papers.md): its command, its setting, its test, its place in the workbench."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
import typer.main

from quarkcrawl.cli.app import app
from quarkcrawl.config import CrawlConfig
from quarkcrawl.content import method_named
from tests.papers.test_tables import sections, tables

ROOT = Path(__file__).resolve().parents[2]
(ROWS,) = tables(
    sections((ROOT / "docs" / "papers.md").read_text("utf-8"))["Options of the papers"]
)
NAMED_FILES = {"priors", "idf", "topic"}
"""Keys of a method's file that name another file: `content/test_methodfile.py` holds what they do."""
TABLES = {"options", "blocks", "related"}
OPTIONS_OF_THE_ISSUE = 13
NODE_ID = re.compile(r"`([\w/]+\.py)::(test_\w+)`")


def opts(words: list[str]) -> set[str]:
    """The options of a command, also of those that stand behind an older name."""
    command = typer.main.get_command(app)
    for word in words:
        command = command.commands[word]
    return {name for one in command.params for name in one.opts}


def unknown_ways(cell: str) -> list[str]:
    """What a cell names and nothing has: a command, an option, a setting."""
    settings = {name for base in ("quark", "ibdom") for table in method_named(base).settings.values()
                for name in table}  # fmt: skip
    wrong, known_options = [], set()
    for said in re.findall(r"`([^`]+)`", cell):
        words = [word for word in said.split() if not word.startswith("--")]
        options = [word for word in said.split() if word.startswith("--")]
        if options and words and not said.startswith("--"):
            path = words[:2]
            try:
                known_options = opts(path)
            except KeyError:
                wrong.append(said)
                continue
        elif " " in said:
            try:
                opts(words)
            except KeyError:
                wrong.append(said)
        elif not options:
            name = said.strip("[]")
            known = settings | TABLES | NAMED_FILES | {"ibdom"} | set(CrawlConfig.names())
            wrong += [said] * (name not in known)
        wrong += [option for option in options if option not in known_options]
    return wrong


def unknown_tests(cell: str) -> list[str]:
    """What a cell names as a test and no file of tests has; a cell must name one."""
    named = NODE_ID.findall(cell)
    wrong = [] if named else [f"no test: {cell}"]
    for file, name in named:
        path = ROOT / "tests" / file
        tree = ast.parse(path.read_text("utf-8") if path.is_file() else "")
        known = {one.name for one in tree.body if isinstance(one, ast.FunctionDef)}
        wrong += [f"{file}::{name}"] * (name not in known)
    return wrong


def test_there_is_a_row_for_each_option() -> None:
    assert len(ROWS) - 1 >= OPTIONS_OF_THE_ISSUE


@pytest.mark.parametrize("row", ROWS[1:], ids=lambda row: row[0])
def test_a_row_names_a_way_that_exists_a_test_and_a_place_in_the_workbench(row: list[str]) -> None:
    _, way, tests, place = row
    assert "`" in way
    assert unknown_ways(way) == []
    for cell in (tests, place):
        assert unknown_tests(cell) == []
    shown = [file for file, _ in NODE_ID.findall(place)]
    assert all(file.startswith("workbench/") for file in shown), shown
    assert "not shown" not in place


def test_the_check_sees_what_does_not_exist() -> None:
    assert unknown_ways("`template train --repeat`") == ["--repeat"]
    assert unknown_ways("`train nothing`, `near_slak`") == ["train nothing", "near_slak"]
    assert unknown_ways("`corpus near --length-ratio`, `--slack`; `near_slack`") == []
    assert unknown_tests("sheet of the template") == ["no test: sheet of the template"]
    for nobody in ("papers/test_options.py::test_nothing", "papers/test_nothing.py::test_a"):
        assert unknown_tests(f"`{nobody}`") == [nobody]
