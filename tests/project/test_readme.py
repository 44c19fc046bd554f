"""Both READMEs say the same, and what they say works."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "README.md").read_text("utf-8")
CHINESE = (ROOT / "README.zh.md").read_text("utf-8")


def commands(text: str) -> list[str]:
    shown = "".join(re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    lines = [line.partition(" #")[0].strip() for line in shown.splitlines()]
    return [line for line in lines if line.startswith(("make ", "quarkcrawl "))]


def targets(text: str) -> list[str]:
    found = [one for one in re.findall(r"\]\(([^)]+)\)", text) if "README" not in one]
    # a picture and a page in its language
    return [one.replace("-zh.png", ".png").replace("docs/zh/", "docs/") for one in found]


def test_the_chinese_readme_is_equally_kept():
    for pattern in (r"^#+ ", r"^\|", r"^```", r"^- "):
        ours, theirs = (re.findall(pattern, t, re.MULTILINE) for t in (TEXT, CHINESE))
        assert len(ours) == len(theirs), pattern
    assert commands(TEXT) == commands(CHINESE)
    assert targets(TEXT) == targets(CHINESE)
    assert len(commands(TEXT)) > 15
    assert len(CHINESE.splitlines()) <= 120
    numbers = r"(?<![\w.])[≥ ]*\.?\d[\d.,]*(?: (?:ms|s|B))? \|"
    assert re.findall(numbers, TEXT) == re.findall(numbers, CHINESE)


def test_the_links_of_the_chinese_readme_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", CHINESE):
        assert (ROOT / target).exists(), target


def test_the_readme_of_the_tests_names_every_folder():
    tests = ROOT / "tests"
    text = (tests / "README.md").read_text("utf-8")
    for folder in tests.iterdir():
        if folder.is_dir() and any(folder.glob("test_*.py")):
            assert re.search(rf"^\| {folder.name} \|", text, re.MULTILINE), folder.name
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert (tests / target).exists(), target
