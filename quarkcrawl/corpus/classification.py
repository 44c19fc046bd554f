"""Page classes of a whole corpus, as a table beside it.

    analysis/classes/topics.parquet     url, host, offset, class, probability, reason

One row a page; ``class`` is NULL where ``reason`` says why: ``no_words`` (the content has no word
that the model knows), ``damaged`` or ``unreadable`` (the stored record), or what became of the
process that worked on the page. The metadata of the file name the model. Any engine joins it:

    SELECT class, count(*) FROM 'corpus/analysis/classes/topics.parquet' JOIN
        read_parquet('corpus/analysis/pages/*/*.parquet', union_by_name=true) USING (url, "offset")
        GROUP BY ALL
"""

from __future__ import annotations

import hashlib
import json
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from quarkcrawl.analysis import PoolOptions, map_pages
from quarkcrawl.classify import Classifier
from quarkcrawl.corpus.growingtable import GrowingTable
from quarkcrawl.errors import ConfigError, StoreError
from quarkcrawl.store import Corpus, storage_errors, sync_folder, write_whole
from quarkcrawl.store.tables import columns_of
from quarkcrawl.template import StoredPages, read_stored

if TYPE_CHECKING:
    from collections.abc import Callable

    from quarkcrawl.analysis import Outcome
    from quarkcrawl.template import PagePlace


CLASS_SCHEMA: Final = pa.schema(
    [
        *columns_of("url", "host", "offset"),
        ("class", pa.string()),
        ("probability", pa.float32()),
        ("reason", pa.string()),
    ]
)
_METADATA: Final = b"quarkcrawl_classes"


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
    on_page: Callable[[], None] = lambda: None,
) -> ClassReport:
    """Classify every page of a corpus and write the table; one that is there is replaced.

    Args:
        root: the corpus; a crawl may be writing to it.
        model: file of a classifier.
        name: what the table is called; "" for the name of the model's file without its ending.
        out: folder of the table, for a corpus that can only be read; None: in the corpus.
        pool: number and bounds of the processes.
        on_page: called after each page.

    Raises:
        InputError: the model cannot be read.
        ConfigError: this cannot be the name of a table.
        StoreError: the folder is no corpus, or the table cannot be written.
    """
    Classifier.load(model)  # a broken model is refused before anything is begun
    pages = StoredPages(root)
    path = _table_path(Corpus.open(root).root, name or model.stem, out)
    function = partial(classify_stored, root=pages.root, model=str(model))
    about = {"model": str(model), "sha256": hashlib.sha256(model.read_bytes()).hexdigest()}
    schema = CLASS_SCHEMA.with_metadata({_METADATA: json.dumps(about, ensure_ascii=False)})
    report = ClassReport(pages.root, str(path))
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with (
            write_whole(path) as file,
            GrowingTable(file, schema) as table,
            closing(map_pages(function, pages.places, **asdict(pool or PoolOptions()))) as outcomes,
        ):
            for outcome in outcomes:
                table.add(_row(outcome, report))
                on_page()
        sync_folder(path.parent)
    return report


def _row(outcome: Outcome[PagePlace, dict[str, Any]], report: ClassReport) -> dict[str, Any]:
    """The row of a page, counted."""
    found = outcome.value or {"reason": outcome.reason}
    counts, name = (
        (report.classes, found["class"]) if "class" in found else (report.reasons, found["reason"])
    )
    counts[name] = counts.get(name, 0) + 1
    report.pages += 1
    place = outcome.input
    return {"url": place.url, "host": place.host, "offset": place.offset, **found}


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
    found = _loaded(model).classify(page)
    if not found.name:
        return {"reason": "no_words"}
    return {"class": found.name, "probability": found.probability}


@lru_cache(1)
def _loaded(path: str) -> Classifier:
    return Classifier.load(Path(path))


def _table_path(root: Path, name: str, out: Path | None) -> Path:
    if not name.replace("-", "").replace("_", "").isalnum():
        raise ConfigError(f"{name!r} cannot be the name of a table", where="--name")
    folder = root / "analysis" / "classes" if out is None else out
    return folder / f"{name}.parquet"


def page_classes(root: Path | str, name: str, *, out: Path | None = None) -> pa.Table:
    """The table of classes with a name.

    Args:
        root: the corpus.
        name: what the table was called when it was made (``--name``).
        out: folder of the table if it is not in the corpus.

    Raises:
        StoreError: there is no such table.
    """
    path = _table_path(Corpus.open(root).root, name, out)
    try:
        return pq.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise StoreError(f"no table of page classes ({error})", where=path) from error
