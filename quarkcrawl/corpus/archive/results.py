"""The folder of an extraction from an archive: a Parquet part for each WARC file.

    OUT/LOCK
    OUT/quark/_options.json
    OUT/quark/_chosen/part-000001.parquet     records that an index has chosen
    OUT/quark/_tasks/plan.json                of tasks, see `quarkcrawl.corpus.tasks`
    OUT/quark/_damages/CC-MAIN-…-00017-1c5d0a8e.jsonl
    OUT/quark/CC-MAIN-…-00017-1c5d0a8e.parquet

A part appears whole or not at all, when its WARC file is done; it notes what became of each record
of that file. So a run that was stopped goes on with the next file. Any engine reads the parts:

    SELECT url, content_text FROM read_parquet('OUT/quark/*.parquet')
"""

from __future__ import annotations

import hashlib
import json
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from quarkcrawl import __version__
from quarkcrawl.corpus.archive.index import ChosenRecords
from quarkcrawl.corpus.extraction import RESULT_SCHEMA
from quarkcrawl.corpus.growingtable import GrowingTable
from quarkcrawl.corpus.optionsnote import OptionsNote
from quarkcrawl.corpus.tasks import TaskFolder, first_of_copies, part_facts
from quarkcrawl.errors import StoreError
from quarkcrawl.store import storage_errors, sync_folder
from quarkcrawl.store.tables import columns_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from quarkcrawl.corpus.archive.index import RecordFilter
    from quarkcrawl.store import StoragePath
    from quarkcrawl.store.warc import WarcDamage


ARCHIVE_SCHEMA: Final = pa.schema(
    [
        pa.field("warc_filename", pa.string()),
        *columns_of("url", "host", "offset", "length", "fetched_at", "status", "mime", "md5"),
        *(one for one in RESULT_SCHEMA if one.name not in {"url", "host", "offset"}),
    ]
)
"""Columns of a result: those of an extraction over a corpus, and what the tables of a corpus say of
a page besides. ``offset`` and ``length`` are those of the WARC record in ``warc_filename``."""

_SCHEMA: Final = ARCHIVE_SCHEMA.with_metadata({"quarkcrawl_version": __version__})
_COUNTS: Final = "quarkcrawl_counts"
_GROUP_ROWS: Final = 2048
_GROUP_CHARS: Final = 16 << 20


@dataclass(slots=True)
class RecordCounts:
    """What became of the records of one WARC file, or of many.

    Args:
        records: captures that were read or tried.
        pages: rows, failures included.
        failures: rows without content, by reason.
        drops: replies that are no page, by reason.
        redirects, revisits: records of these kinds.
        skipped: other records, by type.
        damages: records and stretches of a file that cannot be read, by kind.
    """

    records: int = 0
    pages: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    drops: dict[str, int] = field(default_factory=dict)
    redirects: int = 0
    revisits: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    damages: dict[str, int] = field(default_factory=dict)

    def add(self, other: RecordCounts) -> None:
        """Add what became of other records."""
        self.records += other.records
        self.pages += other.pages
        self.redirects += other.redirects
        self.revisits += other.revisits
        for name in ("failures", "drops", "skipped", "damages"):
            for reason, number in getattr(other, name).items():
                count(getattr(self, name), reason, number)


def count(counts: dict[str, int], reason: str, number: int = 1) -> None:
    """Count what happened."""
    counts[reason] = counts.get(reason, 0) + number


class ArchivePart:
    """The rows of one WARC file while they are made; they are bounded in memory.

    Args:
        file: name of the WARC file.
        path: the part.
        damages: where its damages are listed.
        is_renewed: both take the place of those of an earlier run, once they are whole.
    """

    def __init__(self, file: str, path: Path, damages: Path, *, is_renewed: bool = False) -> None:
        self.file = file
        self.counts = RecordCounts()
        self._path = path
        self._damages_path = damages
        self._damages: list[WarcDamage] = []
        self._n_rows = self._n_chars = 0
        with storage_errors(path), ExitStack() as stack:
            self._table = stack.enter_context(
                GrowingTable(
                    stack.enter_context(first_of_copies(path, is_renewed=is_renewed)), _SCHEMA
                )
            )
            self._open = stack.pop_all()

    def add(self, row: dict[str, Any]) -> None:
        """Add the row of a page."""
        self.counts.pages += 1
        if row.get("failure"):
            count(self.counts.failures, row["failure"])
        self._n_rows += 1
        self._n_chars += len(row.get("content_text") or "")
        with storage_errors(self._path):
            self._table.add({"warc_filename": self.file, **row})
            if self._n_rows >= _GROUP_ROWS or self._n_chars >= _GROUP_CHARS:
                self._table.flush()
                self._n_rows = self._n_chars = 0

    def add_damage(self, damage: WarcDamage) -> None:
        """Add what cannot be read."""
        count(self.counts.damages, damage.kind)
        self._damages.append(damage)

    def finish(self) -> None:
        """Give the part its name.

        Raises:
            StorageFullError: no room.
            StoreError: any other failure.
        """
        with storage_errors(self._path):
            if self._damages:
                self._damages_path.parent.mkdir(exist_ok=True)
                with first_of_copies(self._damages_path, is_renewed=True) as file:
                    file.writelines(map(self._listed, self._damages))
            self._table.note({_COUNTS: json.dumps(asdict(self.counts))})
            self._open.close()
            if not self._damages:
                self._damages_path.unlink(missing_ok=True)
            sync_folder(self._path.parent)

    def _listed(self, damage: WarcDamage) -> bytes:
        line = {"warc_filename": self.file, **asdict(damage)}
        return json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n"

    def abandon(self, error: BaseException) -> None:
        """Leave nothing of the part."""
        self._open.__exit__(type(error), error, error.__traceback__)


class ArchiveFolder:
    """The results of one method on one archive; a writer must hold the lock.

    Args:
        path: the folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.chosen = ChosenRecords(path / "_chosen")
        self.tasks = TaskFolder(path)
        self._note = OptionsNote(path)

    def open(self, options: Mapping[str, Any], *, restart: bool) -> None:
        """Prepare for writing; with ``restart`` without the rows that are there.

        Raises:
            ConfigError: the rows that are there were made with other options.
            StoreError: the folder cannot be written.
        """
        self._note.prepare(options, restart=restart)

    def choose(self, indexes: Sequence[StoragePath], record_filter: RecordFilter) -> None:
        """Read an index, unless that was done before.

        Raises:
            InputError: a file lacks a column.
            StoreError: a file cannot be read, or the folder not be written.
        """
        if not self.chosen.exists():
            self.chosen.choose(indexes, record_filter)

    def exists(self) -> bool:
        """Whether there are results."""
        return self._note.read() is not None

    def part(self, file: str, *, is_renewed: bool = False) -> ArchivePart:
        """A part to fill; with ``is_renewed`` in place of the one that is there."""
        path, damages = self._part_path(file), self._damages_path(file)
        return ArchivePart(file, path, damages, is_renewed=is_renewed)

    def done(self, file: str) -> RecordCounts | None:
        """What became of the records of a WARC file; None: it has no part.

        Raises:
            StoreError: the part cannot be read.
        """
        path = self._part_path(file)
        try:
            noted = (pq.read_metadata(path).metadata or {}).get(_COUNTS.encode())
            return RecordCounts(**json.loads(noted or b"{}"))
        except FileNotFoundError:
            return None
        except (OSError, pa.ArrowException, ValueError, TypeError) as error:
            message = f"cannot read a part ({error}); delete it, and its file is done again"
            raise StoreError(message, where=path) from error

    def forget_damages(self, file: str) -> None:
        """Take out a list of damages that the part of this WARC file does not have."""
        with storage_errors(self.path):
            self._damages_path(file).unlink(missing_ok=True)

    def forget(self, file: str) -> None:
        """Take out a part, so that its WARC file is done again."""
        with storage_errors(self.path):
            self._part_path(file).unlink(missing_ok=True)
            self._damages_path(file).unlink(missing_ok=True)

    def facts(self, file: str) -> list[dict[str, Any]]:
        """What the mark of a task says of the part of a WARC file and of its damages."""
        part, damages = self._part_path(file), self._damages_path(file)
        parts = [part_facts(damages, f"_damages/{damages.name}", 0)] if damages.exists() else []
        parts.append(part_facts(part, part.name, pq.read_metadata(part).num_rows))
        return [{**one, "folder": "", "keeps_name": True} for one in parts]

    def dataset(self) -> ds.Dataset:
        """All rows."""
        paths = sorted(str(path) for path in self.path.glob("*.parquet"))
        if not paths:
            return ds.dataset(ARCHIVE_SCHEMA.empty_table())
        return ds.dataset(paths, schema=ARCHIVE_SCHEMA, format="parquet")

    def failures(self) -> Iterator[dict[str, Any]]:
        """Pages that failed and damages, file by file."""
        columns = ["warc_filename", "url", "offset", "length", "failure", "detail"]
        failed = pc.field("failure").is_valid()
        rows = self.dataset()
        for batch in rows.to_batches(columns=columns, filter=failed, cache_metadata=False):
            yield from batch.to_pylist()
        for path in sorted(self.path.glob("_damages/*.jsonl")):
            yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())

    def _part_path(self, file: str) -> Path:
        return self.path / f"{_part_name(file)}.parquet"

    def _damages_path(self, file: str) -> Path:
        return self.path / "_damages" / f"{_part_name(file)}.jsonl"


def _part_name(file: str) -> str:
    """Short, and another one for each file: those of two folders may be called the same."""
    stem = file.rpartition("/")[2].partition(".warc")[0].lstrip("._")[:100]
    return f"{stem or 'part'}-{hashlib.blake2b(file.encode(), digest_size=4).hexdigest()}"
