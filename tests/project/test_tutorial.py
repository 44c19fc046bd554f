"""The tutorials, block by block, in the folder that the demo left."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from quarkcrawl.store import Corpus
from tests.project.pageblocks import RUNNABLE, Session, blocks

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = [b for b in blocks(ROOT / "docs" / "tutorial.md") if b.kind in RUNNABLE]
ARCHIVES = [b for b in blocks(ROOT / "docs" / "tutorial-archives.md") if b.kind in RUNNABLE]
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


def test_archives_become_a_data_set(session):
    """Each command in a process of its own, by the installed script."""
    assert ARCHIVES[0].text.startswith("quarkcrawl demo\n")
    session.instead += [
        (r"^quarkcrawl demo$", "true"),
        (r"^quarkcrawl (?!serve )", "exec quarkcrawl "),
    ]
    for block in ARCHIVES:
        if not block.not_run:
            session.run(block)
    (posts,) = session.names["rows"].aggregate("sum(len(posts))").fetchone()
    assert posts > 20
    by_split = {
        split: [
            row
            for path in Path("news-zh/data").glob(f"{split}-*.parquet")
            for row in pq.read_table(path).to_pylist()
        ]
        for split in ("train", "validation")
    }
    hosts = {split: {row["host"] for row in rows} for split, rows in by_split.items()}
    assert all(hosts.values())
    assert not hosts["train"] & hosts["validation"]
    texts = [*by_split["train"], *by_split["validation"]]
    assert {row["language"] for row in texts} == {"zh"}
    left_out = pq.read_table("news-zh/left_out/documents.parquet").num_rows
    assert len(texts) + left_out == len(list(Corpus.open("corpus").pages()))


@pytest.mark.slow
def test_the_campaign_of_your_own_runs(session):
    session.run(next(block for block in BLOCKS if block.kind == "toml"))
    lines = [line for b in BLOCKS if b.kind == "sh" for line in b.text.splitlines()]
    lines = [line for line in lines if re.match(OWN_CAMPAIGN, line)]
    assert [line.split()[1] for line in lines] == ["campaign", "corpus", "corpus"]
    for line in lines:
        session.command(line)
    assert Path("mine/collection/SHA256SUMS").is_file()
