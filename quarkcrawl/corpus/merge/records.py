"""Reading stored records one after the other, and saying why one cannot be taken over."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from quarkcrawl.errors import DamagedRecordError, StoreError
from quarkcrawl.store import decode_record, page_dat_path
from quarkcrawl.store.tianwang import url_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa


class Place(NamedTuple):
    """Where the record of a row of a batch is."""

    row: int
    url: str
    host: str
    offset: int
    length: int


def places(rows: pa.Table) -> Iterator[Place]:
    """The places of the records of some pages, in their order."""
    columns = [rows.column(name).to_pylist() for name in Place._fields[1:]]
    return map(Place, range(rows.num_rows), *columns)


class Records(AbstractContextManager["Records"]):
    """Reads records; the file of the last one stays open. A context manager."""

    def __init__(self) -> None:
        self._host: tuple[Path, str] | None = None
        self._file: BinaryIO | None = None

    def read(self, shard: Path, place: Place) -> tuple[bytes, str]:
        """The bytes of a record, and why they cannot be taken over; "" if they can.

        Raises:
            StoreError: the file cannot be read.
        """
        if self._host != (shard, place.host):
            self._close()
            self._file = _opened(page_dat_path(shard, place.host))
            self._host = shard, place.host
        file = self._file
        if file is None:
            return b"", "page.dat is not there"
        file.seek(place.offset)
        record = file.read(place.length)
        try:
            url = url_text(decode_record(record).url)
        except DamagedRecordError as error:
            return record, error.message
        return record, "" if url == place.url else "the record is that of another page"

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
        self._file = None

    def __exit__(self, *_: object) -> None:
        self._close()


def _opened(path: Path) -> BinaryIO | None:
    try:
        return path.open("rb")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"cannot read ({error.strerror})", where=path) from error
