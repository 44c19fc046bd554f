"""Records chosen by a columnar index, and where they lie.

The columns are those of Common Crawl's index table. What is chosen is written once, ordered by
file and offset, to a table beside the results: a run that goes on reads no index again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from quarkcrawl.corpus.growingtable import GrowingTable
from quarkcrawl.engines import DuckEngine, parquet_files, sql_columns
from quarkcrawl.errors import ConfigError, InputError, StoreError
from quarkcrawl.store import patient_iter, patiently, storage_errors

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from quarkcrawl.store import StoragePath


_CHOSEN: Final = pa.schema(
    [("file", pa.string()), ("offset", pa.int64()), ("length", pa.int64()), ("url", pa.string())]
)
_COLUMNS: Final = {
    "file": "warc_filename",
    "offset": "warc_record_offset",
    "length": "warc_record_length",
    "url": "url",
}
_BATCH_ROWS: Final = 65_536


class IndexRow(NamedTuple):
    """A record that an index leads to."""

    file: str
    offset: int
    length: int
    url: str


@dataclass(frozen=True, slots=True)
class RecordFilter:
    """Which records of an archive are wanted; an empty field wants all.

    Args:
        hosts: names of hosts.
        domains: registered domains, with all their hosts.
        languages: codes of ISO 639-3 (``zho``); a page has one of them among its languages.
        statuses: HTTP status codes.
        mime_types: media types: the detected one of an index, the declared one of a record.
    """

    hosts: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    statuses: tuple[int, ...] = ()
    mime_types: tuple[str, ...] = ()

    def check(self, *, has_index: bool) -> None:
        """See that the filter can be answered.

        Raises:
            ConfigError: a language is no code of an index, or is asked of WARC files alone.
        """
        for code in self.languages:
            if not (len(code) == 3 and code.isascii() and code.islower()):
                raise ConfigError(f"languages of an index have three letters (zho), not {code!r}")
        if self.languages and not has_index:
            raise ConfigError("WARC records do not tell their language: give the index instead")

    def takes(self, host: str, status: int) -> bool:
        """Whether a record is wanted, as far as host and status tell."""
        if self.hosts and host not in self.hosts:
            return False
        if self.domains and not any(f".{host}".endswith(f".{name}") for name in self.domains):
            return False
        return not self.statuses or status in self.statuses

    def expression(self) -> pc.Expression:
        """The filter over the columns of an index; rows without a place are not there."""
        detected = pc.coalesce(pc.field("content_mime_detected"), pc.field("content_mime_type"))
        languages = rf"(^|,)({'|'.join(self.languages)})(,|$)"
        tests = [
            (self.hosts, pc.field("url_host_name").isin(list(self.hosts))),
            (self.domains, pc.field("url_host_registered_domain").isin(list(self.domains))),
            (self.statuses, pc.field("fetch_status").cast(pa.int32()).isin(_codes(self.statuses))),
            (self.mime_types, detected.isin(list(self.mime_types))),
            (
                self.languages,
                pc.match_substring_regex(pc.field("content_languages"), pattern=languages),
            ),
        ]
        whole = pc.field("warc_filename").is_valid()
        for name in ("warc_record_offset", "warc_record_length"):
            whole &= pc.field(name).is_valid()
        for value, test in tests:
            if value:
                whole &= test
        return whole


def _codes(statuses: Sequence[int]) -> pa.Array:
    return pa.array(statuses, pa.int32())


class ChosenRecords:
    """The table of chosen records; it is made when it is not there.

    Args:
        folder: where it is.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def exists(self) -> bool:
        """Whether the index was read before."""
        return self._folder.is_dir()

    def choose(self, indexes: Sequence[StoragePath], record_filter: RecordFilter) -> None:
        """Read an index.

        Raises:
            InputError: a file lacks a column.
            StoreError: a file cannot be read, or the table not be written.
        """
        unordered = self._folder.with_name(f".{self._folder.name}.unordered")
        with storage_errors(unordered):
            try:
                with GrowingTable(unordered, _CHOSEN) as table:
                    for path in indexes:
                        for batch in _batches(path, record_filter):
                            table.write(batch)
                with DuckEngine() as engine:
                    engine.table("chosen", [unordered], sql_columns(_CHOSEN))
                    order = 'SELECT * FROM chosen ORDER BY "file", "offset", "length", url'
                    engine.write(order, self._folder)
            finally:
                unordered.unlink(missing_ok=True)

    def count(self) -> int:
        """How many there are."""
        return sum(pq.read_metadata(path).num_rows for path in parquet_files(self._folder))

    def by_file(self, names: Collection[str] | None = None) -> Iterator[tuple[str, list[IndexRow]]]:
        """The records of each WARC file by offset; those of one file are in memory.

        With ``names`` only those of these files; no others than from the first to the last of them
        are read.
        """
        for name, rows in groupby(self._rows(names), key=lambda row: row.file):
            if names is None or name in names:
                yield name, list(rows)

    def _rows(self, names: Collection[str] | None) -> Iterator[IndexRow]:
        file = pc.field("file")
        between = None if not names else (file >= min(names)) & (file <= max(names))
        records = ds.dataset(parquet_files(self._folder), schema=_CHOSEN, format="parquet")
        for batch in records.to_batches(
            filter=between,
            batch_size=_BATCH_ROWS,
            batch_readahead=1,
            fragment_readahead=1,
            cache_metadata=False,
        ):
            columns = [batch.column(name).to_pylist() for name in _CHOSEN.names]
            yield from map(IndexRow, *columns)


def _batches(path: StoragePath, record_filter: RecordFilter) -> Iterator[pa.Table]:
    """The chosen rows of one file of an index."""
    path.open().close()  # tells better than a data set what is wrong
    try:
        system, place = path.opened()
        data = patiently(lambda: ds.dataset(place, format="parquet", filesystem=system), path)
        columns = {name: pc.field(source) for name, source in _COLUMNS.items()}
        read_batches = partial(
            data.to_batches,
            columns=columns,
            filter=record_filter.expression(),
            batch_size=_BATCH_ROWS,
        )
        for batch in patient_iter(read_batches, path):
            if batch.num_rows:
                yield pa.Table.from_batches([batch]).cast(_CHOSEN)
    except pa.ArrowInvalid as error:
        raise InputError(f"is no index of records ({_first_line(error)})", where=path) from error
    except (OSError, pa.ArrowException) as error:
        raise StoreError(f"cannot read ({_first_line(error)})", where=path) from error


def _first_line(error: Any) -> str:
    return str(error).partition("\n")[0]
