"""docs/templates.md names the commands that there are (its blocks run in tests/project)."""

import re
from pathlib import Path

import typer.main

from quarkcrawl.cli.app import app

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "templates.md").read_text(encoding="utf-8")


def test_commands_and_options_exist():
    known = typer.main.get_command(app).commands["template"].commands
    named = set(re.findall(r"quarkcrawl template (\w+)", TEXT)) | {"preview", "evaluate"}
    assert named == set(known)
    options = {word for one in known.values() for option in one.params for word in option.opts}
    said = set(re.findall(r"(?<![\w-])(--[a-z][a-z-]*)", TEXT))
    assert said <= options, said - options
