"""Ranks of a corpus or of shards that are not merged, in memory or on a cluster.

In memory a table is one file, from a cluster a folder of parts; while a run on a cluster lasts,
what it has so far is in a hidden folder beside them.
"""

from __future__ import annotations

import shutil
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.corpus.inputs import register_pages, register_table
from quarkcrawl.corpus.merge import Shards
from quarkcrawl.engines import sql_columns
from quarkcrawl.errors import InputError
from quarkcrawl.progress import no_progress
from quarkcrawl.rank import RankJob, rank_corpus, ranks_folder
from quarkcrawl.rank.cluster import rank_on_cluster
from quarkcrawl.store import is_sharded, schema_of
from quarkcrawl.store.tables import snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from quarkcrawl.engines import SparkEngine
    from quarkcrawl.progress import Progress
    from quarkcrawl.rank import RankReport
    from quarkcrawl.store.tables import RowKind


_LABELS: Final = ("blocks", "link_blocks", "block_boxes")
_COLUMNS: Final[dict[RowKind, tuple[str, ...]]] = {
    "page": ("url", "host", "offset", "fetched_at", "canonical", "links", *_LABELS),
    "duplicate": ("url", "duplicate_of", "fetched_at", "links"),
    "redirect": ("url", "target", "fetched_at"),
}


def rank_pages(
    root: Path | str,
    job: RankJob | None = None,
    *,
    engine: SparkEngine | None = None,
    out: Path | None = None,
    on_round: Callable[[int, float, Any], None] | None = None,
    on_progress: Progress = no_progress,
) -> RankReport:
    """Rank a corpus, or the shards of a shared crawl as the corpus that they would have merged.

    Args:
        root: the corpus or the shards; no crawl should be writing to shards, or while a cluster
            ranks.
        job: what to do.
        engine: the cluster that does it; None: this process, in memory.
        out: folder for the tables; None: in the corpus, or beside the shards.
        on_round: see `quarkcrawl.rank.iterate`; on a cluster it gets no ranks.
        on_progress: is told of each file or batch of rows that is read, and of each round.

    Raises:
        ConfigError: the job asks for what is not done on Spark.
        InputError: a list of favorites fits nothing, ranks to begin with are not there, or blocks
            of an extraction are wanted for shards.
        StoreError: the folder is neither, or a table cannot be read or written.
        EngineError: Spark gave up.
    """
    root, job = Path(root), job or RankJob()
    sharded = is_sharded(root)
    if sharded and job.label_paths is not None:
        message = "blocks of an extraction need one corpus: quarkcrawl corpus merge"
        raise InputError(message, where=root)
    folder = ranks_folder(root, out)
    if engine is None and not sharded:
        return rank_corpus(root, job, out=out, on_round=on_round, on_progress=on_progress)
    work = folder / f".{job.table}-rows"
    try:
        with Shards(root, work / "merge") as shards:
            if engine is None:
                return rank_corpus(
                    root, job, out=out, on_round=on_round, rows=shards, on_progress=on_progress
                )
            _register(engine, shards, job, work)
            return rank_on_cluster(
                engine,
                job,
                corpus=root,
                folder=folder,
                state=_state(shards, job),
                on_round=on_round,
                on_progress=on_progress,
            )
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _register(engine: SparkEngine, shards: Shards, job: RankJob, work: Path) -> None:
    """Make the tables known that a ranking reads."""
    register_pages(engine, shards, "pages", work, _COLUMNS["page"])
    kinds: tuple[RowKind, ...] = ("duplicate", "redirect")
    for kind in kinds:
        register_table(engine, shards, kind, f"{kind}s", work, _COLUMNS[kind])
    if job.label_paths is not None:
        columns = sql_columns(schema_of("page"), ("url", "offset", *_LABELS))
        engine.table("labels", job.label_paths, columns, lenient=True)


def _state(shards: Shards, job: RankJob) -> str:
    """What the tables hold, in a word that changes when a file of them does."""
    seen = blake2b(digest_size=16)
    for path in [*_files(shards), *(job.label_paths or ())]:
        status = path.stat()
        seen.update(f"{path} {status.st_size} {status.st_mtime_ns}\n".encode("utf-8", "replace"))
    return seen.hexdigest()


def _files(shards: Shards) -> Iterator[Path]:
    for folder in shards.folders:
        for kind in _COLUMNS:
            seen = snapshot(folder, kind)
            yield from (part.path for part in seen.parts)
            yield from (path for _, path in seen.journals)
