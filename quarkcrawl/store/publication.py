"""Results of a job in an object store: whole by a manifest, for there is no rename.

    s3://bucket/rows/_results.json              which files there are, with size and digest
    s3://bucket/rows/_writer.json               who is writing, while someone is
    s3://bucket/rows/quark/bucket=214/part-000001.parquet

A job works in a folder of this machine, whose files appear whole; from time to time and at its end
they are published: files that will change or go leave the manifest, then the new ones are written,
then they enter it. Readers believe the manifest alone, so they never see a file that is half
written or of another time. What a killed writer has uploaded without saying so is written again.

Two writers: the second is refused while `_writer.json` is there, unless its process was on this
machine and is dead. S3 cannot promise that only one of two that come within the same moment wins;
each looks again before it touches the manifest, and the one that finds another's name stops.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.errors import CorpusLockedError, StoreError
from quarkcrawl.store.lock import holder_note, holder_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from quarkcrawl.store.storagepath import StoragePath


MANIFEST: Final = "_results.json"
WRITER: Final = "_writer.json"
MARKS: Final = ("dataset.json", "_options.json")
"""Names of files by which a folder of results is known; they are written last and go first."""

_AT_ONCE: Final = 8
_TRIES: Final = 5


@dataclass(frozen=True, slots=True)
class FileNote:
    """What the manifest says of a file; without digest if others have put it there."""

    size: int
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """The files of a folder of results.

    Args:
        files: by name from the folder on.
        is_whole: False while files are being replaced.
        coming: names that a writer is about to use; one that was killed has left half of them.
    """

    files: Mapping[str, FileNote] = field(default_factory=dict)
    is_whole: bool = True
    coming: Sequence[str] = ()


class Publication:
    """A folder of this machine and the place in an object store where its files are published.

    Args:
        place: where.
        folder: where a job works.
        is_result: which files are of this job, by name; others are left alone.
    """

    def __init__(self, place: StoragePath, folder: Path, is_result: Callable[[str], bool]) -> None:
        self.place = place
        self.folder = folder
        self._is_result = is_result
        self._note = place / MANIFEST
        self._writer = place / WRITER
        self._token = ""
        self._digests: dict[str, tuple[tuple[int, int], FileNote]] = {}

    # What is there

    def manifest(self) -> Manifest:
        """The files that are published; those of a folder without manifest as they are listed.

        Raises:
            StoreError: the manifest cannot be read.
        """
        if self._note.exists():
            data = self._note.read_bytes()
            try:
                noted = json.loads(data)
                files = {name: FileNote(**one) for name, one in noted["files"].items()}
                return Manifest(files, noted["is_whole"], noted["coming"])
            except (ValueError, KeyError, TypeError, AttributeError):
                raise StoreError("is no list of results", where=self._note) from None
        listed = self.place.sizes()
        return Manifest(
            {
                name: FileNote(size)
                for name, size in listed.items()
                if self._is_result(name) and name not in {MANIFEST, WRITER}
            }
        )

    def fetch(
        self, matches: Callable[[str], bool] = lambda _: True, *, parts: bool = False
    ) -> None:
        """Copy the published files of this job into the folder.

        Args:
            matches: which of them.
            parts: whether what is left of files that are being replaced will do.

        Raises:
            StoreError: one is not what the manifest says, or cannot be read.
        """
        before = self.manifest()
        fetched: set[str] = set()
        for _ in range(_TRIES):
            if not (before.is_whole or parts):
                message = "its results are being written, or their writer was stopped; run it again"
                raise StoreError(message, where=self.place)
            mine = {n: one for n, one in before.files.items() if self._is_result(n) and matches(n)}
            for name in fetched - mine.keys():  # of an earlier list
                (self.folder / name).unlink(missing_ok=True)
            fetched = set(mine)
            wrong = [one for one in _at_once(self._fetch, mine.items()) if one is not None]
            after = self.manifest()
            if not wrong:
                return
            if after == before:
                raise StoreError("is not what the list of results says", where=wrong[0])
            before = after  # a writer was at work
        raise StoreError("the results change faster than they can be read", where=self.place)

    def _fetch(self, entry: tuple[str, FileNote]) -> StoragePath | None:
        """Copy a file; gives its place if it is not the one that was noted."""
        name, noted = entry
        source, target = self.place / name, self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            source.fetch(target)
        except StoreError as error:
            if isinstance(error.__cause__, FileNotFoundError):
                return source
            raise
        here = self._noted(name)
        is_same = here.size == noted.size and noted.digest in {None, here.digest}
        if not is_same:
            target.unlink()
        return None if is_same else source

    # Writing

    def claim(self, *, adopts: bool = True) -> None:
        """Become the writer of the place.

        Args:
            adopts: whether files that others have put there become results.

        Raises:
            CorpusLockedError: another one is.
            StoreError: the place cannot be written.
        """
        self._refuse_another()
        self._token = secrets.token_hex(8)
        self._writer.put(json.dumps({**holder_note(), "token": self._token}).encode() + b"\n")
        self._refuse_another()
        if not self._note.exists():
            manifest = self.manifest()
            if adopts or not manifest.files:
                self._put(manifest)

    def note_digests(self) -> None:
        """Put the digests of fetched files that others have brought into the manifest.

        Without them each would count as changed, and leave the manifest until it is written again.

        Raises:
            CorpusLockedError: another writer has taken the place.
            StoreError: it cannot be written.
        """
        there = self.manifest()
        unknown = [name for name, one in there.files.items() if one.digest is None]
        notes = {name: self._noted(name) for name in unknown if (self.folder / name).is_file()}
        if notes:
            self._refuse_another()
            self._put(Manifest({**there.files, **notes}, there.is_whole, there.coming))

    def _holder(self) -> dict[str, Any]:
        if not self._writer.exists():
            return {}
        try:
            holder = json.loads(self._writer.read_bytes())
        except ValueError:
            holder = None
        return holder if isinstance(holder, dict) else {"token": "?"}

    def _refuse_another(self) -> None:
        holder = self._holder()
        if self._token and holder.get("token") == self._token:
            return
        if self._token or (holder and not _is_dead(holder)):
            hint = "if that process is gone, delete this object"
            message = f"in use by {holder_words(holder)}; {hint}"
            raise CorpusLockedError(message, where=self._writer)

    def release(self) -> None:
        """Let the next writer in."""
        if self._token and self._holder().get("token") == self._token:
            self._writer.delete()
        self._token = ""

    def publish(self, expect: Callable[[Sequence[Manifest]], None] = lambda _: None) -> bool:
        """Bring the place to what the folder holds; whether anything had changed.

        Args:
            expect: is told what the manifest may be from now on, whenever this is stopped.

        Raises:
            CorpusLockedError: another writer has taken the place.
            StoreError: it cannot be written; readers see what they saw before, or less.
        """
        here = {name: self._noted(name) for name in _names(self.folder) if self._is_result(name)}
        there = self.manifest()
        others = {name: one for name, one in there.files.items() if not self._is_result(name)}
        before = {name: one for name, one in there.files.items() if name not in others}
        new = {name for name, one in here.items() if one != before.get(name)}
        gone = {name for name in (*before, *there.coming) if name not in here}
        if not new and not gone and there.is_whole:
            return False
        self._refuse_another()
        stay = {name: one for name, one in before.items() if here.get(name) == one}
        is_whole = len(stay) == len(before)
        shorter = Manifest(others | stay, is_whole=is_whole, coming=sorted(new))
        after = Manifest(others | here)
        expect([there, shorter, after])
        self._put(shorter)
        if not is_whole:
            _at_once(
                lambda name: (self.place / name).delete(),
                filter(_is_mark, before.keys() - stay.keys()),
            )
        _at_once(self._upload, sorted(name for name in new if not _is_mark(name)))
        _at_once(self._upload, sorted(filter(_is_mark, new)))
        self._refuse_another()
        self._put(after)
        _at_once(lambda name: (self.place / name).delete(), gone)
        return True

    def _upload(self, name: str) -> None:
        (self.place / name).put(self.folder / name)

    def _put(self, manifest: Manifest) -> None:
        files = {name: asdict(one) for name, one in sorted(manifest.files.items())}
        about = {"format": "quarkcrawl-results", "version": 1, "written": _now()}
        state = {"is_whole": manifest.is_whole, "coming": list(manifest.coming)}
        text = json.dumps({**about, **state, "files": files}, indent=0)
        self._note.put(text.encode() + b"\n")

    def _noted(self, name: str) -> FileNote:
        """Size and digest of a file here; read anew only if it has changed."""
        path = self.folder / name
        status = path.stat()
        state = (status.st_size, status.st_mtime_ns)
        entry = self._digests.get(name)
        if entry is None or entry[0] != state:
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16))
            entry = self._digests[name] = state, FileNote(state[0], digest.hexdigest())
        return entry[1]


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _is_mark(name: str) -> bool:
    return name.rpartition("/")[2] in MARKS


def _names(folder: Path) -> Iterable[str]:
    """Files below a folder that are whole and no lock."""
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        hidden = any(part.startswith(".") for part in name.split("/"))
        if not hidden and path.name != "LOCK" and path.is_file():
            yield name


def _is_dead(holder: Mapping[str, Any]) -> bool:
    """Whether a writer was a process of this machine that is no more."""
    if holder.get("host_name") != socket.gethostname():
        return False
    if holder.get("pid") == os.getpid():  # of a container that was started anew
        return True
    try:
        os.kill(int(holder["pid"]), 0)
    except ProcessLookupError:
        return True
    except (OSError, KeyError, TypeError, ValueError):
        return False
    return False


def _at_once(function: Callable[[Any], Any], values: Iterable[Any]) -> list[Any]:
    """Results in the order of the values; some calls wait for the server at the same time."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return list(pool.map(function, values))
