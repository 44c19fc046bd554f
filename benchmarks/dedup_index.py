"""Index of ten million fingerprints: build, memory, look-ups a second. Prints JSON.

    python benchmarks/dedup_index.py [--texts 10000000]

Values are random; each look-up is for a stored value with two bits changed. All found are checked.
"""

from __future__ import annotations

import argparse
import json
import resource
import time

import numpy as np

from quarkcrawl.dedup.simhash import SimhashIndex


def simhashes(n_texts: int, n_lookups: int = 5000) -> dict:
    rng = np.random.default_rng(5)
    values = rng.integers(0, 1 << 64, n_texts, dtype=np.uint64)
    index = SimhashIndex(3)
    index.add(1)
    started = time.process_time()
    index.extend(values)
    build_s = time.process_time() - started
    numbers = rng.integers(0, n_texts, n_lookups)
    asked = values[numbers] ^ np.uint64(0b1000_0000_0001)
    started = time.process_time()
    right = sum(
        number + 1 in [match.number for match in index.find(value)]
        for number, value in zip(numbers.tolist(), asked.tolist(), strict=True)
    )
    elapsed_s = time.process_time() - started
    return {
        "k": 3,
        "adds_per_s": round(n_texts / build_s),
        "lookups_per_s": round(n_lookups / elapsed_s),
        "right": right,
        "lookups": n_lookups,
        "mb": round(index.n_bytes / 2**20),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--texts", type=int, default=10_000_000)
    options = parser.parse_args()
    result = {"texts": options.texts, "simhash": simhashes(options.texts)}
    result["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps(result))


if __name__ == "__main__":
    main()
