"""DuckDB as the engine: embedded, within a memory limit, the rest goes to a spill folder."""

from __future__ import annotations

import re
import shutil
import tempfile
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.engines.folders import check_columns, count_rows, replaced_folder
from quarkcrawl.engines.sqlpaths import source_path, target_path
from quarkcrawl.errors import EngineError, StorageFullError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa


_UNCOUNTED_SHARE: Final = 0.125
"""Share of the memory left to what DuckDB does not count: its allocator's rest, this process. With
all of 4 GiB as its limit a run over 70 million rows peaked at 4.2 GiB."""

_FULL: Final = re.compile(
    r"no space left|disk quota|file too large|max_temp_directory_size", re.IGNORECASE
)


_ARRAY: Final = re.compile(r"array<(.*)>$")
_STRUCT: Final = re.compile(r"struct<(.*)>$")


def _own_type(kind: str) -> str:
    """A type in DuckDB's notation; the common one is Spark's.

    >>> _own_type("array<struct<start:int,kind:string>>")
    'STRUCT("start" int, "kind" string)[]'
    """
    if match := _ARRAY.match(kind):
        return f"{_own_type(match[1])}[]"
    if match := _STRUCT.match(kind):
        fields = (field.partition(":") for field in match[1].split(","))
        return "STRUCT(" + ", ".join(f'"{name}" {of}' for name, _, of in fields) + ")"
    return kind


def duck_settings(memory_bytes: int, spill: Path, threads: int = 0) -> dict[str, Any]:
    """Bounds of a DuckDB database.

    Args:
        memory_bytes: most memory.
        spill: folder for what does not fit.
        threads: how many threads work; 0: one a core.
    """
    bounds = {"memory_limit": f"{memory_bytes >> 20}MiB", "temp_directory": str(spill)}
    return bounds | ({"threads": threads} if threads else {})


class DuckEngine(AbstractContextManager["DuckEngine"]):
    """Runs jobs in this process.

    Args:
        memory_bytes: most memory of the process while jobs run; DuckDB gets seven eighths of it.
        threads: 0 for one a core.
        spill: folder for what does not fit into memory; None: a temporary one.

    Raises:
        EngineError: nothing can be written into the spill folder.
    """

    name = "duckdb"

    def __init__(
        self, *, memory_bytes: int = 4 << 30, threads: int = 0, spill: Path | None = None
    ) -> None:
        import duckdb  # noqa: PLC0415 - 0.1 s that other commands need not pay

        self._errors = duckdb.Error
        try:
            self._spill = Path(tempfile.mkdtemp(prefix="quarkcrawl-", dir=spill))
        except OSError as error:
            raise EngineError(f"no spill folder ({error})", where=spill or "spill") from error
        counted_bytes = int(memory_bytes * (1 - _UNCOUNTED_SHARE))
        settings = duck_settings(counted_bytes, self._spill, threads)
        self._database = duckdb.connect(config=settings | {"preserve_insertion_order": False})
        self._database.execute("CREATE MACRO row_hash(x) AS hash(x)")

    def table(
        self,
        name: str,
        files: Sequence[Path | str],
        columns: Mapping[str, str],
        *,
        lenient: bool = False,
    ) -> None:
        """See `Engine.table`."""
        present = check_columns(files, columns, lenient=lenient)
        values = {c: f'"{c}"' if c in present else "NULL" for c in columns}
        typed = ", ".join(
            f'CAST({values[c]} AS {_own_type(kind)}) AS "{c}"' for c, kind in columns.items()
        )
        if files:
            paths = ", ".join(f"'{source_path(path)}'" for path in files)
            source = f"read_parquet([{paths}], hive_partitioning = false, union_by_name = true)"
            self.view(name, f"SELECT {typed} FROM {source}")  # noqa: S608 - quoted above
        else:
            self.view(name, f"SELECT {typed} WHERE 1 = 0")

    def view(self, name: str, sql: str) -> None:
        """See `Engine.view`."""
        with self._told(name):
            self._database.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS {sql}")

    def write(self, sql: str, folder: Path) -> int:
        """See `Engine.write`."""
        with self._told(folder), replaced_folder(folder) as temporary:
            temporary.mkdir()
            target = target_path(temporary / "part-000001.parquet")
            self._database.execute(f"COPY ({sql}) TO '{target}' (FORMAT parquet, COMPRESSION zstd)")
        return count_rows(folder)

    def fetch(self, sql: str) -> pa.Table:
        """See `Engine.fetch`."""
        with self._told("query"):
            return self._database.sql(sql).to_arrow_table()

    @contextmanager
    def _told(self, where: object) -> Iterator[None]:
        try:
            yield
        except self._errors as error:
            if _FULL.search(str(error)):
                raise StorageFullError(f"no room ({error})", where=where) from error
            raise EngineError(f"DuckDB gave up ({error})", where=where) from error

    def close(self) -> None:
        """Free memory and spill folder; safe to call twice."""
        self._database.close()
        shutil.rmtree(self._spill, ignore_errors=True)

    def __exit__(self, *_: object) -> None:
        self.close()
