"""A run over the sketches of a corpus, stage by stage: number, twins, keys, join, group, result.

Each stage leaves files whose checksums are noted; a run that was stopped does only what is
missing. How the memory is shared out: half is the database's, an eighth each is for the keys of a
partition and for the first members of classes, and the rest for what is under way between them.
"""

from __future__ import annotations

import json
import shutil
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

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
from quarkcrawl.corpus.near.protocol import NearJob
from quarkcrawl.corpus.stagelog import StageLog
from quarkcrawl.engines import duck_settings
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
        settings = {
            "version": _VERSION,
            "sketches": state,
            "method": self._method.name,
            **self._method.grouping(),
        }
        return blake2b(json.dumps(settings, sort_keys=True).encode(), digest_size=16).hexdigest()

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
        finished = {
            self._folder / n for stage in self._log.stages() for n in self._log.files(stage)
        }
        files = self._stages.glob("*.parquet") if self._stages.is_dir() else ()
        return [path for path in files if path not in finished]

    @contextmanager
    def _database(self) -> Iterator[duckdb.DuckDBPyConnection]:
        import duckdb  # noqa: PLC0415 - 0.1 s that other commands need not pay

        spill = self._stages / "spill"
        shutil.rmtree(spill, ignore_errors=True)
        settings = duck_settings(self._memory_bytes // 2, spill, self._threads)
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
        for path in (self._groups, self._texts):
            if path.is_dir():  # from a cluster
                shutil.rmtree(path)
        for path in (self._groups, *self._strangers()):
            path.unlink(missing_ok=True)
        if not any((self._folder / "sketches").glob("bucket-*.parquet")):
            self._texts.unlink(missing_ok=True)
            return
        self._stages.mkdir(exist_ok=True)
        with self._database() as database:
            self._do_with(NearJob(database, self._texts, self._method))

    def _do_with(self, job: NearJob) -> None:
        sketches, twins = self._folder / "sketches", self._stages / "twins.parquet"
        self._stage("texts", [job.texts], partial(number_texts, job, sketches))
        self._stage("twins", [twins], partial(write_twins, job, twins))
        job = replace(job, stopped=stopped_codes(job))
        grouped = self._group(job, self._join(job, twins))
        self._stage("groups", [self._groups], partial(self._write_groups, job, twins, grouped))

    def _write_groups(self, job: NearJob, twins: Path, grouped: Sequence[Path]) -> None:
        new = self._stages / "groups.parquet"
        write_groups(job, twins, grouped, new)
        new.rename(self._groups)

    def _join(self, job: NearJob, twins: Path) -> list[Path]:
        """The files of texts that share a key, one a partition."""
        n_rows = job.n_texts * self._method.keys_per_text(job.n_texts)
        n_parts = 1 + n_rows * _KEY_BYTES // (self._memory_bytes // 8)
        # Named by the number of parts: with other memory they are split anew.
        stages = [f"joined-{part:04}-of-{n_parts:04}" for part in range(n_parts)]
        joined = [self._stages / f"{stage}.parquet" for stage in stages]
        if all(map(self._log.is_done, stages)):
            self.n_found += n_parts
            return joined
        chunks = self._split(job, twins, n_parts)
        for stage, out, paths in zip(stages, joined, zip(*chunks, strict=True), strict=True):
            self._stage(stage, [out], partial(join_keys, job, paths, out))
        for stage in self._log.stages():
            if stage.startswith("keys-"):
                self._log.forget(stage)
        return joined

    def _split(self, job: NearJob, twins: Path, n_parts: int) -> list[list[Path]]:
        """The files of keys, by chunk of texts and by partition."""
        is_twin: NDArray[np.bool_] = np.zeros(job.n_texts, np.bool_)
        is_twin[pq.read_table(twins).column("number").to_numpy()] = True
        chunks = []
        for chunk in range(-(-pq.read_metadata(self._texts).num_row_groups // CHUNK_GROUPS)):
            stage = f"keys-{chunk:04}-of-{n_parts:04}"
            paths = [self._stages / f"{stage}-{part:04}.parquet" for part in range(n_parts)]
            self._stage(stage, paths, partial(split_keys, job, is_twin, chunk, paths))
            chunks.append(paths)
        return chunks

    def _group(self, job: NearJob, joined: Sequence[Path]) -> list[Path]:
        """The files of texts that are in the class of another, one a shard of components."""
        members = members_of(job.n_texts, joined)
        most = max(self._memory_bytes // 8 // self._method.member_bytes, _LEAST_FIRSTS)
        grouped = []
        for number, (start, stop) in enumerate(members.shards(_MEMBERS_PER_SHARD)):
            out = self._stages / f"grouped-{number:04}.parquet"
            shard = members.slice(start, stop)
            self._stage(
                f"grouped-{number:04}", [out], partial(group_members, job, shard, most, out)
            )
            grouped.append(out)
        return grouped
