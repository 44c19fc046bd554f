"""The job of near-duplicates in its stages: parts, bounds, kills, damage."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from quarkcrawl.corpus.near import join as nearjoin
from quarkcrawl.corpus.near import run as nearrun
from quarkcrawl.corpus.near.codes import ByCodes
from quarkcrawl.corpus.near.minhash import ByMinHash
from quarkcrawl.corpus.near.run import NearRun
from quarkcrawl.corpus.near.simhash import BySimhash
from quarkcrawl.dedup import RULES, group_by_codes
from quarkcrawl.errors import StoreError
from tests.corpus.near_stages import (
    SMALL,
    found,
    make_texts,
    near_method,
    rows_of,
    run,
    wanted,
    write_sketches,
)

METHODS = ("default", "simhash", "minhash")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds that cut a few hundred texts into many parts."""
    for name, value in SMALL.items():
        monkeypatch.setattr(nearrun, name, value)
    for kind in (ByCodes, BySimhash, ByMinHash):
        monkeypatch.setattr(kind, "member_bytes", 1 << 30)
    monkeypatch.setattr(nearjoin, "_GROUP_ROWS", 2048)
    monkeypatch.setattr(nearrun, "CHUNK_GROUPS", 1)
    monkeypatch.setattr(nearjoin, "CHUNK_GROUPS", 1)


@pytest.mark.full
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", METHODS)
def test_parts_do_not_matter(tmp_path: Path, name: str) -> None:
    """Two chunks of texts, several partitions, shards, and passes over a component."""
    texts = [text[: 40 + n % 60] for n, text in enumerate(make_texts(2300, 8))]
    method = near_method(name)
    write_sketches(tmp_path, texts, method)
    names: list[str] = []
    run(tmp_path, method, names.append)
    stages = {stage.partition("-")[0]: 0 for stage in names}
    for stage in names:
        stages[stage.partition("-")[0]] += 1
    assert stages["keys"] == 2
    assert stages["joined"] > 2
    assert stages["grouped"] > 1
    assert found(tmp_path) == wanted(texts, name)
    kinds = {reason.partition(":")[0] for _, reason in found(tmp_path).values()}
    assert kinds >= {"first", "text-md5", {"default": "codes"}.get(name, name)}


@pytest.mark.full
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", ["default", "code-only"])
@pytest.mark.parametrize(
    "bounds", [{"stop_lengths": 3}, {"stop_hosts": 4}, {"length_ratio": 1.6, "slack": 2}]
)
def test_bounds_are_those_of_one_pass(tmp_path: Path, name: str, bounds: dict[str, Any]) -> None:
    lead = "本站所有的文章均为转载。如有问题请来信"
    lead += "。多谢合作和支持。\n" if name == "default" else "\n"  # what stops, and no more
    texts = [lead + text * (1 + n % 7) for n, text in enumerate(make_texts(250, 12))]
    method = near_method(name, **bounds)
    assert isinstance(method, ByCodes)
    write_sketches(tmp_path, texts, method)
    run(tmp_path, method)
    hosts = [f"h{n % 7}" for n in range(len(texts))]
    grouping = group_by_codes(texts, method.rule, hosts)
    assert found(tmp_path) == rows_of(grouping)
    assert grouping.firsts != group_by_codes(texts, RULES[name]).firsts


def _peak_mb(memory_mb: int) -> int:
    command = [
        *(sys.executable, "benchmarks/dedup_corpus.py", "--method", "simhash"),
        *("--texts", "300000", "--memory-mb", str(memory_mb)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=400)
    peak_mb: int = json.loads(done.stdout)["peak_mb"]
    return peak_mb


@pytest.mark.slow
def test_memory_bound() -> None:
    bounded, free = _peak_mb(256), _peak_mb(2048)
    assert bounded < 256
    assert bounded < free


@pytest.mark.full
def test_too_little_memory_costs_nothing_but_time(tmp_path: Path) -> None:
    texts = make_texts(6000, 13)
    method = near_method("default")
    write_sketches(tmp_path, texts, method)
    done: list[str] = []
    with pytest.raises(StoreError, match="go on with more"):
        NearRun(tmp_path, method, "state", 6 << 20, 2, done.append).finish()
    assert not (tmp_path / "groups.parquet").exists()
    job = run(tmp_path, method)
    assert job.n_found == len(done)
    assert pq.read_metadata(tmp_path / "texts.parquet").num_rows == len(texts)


# Stopping


def _kill(folder: Path, name: str, how: str) -> int:
    command = [sys.executable, "-m", "tests.corpus.near_killer", str(folder), name, how]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=200)
    assert not done.returncode, done.stderr
    return int(done.stdout)


@pytest.mark.full
@pytest.mark.parametrize("name", ["default", pytest.param("simhash", marks=pytest.mark.slow)])
def test_killed_after_each_stage(tmp_path: Path, name: str) -> None:
    texts = make_texts(300, 9)
    write_sketches(tmp_path, texts, near_method(name))
    n_killed = _kill(tmp_path, name, "stage")
    done = (tmp_path / "done.txt").read_text().split()
    assert n_killed == len(done) == len(set(done)) > 6  # nothing was done twice
    assert found(tmp_path) == wanted(texts, name)
    assert not (tmp_path / "stages").exists()
    assert run(tmp_path, near_method(name)).n_done == 0


@pytest.mark.full
@pytest.mark.parametrize("seed", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_killed_at_any_time(tmp_path: Path, seed: str) -> None:
    texts = make_texts(300, 10)
    write_sketches(tmp_path, texts, near_method("default"))
    assert _kill(tmp_path, "default", seed) > 2
    assert found(tmp_path) == wanted(texts, "default")
    assert not (tmp_path / "stages").exists()


class _StopError(Exception):
    pass


def _stopped_after(folder: Path, name: str, stage: str) -> None:
    def on_stage(finished: str) -> None:
        if finished.startswith(stage):
            raise _StopError

    with pytest.raises(_StopError):
        run(folder, near_method(name), on_stage)


@pytest.mark.full
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("damage", ["missing", "changed", "cut", "log"])
@pytest.mark.parametrize("stage", ["twins", "joined", "grouped"])
def test_damaged_stages_are_done_again(tmp_path: Path, stage: str, damage: str) -> None:
    texts = make_texts(200, 11)
    write_sketches(tmp_path, texts, near_method("default"))
    _stopped_after(tmp_path, "default", stage)
    path = min((tmp_path / "stages").glob(f"{stage}*"))
    if damage == "missing":
        path.unlink()
    elif damage == "changed":
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
    elif damage == "cut":
        os.truncate(path, path.stat().st_size - 5)
    else:
        log = tmp_path / "stages.jsonl"
        log.write_bytes(log.read_bytes()[:-20])  # killed while it was written
    again: list[str] = []
    run(tmp_path, near_method("default"), again.append)
    assert any(name.startswith(stage) for name in again)
    assert found(tmp_path) == wanted(texts, "default")
