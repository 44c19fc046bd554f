"""All help pages: one name for one thing, choices for enumerations, defaults once, an example."""

from __future__ import annotations

import json
import re
import shlex
from collections import defaultdict
from pathlib import Path

import pytest
import typer.main

from docs.generate import commands
from quarkcrawl.cli import main
from quarkcrawl.cli.campaign import noted_step
from quarkcrawl.cli.campaign_file import campaign_of
from quarkcrawl.cli.options import CONTENT_METHODS, RENAMED, renamed

TOP = Path(__file__).parents[2]
COMMANDS = {name.removeprefix("quarkcrawl "): command for name, command in commands()}
OPTIONS = {
    name: [one for one in command.params if one.param_type_name == "option"]
    for name, command in COMMANDS.items()
}
OF_THE_COMMAND = {"--format", "--method", "--out"}
"""What these hold is the command's own: what it writes, where, and by which of its methods."""
SAID_APART = OF_THE_COMMAND | {
    "--blocks", "--min-pages", "--name", "--pages", "--restart", "--spans", "--timeout-s", "--top",
    "--url",
}  # fmt: skip
"""One meaning, but its words name the thing: hosts, pictures, documents."""


def help_of(name: str) -> str:
    command = COMMANDS[name]
    context = typer.Context(command, info_name=f"quarkcrawl {name}", terminal_width=500)
    return command.get_help(context)


def annotation(option) -> str:
    return str(option.type_descriptor.annotation)


def is_choice(option) -> bool:
    return bool(option.type_descriptor.is_choice)


def test_there_are_commands_to_look_at():
    assert len(COMMANDS) > 50
    assert sum(map(len, OPTIONS.values())) > 300


def test_an_option_holds_the_same_in_every_command():
    kinds, words = defaultdict(set), defaultdict(set)
    for name, options in OPTIONS.items():
        for one in options:
            option = one.opts[0]
            kind = (one.metavar, "flag" if one.is_bool_flag else is_choice(one))
            kinds[option].add(kind)
            words[option].add(one.help)
            assert one.help, (name, option)
    differing = {option: found for option, found in kinds.items() if len(found) > 1}
    assert differing.keys() <= OF_THE_COMMAND | {"--json"}
    assert {option for option, said in words.items() if len(said) > 1} <= SAID_APART | {"--json"}


def test_what_is_said_in_the_same_words_has_one_name():
    names = defaultdict(set)
    for options in OPTIONS.values():
        for one in options:
            names[one.help].add(one.opts[0])
    assert {said: found for said, found in names.items() if len(found) > 1} == {}


@pytest.mark.parametrize("name", COMMANDS)
def test_names_follow_the_rules(name):
    for one in OPTIONS[name]:
        option = one.opts[0]
        assert not re.search(r"least|most|limit|number|methods|ise$|[a-z]-(mi?b|bytes)$", option), (
            option
        )
        has_seconds = "second" in one.help and "once a second" not in one.help
        assert option.endswith("-s") == has_seconds, option
        if one.metavar == "SIZE":
            assert re.search(r"\d ?[KMG]i?B\b|about so much|take", one.help), option
        assert one.metavar not in {"DIR", "DIRECTORY", "PATHS"}, option


@pytest.mark.parametrize("name", COMMANDS)
def test_a_text_says_what_it_may_be(name):
    """Enumerations are choices, listed in help; what is free has a word for what it holds."""
    for one in COMMANDS[name].params:
        if re.search(r"\bstr\b", annotation(one)) and not is_choice(one):
            assert one.metavar, (name, one.name)
        if is_choice(one):
            shown = help_of(name)
            assert all(re.search(rf"\b{re.escape(str(word))}\b", shown)
                       for word in one.type_descriptor.choices), (name, one.name)  # fmt: skip


def test_extraction_methods_are_those_of_the_package():
    from quarkcrawl.content import METHODS
    from quarkcrawl.dataset import COPIES, RULES
    from quarkcrawl.select import METHODS as ALIAS_METHODS
    from quarkcrawl.select import OUTLIER_METHODS, STEPS

    assert tuple(METHODS) == CONTENT_METHODS
    without = next(one for one in OPTIONS["export"] if one.name == "without")
    assert [str(one) for one in without.type_descriptor.choices] == [
        rule.reason for rule in (*RULES, *COPIES)
    ]
    named = {"skip": STEPS, "aliases": ALIAS_METHODS, "outliers": OUTLIER_METHODS}
    of_filter = {one.name: one for one in OPTIONS["select filter"]}
    for name, choices in named.items():
        assert tuple(map(str, of_filter[name].type_descriptor.choices)) == choices


@pytest.mark.parametrize("name", COMMANDS)
def test_every_default_is_shown_once(name):
    text = help_of(name)
    for one in COMMANDS[name].params:
        assert "[" not in (one.help or ""), (name, one.name)
        assert "default)" not in (one.help or ""), (name, one.name)
        if one.name == "help" or one.param_type_name == "argument":
            continue
        shown = re.findall(rf"^  {one.opts[0]}(?=[ /]).*(?:\n    .*)*", text, re.MULTILINE)
        assert len(shown) == 1, (name, one.name)
        assert shown[0].count("[default:") <= 1
        default = one.default
        if not (default is None or default is False or default == "" or callable(default)):
            assert "[default:" in shown[0], (name, one.name)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_page_has_examples_that_are_right(name):
    text = help_of(name)
    marked = re.search(r"\n  Examples?:\n(.+?)(\n\n|\Z)", text, re.DOTALL)
    assert marked, name
    found = options_used(marked[1])
    assert any(command == name for command, _ in found), name
    assert [(c, o) for c, o in found for one in o if one not in known_options(c)] == []


def known_options(name: str) -> set[str]:
    return {word for one in OPTIONS[name] for word in (*one.opts, *one.secondary_opts)} | {"--help"}


def options_used(text: str) -> list[tuple[str, list[str]]]:
    """Commands of ours in a text, each with the options that it is given."""
    joined = re.sub(r"\\\s*\n\s*", " ", text)
    found = []
    for match in re.finditer(r"\bquarkcrawl ([a-z]+)(?: ([a-z][a-z-]+)| |\b)", joined):
        name = next((n for n in (f"{match[1]} {match[2]}", match[1]) if n in COMMANDS), None)
        if name is None:
            continue
        rest = re.split(r"[`\n|;]|</pre>|&gt;|\s#\s", joined[match.start() :])[0]
        found.append((name, re.findall(r"(?<=\s)--[a-z0-9-]+", rest)))
    return found


WRITTEN = [
    path for pattern in (
        "README*.md", "Makefile", "CONTRIBUTING.md", "docs/*.md", "docs/guides/*.md",
        "docs/refine/*.md", "recipes/**/*", "compose.yaml", "quarkcrawl/workbench/**/*.html",
        "quarkcrawl/workbench/**/*.json", "quarkcrawl/**/*.py", "spiders/*.py", "benchmarks/*.md",
    )
    for path in TOP.glob(pattern) if path.is_file() and path.name != "oldnames.py"
]  # fmt: skip


def test_what_is_written_of_commands_uses_names_that_exist():
    wrong, n_commands = [], 0
    for path in WRITTEN:
        for name, options in options_used(path.read_text("utf-8", "replace")):
            n_commands += 1
            wrong += [f"{path.relative_to(TOP)}: quarkcrawl {name} {one}"
                      for one in options if one not in known_options(name)]  # fmt: skip
    assert n_commands > 300
    assert wrong == []


def test_what_ctrl_c_promises_is_in_the_help_of_the_command():
    from quarkcrawl.cli import _GOING_ON

    says_so = {
        name for name, command in COMMANDS.items() if "goes on" in " ".join(command.help.split())
    }
    assert says_so >= _GOING_ON


# Old names


@pytest.mark.parametrize("one", RENAMED, ids=lambda one: f"{one.old} {one.commands[0]}")
def test_an_old_name_has_become_one_that_exists(one):
    for command in one.commands:
        assert one.new.split()[0] in known_options(command)
        if " " not in one.old:
            assert one.old not in known_options(command) - {"--method", "--memory", "--work"}
        words, old = renamed([*command.split(), *one.old.replace("FILE", "a.json").split(), "7"])
        assert old == [one]
        assert words[len(command.split())] == one.new.split()[0]


@pytest.mark.parametrize(
    ("given", "now"),
    [
        ("refine c --memory-mb 64 --memory-mib=9", "refine c --memory 64MiB --worker-memory=9MiB"),
        ("export c --method quark --part-bytes 9", "export c --extraction quark --max-file-size 9"),
        ("extract c --method quark", "extract c --method quark"),
        ("extract c --engine duckdb --lang zho", "extract c --engine local --content-language zho"),
        ("rank blpr c --engine=memory --hosts", "rank blpr c --engine local --hosts"),
        ("evaluate content g --json - --method x", "evaluate content g --json --method x"),
        ("evaluate content g --json a.json", "evaluate content g --json-out a.json"),
        ("evaluate content --json g", "evaluate content --json g"),
        ("pictures search c w --limit 3 --table", "pictures search c w --top 3 --no-json"),
        ("corpus near c --k 6 -- --k", "corpus near c --max-bits 6 -- --k"),
        ("template apply t c --least-pages 3", "template apply t c --min-pages 3"),
    ],
)
def test_a_command_line_under_old_names(given, now):
    assert shlex.join(renamed(given.split())[0]) == now


def test_an_old_name_works_and_is_told(tmp_path, capsys):
    (tmp_path / "urls.txt").write_text("http://www.example.cn/\n")
    words = ["select", "count", str(tmp_path / "urls.txt"), "--work", str(tmp_path / "work")]
    assert main([*words, "--memory-mb", "64"]) == 0
    shown = capsys.readouterr()
    assert shown.err == "quarkcrawl: --memory-mb: is an old name; write --memory\n"
    assert json.loads(shown.out)["hosts"] == 1


def test_old_keys_of_a_campaign_become_options_of_now(tmp_path):
    tables = {
        "engine": {"name": "duckdb", "memory_mb": 512},
        "count": {"lists": "a"},
        "filter": {"least_pages": 7},
        "refine": {"method": "quark"},
        "export": {"part_bytes": 9},
    }
    steps = {one.name: one.words for one in campaign_of(tables, tmp_path / "c.toml").steps()}
    assert steps["filter"][-2:] == ("--min-pages", "7")
    assert steps["refine"][2:] == (
        "--extraction", "quark", "--engine", "local", "--memory", "512MiB",
    )  # fmt: skip
    assert "--max-file-size 9" in " ".join(steps["export"])


def test_a_step_that_was_noted_under_old_names_is_done(tmp_path):
    campaign = campaign_of({"count": {"lists": "a"}}, tmp_path / "c.toml")
    step = next(one for one in campaign.steps() if one.name == "refine")
    words = ["--method" if word == "--extraction" else word for word in step.words]
    assert words != list(step.words)
    (campaign.out / "steps").mkdir(parents=True)
    note = campaign.out / "steps" / "refine.json"
    note.write_text(json.dumps({"words": words, "elapsed_s": 1}))
    assert noted_step(campaign, step) is not None
    note.write_text(json.dumps({"words": [*words, "--restart"], "elapsed_s": 1}))
    assert noted_step(campaign, step) is None
