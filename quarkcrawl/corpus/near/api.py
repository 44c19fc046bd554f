"""Near-duplicates of a whole corpus: which pages hold the same article.

    analysis/near/LOCK
    analysis/near/default/fingerprints/…                (astasks: what tasks have made of them)
    analysis/near/default/sketches/bucket-214.parquet   (nearsketches)
    analysis/near/default/stages.jsonl                  (stagelog: what is finished, checksums)
    analysis/near/default/stages/…                      (while a run lasts: keys, joined, grouped)
    analysis/near/default/texts.parquet                 (all sketches, numbered in fetch order)
    analysis/near/default/groups.parquet                (neargroups: the result)

On a cluster texts and groups are folders of parts, and the stages are others (cluster).

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
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from quarkcrawl.corpus.merge import Shards
from quarkcrawl.corpus.near.astasks import fingerprint_tasks
from quarkcrawl.corpus.near.cluster import NearClusterRun
from quarkcrawl.corpus.near.clustertexts import register_texts
from quarkcrawl.corpus.near.methods import near_method
from quarkcrawl.corpus.near.run import LEAST_MEMORY_BYTES, NearRun
from quarkcrawl.corpus.near.sketches import Texts, write_sketches
from quarkcrawl.engines import SparkStages, parquet_files
from quarkcrawl.errors import InputError, NotStoredError
from quarkcrawl.progress import CountedStep, no_progress
from quarkcrawl.store import CorpusLock, shard_roots, storage_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from quarkcrawl.corpus.near.protocol import NearMethod
    from quarkcrawl.engines import SparkEngine
    from quarkcrawl.progress import Progress


@dataclass(slots=True)
class NearReport:
    """What a run found.

    Args:
        folder: where the results are.
        method: name of the method.
        texts: pages whose texts were compared.
        grouped: pages in groups of more than one.
        groups: number of these groups.
        reasons: how many pages are in their group for which reason.
        stages: how many stages this run did; 0 if there was nothing left to do.
        stages_found: how many it found finished by a run that was stopped.
        elapsed_s: length of the run.
    """

    corpus: str
    folder: str
    method: str
    texts: int = 0
    grouped: int = 0
    groups: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    stages: int = 0
    stages_found: int = 0
    elapsed_s: float = 0.0


def find_near(
    root: Path | str,
    method: str | NearMethod = "default",
    *,
    extraction: str | None = None,
    least_chars: int = 50,
    memory_bytes: int = 2 << 30,
    threads: int = 0,
    on_stage: Callable[[str], None] = lambda _stage: None,
    on_progress: Progress = no_progress,
) -> NearReport:
    """Find the pages of a corpus that hold the same article.

    A run that was stopped goes on after the last stage that was finished; a run on a corpus that
    has not changed reads it and does nothing else.

    Args:
        root: the corpus, or shards of a shared crawl that are not merged, with the result that
            they would have merged.
        method: one of `NEAR_METHODS`, simhash with another k as ``simhash-6``, or what
            `near_method` gives.
        extraction: method of the extraction whose texts are compared; None for the content
            stored by the crawl.
        least_chars: texts with fewer characters are not compared; 0 to compare all.
        memory_bytes: most memory of the run, besides the program and some bytes a text (see
            docs/dedup.md); what is beyond it goes to the disk.
        threads: how many threads the database uses; 0 for one a core.
        on_stage: called after each stage of joining and grouping with its name.
        on_progress: is told of each bucket and of each stage.

    Raises:
        InputError: there is no such method, or too little memory.
        CorpusLockedError: another run is working on this corpus.
        StoreError: the folder is no corpus, there is no such extraction, or no room.
    """
    how = near_method(method) if isinstance(method, str) else method
    if memory_bytes < LEAST_MEMORY_BYTES:
        least = f"{LEAST_MEMORY_BYTES >> 20} MB"
        raise InputError(f"the run needs at least {least} of memory", where="near")
    started = time.monotonic()
    folder = _folder(Path(root), how.name)
    with Shards(root, folder / "merge") as shards:
        texts = Texts(shards, extraction, least_chars)
        with storage_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
        with CorpusLock(folder.parent):
            texts.prepare(folder / "merge")
            tasks = fingerprint_tasks(root, how)
            if tasks.is_under_way():
                tasks.make_way()  # which says so
            state = write_sketches(texts, how, folder / "sketches", on_progress, tasks.home)
            after = _after_stages(on_stage, on_progress)
            run = NearRun(folder, how, state, memory_bytes, threads, after)
            run.finish()
    report = _report(Path(root), folder, how.name)
    return _finished(report, started, run.n_done, run.n_found)


def find_near_on_cluster(
    engine: SparkEngine,
    root: Path | str,
    method: str | NearMethod = "default",
    *,
    extraction: str | None = None,
    least_chars: int = 50,
    on_stage: Callable[[str], None] = lambda _stage: None,
    on_progress: Progress = no_progress,
) -> NearReport:
    """As `find_near`, on a cluster, with the same groups; a run that was stopped begins anew.

    Args:
        engine: the cluster.
        root: the corpus, or shards of a shared crawl that are not merged.
        method: see `find_near`.
        extraction: method of the extraction whose texts are compared; None for the content
            stored by the crawl.
        least_chars: texts with fewer characters are not compared; 0 to compare all.
        on_stage: called after each stage with its name.
        on_progress: is told of each stage.

    Raises:
        InputError: there is no such method.
        CorpusLockedError: another run is working on this corpus.
        StoreError: the folder is no corpus, there is no such extraction, or no room.
        EngineError: Spark gave up.
    """
    how = near_method(method) if isinstance(method, str) else method
    started = time.monotonic()
    folder = _folder(Path(root), how.name)
    with Shards(root, folder / "merge") as shards:
        Texts(shards, extraction, least_chars)  # says so if there is no such extraction
        with storage_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
        with CorpusLock(folder.parent), _cleared(folder):
            stages = SparkStages(engine, folder / "cluster")
            register_texts(stages, shards, extraction, folder / "merge")
            run = NearClusterRun(stages, how, folder, _after_stages(on_stage, on_progress))
            run.finish(least_chars)
    return _finished(_report(Path(root), folder, how.name), started, run.n_done)


def _after_stages(on_stage: Callable[[str], None], on_progress: Progress) -> Callable[[str], None]:
    """What is called after each stage; how many there will be is not known."""
    step = CountedStep("stages", on_progress)

    def after(stage: str) -> None:
        on_stage(stage)
        step.add()

    return after


def _finished(report: NearReport, started: float, n_done: int, n_found: int = 0) -> NearReport:
    report.stages, report.stages_found = n_done, n_found
    report.elapsed_s = round(time.monotonic() - started, 3)
    return report


@contextmanager
def _cleared(folder: Path) -> Iterator[None]:
    """A folder without what other runs have found, and at the end without a cluster's stages."""
    for name in ("stages", "cluster"):
        shutil.rmtree(folder / name, ignore_errors=True)
    (folder / "stages.jsonl").unlink(missing_ok=True)
    try:
        yield
    finally:
        shutil.rmtree(folder / "cluster", ignore_errors=True)


def _folder(root: Path, name: str) -> Path:
    return root / "analysis" / "near" / name


def _report(root: Path, folder: Path, name: str) -> NearReport:
    report = NearReport(str(root), str(folder), name)
    if (folder / "texts.parquet").exists():
        files = parquet_files(folder / "texts.parquet")
        report.texts = sum(pq.read_metadata(path).num_rows for path in files)
        reasons: Counter[str] = Counter()
        for batch in _batches(folder / "groups.parquet", ["reason"]):
            reasons.update(batch.column(0).to_pylist())
        report.groups = reasons.pop("first", 0)
        report.grouped = report.groups + reasons.total()
        report.reasons = dict(sorted(reasons.items()))
    return report


def _batches(path: Path, columns: list[str] | None = None) -> Iterator[pa.RecordBatch]:
    for part in parquet_files(path):
        with pq.ParquetFile(part) as file:
            yield from file.iter_batches(columns=columns)


def near_groups(
    root: Path | str, method: str | NearMethod = "default"
) -> Iterator[list[dict[str, Any]]]:
    """The groups found, each as a list of rows, the page that is kept first.

    Rows have url, host, n_chars, kept_url, is_kept and reason.

    Args:
        root: the corpus.
        method: by which they were found, see `find_near`.

    Raises:
        InputError: there is no such method.
        StoreError: the folder is no corpus, or nothing was found by this method.
    """
    name = near_method(method).name if isinstance(method, str) else method.name
    shard_roots(root)
    folder = _folder(Path(root), name)
    path = folder / "groups.parquet"
    if not path.exists():
        raise NotStoredError(f"no groups by the method {name!r}", where=folder)
    rows = (row for batch in _batches(path) for row in batch.to_pylist())
    for _, group in groupby(rows, key=itemgetter("kept_url")):
        yield list(group)
