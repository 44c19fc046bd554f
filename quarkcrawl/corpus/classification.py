"""Page classes of a whole corpus, as a table beside it.

    analysis/classes/topics.parquet     url, host, offset, class, probability, reason

One row a page; ``class`` is NULL where ``reason`` says why: ``no_words`` (the content has no word
that the model knows), ``damaged`` or ``unreadable`` (the stored record), or what became of the
process that worked on the page. The metadata of the file name the model. Tasks make a folder of
parts of the same name. Any engine joins it:

    SELECT class, count(*) FROM 'corpus/analysis/classes/topics.parquet' JOIN
        read_parquet('corpus/analysis/pages/*/*.parquet', union_by_name=true) USING (url, "offset")
        GROUP BY ALL
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from quarkcrawl.analysis import PoolOptions
from quarkcrawl.classify import Classifier
from quarkcrawl.corpus.pagetable import PageRowsJob, PageTable, page_table_schema
from quarkcrawl.errors import StoreError
from quarkcrawl.progress import no_progress
from quarkcrawl.template import read_stored

if TYPE_CHECKING:
    from quarkcrawl.corpus.tasks import Task, TaskReport, TaskTotals
    from quarkcrawl.progress import Progress
    from quarkcrawl.template import PagePlace


_KIND: Final = "classes"
_COLUMNS: Final = pa.schema([("class", pa.string()), ("probability", pa.float32())])


@dataclass(slots=True)
class ClassReport:
    """What a run did.

    Args:
        table: the file with the classes.
        pages: pages of the corpus.
        classes: pages of each class.
        reasons: pages without a class, by reason.
    """

    corpus: str
    table: str
    pages: int = 0
    classes: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)


def classify_corpus(
    root: Path | str,
    model: Path,
    *,
    name: str = "",
    out: Path | None = None,
    pool: PoolOptions | None = None,
    on_progress: Progress = no_progress,
) -> ClassReport:
    """Classify every page of a corpus and write the table; one that is there is replaced.

    Args:
        root: the corpus; a crawl may be writing to it.
        model: file of a classifier.
        name: what the table is called; "" for the name of the model's file without its ending.
        out: folder of the table, for a corpus that can only be read; None: in the corpus.
        pool: number and bounds of the processes.
        on_progress: is told of each page.

    Raises:
        InputError: the model cannot be read.
        ConfigError: this cannot be the name of a table.
        StoreError: the folder is no corpus, or the table cannot be written.
    """
    table = PageTable(root, _KIND, name or model.stem, out)
    report = ClassReport(str(table.root), str(table.path))
    for row in table.write(_job(table, model, pool), on_progress):
        counts, class_name = (
            (report.classes, row["class"]) if "class" in row else (report.reasons, row["reason"])
        )
        counts[class_name] = counts.get(class_name, 0) + 1
        report.pages += 1
    return report


def classify_task(
    root: Path | str,
    model: Path,
    task: Task,
    *,
    name: str = "",
    out: Path | None = None,
    pool: PoolOptions | None = None,
) -> TaskReport:
    """Do task k of n of a classification, or all; all n together make what `classify_corpus` makes.

    Args:
        root: the corpus; pages that a crawl adds meanwhile are left out.
        model: file of a classifier, the same for all tasks.
        task: number of the task, from 0, and how many there are; or all, which a cluster does.
        name: what the table is called; "" for the name of the model's file without its ending.
        out: folder of the table, for a corpus that can only be read; None: in the corpus.
        pool: number and bounds of the processes.

    Raises:
        InputError: the model cannot be read, or there is no such task.
        ConfigError: other tasks are under way, or this cannot be the name of a table.
        StoreError: the folder is no corpus, or the table cannot be written.
        EngineError: the cluster gave up.
    """
    table = PageTable(root, _KIND, name or model.stem, out)
    return table.do_task(_job(table, model, pool), task)


def finish_classes(root: Path | str, name: str, *, out: Path | None = None) -> TaskTotals:
    """Publish what all tasks of a classification have made; the last of them does so by itself.

    Args:
        root: the corpus.
        name: what the table is called.
        out: folder of the table if it is not in the corpus.

    Raises:
        StoreError: there are no tasks, or some are not done.
    """
    return PageTable(root, _KIND, name, out).finish()


def _job(table: PageTable, model: Path, pool: PoolOptions | None) -> PageRowsJob:
    Classifier.load(model)  # a broken model is refused before anything is begun
    settings = {"sha256": hashlib.sha256(model.read_bytes()).hexdigest()}
    about = {"model": str(model), **settings}
    schema = page_table_schema(_COLUMNS, "quarkcrawl_classes", about)
    function = partial(classify_stored, root=str(table.root), model=str(model))
    return PageRowsJob(_KIND, function, schema, settings, pool or PoolOptions(), "class")


def classify_stored(place: PagePlace, root: str, model: str) -> dict[str, Any]:
    """Classify one stored page; runs in the processes of the pool.

    Args:
        place: where it is.
        root: the corpus.
        model: file of the classifier.
    """
    try:
        page = read_stored(place, root)
    except StoreError as error:
        return {"reason": error.reason}
    prediction = _loaded(model).classify(page)
    if not prediction.name:
        return {"reason": "no_words"}
    return {"class": prediction.name, "probability": prediction.probability}


@lru_cache(1)
def _loaded(path: str) -> Classifier:
    return Classifier.load(Path(path))


def page_classes(root: Path | str, name: str, *, out: Path | None = None) -> pa.Table:
    """The table of classes with a name.

    Args:
        root: the corpus.
        name: what the table was called when it was made (``--name``).
        out: folder of the table if it is not in the corpus.

    Raises:
        StoreError: there is no such table.
    """
    return PageTable(root, _KIND, name, out).read()
