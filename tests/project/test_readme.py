"""Both READMEs say the same, and what they say works."""

from __future__ import annotations

import gzip
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crawl.harness import environment

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "README.md").read_text("utf-8")
CHINESE = (ROOT / "README.zh.md").read_text("utf-8")
NEEDS_OTHERS = re.compile(r"quarkcrawl (crawl|campaign|serve|frontier status redis)")
"""What needs the web, a server or a browser: run by tests/crawl, test_tutorial, redis and web."""


def commands(text: str) -> list[str]:
    shown = "".join(re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    lines = [line.partition(" #")[0].strip() for line in shown.splitlines()]
    return [line for line in lines if line.startswith(("make ", "quarkcrawl "))]


def targets(text: str) -> list[str]:
    return [one for one in re.findall(r"\]\(([^)]+)\)", text) if "README" not in one]


def test_the_chinese_readme_is_equally_kept():
    for pattern in (r"^#+ ", r"^\|", r"^```", r"^- "):
        ours, theirs = (re.findall(pattern, t, re.MULTILINE) for t in (TEXT, CHINESE))
        assert len(ours) == len(theirs), pattern
    assert commands(TEXT) == commands(CHINESE)
    assert targets(TEXT) == targets(CHINESE)
    assert len(commands(TEXT)) > 15
    assert len(CHINESE.splitlines()) <= 150
    numbers = r"(?<![\w.])[≥ ]*\.?\d[\d.,]*(?: (?:ms|s|B))? \|"
    assert re.findall(numbers, TEXT) == re.findall(numbers, CHINESE)


def test_the_links_of_the_chinese_readme_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", CHINESE):
        assert (ROOT / target).exists(), target


@pytest.mark.slow
def test_the_commands_run(demo_run, tmp_path):
    from quarkcrawl.store import Corpus

    shutil.copytree(demo_run.folder / "demo-out", tmp_path / "corpus")
    urls = (tmp_path / "corpus" / "campaign" / "urls.txt").read_bytes()
    (tmp_path / "urls.txt.gz").write_bytes(gzip.compress(urls))
    corpus = Corpus.open(tmp_path / "corpus")
    (tmp_path / "page.html").write_bytes(corpus.page(next(iter(corpus.pages()))).body)
    runnable = [c for c in commands(TEXT) if c.startswith("quark") and not NEEDS_OTHERS.match(c)]
    assert len(runnable) >= 10
    for command in runnable:
        words = command.replace("quarkcrawl", f'"{sys.executable}" -m quarkcrawl', 1)
        done = subprocess.run(["sh", "-c", words], cwd=tmp_path, env=environment(),
                              capture_output=True, text=True, check=False, timeout=300)  # fmt: skip
        assert done.returncode == 0, command + done.stderr
