"""``corpus.json``: the file that makes a folder a corpus."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Final

from quarkcrawl.errors import NotStoredError, StoreError
from quarkcrawl.store.appendfile import storage_errors, sync_folder, write_whole
from quarkcrawl.store.lock import CorpusLock

if TYPE_CHECKING:
    from pathlib import Path


MARKER: Final = "corpus.json"
FORMAT_VERSION: Final = 1
SHARDS: Final = "workers"
"""Folder of a shared crawl that holds a corpus for each worker; see ``shards``."""
SALVAGE_NOTE: Final = "salvage-in-progress"
"""File in a corpus while it is being salvaged; no writer opens it meanwhile."""


def create_marker(root: Path) -> None:
    """Make ``root`` a corpus unless it is one; of several that try at once, one does.

    Raises:
        CorpusLockedError: another does.
        StoreError: it is a corpus of a newer version, holds other things, or cannot be written.
    """
    with storage_errors(root):
        root.mkdir(parents=True, exist_ok=True)
        if not (root / MARKER).exists():
            _refuse_strangers(root)
            with CorpusLock(root):
                if not (root / MARKER).exists():
                    _write(root)
    check_marker(root)


def _refuse_strangers(root: Path) -> None:
    """A folder full of other things is most likely a mistake."""
    plain_names = {"LOCK", "journal", "analysis", "salvage"}
    for path in root.iterdir():
        plain = path.name in plain_names or path.name.startswith(("data_", ".", MARKER))
        # A crawl keeps its frontier, logs and summaries here, as plain files.
        if not plain and path.is_dir():
            raise StoreError("the folder holds other things and no corpus", where=root)


def _write(root: Path) -> None:
    about = {
        "format": "quarkcrawl-corpus",
        "version": FORMAT_VERSION,
        "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    with write_whole(root / MARKER) as file:
        file.write(json.dumps(about).encode("ascii") + b"\n")
    sync_folder(root)


def _why_not(root: Path) -> str:
    if re.match(r"[a-z0-9]+:/", str(root)):
        return "this command reads folders of this machine only; docs/guides/storage.md"
    if (root / SHARDS).is_dir():
        return "shards of several workers: make one corpus of them with `quarkcrawl corpus merge`"
    return "the folder is no corpus (corpus.json is missing)" if root.is_dir() else "no folder"


def check_marker(root: Path) -> None:
    """Raise unless ``root`` is a corpus that this version reads.

    Raises:
        StoreError: no such folder, no corpus, or one of a newer version.
    """
    path = root / MARKER
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        version = int(about["version"])
    except FileNotFoundError:
        raise NotStoredError(_why_not(root), where=root) from None
    except NotADirectoryError:
        raise NotStoredError("a file, no corpus", where=root) from None
    except OSError as error:
        raise StoreError(f"cannot read ({error.strerror})", where=path) from error
    except (ValueError, KeyError, TypeError):
        raise NotStoredError("the file does not describe a corpus", where=path) from None
    if not 1 <= version <= FORMAT_VERSION:
        raise StoreError(f"format version {version} is newer than this program", where=path)
