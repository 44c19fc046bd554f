"""The commands of the guide to Spark, on a cluster of two workers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engines.test_jobs import make_corpus
from tests.project.pageblocks import Session, blocks

DOCS = Path(__file__).resolve().parents[2] / "docs"


def commands(page: str) -> list[str]:
    text = "".join(b.text for b in blocks(DOCS / page) if b.kind == "sh" and not b.not_run)
    return [" ".join(line.split(" #")[0].split()) for line in text.splitlines()]


def test_both_pages_name_the_same_commands():
    """guides/cluster.md and spark.md."""
    assert commands("guides/cluster.md") == commands("spark.md")
    assert len(commands("spark.md")) >= 4


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_commands_run(spark_cluster, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_corpus(tmp_path / "corpus")
    session = Session(tmp_path, [(r"spark://master:7077", spark_cluster.url)])
    for command in commands("guides/cluster.md"):
        session.command(command)
    assert (tmp_path / "cwt" / "SHA256SUMS").is_file()
    assert list((tmp_path / "corpus" / "analysis" / "extractions").rglob("*.parquet"))
