"""Each table of docs/published.md tells where its numbers come from, and no cell is silently empty."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click import Group
from typer.main import get_command

from quarkcrawl.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "published.md"
COMMAND = re.compile(
    r"(?:python benchmarks/\S+\.py|quarkcrawl [a-z][^`\n]*|(?<=`)make [\w-]+)[^`\n]*"
)
REASONS = (
    "not measured",
    "not told",
    "not there",
    "not asked",
    "not printed",
    "nothing to compare",
)
LEAST_TABLES = 15
LAST = "What holds these numbers"
HELD = {
    "content finding": ("content finding", "several pages of a site"),
    "fourteen priors": ("fourteen priors",),
    "topic pages": ("topic pages, 227", "topic pages, 227", "topic pages, 232 read one by one"),
    "IB-DOM": ("portals of IB-DOM", "portals graded by reading", "portals graded by reading"),
    "HIT 2004": ("feature codes, generated", "reposts as they occur"),
    "tables of the appendix": ("table I", "table II", "table III"),
    "fields by one label": ("fields by a label",),
    "funnel and line": ("funnel and line",),
    "statistics (chapter 4)": ("chapter 4", "chapter 4"),
    "known-item search": ("known-item search", "known-item search"),
}
"""For each section the row of the last table that holds each of its tables, in their order."""

MORE_ROWS = {"feature codes, real articles"}
"""A second column of a table has a row of its own."""


def sections(text: str) -> dict[str, str]:
    """The text below each heading of the second rank."""
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def tables(text: str) -> list[list[list[str]]]:
    """Tables as rows of cells, without the line under the head."""
    found = re.findall(r"(?:^\|.*\n)+", text + "\n", flags=re.MULTILINE)
    made = []
    for lines in found:
        rows = [
            [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1])]
            for line in lines.splitlines()
        ]
        made.append([row for row in rows if not all(re.fullmatch(r":?-+:?", c) for c in row)])
    return made


def silent_rows(table: list[list[str]]) -> list[list[str]]:
    """Rows with an empty cell that name no reason for it."""
    return [
        row
        for row in table[1:]
        if any(not cell for cell in row[1:])
        and not any(reason in " ".join(row) for reason in REASONS)
    ]


def unreasoned(text: str) -> list[str]:
    """Cells and sentences that say "not measured" and stop there."""
    found = []
    for table in tables(text):
        for row in table[1:]:
            for place, cell in enumerate(row):
                rest = cell.partition("not measured")[2].strip(" :.") + "".join(row[place + 1 :])
                if "not measured" in cell and not rest:
                    found.append(cell)
    return found


def commands(text: str) -> list[str]:
    return COMMAND.findall(text)


def test_no_row_has_an_empty_cell_without_a_reason(text: str) -> None:
    every = tables(text)
    assert len(every) >= LEAST_TABLES
    assert [row for table in every for row in silent_rows(table)] == []


def test_each_row_has_as_many_cells_as_the_head(text: str) -> None:
    for table in tables(text):
        assert {len(row) for row in table} == {len(table[0])}, table[0]


def test_what_is_not_measured_says_why(text: str) -> None:
    assert unreasoned(text) == []


def test_each_section_with_a_table_names_a_command(text: str) -> None:
    without = [
        name
        for name, part in sections(text).items()
        if tables(part) and not commands(part) and not re.search(r"`--only \w+`", part)
    ]
    assert without == []


@pytest.mark.full
def test_commands_that_the_page_names_exist(text: str, program) -> None:
    published = program("published")
    for name in re.findall(r"--only ([\w,]+)", text):
        assert set(name.split(",")) <= set(published.PARTS) | {"topic", "portals", "grades"}, name
    for command in commands(text):
        words = shlex.split(command.split("#")[0], posix=True)
        if words[0] == "python":
            assert (ROOT / words[1]).is_file(), command
            continue
        if words[0] == "make":
            assert f"\n{words[1]}:" in (ROOT / "Makefile").read_text("utf-8"), command
            continue
        group = get_command(app)
        for word in words[1:]:
            if not isinstance(group, Group):
                break
            assert word in group.commands, command
            group = group.commands[word]


def test_tests_that_the_page_names_exist(text: str) -> None:
    named = re.findall(r"`(test_\w+\.py)::(?:(\w+)::)?(\w+)`", text)
    assert len(named) >= 12
    for file, group, name in named:
        source = (Path(__file__).parent / file).read_text("utf-8")
        assert f"def {name}(" in source, name
        assert not group or f"class {group}:" in source, group


def test_each_table_has_a_row_that_says_which_test_makes_it_anew(text: str) -> None:
    parts = sections(text)
    (last,) = tables(parts.pop(LAST))
    rows = {row[0]: row for row in last[1:]}
    named = {}
    for heading, part in parts.items():
        (about,) = [words for words in HELD if words in heading]
        named[about] = len(tables(part))
    assert named == {about: len(held) for about, held in HELD.items()}
    assert {name for held in HELD.values() for name in held} | MORE_ROWS == set(rows)
    for name, (_, test, tolerance, alone) in rows.items():
        assert "::test_" in test, name
        assert tolerance, name
        assert alone.startswith("none"), name


def test_the_checks_see_what_is_missing() -> None:
    """A table made for it: an empty cell, a bare "not measured", a section without a command."""
    bad = "## One\n\n| a | b | c |\n|---|---|---|\n| x | 1 | |\n| y | not measured | |\n"
    (table,) = tables(bad)
    assert silent_rows(table) == [["x", "1", ""]]
    assert unreasoned(bad) == ["not measured"]
    assert unreasoned(bad.replace("not measured |", "not measured: no pages |")) == []
    assert not commands(sections(bad)["One"])
