"""A run that is killed again and again: ``python -m tests.corpus.near_killer FOLDER METHOD HOW``.

Imports once and forks a process for each try, before any thread is there. HOW is ``stage`` (killed
by itself after each stage) or a seed (killed from outside after some hundredths of a second, a
little later each time). Prints how many were killed.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

import duckdb  # noqa: F401 - so that tries need not load it
import numpy as np
import pyarrow as pa

from quarkcrawl.corpus.near.groups import members_of
from quarkcrawl.dedup.simhash import near_links
from tests.corpus.near_stages import made_smaller, near_method, run

__all__: list[str] = []


def _attempt(folder: Path, name: str, *, by_stage: bool) -> None:
    def on_stage(stage: str) -> None:
        with (folder / "done.txt").open("a") as file:
            file.write(f"{stage}\n")
        if by_stage:
            os.kill(os.getpid(), signal.SIGKILL)

    run(folder, near_method(name), on_stage)


def _killed(folder: Path, name: str, how: str, delay_s: float) -> bool:
    child = os.fork()
    if child == 0:
        _attempt(folder, name, by_stage=how == "stage")
        os._exit(0)
    if how != "stage":
        time.sleep(delay_s)
        os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return os.WTERMSIG(status) == signal.SIGKILL
    if os.WEXITSTATUS(status):
        sys.exit("a run failed")
    return False


def _warm(name: str) -> None:
    """Load what each try would load, without starting a thread."""
    method = near_method(name)
    row = {"number": 0, **method.sketch("一二三四五。六七八九十")}
    batch = pa.RecordBatch.from_pylist([row, row], schema=method.columns)
    rows = method.keys(method.sketches(batch, ()), 2)
    method.index().insert(method.sketches(batch, ())[0], 0)
    near_links(rows.keys, rows.keys, rows.owners.astype(np.uint32), 3)
    members_of(2, [])


if __name__ == "__main__":
    made_smaller()
    _warm(sys.argv[2])
    random_ = random.Random(sys.argv[3])
    n_killed = 0
    while _killed(Path(sys.argv[1]), *sys.argv[2:], random_.uniform(0.0, 0.1 + 0.05 * n_killed)):
        n_killed += 1
    print(n_killed)
