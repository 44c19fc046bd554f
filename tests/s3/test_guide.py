"""The commands of the guide to object stores, docs/guides/storage.md, on a server of ours."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from quarkcrawl.corpus.warc import export_warc
from quarkcrawl.store import Corpus, StoragePath
from tests.project.pageblocks import Session, blocks
from tests.refine.corpora import make_corpus
from tests.s3.server import put_folder

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "storage.md"


@pytest.mark.full
def test_the_commands_run(bucket: StoragePath, tmp_path):
    make_corpus(tmp_path / "local")
    export_warc(tmp_path / "local", tmp_path / "warcs", prefix="crawl")
    (tmp_path / "warcs/warc.paths.gz").write_bytes(gzip.compress(b"crawl-00000.warc.gz\n"))
    put_folder(tmp_path / "local", bucket / "texts/corpus")
    put_folder(tmp_path / "warcs", bucket / "archives")
    session = Session(
        tmp_path, [(r"s3://(texts|archives)", rf"{bucket}/\1"), ("-workers 8", "-workers 1")]
    )
    (commands,) = blocks(GUIDE)
    session.run(commands)
    assert (bucket / "texts/zh/dataset.json").exists()
    assert len(list(Corpus.open(tmp_path / "corpus").pages())) == 31
    assert any(name.endswith(".parquet") for name in (bucket / "texts/rows/default").sizes())
