"""What an archive is given as: WARC files, lists of their paths, or a columnar index of records."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quarkcrawl.errors import ConfigError, InputError
from quarkcrawl.store import MARKER, StoragePath, is_sharded, is_stored_corpus

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


_WARC: Final = (".warc", ".warc.gz")
_INDEX: Final = (".parquet",)
_LIST: Final = (".paths", ".paths.gz")


@dataclass(frozen=True, slots=True)
class ArchiveSources:
    """The files of an archive; one of the two is empty.

    Args:
        warcs: names of WARC files, as lists have them, and where they are.
        indexes: Parquet files of an index, whose rows name WARC files.
        base: where these are.
    """

    warcs: tuple[tuple[str, StoragePath], ...]
    indexes: tuple[StoragePath, ...]
    base: StoragePath

    def path(self, name: str) -> StoragePath:
        """Where the WARC file of an index row is."""
        return self.base / name


def is_archive(word: str) -> bool:
    """Whether a word on the command line names an archive rather than a page or a corpus.

    Args:
        word: a path or URI.
    """
    if word.lower().startswith(("http://", "https://")):
        return False
    if word.endswith((*_WARC, *_INDEX, *_LIST)):
        return True
    place = StoragePath(word)
    if place.is_uri:
        return not is_stored_corpus(place)
    path = Path(word)
    if not path.is_dir() or (path / MARKER).exists() or is_sharded(path):
        return False
    return any(one.name.endswith((*_WARC, *_INDEX)) for one in path.rglob("*"))


def archive_sources(words: Sequence[str], base: str = "") -> ArchiveSources:
    """Find the files of an archive.

    Args:
        words: WARC files, lists of paths (``*.paths``, ``*.paths.gz``), index files
            (``*.parquet``), or folders of such files.
        base: folder or URI before the names in lists and index; "" for the working directory.

    Raises:
        ConfigError: WARC files beside an index: which records are wanted?
        InputError: a word names none of these, or a list cannot be read.
        StoreError: a file is not there.
    """
    root = StoragePath(base)
    warcs: dict[str, StoragePath] = {}
    indexes: list[StoragePath] = []
    for name, path in _listed(words, root):
        if path.name.endswith(_WARC):
            warcs[name] = path
        elif path.name.endswith(_INDEX):
            indexes.append(path)
        else:
            raise InputError(
                "is no WARC file, list of paths (*.paths) or Parquet index", where=path
            )
    if warcs and indexes:
        raise ConfigError("give either WARC files or an index of them, not both", where=words[0])
    return ArchiveSources(tuple(warcs.items()), tuple(indexes), root)


def _listed(words: Iterable[str], base: StoragePath) -> Iterable[tuple[str, StoragePath]]:
    """Every file, with the name under which it is known."""
    for word in words:
        path = StoragePath(word)
        if path.name.endswith(_LIST):
            for name in _lines(path):
                yield name, base / name
        elif path.name.endswith((*_WARC, *_INDEX)):
            yield word, path
        else:
            below = path.files()
            archives = [one for one in below if one.name.endswith((*_WARC, *_INDEX))]
            if not archives:
                raise InputError("holds no WARC file and no Parquet index", where=path)
            yield from ((str(one), one) for one in archives)


def _lines(path: StoragePath) -> list[str]:
    """The names in a list."""
    data = path.read_bytes()
    try:
        text = (gzip.decompress(data) if path.name.endswith(".gz") else data).decode()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise InputError(f"is no list of paths ({error})", where=path) from error
    names = [line.strip() for line in text.splitlines() if line.strip()]
    if not names:
        raise InputError("names no file", where=path)
    return names
