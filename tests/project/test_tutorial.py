"""The tutorial, block by block, in the folder that the demo left."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crawl.harness import environment

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = re.findall(
    r"```(sh|python|toml)\n(.*?)```", (ROOT / "docs" / "tutorial.md").read_text("utf-8"), re.DOTALL
)
OWN_CAMPAIGN = re.compile(r"^quarkcrawl .*mine(/collection|\.toml)(?! --dry-run).*\n", re.MULTILINE)

pytestmark = pytest.mark.timeout(900)


@pytest.fixture
def folder(demo_run, tmp_path):
    assert demo_run.returncode == 0, demo_run.stderr
    shutil.copytree(demo_run.folder / "demo-out", tmp_path / "demo-out")
    return tmp_path


def shell(folder: Path, commands: str) -> None:
    """Run the lines of a block; the first that fails ends it."""
    ours = f'quarkcrawl() {{ "{sys.executable}" -m quarkcrawl "$@"; }}\n'
    done = subprocess.run(["sh", "-e", "-c", ours + commands], cwd=folder, env=environment(),
                          capture_output=True, text=True, check=False, timeout=600)  # fmt: skip
    assert done.returncode == 0, commands + done.stderr


def run(folder: Path, kind: str, block: str) -> None:
    if kind == "toml":
        (folder / "mine.toml").write_text(block, encoding="utf-8")
    elif kind == "sh":
        shell(folder, block)
    else:
        words = [sys.executable, "-c", block]
        done = subprocess.run(words, cwd=folder, env=environment(), capture_output=True, text=True,
                              check=False, timeout=300)  # fmt: skip
        assert done.returncode == 0, block + done.stderr


def test_the_blocks_run_in_order(folder):
    """All but the second campaign, which the slow test runs."""
    assert BLOCKS[0] == ("sh", "quarkcrawl demo\n")
    for kind, block in BLOCKS[1:]:
        run(folder, kind, OWN_CAMPAIGN.sub("", block) if kind == "sh" else block)
    for made in ("map.html", "content.html", "templates.json"):
        assert (folder / made).stat().st_size > 500, made


@pytest.mark.slow
def test_the_campaign_of_your_own_runs(folder):
    toml = next(block for kind, block in BLOCKS if kind == "toml")
    run(folder, "toml", toml)
    commands = "".join(block for kind, block in BLOCKS if kind == "sh")
    lines = [match[0] for match in OWN_CAMPAIGN.finditer(commands)]
    assert [line.split()[1] for line in lines] == ["campaign", "corpus", "corpus"]
    shell(folder, "".join(lines))
    assert (folder / "mine" / "collection" / "SHA256SUMS").is_file()
