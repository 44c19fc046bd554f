"""The shards of workers are read as one where that is possible; what needs one corpus says so."""

from __future__ import annotations

import json

import pytest

from quarkcrawl.cli import main
from quarkcrawl.store.shards import open_shard
from tests.corpus.merge_samples import write_page


@pytest.fixture(scope="module")
def shards(tmp_path_factory):
    out = tmp_path_factory.mktemp("shards") / "out"
    with open_shard(out) as one, open_shard(out) as two:
        write_page(one, "http://a.cn/", level=1)
        write_page(two, "http://b.cn/", level=1)
    return out


@pytest.mark.parametrize(
    "command",
    [["template", "train", "--out", "t.json"], ["pictures", "index"], ["corpus", "replay"]],
)
def test_one_corpus_is_asked_for(shards, capsys, command) -> None:
    assert main([*command, str(shards)]) == 2
    assert f"{shards}: shards of several workers" in (told := capsys.readouterr().err)
    assert "`quarkcrawl corpus merge`" in told


@pytest.mark.parametrize("verb", ["info", "verify"])
def test_shards_are_read_as_one(shards, capsys, verb) -> None:
    assert main(["corpus", verb, str(shards)]) == 0
    said = capsys.readouterr()
    assert "2" in said.out + said.err


def test_all_pages_are_exported(shards, tmp_path, capsys) -> None:
    assert main(["corpus", "export-warc", str(shards), "--out", str(tmp_path / "warc")]) == 0
    assert json.loads(capsys.readouterr().out)["pages"] == 2


def test_after_a_merge_there_is_one(shards, tmp_path, capsys) -> None:
    assert main(["corpus", "merge", str(shards), "--out", str(tmp_path / "merged")]) == 0
    assert main(["corpus", "dedup", str(tmp_path / "merged")]) == 0
    assert main(["corpus", "stats", str(tmp_path / "merged")]) == 0
    capsys.readouterr()
