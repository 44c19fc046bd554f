"""The picture table of a corpus and its inverted index, as Parquet.

    analysis/pictures/pictures.parquet    picture, url, host, offset, src, …, length
    analysis/pictures/postings.parquet    term, picture, tf: by term, so that a search reads little
    analysis/pictures/reasons.parquet     url, reason: pages that could not be read

The text is cut by jieba before it is stored, which no full-text extension of a database does; and
DuckDB's has to be fetched from the network when it is first used.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from quarkcrawl.analysis import PoolOptions, map_pages
from quarkcrawl.corpus.growingtable import GrowingTable
from quarkcrawl.corpus.pictures.rows import FIELD_WEIGHTS, stored_picture_rows
from quarkcrawl.engines import duck_settings, replaced_folder, source_path, target_path
from quarkcrawl.errors import InputError, StoreError
from quarkcrawl.progress import no_progress, reported
from quarkcrawl.store import Corpus, storage_errors
from quarkcrawl.store.tables import columns_of
from quarkcrawl.template import StoredPages

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from quarkcrawl.analysis import Outcome
    from quarkcrawl.progress import Progress
    from quarkcrawl.template import PagePlace


PICTURE_SCHEMA: Final = pa.schema(
    [
        ("picture", pa.int64()),
        *columns_of("url", "host", "offset"),
        ("src", pa.string()),
        ("link", pa.string()),
        ("width_px", pa.float32()),
        ("height_px", pa.float32()),
        *((name, pa.string()) for name in FIELD_WEIGHTS),
        ("length", pa.float32()),
    ]
)
"""``length`` is the number of words, fields counted by their weight."""

_POSTING_SCHEMA: Final = pa.schema(
    [("term", pa.string()), ("picture", pa.int64()), ("tf", pa.float32())]
)
_REASON_SCHEMA: Final = pa.schema(columns_of("url", "reason"))
_FILES: Final = frozenset(("pictures.parquet", "postings.parquet", "reasons.parquet"))
_GROUP_ROWS: Final = 20_000
"""Postings of a row group: a search reads the groups that its words are in."""


@dataclass(slots=True)
class PictureReport:
    """What a run did.

    Args:
        folder: where the tables are.
        pages: pages of the corpus.
        pictures: pictures found on them.
        postings: pairs of a word and a picture.
        reasons: pages that could not be read, by reason.
    """

    corpus: str
    folder: str
    pages: int = 0
    pictures: int = 0
    postings: int = 0
    reasons: dict[str, int] = field(default_factory=dict)


def pictures_folder(root: Path, out: Path | None = None) -> Path:
    """Where the picture tables of a corpus are."""
    return root / "analysis" / "pictures" if out is None else out


def index_pictures(
    root: Path | str,
    *,
    out: Path | None = None,
    pool: PoolOptions | None = None,
    on_progress: Progress = no_progress,
) -> PictureReport:
    """Find the pictures of a corpus and index the words around them; replaces an older index.

    Args:
        root: the corpus; a crawl may be writing to it.
        out: folder of the tables, for a corpus that can only be read; None: in the corpus.
        pool: number and bounds of the processes.
        on_progress: is told of each page.

    Raises:
        InputError: ``out`` holds other things than an index; nothing of it is touched.
        StoreError: the folder is no corpus, or the tables cannot be written.
    """
    pages = StoredPages(root)
    folder = pictures_folder(Corpus.open(root).root, out).resolve()
    _check_replaceable(folder)
    report = PictureReport(pages.root, str(folder), len(pages))
    function = partial(stored_picture_rows, root=pages.root)
    with (
        storage_errors(folder),
        replaced_folder(folder) as fresh,
        closing(map_pages(function, pages.places, **asdict(pool or PoolOptions()))) as outcomes,
    ):
        fresh.mkdir()
        _write(fresh, outcomes, report, on_progress)
    return report


def _check_replaceable(folder: Path) -> None:
    """See that a folder to be replaced has nothing in it but an older index."""
    try:
        others = sorted({path.name for path in folder.iterdir()} - _FILES)
    except FileNotFoundError:
        return
    except OSError as error:
        message = f"cannot be the folder of an index ({error.strerror})"
        raise InputError(message, where=folder) from error
    if others:
        raise InputError(f"holds other things than an index ({others[0]})", where=folder)


def _write(
    folder: Path,
    outcomes: Iterator[Outcome[PagePlace, dict[str, Any]]],
    report: PictureReport,
    on_progress: Progress,
) -> None:
    unsorted = folder / "unsorted.parquet"
    with (
        GrowingTable(folder / "pictures.parquet", PICTURE_SCHEMA) as pictures,
        GrowingTable(unsorted, _POSTING_SCHEMA) as postings,
        GrowingTable(folder / "reasons.parquet", _REASON_SCHEMA) as reasons,
    ):
        for outcome in reported(outcomes, "pages", on_progress, total=report.pages):
            result, page = outcome.value or {"reason": outcome.reason}, outcome.input
            place = {"url": page.url, "host": page.host, "offset": page.offset}
            if "reason" in result:
                reason = result["reason"]
                report.reasons[reason] = report.reasons.get(reason, 0) + 1
                reasons.add({"url": page.url, "reason": reason})
            for row in result.get("rows", ()):
                terms, number = row.pop("terms"), {"picture": report.pictures}
                pictures.add({**number, **place, **row, "length": sum(terms.values())})
                for term, tf in terms.items():
                    postings.add({"term": term, **number, "tf": tf})
                report.pictures += 1
                report.postings += len(terms)
    on_progress("sorting", 0, None)
    _sort(unsorted, folder / "postings.parquet")
    unsorted.unlink()


def _sort(source: Path, target: Path) -> None:
    """Postings by term and picture; what the memory does not hold is spilled."""
    import duckdb  # noqa: PLC0415 - 0.1 s that other commands need not pay

    try:
        with duckdb.connect(config=duck_settings(1 << 30, source.parent / "spill")) as database:
            order = f"SELECT * FROM read_parquet('{source_path(source)}') ORDER BY term, picture"  # noqa: S608
            form = f"FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {_GROUP_ROWS}"
            database.execute(f"COPY ({order}) TO '{target_path(target)}' ({form})")
    except duckdb.Error as error:
        raise StoreError(f"the database gave up ({error})", where=target) from error
