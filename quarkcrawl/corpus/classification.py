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
from collections import Counter
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from quarkcrawl.classify import Classifier
from quarkcrawl.corpus.extraction import PoolOptions
from quarkcrawl.corpus.pool import map_pages
from quarkcrawl.errors import ConfigError, DamagedRecordError, StoreError
from quarkcrawl.store import Corpus
from quarkcrawl.store.appendfile import storage_error, sync_folder
from quarkcrawl.store.compaction import write_part
from quarkcrawl.template.stored import StoredPages, read_stored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from quarkcrawl.corpus.pool import Outcome
    from quarkcrawl.template.stored import PagePlace

__all__ = ["CLASS_SCHEMA", "ClassReport", "classify_corpus", "page_classes"]

CLASS_SCHEMA: Final = pa.schema(
    [
        ("url", pa.string()),
        ("host", pa.string()),
        ("offset", pa.int64()),
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
        corpus: the corpus.
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
        name: of the table; "": that of the model's file.
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
    with closing(map_pages(function, pages.places, **asdict(pool or PoolOptions()))) as outcomes:
        rows = list(_rows(outcomes, on_page))
    classes = Counter(row["class"] for row in rows if row["class"])
    reasons = Counter(row["reason"] for row in rows if row["reason"])
    report = ClassReport(pages.root, str(path), len(rows), dict(classes), dict(reasons))
    about = {"model": str(model), "sha256": hashlib.sha256(model.read_bytes()).hexdigest()}
    _write(rows, path, about)
    return report


def _rows(
    outcomes: Iterator[Outcome[PagePlace, dict[str, Any]]], on_page: Callable[[], None]
) -> Iterator[dict[str, Any]]:
    for outcome in outcomes:
        place = outcome.input
        row = dict.fromkeys(CLASS_SCHEMA.names) | place._asdict()
        del row["length"]
        yield row | (outcome.value or {"reason": outcome.reason})
        on_page()


def classify_stored(place: PagePlace, root: str, model: str) -> dict[str, Any]:
    """Classify one stored page; runs in the processes of the pool.

    Args:
        place: where it is.
        root: the corpus.
        model: file of the classifier.
    """
    try:
        page = read_stored(place, root)
    except DamagedRecordError:
        return {"reason": "damaged"}
    except StoreError:
        return {"reason": "unreadable"}
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


def _write(rows: Sequence[dict[str, Any]], path: Path, about: dict[str, str]) -> None:
    schema = CLASS_SCHEMA.with_metadata({_METADATA: json.dumps(about, ensure_ascii=False)})
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_part(pa.Table.from_pylist(list(rows), schema), path)
        sync_folder(path.parent)
    except OSError as error:
        raise storage_error(error, path) from error


def page_classes(root: Path | str, name: str, *, out: Path | None = None) -> pa.Table:
    """The table of classes.

    Args:
        root: the corpus.
        name: of the table.
        out: its folder, if not in the corpus.

    Raises:
        StoreError: there is no such table.
    """
    path = _table_path(Corpus.open(root).root, name, out)
    try:
        return pq.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise StoreError(f"no table of page classes ({error})", where=path) from error
