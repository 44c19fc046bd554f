"""Lists of URLs in the forms they come in, each as a relation of lines for DuckDB.

| form | known by | URL |
|---|---|---|
| text | anything else | the line (plain, gzip or zstd, by its first bytes) |
| CDX | ``.cdx``, ``.cdxj``, also compressed | the original URL of the line |
| WARC | ``.warc``, ``.warc.gz`` | target of response and resource records |
| Parquet | ``.parquet`` or first bytes | column ``url``, or ``host`` and ``pages`` counted before |
| corpus | folder with corpus.json | its stored pages, the journal included |
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quarkcrawl.engines import source_path
from quarkcrawl.errors import InputError, StoreError
from quarkcrawl.select.linebatches import batch_schema, line_batches, text_batches
from quarkcrawl.store.tables import iter_batches

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb
    import pyarrow as pa


_SUFFIXES = (".gz", ".zst")
_CDX_URL = r"""CASE
 WHEN contains(line, '"url"') THEN regexp_extract(line, '"url":\s*"([^"]*)"', 1)
 WHEN starts_with(ltrim(line), 'CDX ') THEN ''
 ELSE split_part(ltrim(line), ' ', 3) END"""
_RELATION = "url_list"


@dataclass(frozen=True, slots=True)
class UrlList:
    """One list.

    Args:
        path: file or folder; ``-`` is standard input.
        form: ``text``, ``cdx``, ``warc``, ``parquet``, ``counts`` or ``corpus``.
        column: column of a Parquet file that has the URLs.
        https: for counts: SQL that gives how many pages are of https.
    """

    path: Path
    form: str
    column: str = "url"
    https: str = "0::BIGINT"

    def relation(self, connection: duckdb.DuckDBPyConnection, damage: list[InputError]) -> str:
        """Make the list known to a connection, to be read once.

        Args:
            connection: where the query will run.
            damage: takes the error if the list breaks off before its end; what came before counts.

        Returns:
            SQL of a relation with the columns ``url`` and ``n`` (number of the line or row); of
            ``counts``: ``host`` and ``pages``.
        """
        if self.form in {"parquet", "counts"}:
            return self._parquet()
        connection.register(_RELATION, self._reader(damage))
        url = _CDX_URL if self.form == "cdx" else "line"
        return f"(SELECT {url} AS url, n FROM {_RELATION})"  # noqa: S608 - our own text

    def _parquet(self) -> str:
        source = f"read_parquet('{source_path(self.path)}', file_row_number=true)"
        if self.form == "counts":
            return f"(SELECT * FROM {source})"  # noqa: S608
        name = '"' + self.column.replace('"', '""') + '"'
        return f"(SELECT {name}::VARCHAR AS url, file_row_number + 1 AS n FROM {source})"  # noqa: S608

    def _reader(self, damage: list[InputError]) -> Any:
        import pyarrow as pa  # noqa: PLC0415 - slow to load

        if self.form == "corpus":
            batches = text_batches(_corpus_urls(self.path))
        elif self.form == "warc":
            batches = text_batches(_warc_urls(self.path))
        else:
            batches = line_batches(self.path)
        return pa.RecordBatchReader.from_batches(batch_schema(), _until_damage(batches, damage))


def _until_damage(
    batches: Iterator[pa.RecordBatch], damage: list[InputError]
) -> Iterator[pa.RecordBatch]:
    try:
        yield from batches
    except InputError as error:
        damage.append(error)


def list_of(path: str | Path, *, column: str = "url") -> UrlList:
    """Find out what a list is.

    Raises:
        InputError: there is no such file, it is a folder but no corpus, or a Parquet file has
            neither the column nor ``host`` and ``pages``.
    """
    path = Path(path)
    if str(path) == "-":
        return UrlList(path, "text")
    if path.is_dir():
        if not (path / "corpus.json").is_file():
            raise InputError("a folder, and no corpus (corpus.json is missing)", where=path)
        return UrlList(path, "corpus")
    if not path.exists():
        raise InputError("no such file", where=path)
    name = path.name.lower()
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    if name.endswith(".warc"):
        return UrlList(path, "warc")
    if name.endswith((".cdx", ".cdxj")):
        return UrlList(path, "cdx")
    return _parquet_or_text(path, column)


def _parquet_or_text(path: Path, column: str) -> UrlList:
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=path) from error
    if magic != b"PAR1" and path.suffix != ".parquet":
        return UrlList(path, "text")
    names = _column_names(path)
    is_counted = {"host", "pages"} <= set(names)
    if column in names and not (is_counted and column == "url"):
        return UrlList(path, "parquet", column)
    if is_counted:
        has_https = "https_pages" in names
        return UrlList(
            path, "counts", https="sum(https_pages)::BIGINT" if has_https else "0::BIGINT"
        )
    has = ", ".join(names)
    raise InputError(f"no column {column!r}, nor host and pages (it has: {has})", where=path)


def _column_names(path: Path) -> list[str]:
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    try:
        names: list[str] = pq.read_schema(path).names
    except (OSError, pa.ArrowInvalid) as error:
        raise InputError(f"not a Parquet file ({error})", where=path) from error
    return names


def _corpus_urls(root: Path) -> Iterator[str]:
    try:
        for batch in iter_batches(root, "page", ["url"]):
            yield from batch.column("url").to_pylist()
    except StoreError as error:
        raise InputError(error.message, where=error.where) from error


def _warc_urls(path: Path) -> Iterator[str]:
    from fastwarc.warc import ArchiveIterator, WarcRecordType  # noqa: PLC0415

    kinds = WarcRecordType.response | WarcRecordType.resource
    try:
        for record in ArchiveIterator(path, kinds, parse_http=False):
            target = record.headers.get("WARC-Target-URI")
            if target is not None:
                yield target.strip("<>")
    except (OSError, ValueError) as error:
        raise InputError(f"not a whole WARC file ({error})", where=path) from error
