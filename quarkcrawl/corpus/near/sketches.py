"""Sketches of all texts of a corpus, a Parquet file a bucket.

A file is written anew only when the texts of its bucket or what is taken of them have changed, or
when its checksum is not the one that was noted; so a run that was stopped goes on where it was.
Texts are read some hundred at a time, so that the size of a bucket does not matter.
"""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from hashlib import blake2b
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from quarkcrawl.corpus.extraction import extractions
from quarkcrawl.corpus.merge import SHARD
from quarkcrawl.corpus.stagelog import StageLog
from quarkcrawl.dedup import text_md5
from quarkcrawl.progress import reported
from quarkcrawl.store import N_BUCKETS, open_table, storage_errors, write_whole
from quarkcrawl.store.tables import columns_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from quarkcrawl.corpus.merge import Shards
    from quarkcrawl.corpus.near.protocol import NearMethod
    from quarkcrawl.progress import Progress


PAGE_FIELDS: Final = pa.schema(
    [
        *columns_of("url", "host", "fetched_at"),
        ("page_md5", pa.string()),
        ("text_md5", pa.string()),
    ]
)
"""Columns of a sketch file before those of the method."""

_PAGE_COLUMNS: Final = ["url", "host", "offset", "fetched_at", "md5"]
_SCANNED_ROWS: Final = 512
_ROWS_PER_GROUP: Final = 4096
_VERSION: Final = 2  # of what is kept of a text
_SETTINGS: Final = "quarkcrawl_sketches"
_NOTE: Final = "quarkcrawl_texts"


class PageText(NamedTuple):
    """A page and its text."""

    url: str
    host: str
    offset: int
    fetched_at: float
    md5: str
    text: str


class Texts:
    """Where the texts of a corpus come from.

    Args:
        shards: the corpus, or shards that are read as one.
        extraction: method of an extraction that was run on it; None for the content that the
            crawl stored.
        least_chars: shorter texts are passed over: a headline or a date that is all the text of
            two pages does not make them the same article.

    Raises:
        StoreError: there is no such extraction.
    """

    def __init__(self, shards: Shards, extraction: str | None, least_chars: int) -> None:
        self._shards = shards
        self._sources = [open_table(folder, "page") for folder in shards.folders]
        self._pages: ds.Dataset | None = self._sources[0] if shards.is_one else None
        self.name = "crawl"
        self.least_chars = least_chars
        if extraction is not None:
            self._sources = [extractions(folder, extraction) for folder in shards.folders]
            self.name = extraction

    def prepare(self, work: Path) -> None:
        """Find out which pages of shards count; their list goes to a folder."""
        if self._pages is None:
            path = work / "pages.parquet"  # sorted by shard and bucket: few row groups are read
            self._shards.write("page", [*_PAGE_COLUMNS, "bucket"], path)
            self._pages = ds.dataset(path)

    def of_bucket(self, number: int) -> Iterator[PageText]:
        """The texts of a bucket, of each URL the one that was stored last."""
        if self._pages is None:
            return
        here = pc.field("bucket") == number
        names = [name for name in (*_PAGE_COLUMNS, SHARD) if name in self._pages.schema.names]
        pages = self._pages.to_table(columns=names, filter=here, cache_metadata=False).to_pylist()
        pages.sort(key=itemgetter("offset"))
        last: dict[int, dict[str, dict[str, Any]]] = defaultdict(dict)
        for page in pages:
            last[page.pop(SHARD, 0)][page["url"]] = page
        for shard, of_shard in sorted(last.items()):
            yield from self._of_pages(self._sources[shard], here, of_shard)

    def _of_pages(
        self, source: ds.Dataset, here: pc.Expression, pages: dict[str, dict[str, Any]]
    ) -> Iterator[PageText]:
        """The texts of some pages of a bucket of a corpus."""
        columns = ["url", "offset", "content_text"]
        for batch in source.to_batches(
            columns=columns,
            filter=here,
            batch_size=_SCANNED_ROWS,
            batch_readahead=1,
            fragment_readahead=1,
            cache_metadata=False,
        ):
            for url, offset, text in zip(*(column.to_pylist() for column in batch), strict=True):
                page = pages.get(url)
                if page is None or page["offset"] != offset:
                    continue
                del pages[url]
                if text and len(text) >= self.least_chars:
                    yield PageText(**page, text=text)

    def note(self, number: int) -> str:
        """What the texts of a bucket are, in a word; empty if there are none."""
        total = n_texts = 0
        for row in self.of_bucket(number):
            data = f"{row.url}\n{row.offset}\n{row.text}".encode("utf-8", "surrogatepass")
            total += int.from_bytes(blake2b(data, digest_size=16).digest())
            n_texts += 1
        return f"{n_texts} {total % (1 << 128):032x}" if n_texts else ""


def write_sketches(
    texts: Texts,
    method: NearMethod,
    folder: Path,
    on_progress: Progress,
    task_results: Path | None = None,
) -> str:
    """Bring the sketch files of a folder up to date.

    ``on_progress`` is told of each bucket. Files of the folder ``task_results``, which tasks have
    made of the same texts, are taken.

    Returns:
        What the sketches are, in a word.

    Raises:
        StorageFullError: no room.
        StoreError: the folder cannot be written.
    """
    settings = _settings(texts, method)
    state = blake2b(settings.encode(), digest_size=16)
    with storage_errors(folder):
        log = StageLog(folder, state.hexdigest())
        numbers = range(N_BUCKETS)
        for number in reported(numbers, "buckets", on_progress, total=N_BUCKETS):
            note = texts.note(number)
            stage, path = f"bucket-{number}", folder / sketch_file_name(number)
            if not note:
                log.forget(stage)
                path.unlink(missing_ok=True)
            elif not log.is_done(stage, note):
                log.forget(stage)
                with write_whole(path) as file:
                    ready = None if task_results is None else task_results / path.name
                    if ready is not None and _is_of(ready, settings, note):
                        with ready.open("rb") as source:
                            shutil.copyfileobj(source, file)
                    else:
                        _write(texts.of_bucket(number), method, file)
                log.finish(stage, [path], note)
            state.update(f"{number} {note}\n".encode())
    return state.hexdigest()


def sketch_file_name(number: int) -> str:
    """Name of the file of a bucket."""
    return f"bucket-{number}.parquet"


def write_bucket(texts: Texts, method: NearMethod, number: int, file: BinaryIO) -> None:
    """Write the sketches of a bucket, with a note of which texts they are."""
    about = {_SETTINGS: _settings(texts, method), _NOTE: texts.note(number)}
    _write(texts.of_bucket(number), method, file, about)


def _settings(texts: Texts, method: NearMethod) -> str:
    settings = {"version": _VERSION, "source": texts.name, **method.sketching()}
    return json.dumps(settings, sort_keys=True)


def _is_of(path: Path, settings: str, note: str) -> bool:
    """Whether a file that tasks have made is there, whole, and of these texts."""
    try:
        about = pq.read_metadata(path).metadata or {}
    except (FileNotFoundError, pa.ArrowException):
        return False
    return (about.get(_SETTINGS.encode()), about.get(_NOTE.encode())) == (
        settings.encode(),
        note.encode(),
    )


def _write(
    rows: Iterator[PageText],
    method: NearMethod,
    file: BinaryIO,
    about: Mapping[str, str] | None = None,
) -> None:
    schema = pa.unify_schemas([PAGE_FIELDS, method.columns])
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        while some := list(islice(rows, _ROWS_PER_GROUP)):
            writer.write_table(sketch_rows(some, method))
        writer.add_key_value_metadata(dict(about or {}))


def sketch_rows(rows: Iterable[PageText], method: NearMethod) -> pa.Table:
    """The sketches of some texts."""
    schema = pa.unify_schemas([PAGE_FIELDS, method.columns])
    return pa.Table.from_pylist([_sketch(row, method) for row in rows], schema=schema)


def _sketch(row: PageText, method: NearMethod) -> dict[str, Any]:
    return {
        "url": row.url,
        "host": row.host,
        "fetched_at": row.fetched_at,
        "page_md5": row.md5,
        "text_md5": text_md5(row.text),
        **method.sketch(row.text),
    }
