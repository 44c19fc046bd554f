"""SIGKILL and power cuts at random moments: each item stands once, and each file is valid."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .harness import by_number, ids

PROJECT = Path(__file__).parents[4]


@pytest.mark.full
@pytest.mark.parametrize("seed", range(3))
def test_after_any_death_each_item_stands_exactly_once(tmp_path, seed):
    n_items, n_kills = 2000, 60
    out = tmp_path / "out"
    out.mkdir()
    (out / "old.jsonl").write_text('{"id": -1}\n')
    words = [sys.executable, "-m", f"{__package__}.killer", tmp_path, seed, n_kills, n_items]
    done = subprocess.run(
        list(map(str, words)), cwd=PROJECT, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    kills = json.loads(done.stdout)
    assert kills["in call"] + kills["in time"] == n_kills
    assert len(kills["commits seen"]) > 10  # it was killed in the middle, not only at the start

    every = list(range(n_items))
    whole = ["all.jsonl", "all.json", "all.csv", "all.xml", "all.parquet", "packed.jsonl.gz"]
    for name in [*whole, "packed.json.bz2", "packed.csv.xz", "copied.xml"]:
        assert ids(out / name) == every, name
    assert ids(out / "even.jsonl") == every[::2]
    assert ids(out / "old.jsonl") == [-1, *every]
    for pattern, size in (("batch-*", 37), ("rows-*", 150), ("copy-*", 90)):
        files = by_number(out, pattern)
        assert ids(*files) == every, pattern
        assert {len(ids(path)) for path in files[:-1]} == {size}
    files = sorted(out.glob("time-*"))
    assert ids(*files) == every
    assert {len(ids(path)) for path in files[:-1]} == {41}
    assert len(files) == -(-n_items // 41)
    assert not list((tmp_path / "job" / "feeds").iterdir())
    assert not list(out.glob(".*"))
