"""A run over the sketches of a corpus, stage by stage: number, twins, keys, join, group, result.

Each stage leaves files whose checksums are noted; a run that was stopped does only what is
missing. How the memory is shared out: half is the database's, an eighth each is for the keys of a
partition and for the first members of classes, and the rest for what is under way between them.
"""

from __future__ import annotations

import json
import shutil
from contextlib import contextmanager
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow.parquet as pq

from quarkcrawl.corpus.near.groups import group_members, members_of, write_groups
from quarkcrawl.corpus.near.join import (
    CHUNK_GROUPS,
    join_keys,
    number_texts,
    split_keys,
    stopped_codes,
    write_twins,
)
from quarkcrawl.corpus.stagelog import StageLog
from quarkcrawl.errors import StoreError
from quarkcrawl.store import storage_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import duckdb
    from numpy.typing import NDArray

    from quarkcrawl.corpus.near.protocol import NearMethod


LEAST_MEMORY_BYTES: Final = 256 << 20
"""With less, the database cannot sort some hundred thousand texts."""

_VERSION: Final = 1  # of the stages
_KEY_BYTES: Final = 64  # of a key while it is joined
_LEAST_FIRSTS: Final = 1000
_MEMBERS_PER_SHARD: Final = 500_000


class NearRun:
    """One run; the folder must be locked.

    Args:
        method: how texts are compared.
        state: what the sketches are, in a word.
        memory_bytes: most memory.
        threads: how many threads the database uses; 0 for one a core.
        on_stage: called after each stage with its name.
    """

    def __init__(
        self,
        folder: Path,
        method: NearMethod,
        state: str,
        memory_bytes: int,
        threads: int,
        on_stage: Callable[[str], None],
    ) -> None:
        self.n_done = self.n_found = 0
        self._folder = folder
        self._stages = folder / "stages"
        self._texts = folder / "texts.parquet"
        self._groups = folder / "groups.parquet"
        self._method = method
        self._memory_bytes = memory_bytes
        self._threads = threads
        self._on_stage = on_stage
        self._run = self._name(state)

    def _name(self, state: str) -> str:
        """What the files depend on."""
        told = {
            "version": _VERSION,
            "sketches": state,
            "method": self._method.name,
            **self._method.grouping(),
        }
        return blake2b(json.dumps(told, sort_keys=True).encode(), digest_size=16).hexdigest()

    def finish(self) -> None:
        """Do what is left to do.

        Raises:
            StorageFullError: no room.
            StoreError: the database gave up, or the folder cannot be written.
        """
        with storage_errors(self._folder):
            self._log = StageLog(self._folder, self._run)
            if not (self._log.is_done("groups") and self._log.is_done("texts")):
                self._do_all()
            for stage in self._log.stages():
                if stage not in {"texts", "groups"}:
                    self._log.forget(stage)
            shutil.rmtree(self._stages, ignore_errors=True)

    def _strangers(self) -> list[Path]:
        """Files of stages that were not finished."""
        known = {self._folder / n for stage in self._log.stages() for n in self._log.files(stage)}
        found = self._stages.glob("*.parquet") if self._stages.is_dir() else ()
        return [path for path in found if path not in known]

    @contextmanager
    def _database(self) -> Iterator[duckdb.DuckDBPyConnection]:
        import duckdb  # noqa: PLC0415 - 0.1 s that other commands need not pay

        spill = self._stages / "spill"
        shutil.rmtree(spill, ignore_errors=True)
        settings: dict[str, Any] = {
            "memory_limit": f"{self._memory_bytes >> 21}MiB",
            "temp_directory": str(spill),
        }
        if self._threads:
            settings["threads"] = self._threads
        database = duckdb.connect(config=settings)
        try:
            yield database
        except duckdb.OutOfMemoryException as error:
            raise StoreError(
                f"{self._memory_bytes >> 20} MB of memory are too few for so many texts; what is "
                "finished is kept: go on with more",
                where=self._folder,
            ) from error
        except duckdb.Error as error:
            raise StoreError(f"the database gave up ({error})", where=self._folder) from error
        finally:
            database.close()

    # Stages

    def _stage(self, name: str, paths: Sequence[Path], work: Callable[[], None]) -> None:
        """Do a stage unless it is done."""
        if self._log.is_done(name):
            self.n_found += 1
            return
        work()
        self._log.finish(name, paths)
        self.n_done += 1
        self._on_stage(name)

    def _do_all(self) -> None:
        for path in (self._groups, *self._strangers()):
            path.unlink(missing_ok=True)
        if not any((self._folder / "sketches").glob("bucket-*.parquet")):
            self._texts.unlink(missing_ok=True)
            return
        self._stages.mkdir(exist_ok=True)
        with self._database() as database:
            self._do_with(database)

    def _do_with(self, database: duckdb.DuckDBPyConnection) -> None:
        texts, method = self._texts, self._method
        sketches, twins = self._folder / "sketches", self._stages / "twins.parquet"
        self._stage("texts", [texts], partial(number_texts, database, sketches, texts))
        self._stage("twins", [twins], partial(write_twins, database, texts, twins))
        stopped = stopped_codes(database, texts, method)
        joined = self._join(database, stopped, twins)
        grouped = self._group(database, stopped, joined)
        work = partial(self._write_groups, database, twins, grouped)
        self._stage("groups", [self._groups], work)

    def _write_groups(
        self, database: duckdb.DuckDBPyConnection, twins: Path, grouped: Sequence[Path]
    ) -> None:
        new = self._stages / "groups.parquet"
        write_groups(database, self._texts, self._method, twins, grouped, new)
        new.rename(self._groups)

    def _join(
        self, database: duckdb.DuckDBPyConnection, stopped: frozenset[str], twins: Path
    ) -> list[Path]:
        """The files of texts that share a key, one a partition."""
        n_texts = pq.read_metadata(self._texts).num_rows
        n_rows = n_texts * self._method.keys_per_text(n_texts)
        n_parts = 1 + n_rows * _KEY_BYTES // (self._memory_bytes // 8)
        # Named by the number of parts: with other memory they are split anew.
        stages = [f"joined-{part:04}-of-{n_parts:04}" for part in range(n_parts)]
        joined = [self._stages / f"{stage}.parquet" for stage in stages]
        if all(map(self._log.is_done, stages)):
            self.n_found += n_parts
            return joined
        chunks = self._split(stopped, twins, n_texts, n_parts)
        for stage, out, paths in zip(stages, joined, zip(*chunks, strict=True), strict=True):
            work = partial(join_keys, database, self._method, paths, out)
            self._stage(stage, [out], work)
        for stage in self._log.stages():
            if stage.startswith("keys-"):
                self._log.forget(stage)
        return joined

    def _split(
        self, stopped: frozenset[str], twins: Path, n_texts: int, n_parts: int
    ) -> list[list[Path]]:
        """The files of keys, by chunk of texts and by partition."""
        is_twin: NDArray[np.bool_] = np.zeros(n_texts, np.bool_)
        is_twin[pq.read_table(twins).column("number").to_numpy()] = True
        chunks = []
        for chunk in range(-(-pq.read_metadata(self._texts).num_row_groups // CHUNK_GROUPS)):
            stage = f"keys-{chunk:04}-of-{n_parts:04}"
            paths = [self._stages / f"{stage}-{part:04}.parquet" for part in range(n_parts)]
            work = partial(split_keys, self._texts, self._method, stopped, is_twin, chunk, paths)
            self._stage(stage, paths, work)
            chunks.append(paths)
        return chunks

    def _group(
        self, database: duckdb.DuckDBPyConnection, stopped: frozenset[str], joined: Sequence[Path]
    ) -> list[Path]:
        """The files of texts that are in the class of another, one a shard of components."""
        members = members_of(pq.read_metadata(self._texts).num_rows, joined)
        most = max(self._memory_bytes // 8 // self._method.member_bytes, _LEAST_FIRSTS)
        grouped = []
        for number, (start, stop) in enumerate(members.shards(_MEMBERS_PER_SHARD)):
            out = self._stages / f"grouped-{number:04}.parquet"
            shard = members.slice(start, stop)
            work = partial(
                group_members, database, self._texts, self._method, stopped, shard, most, out
            )
            self._stage(f"grouped-{number:04}", [out], work)
            grouped.append(out)
        return grouped
