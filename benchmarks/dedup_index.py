"""Index of ten million texts: build, memory, look-ups a second. Prints JSON.

    python benchmarks/dedup_index.py [--texts 10000000] [--codes 1] [--folder DIR]

Codes are random (so no bucket is fuller than the others); every second look-up is for a stored code
with one character changed, the other for one that is not there. All found are checked.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from pathlib import Path

import numpy as np

from quarkcrawl.dedup.codekeys import code_keys
from quarkcrawl.dedup.keyindex import KeyIndex
from quarkcrawl.dedup.simhash import SimhashIndex

CHUNK = 200_000


def codes_of(chunk: int, n_texts: int, n_codes: int) -> np.ndarray:
    rng = np.random.default_rng(chunk)
    return rng.integers(0x4E00, 0x4E00 + 6763, (n_texts, n_codes, 10), dtype=np.uint32)


def chunks(n_texts: int, n_codes: int):
    for number, first in enumerate(range(0, n_texts, CHUNK)):
        size = min(CHUNK, n_texts - first)
        codes = codes_of(number, size, n_codes)
        yield code_keys(codes.reshape(-1, 10)).reshape(size, -1)


def lookups(index: KeyIndex, n_texts: int, n_codes: int, n_lookups: int) -> dict:
    rng = np.random.default_rng(99)
    numbers = np.sort(rng.integers(0, n_texts, n_lookups))  # so that a chunk is made once
    wanted = np.empty((n_lookups, n_codes, 10), np.uint32)
    stored: dict[int, np.ndarray] = {}
    for at, number in enumerate(numbers.tolist()):
        chunk = number // CHUNK
        if chunk not in stored:
            stored = {chunk: codes_of(chunk, min(CHUNK, n_texts - chunk * CHUNK), n_codes)}
        wanted[at] = stored[chunk][number % CHUNK]
    wanted[:, :, 3] += 7000  # one character of each code is another
    wanted[1::2] += 20000  # and every second text is not there at all
    order = rng.permutation(n_lookups)
    started, right = time.process_time(), 0
    for at in order.tolist():
        found = index.find(code_keys(wanted[at]).ravel())
        expected = [numbers[at]] if at % 2 == 0 else []
        right += found.tolist() == expected
    elapsed_s = time.process_time() - started
    return {"lookups_per_s": round(n_lookups / elapsed_s), "right": right, "lookups": n_lookups}


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
    parser.add_argument("--codes", type=int, default=1)
    parser.add_argument("--lookups", type=int, default=50_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--simhash", action="store_true")
    options = parser.parse_args()
    if options.simhash:
        result = {"texts": options.texts, "simhash": simhashes(options.texts)}
    else:
        KeyIndex.build(lambda: chunks(10, options.codes)).find(np.zeros(1, np.uint64))
        started = time.process_time()
        index = KeyIndex.build(lambda: chunks(options.texts, options.codes), options.folder)
        build_s = time.process_time() - started
        result = {
            "texts": options.texts,
            "codes": options.codes,
            "build_s": round(build_s),
            "table_mb": round(index.n_bytes / 2**20),
        }
        if options.folder is not None:
            index = KeyIndex.open(options.folder)
        result |= lookups(index, options.texts, options.codes, options.lookups)
    result["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps(result))


if __name__ == "__main__":
    main()
