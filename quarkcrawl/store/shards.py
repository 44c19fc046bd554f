"""The shards of a shared crawl: each worker writes a corpus of its own.

    out/workers/001/corpus.json, data_N/…, analysis/…, journal/…
    out/workers/001/worker        name of the worker in its campaign

A worker takes the first shard that no living process holds (the kernel drops the lock of a dead
one), so a worker that is started again goes on where the dead one stopped, under its name: what
that one had stored but not acknowledged is in the journal and is not fetched again. Workers on
other machines write folders of their own, or the same one if its file system knows locks.
"""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quarkcrawl.errors import CorpusLockedError, StoreError
from quarkcrawl.store.appendfile import storage_errors
from quarkcrawl.store.marker import MARKER, SHARDS, check_marker
from quarkcrawl.store.writer import CorpusWriter

if TYPE_CHECKING:
    from collections.abc import Callable


_NAME: Final = "worker"
_MOST: Final = 10_000


def is_sharded(root: Path | str) -> bool:
    """Whether a folder holds the shards of workers and is no corpus itself.

    Args:
        root: any folder.
    """
    root = Path(root)
    return (root / SHARDS).is_dir() and not (root / MARKER).exists()


def shard_roots(root: Path | str) -> list[Path]:
    """The corpora that a folder stands for: its shards, or itself.

    Args:
        root: a corpus, or a folder of shards.

    Raises:
        StoreError: it is neither.
    """
    root = Path(root)
    if not is_sharded(root):
        check_marker(root)
        return [root]
    return sorted(path.parent for path in (root / SHARDS).glob(f"*/{MARKER}"))


def open_shard(out: Path, *, on_rotate: Callable[[], None] | None = None) -> CorpusWriter:
    """Open the first shard that nobody writes to, or a new one.

    Args:
        out: folder of the shards, made if it is missing.
        on_rotate: called before a closed journal file is compacted, see `CorpusWriter`.

    Raises:
        StoreError: the folder is a corpus, or cannot be written.
    """
    if (out / MARKER).exists():
        message = "a corpus of one process; a shared crawl needs a folder of its own"
        raise StoreError(message, where=out)
    for number in range(1, _MOST):
        try:
            return CorpusWriter(out / SHARDS / f"{number:03}", on_rotate=on_rotate)
        except CorpusLockedError:
            continue
    raise StoreError(f"more than {_MOST} workers", where=out)


def worker_of(shard: Path, host_name: str) -> str:
    """Name of the worker that writes a shard; made once and kept. The caller holds the lock.

    Args:
        shard: folder of the shard.
        host_name: name of this machine.

    Raises:
        StoreError: the folder cannot be written.
    """
    path = shard / _NAME
    with storage_errors(path):
        stored_name = path.read_text(encoding="utf-8").strip() if path.exists() else ""
        if stored_name:
            return stored_name
        name = f"{host_name}-{shard.name}-{secrets.token_hex(4)}"
        path.write_text(name + "\n", encoding="utf-8")
    return name
