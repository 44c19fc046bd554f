"""The open page.dat files of a writer: the most recently used ones, a bounded number."""

from __future__ import annotations

import errno
from collections import OrderedDict
from typing import TYPE_CHECKING

from quarkcrawl.errors import StoreError
from quarkcrawl.store.appendfile import AppendFile, storage_errors
from quarkcrawl.store.layout import page_dat_path

if TYPE_CHECKING:
    from pathlib import Path


_TOO_MANY = frozenset({errno.EMFILE, errno.ENFILE})


class HostFiles:
    """Hands out the append file of a host.

    Args:
        root: the corpus.
        limit: most files kept open here; groups that still have to sync may hold further ones.
    """

    def __init__(self, root: Path, limit: int) -> None:
        self._root = root
        self._limit = max(1, limit)
        self._open: OrderedDict[str, AppendFile] = OrderedDict()
        self._new_folders: set[Path] = set()

    def get(self, host: str) -> AppendFile:
        """The host's file, opened (and its folder made) if need be.

        Raises:
            InputError: the host cannot be a folder name.
            StoreError: the file cannot be opened.
        """
        file = self._open.get(host)
        if file is None:
            file = self._open[host] = self._start(host)
            while len(self._open) > self._limit:
                self._open.popitem(last=False)[1].release()
        else:
            self._open.move_to_end(host)
        return file

    def _start(self, host: str) -> AppendFile:
        path = page_dat_path(self._root, host)
        if not path.exists():
            self._make_folder(path.parent)
        try:
            return AppendFile(path)
        except StoreError as error:
            cause = error.__cause__
            if not (isinstance(cause, OSError) and cause.errno in _TOO_MANY and self._open):
                raise
        self.close()  # let go of all others and try once more
        return AppendFile(path)

    def _make_folder(self, folder: Path) -> None:
        with storage_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
        self._new_folders.update((folder, folder.parent, self._root))

    def take_new_folders(self) -> set[Path]:
        """Folders with new entries since the last call; a group syncs them."""
        taken, self._new_folders = self._new_folders, set()
        return taken

    def close(self) -> None:
        """Let go of all files."""
        while self._open:
            self._open.popitem()[1].release()
