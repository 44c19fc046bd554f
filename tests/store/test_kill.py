"""kill -9 of a real writer at random moments, many times over one corpus."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from quarkcrawl.store.corpus import Corpus
from quarkcrawl.store.lock import CorpusLock
from quarkcrawl.store.repair.recovery import recover
from quarkcrawl.store.repair.verify import verify
from quarkcrawl.store.tables.stream import iter_rows
from tests.store.samples import make_item
from tests.store.spec_reader import spec_records

PROJECT = Path(__file__).parents[2]


def run_and_kill(root: Path, seed: int, after_lines: int, delay_s: float) -> int:
    """Start the writer, kill it, and return the last page it called durable."""
    command = [sys.executable, "-m", "tests.store.crash_writer", str(root), str(seed)]
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        durable = 0
        timer = None
        for count, line in enumerate(process.stdout):
            if line.endswith("\n"):
                durable = int(line.split()[1])
            if count == after_lines:
                timer = threading.Timer(delay_s, process.kill)
                timer.start()
        if timer is not None:
            timer.join()
        assert process.wait() == -9
    return durable


@pytest.mark.full
@pytest.mark.parametrize("n_kills", [6, pytest.param(40, marks=pytest.mark.slow)])
def test_kill_9_at_random_moments(tmp_path: Path, n_kills: int) -> None:
    rng = random.Random(n_kills)
    durable = 0
    for seed in range(n_kills):
        durable = max(durable, run_and_kill(tmp_path, seed, rng.randrange(20), rng.random() * 0.03))
        with CorpusLock(tmp_path):
            recover(tmp_path)
        assert list(verify(tmp_path)) == []
        urls = [row.url for row in iter_rows(tmp_path, "page")]
        assert len(urls) == len(set(urls))
        acknowledged = {make_item(n, host=f"h{n % 5}.cn").url for n in range(durable)}
        assert acknowledged <= set(urls)
        assert len(urls) - len(acknowledged) <= 12  # at most the group under way
    assert durable > 0
    by_spec = [r for path in tmp_path.glob("data_*/*/page.dat") for r in spec_records(path)]
    assert len(by_spec) == Corpus.open(tmp_path).info().pages
