"""The corpus job on made-up sketches: time, memory, what a bound costs. Prints JSON.

    python benchmarks/dedup_corpus.py [--texts 1000000] [--method default] [--memory-mb 512]

Half of the texts are reposts of the other half with a few characters changed. One in a hundred
besides begins with one of 20 captions, so that components are large. The memory is that of the run
itself: peak less what the process had when everything was loaded.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import threading
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from quarkcrawl.corpus.near.methods import near_method
from quarkcrawl.corpus.near.minhash import ByMinHash
from quarkcrawl.corpus.near.run import NearRun
from quarkcrawl.corpus.near.simhash import BySimhash
from quarkcrawl.corpus.near.sketches import PAGE_FIELDS

CHUNK = 50_000


def codes_of(first: int, size: int) -> list[list[str]]:
    rng = np.random.default_rng(first)
    units = rng.integers(0x4E00, 0x4E00 + 6763, (size, 60), dtype=np.uint32)
    texts = units.tobytes().decode("utf-32-le")
    rows = []
    for at in range(0, len(texts), 60):
        rows.append([texts[at + 10 * n : at + 10 * n + 10] for n in range(6)])
    return rows


def write(folder: Path, method, n_texts: int) -> None:
    schema = pa.unify_schemas([PAGE_FIELDS, method.columns])
    random_ = random.Random(3)
    captions = [row[0] for row in codes_of(999_999, 20)]
    for bucket, first in enumerate(range(0, n_texts, CHUNK)):
        size = min(CHUNK, n_texts - first)
        half = first - first % (2 * CHUNK)  # every second chunk reposts the one before
        rng = np.random.default_rng(half + 7)
        rows: dict = {
            "url": [f"http://h{n % 997}.example.cn/{n}" for n in range(first, first + size)],
            "host": [f"h{n % 997}.example.cn" for n in range(first, first + size)],
            "fetched_at": np.arange(first, first + size, dtype=np.float64),
            "page_md5": [f"{n:032x}" for n in range(first, first + size)],
            "text_md5": [f"{n:032x}" for n in range(first, first + size)],
            "n_chars": rng.integers(200, 5000, size),
        }
        if isinstance(method, BySimhash):
            values = rng.integers(0, 1 << 64, size, dtype=np.uint64)
            rows["simhash"] = values ^ np.uint64(first != half) * np.uint64(0b1001)
        elif isinstance(method, ByMinHash):
            bins = rng.integers(0, 1 << 32, (size, 128), dtype=np.uint32)
            bins[:, :8] += np.uint32(first != half)
            rows["bins"] = [row.tobytes() for row in bins]
        else:
            codes = codes_of(half, size)
            for at in range(0, size, 100):
                codes[at][0] = random_.choice(captions)
            rows["head"], rows["tail"] = [c[:3] for c in codes], [c[3:] for c in codes]
            rows["exact"] = np.zeros(size, np.uint64)
        pq.write_table(pa.table(rows, schema=schema), folder / f"bucket-{bucket}.parquet")


class Peak:
    """The most resident memory while it runs, looked at a hundred times a second."""

    def __enter__(self):
        self.start_mb = self.mb = resident_mb()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def _watch(self) -> None:
        while not self._stop.wait(0.01):
            self.mb = max(self.mb, resident_mb())

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()


def resident_mb() -> float:
    """Without mapped files."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) / 1024
    raise OSError("no RssAnon")


def measured(method, n_texts: int, memory_mb: int, folder: Path) -> dict:
    (folder / "sketches").mkdir(parents=True)
    write(folder / "sketches", method, n_texts)
    times: list[tuple[str, float]] = [("", time.process_time())]
    run = NearRun(
        folder,
        method,
        "benchmark",
        memory_mb << 20,
        0,
        lambda stage: times.append((stage.partition("-")[0], time.process_time())),
    )
    with Peak() as peak:
        run.finish()
    stages: dict[str, float] = {}
    for (_, before), (stage, after) in pairwise(times):
        stages[stage] = stages.get(stage, 0.0) + after - before
    return {
        "grouped": pq.read_metadata(folder / "groups.parquet").num_rows,
        "cpu_s": round(times[-1][1] - times[0][1], 1),
        "stages_cpu_s": {stage: round(cpu_s, 1) for stage, cpu_s in stages.items()},
        "peak_mb": round(peak.mb - peak.start_mb),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--texts", type=int, default=300_000)
    parser.add_argument("--method", default="default")
    parser.add_argument("--memory-mb", type=int, default=512)
    options = parser.parse_args()
    method = near_method(options.method)
    with tempfile.TemporaryDirectory() as folder:
        measured(method, 2000, 256, Path(folder) / "first")  # loads and compiles
        found = measured(method, options.texts, options.memory_mb, Path(folder) / "second")
    print(json.dumps({**vars(options), **found}))


if __name__ == "__main__":
    main()
