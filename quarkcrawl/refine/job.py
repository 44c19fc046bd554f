"""Labels for a whole corpus: every document once, whatever happens on the way.

The documents whose text has no labels yet are written to a work folder by the engine, labeled by
the pool of processes and added to the table part by part: a run that was killed goes on after
its last part. Rows of texts that are gone or have changed leave the table first. Then exact and
near duplicates are brought up to date, and what texts repeat of each other is looked for.
"""

from __future__ import annotations

import shutil
import time
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pyarrow.parquet as pq

from quarkcrawl.analysis import PoolOptions, map_pages
from quarkcrawl.corpus import dedup_corpus
from quarkcrawl.corpus.near import find_near
from quarkcrawl.corpus.tasks import TaskFolder
from quarkcrawl.engines import parquet_files
from quarkcrawl.errors import NotStoredError, StorageUnreachableError
from quarkcrawl.progress import no_progress
from quarkcrawl.refine.documents import analyzed, view_documents
from quarkcrawl.refine.labels import LabelOptions, StoredDocument, label_row, label_stored
from quarkcrawl.refine.repeated import label_repeats
from quarkcrawl.refine.view import label_table, view_labels
from quarkcrawl.store import CorpusLock, shard_roots, storage_errors, working_copy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from quarkcrawl.analysis import Outcome
    from quarkcrawl.engines import Engine
    from quarkcrawl.progress import Progress
    from quarkcrawl.refine.table import LabelTable


_PART_ROWS: Final = 4096
_BATCH_ROWS: Final = 256

_STALE: Final = """
SELECT l.url, l."offset" FROM text_labels AS l
ANTI JOIN documents AS d
ON l.url = d.url AND l."offset" = d."offset" AND l.text_md5 = d.text_md5
"""
_TODO: Final = f"""
SELECT {", ".join(f'd."{name}"' for name in StoredDocument._fields)} FROM documents AS d
ANTI JOIN text_labels AS l
ON l.url = d.url AND l."offset" = d."offset" AND l.text_md5 = d.text_md5
WHERE d.text <> ''
"""  # noqa: S608 - our own words


@dataclass(frozen=True, slots=True)
class RefineOptions:
    """What is labeled and with what.

    Args:
        method: extraction method whose texts are labeled.
        labels: settings of the labels of single texts.
        duplicates: also bring the tables of exact and near duplicates up to date.
        repeats: also look for what texts repeat of each other.
    """

    method: str = "default"
    labels: LabelOptions = field(default_factory=LabelOptions)
    duplicates: bool = True
    repeats: bool = True


@dataclass(slots=True)
class RefineReport:
    """What a run did.

    Args:
        corpus: path of the corpus that was read.
        folder: where the labels are.
        documents: documents of the corpus.
        without_text: those of them that have no text, and so no labels.
        done_before: documents that had their labels already.
        labelled: documents that got labels in this run, failures included.
        failures: how many of these failed, by reason: ``damaged`` or ``unreadable`` records,
            ``timeout``, ``crash``, ``error``.
        removed: rows that left because their text has changed or is gone.
        repeats: documents that repeat something of others.
        elapsed_s: length of the run.
    """

    corpus: str
    folder: str
    documents: int = 0
    without_text: int = 0
    done_before: int = 0
    labelled: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    removed: int = 0
    repeats: int = 0
    elapsed_s: float = 0.0


def refine_corpus(
    engine: Engine,
    root: Path | str,
    options: RefineOptions | None = None,
    *,
    pool: PoolOptions | None = None,
    restart: bool = False,
    on_progress: Progress = no_progress,
) -> RefineReport:
    """Label all documents of a corpus that have no labels yet.

    Args:
        engine: DuckDB or Spark, see `quarkcrawl.engines.open_engine`.
        root: the corpus, or shards of a shared crawl that are not merged, also in an object
            store; no crawl should be writing to it.
        options: what to label and with what.
        pool: number and bounds of the processes.
        restart: label all documents anew.
        on_progress: is told of queries, of each document, and of what compares texts.

    Raises:
        InputError: a lexicon, model or file of a benchmark cannot be read.
        ConfigError: the labels that are there were made with other options.
        CorpusLockedError: another run is working on this corpus.
        StoreError: the folder is no corpus, has no texts by this method, or no room.
        EngineError: the engine gave up.
    """
    started = time.monotonic()
    options = options or RefineOptions()
    options.labels.check()

    def tell(report: RefineReport) -> None:
        n_todo = report.documents - report.without_text - report.done_before
        on_progress("documents", report.labelled, n_todo)

    with working_copy(root, analyzed(options.method), writes=True) as job:
        report = _refine(
            engine,
            job.path,
            options,
            pool=pool or PoolOptions(),
            restart=restart,
            on_document=job.followed(tell) or tell,
            on_progress=on_progress,
        )
    report.corpus, report.folder = job.named(report.corpus), job.named(report.folder)
    report.elapsed_s = round(time.monotonic() - started, 3)
    return report


def _refine(
    engine: Engine,
    root: Path,
    options: RefineOptions,
    *,
    pool: PoolOptions,
    restart: bool,
    on_document: Callable[[RefineReport], None],
    on_progress: Progress,
) -> RefineReport:
    """See `refine_corpus`; all folders are here."""
    shards = shard_roots(root)
    table = label_table(root)
    report = RefineReport(str(root), str(table.path.parent))
    is_new = not table.path.parent.exists()
    with storage_errors(table.path):
        table.path.parent.mkdir(parents=True, exist_ok=True)
    work = table.path.parent / ".work"
    with CorpusLock(table.path.parent):
        shutil.rmtree(work, ignore_errors=True)
        try:
            on_progress("tables", 0, None)
            view_documents(engine, root, options.method, work)
            TaskFolder(table.path).make_way(restart=restart)
            noted = {"method": options.method, **options.labels.note()}
            table.open(noted, restart=restart)
            if options.duplicates:
                _find_duplicates(engine, root, shards, options.method, on_progress)
                view_documents(engine, root, options.method, work)
            run = _Run(engine, root, table, report, options.labels)
            on_progress("documents without labels", 0, None)
            run.label(work, pool, on_document)
            if options.repeats:
                report.repeats = label_repeats(engine, root, on_progress)
        except NotStoredError:
            if is_new:  # nothing was begun
                shutil.rmtree(table.path.parent, ignore_errors=True)
            raise
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return report


def _find_duplicates(
    engine: Engine, root: Path, shards: Sequence[Path], method: str, on_progress: Progress
) -> None:
    """Bring the tables of duplicates up to date; what is up to date costs a reading."""
    dedup_corpus(engine, root, on_progress=on_progress)
    notes = [shard / "analysis" / "extractions" / method / "_options.json" for shard in shards]
    extracted = all(note.is_file() for note in notes)
    find_near(root, extraction=method if extracted else None, on_progress=on_progress)


class _Run:
    """One run over the texts."""

    def __init__(
        self,
        engine: Engine,
        root: Path,
        table: LabelTable,
        report: RefineReport,
        options: LabelOptions,
    ) -> None:
        self._engine = engine
        self._root = root
        self._table = table
        self._report = report
        self._options = options
        self._rows: list[dict[str, Any]] = []  # not in a part yet

    def label(
        self, work: Path, pool: PoolOptions, on_document: Callable[[RefineReport], None]
    ) -> None:
        """Label what has no labels."""
        todo = work / "todo"
        write_todo(self._engine, self._root, self._table, todo, self._report)
        roots = tuple(map(str, shard_roots(self._root)))
        function = partial(label_stored, roots=roots, options=self._options)
        documents = read_todo(todo)
        on_document(self._report)
        try:
            with closing(
                map_pages(function, documents, input_bytes=text_bytes, **asdict(pool))
            ) as outcomes:
                for outcome in outcomes:
                    self._take(outcome)
                    on_document(self._report)
            self._flush()
        except (KeyboardInterrupt, StorageUnreachableError):
            self._flush()  # what is done is done
            raise

    def _take(self, outcome: Outcome[StoredDocument, dict[str, Any]]) -> None:
        row = label_row(outcome)
        if row.get("failure") == StorageUnreachableError.reason:
            raise StorageUnreachableError(str(row.get("detail")))
        if failure := row.get("failure"):
            counts = self._report.failures
            counts[failure] = counts.get(failure, 0) + 1
        self._report.labelled += 1
        self._rows.append(row)
        if len(self._rows) >= _PART_ROWS:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            self._table.write(self._rows)
            self._rows = []


def write_todo(
    engine: Engine, root: Path, table: LabelTable, todo: Path, report: RefineReport
) -> None:
    """Write the documents without labels to a folder; labels of texts that are gone leave first."""
    view_labels(engine, root)
    stale = engine.fetch(_STALE).to_pylist()
    if stale:
        report.removed = table.drop({(row["url"], row["offset"]) for row in stale})
        view_labels(engine, root)
    sql = "SELECT count(*) AS n, count(nullif(text, '')) AS n_texts FROM documents"
    counted = engine.fetch(sql).to_pylist()[0]
    report.documents = int(counted["n"])
    report.without_text = int(counted["n"] - counted["n_texts"])
    report.done_before = int(counted["n_texts"]) - engine.write(_TODO, todo)


def read_todo(folder: Path) -> Iterator[StoredDocument]:
    """The documents that `write_todo` has written."""
    for path in parquet_files(folder):
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(_BATCH_ROWS, columns=list(StoredDocument._fields)):
                columns = [batch.column(name).to_pylist() for name in StoredDocument._fields]
                yield from map(StoredDocument._make, zip(*columns, strict=True))


def text_bytes(document: StoredDocument) -> int:
    """Most memory that the text of a document takes."""
    return 4 * len(document.text)
