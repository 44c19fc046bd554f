"""Kills a job again and again, then lets it end: ``python -m …killer FOLDER SEED KILLS ITEMS``."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import sys
import time
import warnings
from contextlib import closing
from pathlib import Path

from .harness import die_at_call, lose_unsynced, run_job

PLUGIN = "scrapy.extensions.postprocessing."


def all_feeds(out: Path) -> dict:
    """One feed of each kind."""
    return {
        str(out / "all.jsonl"): {"format": "jsonlines"},
        str(out / "all.json"): {"format": "json", "overwrite": True, "indent": 2},
        str(out / "all.csv"): {"format": "csv"},
        out / "all.xml": {"format": "xml"},
        str(out / "all.parquet"): {"format": "parquet", "overwrite": True},
        str(out / "packed.jsonl.gz"): {
            "format": "jsonlines", "postprocessing": [PLUGIN + "GzipPlugin"]},
        str(out / "packed.json.bz2"): {
            "format": "json", "postprocessing": [PLUGIN + "Bz2Plugin"]},
        str(out / "packed.csv.xz"): {"format": "csv", "postprocessing": [PLUGIN + "LZMAPlugin"]},
        str(out / "even.jsonl"): {
            "format": "jsonlines", "item_filter": f"{__package__}.harness.Even"},
        str(out / "old.jsonl"): {"format": "jsonlines", "overwrite": False},
        str(out / "batch-%(batch_id)d.json"): {"format": "json", "batch_item_count": 37},
        str(out / "time-%(batch_time)s.csv"): {"format": "csv", "batch_item_count": 41},
        str(out / "rows-%(batch_id)d.parquet"): {"format": "parquet", "batch_item_count": 150},
        f"copy://{out}/copied.xml": {"format": "xml"},
        f"copy://{out}/copy-%(batch_id)d.jsonl": {"format": "jsonlines", "batch_item_count": 90},
    }  # fmt: skip


def in_child(work) -> int:
    """Exit status of a process that does it."""
    pid = os.fork()
    if not pid:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return pid


def main(folder: Path, seed: int, n_kills: int, n_items: int) -> None:
    warnings.simplefilter("ignore")
    rng, job = random.Random(seed), folder / "job"
    feeds = all_feeds(folder / "out")
    kills = dict.fromkeys(("in time", "in call", "ended"), 0)
    committed = []
    while kills["in time"] + kills["in call"] < n_kills:
        in_call, number, child_seed = rng.random() < 0.5, rng.randrange(1, 150), rng.random()
        # Not all items until the last kill, and now and then an orderly stop.
        target = (committed[-1] if committed else 0) + rng.randrange(
            1, max(2, 3 * n_items // n_kills)
        )
        target = min(target, n_items)

        def work(in_call=in_call, number=number, child_seed=child_seed, target=target):
            if in_call:
                die_at_call(number, random.Random(child_seed))
            run_job(job, feeds, target, finished=False)

        pid = in_child(work)
        if not in_call:
            time.sleep(rng.random() * 0.3)
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        if os.WIFSIGNALED(status):
            kills["in call" if in_call else "in time"] += 1
        else:
            assert os.WEXITSTATUS(status) == 0, "the job failed"
            kills["ended"] += 1
        if (job / "job.sqlite").exists():
            if rng.random() < 0.5:
                lose_unsynced(rng, job)
            with closing(sqlite3.connect(job / "job.sqlite")) as file:
                has_tables = file.execute(
                    "SELECT 1 FROM sqlite_master WHERE name = 'state'"
                ).fetchone()
                state = "SELECT value FROM state WHERE name = 'next'"
                rows = file.execute(state).fetchall() if has_tables else []
            committed.append(int(rows[0][0]) if rows else 0)
    _, status = os.waitpid(in_child(lambda: run_job(job, feeds, n_items)), 0)
    assert status == 0, "the job failed"
    sys.stdout.write(json.dumps(kills | {"commits seen": sorted(set(committed))}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
