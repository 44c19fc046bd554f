"""The dedup of the thesis: one small database for each MD5 modulo 1024 (CWT200g, 3.5).

Kept as a baseline for comparison. The thesis inserted into Berkeley DB and kept any one of the
URLs; here a dictionary is the database, and the keep rule is that of `dedup_corpus`, so that
results can be compared.
"""

from __future__ import annotations

import shutil
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


N_PARTITIONS: Final = 1024
_FLUSH_ROWS: Final = 2_000_000


def partition_dedup(
    rows: Iterable[tuple[str, str]], work: Path, *, n_partitions: int = N_PARTITIONS
) -> Iterator[tuple[str, str]]:
    """Keep one URL an MD5.

    Args:
        rows: pairs of MD5 (hexadecimal) and URL.
        work: folder for the partitions; removed at the end.
        n_partitions: number of small databases.

    Yields:
        MD5 and URL of the pages that stay, in no particular order.
    """
    work = Path(work)
    work.mkdir(parents=True, exist_ok=True)
    try:
        for path in _spread(rows, work, n_partitions):
            yield from _dedup(path).items()
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _spread(rows: Iterable[tuple[str, str]], work: Path, n_partitions: int) -> list[Path]:
    """Write each row to the file of its partition."""
    paths = [work / f"{number:04}.tsv" for number in range(n_partitions)]
    waiting: dict[int, list[str]] = defaultdict(list)
    n_waiting = 0
    for md5, url in rows:
        waiting[int(md5[-8:], 16) % n_partitions].append(f"{md5}\t{url}\n")
        n_waiting += 1
        if n_waiting >= _FLUSH_ROWS:
            _flush(waiting, paths)
            n_waiting = 0
    _flush(waiting, paths)
    return [path for path in paths if path.exists()]


def _flush(waiting: dict[int, list[str]], paths: list[Path]) -> None:
    for number, lines in waiting.items():
        with paths[number].open("a", encoding="utf-8") as file:
            file.writelines(lines)
    waiting.clear()


def _dedup(path: Path) -> dict[str, str]:
    """The database of one partition."""
    kept: dict[str, str] = {}
    with path.open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            md5, _, url = line.rstrip("\n").partition("\t")
            known = kept.get(md5)
            if known is None or (len(url), url) < (len(known), known):
                kept[md5] = url
    return kept
