"""Labels and data sets of shards that are not merged are those of the merged corpus."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from quarkcrawl.cli import main
from quarkcrawl.corpus.merge import merge_corpora
from quarkcrawl.refine import label_table
from quarkcrawl.store import RobotsText, log_robots, shard_roots
from tests.dataset.test_export import export, files, left_out, texts
from tests.refine.corpora import HOSTS, add, body, extract, refine

N_SHARDS = 8


@pytest.fixture(scope="module")
def both(tmp_path_factory) -> tuple[Path, Path]:
    """The shards, and the corpus made of them, extracted and labeled each."""
    folder = tmp_path_factory.mktemp("made")
    shards = [folder / "shards" / "workers" / f"{n + 1:03}" for n in range(N_SHARDS)]
    for number, shard in enumerate(shards):
        pages = {f"http://{HOSTS[n % 3]}/{n}.html": body(n) for n in range(number, 32, N_SHARDS)}
        add(shard, pages)
    add(shards[1], {f"http://{HOSTS[0]}/0.html": body(40)})  # in shard 0, too
    add(shards[2], {"http://copy.lab.cn/": body(5)})
    log_robots(shards[3], RobotsText(HOSTS[1], 5.0, "User-agent: GPTBot\nDisallow: /"))
    log_robots(shards[0], RobotsText(HOSTS[1], 9.0, "User-agent: CCBot\nDisallow: /"))
    report = merge_corpora([folder / "shards"], folder / "merged")
    assert (report.url_twice, report.md5_twice) == (1, 1)
    for shard in (*shards, folder / "merged"):
        extract(shard)
    for root in (folder / "shards", folder / "merged"):
        refine(root)
    return folder / "shards", folder / "merged"


@pytest.mark.full
def test_labels(both) -> None:
    found = []
    for root in both:
        rows = [
            {name: value for name, value in row.items() if name != "offset"}
            for part in label_table(root).files()
            for row in pq.read_table(part).to_pylist()
        ]
        found.append(sorted(rows, key=lambda row: row["url"]))
    assert found[0] == found[1]
    assert len(found[0]) > 25
    assert not any(row["failure"] for row in found[0])


@pytest.mark.full
def test_data_sets(both, tmp_path) -> None:
    for root, name in zip(both, "ab", strict=True):
        export(root, tmp_path / name, name="lab", validation=0.3)
    assert files(tmp_path / "a") == files(tmp_path / "b")
    assert texts(tmp_path / "a")
    assert left_out(tmp_path / "a") == left_out(tmp_path / "b")


@pytest.mark.full
def test_commands_take_shards(both, tmp_path, capsys) -> None:
    assert len(shard_roots(both[0])) == N_SHARDS
    assert main(["refine", str(both[0]), "--workers", "1"]) == 0
    assert main(["export", str(both[0]), "--out", str(tmp_path / "out")]) == 0
    capsys.readouterr()
    assert (tmp_path / "out" / "README.md").is_file()
