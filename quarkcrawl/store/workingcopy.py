"""Jobs on corpora and results in an object store: in a folder of this machine, then published.

A job is given a folder and knows nothing of the store. Of a corpus the tables are copied into it,
and those results that the job goes on from; page.dat files stay where they are, their records are
read by range. What the job makes is published from time to time and at its end (``publication``).

The folder lies below the one for temporary files (``TMPDIR``). It is removed when all is published;
after a failure it stays, and the next run of the job goes on with it, unless another machine has
published results meanwhile.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import time
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from quarkcrawl.errors import (
    ConfigError,
    NotStoredError,
    QuarkError,
    StorageUnreachableError,
    StoreError,
)
from quarkcrawl.store.appendfile import storage_errors, write_whole
from quarkcrawl.store.layout import write_elsewhere
from quarkcrawl.store.lock import CorpusLock
from quarkcrawl.store.marker import MARKER, SHARDS, check_marker
from quarkcrawl.store.publication import MARKS, Manifest, Publication
from quarkcrawl.store.robotslog import ROBOTS_LOG
from quarkcrawl.store.shards import shard_roots
from quarkcrawl.store.storagepath import StoragePath
from quarkcrawl.store.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence


PUBLISH_EVERY_S: Final = 60.0
"""How often what a job has finished is published while it runs."""

_BASE: Final = "base"
T = TypeVar("T")


class JobFolder:
    """A folder of this machine that a job works in.

    Args:
        path: the folder.
        place: where it is published; None: nowhere, the folder is what the user named.
        publish: publishes what is finished; None: it is only read, or published at the end alone.
    """

    def __init__(
        self,
        path: Path,
        place: StoragePath | None = None,
        publish: Callable[[], None] | None = None,
    ) -> None:
        self.path = path
        self.place = place
        self._publish = publish
        self._published_at = time.monotonic()

    def named(self, text: str) -> str:
        """A text with paths of the folder, with those of the place instead.

        Args:
            text: a path or a message.
        """
        if self.place is None:
            return text
        return text.replace(str(self.path), str(self.place).partition("?")[0].rstrip("/"))

    def followed(self, on_progress: Callable[[T], None] | None) -> Callable[[T], None] | None:
        """A function to be called after each page: also publishes what is finished, if it is time.

        Args:
            on_progress: called first.
        """
        publish = self._publish
        if publish is None:
            return on_progress

        def follow(report: T) -> None:
            if on_progress is not None:
                on_progress(report)
            if time.monotonic() - self._published_at >= PUBLISH_EVERY_S:
                publish()
                self._published_at = time.monotonic()

        return follow


@contextmanager
def working_copy(
    root: Path | str, results: Collection[str] = (), *, writes: bool = False
) -> Iterator[JobFolder]:
    """A corpus for a job: the folder itself, or a working copy of one in an object store.

    Args:
        root: a corpus, or a folder of shards.
        results: folders below ``analysis`` that the job reads or makes, as ``"labels"``.
        writes: whether it makes any; they are published.

    Raises:
        CorpusLockedError: another job is writing there, or another run of this one here.
        StoreError: it is no corpus, or cannot be read or written.
    """
    place = StoragePath(str(root))
    if not place.is_uri:
        yield JobFolder(Path(root))
        return

    def is_result(name: str) -> bool:
        return any(name.startswith(f"analysis/{folder}/") for folder in results)

    with _job_folder(place, is_result, sorted(results), writes=writes) as job:
        copy_tables(place, job.path)
        for shard in _found_corpora(place):
            if shard != place:  # its results are published by itself
                Publication(shard, job.path / SHARDS / shard.name, is_result).fetch()
        yield job


@contextmanager
def results_folder(
    out: Path | str, folder: str = "", *, replaced: bool = False
) -> Iterator[JobFolder]:
    """A folder for the results of a job: that which the user named, or one that is published.

    Args:
        out: where the results are to be.
        folder: the folder in it that the job goes on with; "": all.
        replaced: the job makes all anew: only the marks of what is there are copied, and what the
            job has made is published only if it ended well.

    Raises:
        CorpusLockedError: another job is writing there, or another run of this one here.
        StoreError: it cannot be read or written.
    """
    place = StoragePath(str(out))
    if not place.is_uri:
        yield JobFolder(Path(out))
        return
    start = f"{folder}/" if folder else ""

    def is_result(name: str) -> bool:
        return name.startswith(start)

    with _job_folder(place, is_result, [folder], writes=True, replaced=replaced) as job:
        yield job


@contextmanager
def read_results(out: Path | str, folder: str) -> Iterator[JobFolder]:
    """A folder of results for reading: that which the user named, or a copy of what is published.

    Args:
        out: where the results are.
        folder: the folder in it that is wanted.

    Raises:
        StoreError: they cannot be read.
    """
    place = StoragePath(str(out))
    if not place.is_uri:
        yield JobFolder(Path(out))
        return

    def is_result(name: str) -> bool:
        return name.startswith(f"{folder}/")

    with _job_folder(place, is_result, [folder], writes=False) as job:
        yield job


@contextmanager
def _job_folder(
    place: StoragePath,
    is_result: Callable[[str], bool],
    results: Sequence[str],
    *,
    writes: bool,
    replaced: bool = False,
) -> Iterator[JobFolder]:
    if not writes:
        with tempfile.TemporaryDirectory(prefix="quarkcrawl-") as name:
            job = JobFolder(Path(name) / place.name, place)
            job.path.mkdir()
            with _named(job):
                Publication(place, job.path, is_result).fetch()
                yield job
        return
    base = _base_folder(place, results)
    with CorpusLock(base), ExitStack() as stack:
        path = base / "files" / (place.name or "results")
        publication = Publication(place, path, is_result)
        publish = partial(_publish, base, publication, goes_on=not replaced)
        job = JobFolder(path, place, None if replaced else publish)
        stack.callback(_release, publication)  # first, for to claim may fail half-way
        publication.claim(adopts=not replaced)
        _prepare(base, job, publication, replaced=replaced)
        try:
            with _named(job):
                yield job
        except StorageUnreachableError:
            raise
        except BaseException:
            if not replaced:
                publish()
            raise
        publish()
        shutil.rmtree(base, ignore_errors=True)


def _prepare(base: Path, job: JobFolder, publication: Publication, *, replaced: bool) -> None:
    """Bring the folder to what is published, unless it is that of a run that goes on from there."""
    base_manifest = base / _BASE
    with storage_errors(base):
        is_same = base_manifest.exists() and _state(publication.manifest()) in _known_states(
            base_manifest
        )
        if not is_same or replaced:
            shutil.rmtree(base / "files", ignore_errors=True)
        if not replaced or publication.manifest().files:
            job.path.mkdir(parents=True, exist_ok=True)
        else:
            job.path.parent.mkdir(parents=True, exist_ok=True)
    if not is_same or replaced:
        matches = (lambda name: name in MARKS) if replaced else lambda _: True
        publication.fetch(matches, parts=True)
        if not replaced:
            publication.note_digests()
        _keep_states(base, [publication.manifest()])


def _publish(base: Path, publication: Publication, *, goes_on: bool) -> None:
    try:
        if publication.publish(partial(_keep_states, base)):
            _keep_states(base, [publication.manifest()])
    except StorageUnreachableError as error:
        if not goes_on:
            raise
        message = f"{error.message}; what is done is in {base}, the next run publishes it"
        raise StorageUnreachableError(message, where=error.where) from error


def _keep_states(base: Path, manifests: Sequence[Manifest]) -> None:
    """Note what the manifest may be; of any other, another machine has published results."""
    states = [_state(manifest) for manifest in manifests]
    with storage_errors(base), write_whole(base / _BASE) as file:
        file.write(json.dumps(states).encode())


def _known_states(path: Path) -> list[object]:
    try:
        states = json.loads(path.read_bytes())
    except ValueError:
        return []
    return states if isinstance(states, list) else []


def _state(manifest: Manifest) -> dict[str, list[object]]:
    """Tells what is published from what was before."""
    return {name: [one.size, one.digest] for name, one in manifest.files.items()}


def _release(publication: Publication) -> None:
    with suppress(StorageUnreachableError):  # the next one here finds that its process is dead
        publication.release()


@contextmanager
def _named(job: JobFolder) -> Iterator[None]:
    """Errors name the place, not the folder."""
    try:
        yield
    except QuarkError as error:
        where = None if error.where is None else job.named(error.where)
        QuarkError.__init__(error, job.named(error.message), where=where)
        raise


def _base_folder(place: StoragePath, results: Sequence[str]) -> Path:
    """The folder for jobs on these results of a place, none of others; nobody else can reach it."""
    of_user = Path(tempfile.gettempdir()) / f"quarkcrawl-{os.getuid()}"
    with storage_errors(of_user):
        of_user.mkdir(mode=0o700, exist_ok=True)
        status = of_user.lstat()
        if status.st_uid != os.getuid() or status.st_mode & 0o077:
            raise StoreError("belongs to others; set TMPDIR to another folder", where=of_user)
        digest = hashlib.blake2b(
            "\n".join([place.text, *results]).encode(), digest_size=8
        ).hexdigest()
        folder = of_user / f"{place.name}-{digest}"
        folder.mkdir(exist_ok=True)
    return folder


# The tables of a corpus


def folder_here(root: Path | str, work: str) -> Path:
    """A folder of this machine, for work that cannot be done on a copy of one elsewhere.

    Args:
        root: a path.
        work: what is to be done, as ``"tasks"``.

    Raises:
        ConfigError: it is a URI.
    """
    if StoragePath(str(root)).is_uri:
        raise ConfigError(f"{work} work on folders that all machines see by a path", where=root)
    return Path(root)


def corpus_places(root: Path | str) -> list[Path | str]:
    """The corpora that a folder or URI stands for: its shards, or itself.

    Args:
        root: a corpus, or a folder of shards.

    Raises:
        StoreError: it is neither.
    """
    place = StoragePath(str(root))
    if not place.is_uri:
        return [*shard_roots(root)]
    return [one.text for one in _stored_corpora(place)]


def is_stored_corpus(place: StoragePath) -> bool:
    """Whether a URI names a corpus or a folder of shards.

    Args:
        place: any URI.

    Raises:
        StoreError: nobody can say.
    """
    return bool(_found_corpora(place))


def _stored_corpora(place: StoragePath) -> list[StoragePath]:
    names = _found_corpora(place)
    if not names:
        raise NotStoredError(f"the folder is no corpus ({MARKER} is missing)", where=place)
    return names


def _found_corpora(place: StoragePath) -> list[StoragePath]:
    if (place / MARKER).exists():
        return [place]
    names = (place / SHARDS).sizes()
    shards = sorted(name.partition("/")[0] for name in names if name.partition("/")[2] == MARKER)
    return [place / SHARDS / shard for shard in shards]


def copy_tables(place: StoragePath, folder: Path) -> None:
    """Copy what is known of the pages of a corpus, or of shards; their records stay where they are.

    Args:
        place: the corpus, or folder of shards.
        folder: where the copy goes; tables that are there are replaced.

    Raises:
        StoreError: it is no corpus, or cannot be read.
    """
    for corpus in _stored_corpora(place):
        below = folder if corpus == place else folder / SHARDS / corpus.name
        _copy_tables(corpus, below)


def _copy_tables(place: StoragePath, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("journal", *(f"analysis/{table}" for table in TABLES.values())):
        shutil.rmtree(folder / name, ignore_errors=True)
        for below in (place / name).sizes():
            target = folder / name / below
            target.parent.mkdir(parents=True, exist_ok=True)
            (place / name / below).fetch(target)
    if (place / ROBOTS_LOG).exists():
        (place / ROBOTS_LOG).fetch(folder / ROBOTS_LOG)
    write_elsewhere(folder, place)
    (place / MARKER).fetch(folder / MARKER)
    check_marker(folder)
