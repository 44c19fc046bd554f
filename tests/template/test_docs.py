"""docs/templates.md says what is so."""

import re
from pathlib import Path

import pytest
import typer.main

from quarkcrawl.cli.template import app

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "templates.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL))
def test_the_examples_run(code):
    exec(compile(code, "templates.md", "exec"), {})


def test_commands_and_options_exist():
    known = typer.main.get_command(app).commands
    named = set(re.findall(r"quarkcrawl template (\w+)", TEXT)) | {"preview", "evaluate"}
    assert named == set(known)
    options = {word for one in known.values() for option in one.params for word in option.opts}
    said = set(re.findall(r"(?<![\w-])(--[a-z][a-z-]*)", TEXT))
    assert said <= options, said - options
