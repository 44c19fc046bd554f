"""Files of a data set: parts of a given size, a set of them for each split.

data/train-00000-of-00002.parquet     Parquet, as Hugging Face lays it out
data/train-00000-of-00002.jsonl.zst   JSON lines: id, text, metadata, as datatrove writes them
data/train-00000-of-00002.txt         plain text, an empty line between documents
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, Final, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path


ENDINGS: Final = {"parquet": "parquet", "jsonl": "jsonl.zst", "text": "txt"}
"""How the files of a form end."""

_GROUP_ROWS: Final = 1024


class _Part(Protocol):
    """A file that takes rows."""

    def add(self, row: Mapping[str, Any]) -> None: ...

    def close(self) -> None: ...


class _ParquetPart:
    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._schema = schema
        self._writer = pq.ParquetWriter(path, schema, compression="zstd")
        self._rows: list[Mapping[str, Any]] = []

    def add(self, row: Mapping[str, Any]) -> None:
        self._rows.append(row)
        if len(self._rows) >= _GROUP_ROWS:
            self._flush()

    def _flush(self) -> None:
        self._writer.write_table(pa.Table.from_pylist(self._rows, self._schema))
        self._rows = []

    def close(self) -> None:
        if self._rows:
            self._flush()
        self._writer.close()


class _LinesPart:
    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._names = [name for name in schema.names if name not in {"id", "text"}]
        self._file = zstd.open(path, "wb")

    def add(self, row: Mapping[str, Any]) -> None:
        line = {"text": row["text"], "id": row["id"]}
        line["metadata"] = {name: row[name] for name in self._names}
        self._file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")

    def close(self) -> None:
        self._file.close()


class _TextPart:
    def __init__(self, path: Path, schema: pa.Schema) -> None:
        del schema
        self._file = path.open("wb")

    def add(self, row: Mapping[str, Any]) -> None:
        lines = (line for line in row["text"].splitlines() if line.strip())
        self._file.write("\n".join(lines).encode() + b"\n\n")

    def close(self) -> None:
        self._file.close()


_PARTS: Final[dict[str, Callable[[Path, pa.Schema], _Part]]] = {
    "parquet": _ParquetPart,
    "jsonl": _LinesPart,
    "text": _TextPart,
}


class SplitWriter:
    """Writes the documents of one split.

    Args:
        folder: where the files go; it is there.
        split: its name.
        form: see `quarkcrawl.dataset.options.Form`.
        schema: the fields.
        part_bytes: about how many bytes of text a file has.
    """

    def __init__(
        self, folder: Path, split: str, form: str, schema: pa.Schema, part_bytes: int
    ) -> None:
        self._folder = folder
        self._split = split
        self._form = form
        self._schema = schema
        self._part_bytes = part_bytes
        self._paths: list[Path] = []
        self._part: _Part | None = None
        self._n_bytes = 0
        self.n_documents = 0

    def add(self, row: Mapping[str, Any]) -> None:
        """Write a document.

        Args:
            row: its fields.
        """
        if self._part is None or self._n_bytes >= self._part_bytes:
            self._next()
        assert self._part is not None
        self._part.add(row)
        self._n_bytes += len(row["text"].encode())
        self.n_documents += 1

    def _next(self) -> None:
        if self._part is not None:
            self._part.close()
        path = self._folder / f".{self._split}-{len(self._paths):05d}"
        self._part = _PARTS[self._form](path, self._schema)
        self._paths.append(path)
        self._n_bytes = 0

    def close(self) -> None:
        """Give the files their names, which tell how many there are."""
        if self._part is not None:
            self._part.close()
            self._part = None
        n, ending = len(self._paths), ENDINGS[self._form]
        for number, path in enumerate(self._paths):
            path.rename(self._folder / f"{self._split}-{number:05d}-of-{n:05d}.{ending}")
