"""The keys of all URLs ever offered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.frontier.sqlite.database import Database


class SeenSet:
    """The keys in the file."""

    # The number of placeholders is rounded up to one of these, by repeating a key: SQLite
    # compiles five statements in all, and one statement adds up to 256 keys.
    SIZES: Final = (1, 4, 16, 64, 256)

    def __init__(self, database: Database) -> None:
        self._database = database
        self._insert = {
            size: f"INSERT OR IGNORE INTO seen VALUES {','.join(['(?)'] * size)} RETURNING key"  # noqa: S608
            for size in self.SIZES
        }

    def add(self, keys: Sequence[int]) -> set[int]:
        """Add keys and return those that were new."""
        new: set[int] = set()
        largest = self.SIZES[-1]
        for start in range(0, len(keys), largest):
            chunk = list(keys[start : start + largest])
            size = next(size for size in self.SIZES if size >= len(chunk))
            chunk += chunk[-1:] * (size - len(chunk))
            new.update(key for (key,) in self._database.rows(self._insert[size], chunk))
        return new
