"""From one journal file to the next, and when the closed ones may go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quarkcrawl.store.journal import journal_files, open_journal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from quarkcrawl.store.appendfile import AppendFile
    from quarkcrawl.store.group import Group

__all__ = ["Rotation"]


class Rotation:
    """Keeps the active journal file; closes it at a cut once it is large enough.

    Args:
        root: the corpus.
        rotate_bytes: see `CorpusWriter`.
        on_rotate: see `CorpusWriter`.
    """

    def __init__(self, root: Path, rotate_bytes: int, on_rotate: Callable[[], None] | None) -> None:
        self._root = root
        self._rotate_bytes = rotate_bytes
        self._on_rotate = on_rotate
        self.force = False
        self.number = max((number for number, _ in journal_files(root)), default=1)
        self.journal: AppendFile = open_journal(root, self.number)

    def cut_at(self, group: Group) -> None:
        """A group was cut: the place to change files."""

    def acknowledged(self, group: Group) -> None:
        """All leases up to this group have ended."""

    def close(self) -> None:
        """Let go of the active file."""
        self.journal.release()
