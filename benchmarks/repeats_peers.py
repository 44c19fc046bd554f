"""Repeated substrings by text-dedup and datatrove; `repeats.py` runs it, in their environment.

    python benchmarks/repeats_peers.py text-dedup|datatrove TEXTS WORK LENGTH [TOKENIZER]

Both write bytes for one program, ``dedup_dataset`` of google-research/deduplicate-text-datasets,
which has to be on the PATH; it is called as its own script and theirs call it. text-dedup's part is
what stands in the ``main`` of its ``suffix_array``, without the data set around it. TEXTS holds a
text in JSON each line; LENGTH is in bytes. Prints JSON: CPU seconds of all processes without the
loading of libraries, spans as (text, start, end) in bytes of UTF-8, texts after removal.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
from datatrove.data import Document
from datatrove.pipeline.dedup.exact_substrings import (
    SEPARATOR_BYTES,
    ESDatasetToSequence,
    ESMergeSequences,
    ESRangeRemover,
    read_bytes,
)
from datatrove.utils.word_tokenizers import WordTokenizer
from text_dedup.suffix_array import clean_up, restore_and_merge

PROGRAM = "dedup_dataset"
OVERLAP_BYTES = 100_000
N_THREADS = os.cpu_count() or 1


def cpu_s() -> float:
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def program(*words: object) -> str:
    command = [PROGRAM, *map(str, words)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def find_ranges(data: Path, length: int, out: Path) -> None:
    """Ranges of bytes that stand elsewhere, too: make-part, merge, self-similar, collect."""
    n_bytes = data.stat().st_size
    n_parts = 4 if n_bytes > 10_000_000 else 1
    size, parts = n_bytes // n_parts, []
    for n in range(n_parts):
        start = n * size
        end = n_bytes if n == n_parts - 1 else min(start + size + OVERLAP_BYTES, n_bytes)
        program("make-part", "--data-file", data, "--start-byte", start, "--end-byte", end)
        parts += ["--suffix-path", f"{data}.part.{start}-{end}"]
    merged = data.parent / "merged"
    program("merge", "--output-file", merged, *parts, "--num-threads", N_THREADS)
    with Path(f"{data}.table.bin").open("wb") as table:
        table.writelines(
            part.read_bytes() for part in sorted(data.parent.glob("merged.table.bin.*"))
        )
    common = [
        "--data-file",
        data,
        "--length-threshold",
        length,
        "--cache-dir",
        out.parent / "cache",
    ]
    program("self-similar", *common, "--num-threads", N_THREADS)
    out.write_text(program("collect", *common))


def text_dedup(texts: list[str], work: Path, length: int) -> tuple[list, list[str]]:
    data, boundaries, start = work / "text", [], 0
    with data.open("wb") as file:
        for text in texts:
            start += file.write(text.encode())
            boundaries.append(slice(start - len(text.encode()), start))
    find_ranges(data, length, work / "ranges")
    found, _ = restore_and_merge(boundaries, work / "ranges", length)
    left = [clean_up(text, spans) for text, spans in zip(texts, found, strict=True)]
    return [(n, s.start, s.stop) for n, spans in enumerate(found) for s in spans], left


class Blanks(WordTokenizer):
    """Words between blanks: the least work for a count that drops nothing here."""

    def word_tokenize(self, text: str) -> list[str]:
        return text.split()

    def sent_tokenize(self, text: str) -> list[str]:
        return [text]

    def span_tokenize(self, text: str) -> list[tuple[int, int]]:
        return [(0, len(text))]


class Remover(ESRangeRemover):
    """Keeps the ranges that it removes."""

    def __init__(self, folder: str, tokenizer: str) -> None:
        super().__init__(folder, tokenizer, min_doc_words=0, language=Blanks())
        self.kept: list[list[tuple[int, int]]] = []

    def get_duplicate_range(self, bytes_len: int) -> list[tuple[int, int]]:
        ranges = super().get_duplicate_range(bytes_len)
        self.kept.append(ranges)
        return ranges


def datatrove(texts: list[str], work: Path, length: int, tokenizer: str) -> tuple:
    folder = str(work / "sequences")
    documents = [Document(text=text, id=str(n)) for n, text in enumerate(texts)]
    ESDatasetToSequence(folder, tokenizer).run(iter(documents))
    ESMergeSequences(folder, 1).run()
    (sequence,) = Path(folder).glob("dataset*")
    ranges = work / "ranges"
    find_ranges(sequence, length, ranges)
    ranges.rename(Path(folder) / "dataset.bytearange")
    for table in Path(folder).glob("dataset*.part.*"):
        table.unlink()
    remover = Remover(folder, tokenizer)
    left = [document.text for document in remover.run(iter(documents))]
    return remover, left


def bytes_of_tokens(remover: Remover, work: Path) -> tuple[list, int]:
    """The ranges in bytes of the texts, and how many tokens the texts have."""
    (sequence,) = (work / "sequences").glob("00000*sequence")
    (sizes,) = (work / "sequences").glob("00000*size")
    n_bytes_of = {n: len(word) for word, n in remover.tokenizer.get_vocab().items()}
    spans, n_tokens = [], 0
    with sequence.open("rb") as file:
        for n, size in enumerate(np.frombuffer(sizes.read_bytes(), np.uint64).tolist()):
            tokens = read_bytes(file.read(size))
            n_tokens += len(tokens)
            places = np.cumsum([0, *(n_bytes_of[token] for token in tokens)])
            for start, end in remover.kept[n]:
                a, b = (start - SEPARATOR_BYTES) // 2, (end - SEPARATOR_BYTES) // 2
                spans.append((n, int(places[a]), int(places[b])))
    return spans, n_tokens


def main() -> None:
    tool, path, folder, length, *tokenizer = sys.argv[1:]
    texts = [json.loads(line) for line in Path(path).read_text().splitlines()]
    work = Path(folder)
    started = cpu_s()
    if tool == "text-dedup":
        spans, left = text_dedup(texts, work, int(length))
        found = {"cpu_s": cpu_s() - started}
    else:
        remover, left = datatrove(texts, work, int(length), *tokenizer)
        found = {"cpu_s": cpu_s() - started}
        spans, found["n_tokens"] = bytes_of_tokens(remover, work)
    print(json.dumps(found | {"spans": spans, "left": left}))


if __name__ == "__main__":
    main()
