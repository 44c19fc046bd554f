"""A corpus as the input of a datatrove pipeline."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow.parquet as pq
from datatrove.pipeline.readers.base import BaseReader

from quarkcrawl.dataset.export import document_id
from quarkcrawl.engines import open_engine, parquet_files
from quarkcrawl.page import Page
from quarkcrawl.refine import LABEL_COLUMNS, view_documents, view_labels
from quarkcrawl.store import Corpus, read_at, record_file, split_reply

if TYPE_CHECKING:
    from collections.abc import Iterator

    from datatrove.data import DocumentsPipeline


_BATCH_ROWS: Final = 256
_PAGE: Final = ("url", "host", "title", "published", "author", "page_type", "fetched_at")
_PLACE: Final = ("text", "offset", "length")


class CorpusReader(BaseReader):  # type: ignore[misc]  # datatrove has no types
    """Reads the documents of a corpus; task k of n reads the k-th part of the hosts.

    Args:
        root: the corpus; no crawl should be writing to it.
        method: extraction method whose texts are read.
        html: the text of a document is its HTML, for an extractor that follows.
        labels: the labels of `quarkcrawl refine` are metadata, too.
        limit: most documents of a task; -1: all.
        skip: documents of a task that are passed over first.
    """

    name = "quarkcrawl corpus"

    def __init__(
        self,
        root: Path | str,
        *,
        method: str = "default",
        html: bool = False,
        labels: bool = False,
        limit: int = -1,
        skip: int = 0,
    ) -> None:
        super().__init__(limit=limit, skip=skip)
        self.root = Path(root)
        self.method = method
        self.html = html
        self.labels = labels

    def run(
        self, data: DocumentsPipeline = None, rank: int = 0, world_size: int = 1
    ) -> DocumentsPipeline:
        """Yield the documents of a task.

        Args:
            data: documents of a reader before this one.
            rank: number of the task.
            world_size: how many tasks there are.
        """
        yield from data or ()
        n_read = 0
        for number, row in enumerate(self._rows(rank, world_size)):
            if number < self.skip:
                continue
            if n_read == self.limit:
                return
            with self.track_time():
                text = self._html(row) if self.html else row["text"]
                facts = {name: value for name, value in row.items() if name not in _PLACE}
                fields = {"text": text, "id": document_id(row["url"]), "metadata": facts}
                document = self.get_document_from_dict(fields, str(self.root), number)
            if document is None:
                continue
            n_read += 1
            self.update_doc_stats(document)
            yield document

    def _rows(self, rank: int, world_size: int) -> Iterator[dict[str, Any]]:
        corpus = Corpus.open(self.root)
        names = (*_PAGE, *_PLACE, *(LABEL_COLUMNS if self.labels else ()))
        columns = ", ".join(f'"{name}"' for name in names)
        view = "labelled" if self.labels else "documents"
        with (
            tempfile.TemporaryDirectory(prefix="quarkcrawl-") as folder,
            open_engine() as engine,
        ):
            work = Path(folder)
            view_documents(engine, corpus.root, self.method, work)
            if self.labels:
                view_labels(engine, corpus.root)
            mine = f"row_hash(host) % {world_size} = {rank}"
            has_text = "TRUE" if self.html else "text <> ''"
            sql = f"SELECT {columns} FROM {view} WHERE {mine} AND {has_text} ORDER BY url"  # noqa: S608
            engine.write(sql, work / "documents")
            for path in parquet_files(work / "documents"):
                with pq.ParquetFile(path) as file:
                    for batch in file.iter_batches(_BATCH_ROWS):
                        yield from batch.to_pylist()

    def _html(self, row: dict[str, Any]) -> str:
        record = read_at(record_file(self.root, row["host"]), row["offset"], row["length"])
        reply = split_reply(record.data)
        return Page.from_bytes(reply.body, row["url"], reply.get("content-type")).html
