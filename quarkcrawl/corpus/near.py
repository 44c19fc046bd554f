"""Near-duplicates of a whole corpus: which pages hold the same article.

    analysis/near/LOCK
    analysis/near/default/sketches/bucket-214.parquet   (nearsketches)
    analysis/near/default/texts.parquet                 (all sketches, numbered in fetch order)
    analysis/near/default/groups.parquet                (neargroups: the result)

Nothing is deleted from the corpus. Each group names the page that is kept, the first fetched, and
each member why it is in the group:

    SELECT reason, count(*) FROM 'corpus/analysis/near/default/groups.parquet' GROUP BY ALL
"""

from __future__ import annotations

import shutil
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import pyarrow.parquet as pq

from quarkcrawl.corpus.neargroups import number_texts, write_groups
from quarkcrawl.corpus.nearsketches import Texts, write_sketches
from quarkcrawl.dedup import CODE_ONLY, DEFAULT_RULE, FEATURECODE_2004, THREE_CODES
from quarkcrawl.errors import InputError, StoreError
from quarkcrawl.store import Corpus, CorpusLock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import duckdb

    from quarkcrawl.dedup import CodeRule

__all__ = ["NEAR_RULES", "NearReport", "find_near", "near_groups"]

NEAR_RULES: Final[dict[str, CodeRule]] = {
    "default": DEFAULT_RULE,
    "three-codes": THREE_CODES,
    "featurecode-2004": FEATURECODE_2004,
    "code-only": CODE_ONLY,
}
"""Rules by name."""

_KEYS_PER_PARTITION: Final = 20_000_000
_KEYS_PER_TEXT: Final = 30


@dataclass(slots=True)
class NearReport:
    """What a run found.

    Args:
        corpus: the corpus.
        folder: where the results are.
        method: name of the rule.
        texts: pages whose texts were compared.
        grouped: pages in groups of more than one.
        groups: number of these groups.
        reasons: how many pages are in their group for which reason.
        elapsed_s: length of the run.
    """

    corpus: str
    folder: str
    method: str
    texts: int = 0
    grouped: int = 0
    groups: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    elapsed_s: float = 0.0


def find_near(
    root: Path | str,
    method: str = "default",
    *,
    extraction: str | None = None,
    least_chars: int = 50,
    memory_bytes: int = 2 << 30,
    threads: int = 0,
    on_bucket: Callable[[int, int], None] = lambda _number, _texts: None,
) -> NearReport:
    """Find the pages of a corpus that hold the same article.

    A run that was stopped goes on with the buckets that are missing; a run on a corpus that has not
    changed reads it and does nothing else.

    Args:
        root: the corpus.
        method: one of `NEAR_RULES`.
        extraction: method of the extraction whose texts are compared; None for the content
            stored by the crawl.
        least_chars: texts with fewer characters are not compared; 0 to compare all.
        memory_bytes: most memory of the database; beyond it goes to the disk.
        threads: of the database; 0 for one a core.
        on_bucket: called after each bucket with its number and how many texts it has.

    Raises:
        InputError: there is no such method.
        CorpusLockedError: another run is working on this corpus.
        StoreError: the folder is no corpus, there is no such extraction, or no room.
    """
    rule = _rule(method)
    started = time.monotonic()
    corpus = Corpus.open(root)
    folder = _folder(corpus.root, method)
    texts = Texts(corpus, extraction, least_chars)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot write ({error.strerror})", where=folder) from error
    with CorpusLock(folder.parent):
        changed = write_sketches(texts, rule, folder / "sketches", on_bucket)
        if changed or not (folder / "groups.parquet").exists():
            _regroup(folder, rule, memory_bytes, threads)
    report = _report(corpus.root, folder, method)
    report.elapsed_s = round(time.monotonic() - started, 3)
    return report


def _rule(method: str) -> CodeRule:
    if method not in NEAR_RULES:
        known = ", ".join(NEAR_RULES)
        raise InputError(f"no method {method!r}; there are {known}", where="near")
    return NEAR_RULES[method]


def _folder(root: Path, method: str) -> Path:
    return root / "analysis" / "near" / method


def _regroup(folder: Path, rule: CodeRule, memory_bytes: int, threads: int) -> None:
    """Number the texts and group them; what was there before goes first."""
    texts, groups = folder / "texts.parquet", folder / "groups.parquet"
    for path in (groups, texts):
        path.unlink(missing_ok=True)
    if not any((folder / "sketches").iterdir()):
        return
    with _database(folder / "tmp", memory_bytes, threads) as database:
        number_texts(database, folder / "sketches", texts)
        n_keys = pq.read_metadata(texts).num_rows * _KEYS_PER_TEXT
        write_groups(database, texts, rule, groups, 1 + n_keys // _KEYS_PER_PARTITION)


@contextmanager
def _database(spill: Path, memory_bytes: int, threads: int) -> Iterator[duckdb.DuckDBPyConnection]:
    import duckdb  # noqa: PLC0415 - 0.1 s that other commands need not pay

    settings: dict[str, Any] = {
        "memory_limit": f"{memory_bytes >> 20}MiB",
        "temp_directory": str(spill),
    }
    if threads:
        settings["threads"] = threads
    database = duckdb.connect(config=settings)
    try:
        yield database
    except duckdb.Error as error:
        raise StoreError(f"the database gave up ({error})", where=spill.parent) from error
    finally:
        database.close()
        shutil.rmtree(spill, ignore_errors=True)


def _report(root: Path, folder: Path, method: str) -> NearReport:
    report = NearReport(str(root), str(folder), method)
    if (folder / "texts.parquet").exists():
        report.texts = pq.read_metadata(folder / "texts.parquet").num_rows
        reasons: Counter[str] = Counter()
        with pq.ParquetFile(folder / "groups.parquet") as file:
            for batch in file.iter_batches(columns=["reason"]):
                reasons.update(batch.column(0).to_pylist())
        report.groups = reasons.pop("first", 0)
        report.grouped = report.groups + reasons.total()
        report.reasons = dict(sorted(reasons.items()))
    return report


def near_groups(root: Path | str, method: str = "default") -> Iterator[list[dict[str, Any]]]:
    """The groups found, each as a list of rows, the page that is kept first.

    Rows have url, host, n_chars, kept_url, is_kept and reason.

    Raises:
        StoreError: the folder is no corpus, or nothing was found by this method.
    """
    _rule(method)
    folder = _folder(Corpus.open(root).root, method)
    path = folder / "groups.parquet"
    if not path.exists():
        raise StoreError(f"no groups by the method {method!r}", where=folder)
    group: list[dict[str, Any]] = []
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches():
            for row in batch.to_pylist():
                if row["is_kept"] and group:
                    yield group
                    group = []
                group.append(row)
    if group:
        yield group
