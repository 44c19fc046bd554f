"""The dedup of the thesis: one small database for each MD5 modulo 1024 (CWT200g, 3.5).

The named baseline of `dedup_corpus`. The thesis inserted URLs into Berkeley DB, MD5 as the key, so
that the one that came first stayed; here a dictionary is the database.
"""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    DedupRow = tuple[str, str, str, int, int]
    """URL, MD5 (32 hexadecimal digits), host, offset, 1 if stored."""


N_PARTITIONS: Final = 1024
_FLUSH_ROWS: Final = 1_000_000


def partition_dedup(
    rows: Iterable[DedupRow], work: Path, *, n_partitions: int = N_PARTITIONS
) -> Iterator[tuple[DedupRow, str]]:
    """Each row whose MD5 came before, with the URL that came first.

    Args:
        rows: all rows, in their order.
        work: folder for the partitions; removed at the end.
        n_partitions: number of small databases.
    """
    work.mkdir(parents=True, exist_ok=True)
    try:
        for path in _spread(rows, work, n_partitions):
            yield from _repeated(path)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _spread(rows: Iterable[DedupRow], work: Path, n_partitions: int) -> list[Path]:
    """Write each row to the file of its partition."""
    paths = [work / f"{number:04}.jsonl" for number in range(n_partitions)]
    waiting: dict[int, list[str]] = defaultdict(list)
    n_waiting = 0
    for row in rows:
        waiting[int(row[1][-8:], 16) % n_partitions].append(json.dumps(row) + "\n")
        n_waiting += 1
        if n_waiting >= _FLUSH_ROWS:
            _flush(waiting, paths)
            n_waiting = 0
    _flush(waiting, paths)
    return [path for path in paths if path.exists()]


def _flush(waiting: dict[int, list[str]], paths: list[Path]) -> None:
    for number, lines in waiting.items():
        with paths[number].open("a", encoding="ascii") as file:
            file.writelines(lines)
    waiting.clear()


def _repeated(path: Path) -> Iterator[tuple[DedupRow, str]]:
    first_urls: dict[str, str] = {}
    with path.open(encoding="ascii") as lines:
        for line in lines:
            url, md5, host, offset, stored = json.loads(line)
            if md5 in first_urls:
                yield (url, md5, host, offset, stored), first_urls[md5]
            else:
                first_urls[md5] = url
