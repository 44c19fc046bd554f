"""The tutorial, block by block, in the folder that the demo left."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.crawl.harness import in_thread
from tests.project.hub import TOKEN, Hub
from tests.project.pageblocks import RUNNABLE, Session, blocks

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = [b for b in blocks(ROOT / "docs" / "tutorial.md") if b.kind in RUNNABLE]
OWN_CAMPAIGN = r"^quarkcrawl .*mine(/collection|\.toml)(?! --dry-run).*$"

pytestmark = [pytest.mark.full, pytest.mark.timeout(900)]


@pytest.fixture
def session(demo_run, tmp_path, monkeypatch):
    assert demo_run.returncode == 0, demo_run.stderr
    shutil.copytree(demo_run.folder / "demo-out", tmp_path / "demo-out")
    monkeypatch.chdir(tmp_path)
    return Session(tmp_path)


def test_the_blocks_run_in_order(session):
    """All but the second campaign, which the slow test runs."""
    assert BLOCKS[0].text == "quarkcrawl demo\n"
    session.instead.append((OWN_CAMPAIGN, "true"))
    for block in BLOCKS[1:]:
        session.run(block)
    for made in ("map.html", "content.html", "templates.json"):
        assert Path(made).stat().st_size > 500, made


@pytest.mark.slow
def test_the_campaign_of_your_own_runs(session):
    session.run(next(block for block in BLOCKS if block.kind == "toml"))
    lines = [line for b in BLOCKS if b.kind == "sh" for line in b.text.splitlines()]
    lines = [line for line in lines if re.match(OWN_CAMPAIGN, line)]
    assert [line.split()[1] for line in lines] == ["campaign", "corpus", "corpus"]
    for line in lines:
        session.command(line)
    assert Path("mine/collection/SHA256SUMS").is_file()


def test_the_tutorial_of_archives_runs_in_order(session, monkeypatch):
    """Page ``tutorial-archives``; its first line is the demo that the session has, its last block
    uploads to a hub of the test."""
    session.instead.append((r"^quarkcrawl demo$", "true"))
    *page, last = blocks(ROOT / "docs" / "tutorial-archives.md")
    assert last.not_run == "needs an account"
    for block in page:
        assert block.kind in RUNNABLE
        assert not block.not_run
        session.run(block)
    assert Path("news-zh/README.md").is_file()
    _upload(session, last, monkeypatch)


def _upload(session, block, monkeypatch):
    """Run the block with the client of Hugging Face; the hub has all files of the data set then."""
    pytest.importorskip("huggingface_hub")
    install, login, _ = block.text.splitlines()
    assert (install, login) == ("pip install huggingface_hub", "hf auth login")
    session.instead += [(install, "true"), (login, f"{login} --token {TOKEN}")]
    with in_thread(Hub()) as hub:
        for name in ("HF_TOKEN", "HF_HUB_OFFLINE"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        monkeypatch.setenv("HF_HOME", str(Path("hub-home").absolute()))
        session.run(block)
    paths = [path for path in Path("news-zh").rglob("*") if path.is_file()]
    files = {path.relative_to("news-zh").as_posix(): path.read_bytes() for path in paths}
    assert hub.datasets == {"YOUR-NAME/news-zh": files}
