"""The URLs that were seen, and those that wait, host by host in the order of the walk.

A host's queue is ordered by level, then by the time before which a retried URL may not be asked,
then by arrival. Whether the host can give a URL now therefore depends on the first row alone.
The first few rows of a host at work are held in memory as its *window*: always exactly the
lowest ones, without those that are out on lease. ``complete`` says that nothing lies beyond it.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.errors import FrontierError
from quarkcrawl.frontier.keys import pack
from quarkcrawl.frontier.protocol import level_of
from quarkcrawl.frontier.sqlite.database import WaitingRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from quarkcrawl.frontier.protocol import Candidate
    from quarkcrawl.frontier.sqlite.database import Database
    from quarkcrawl.frontier.sqlite.hosts import HostRecord


COLUMNS: Final = "level, not_before, seq, key, url, origin, hops, tries"
WINDOW: Final = 16
WINDOW_ROWS_TOTAL: Final = 50_000
# The number of placeholders is rounded up to one of these, by repeating a key: SQLite compiles
# five statements in all, and one statement adds up to 256 keys.
SIZES: Final = (1, 4, 16, 64, 256)
INSERT_SEEN: Final = {
    size: f"INSERT OR IGNORE INTO seen VALUES {','.join(['(?)'] * size)} RETURNING key"  # noqa: S608
    for size in SIZES
}
SELECT_SEEN: Final = {
    size: f"SELECT key FROM seen WHERE key IN ({','.join('?' * size)})"  # noqa: S608
    for size in SIZES
}


class Queue:
    """Rows in the file and the windows on them.

    Attributes:
        out: tokens of the URLs that are out on lease, by key; their rows stay in the file.
    """

    def __init__(self, database: Database) -> None:
        self.out: dict[int, int] = {}
        self._database = database
        self._windows: dict[int, HostRecord] = {}
        self._held = 0

    def mark_seen(self, keys: Sequence[int]) -> set[int]:
        """Enter keys as seen and return those that were new."""
        new: set[int] = set()
        for start in range(0, len(keys), SIZES[-1]):
            chunk = list(keys[start : start + SIZES[-1]])
            size = next(size for size in SIZES if size >= len(chunk))
            chunk += chunk[-1:] * (size - len(chunk))
            new.update(key for (key,) in self._database.rows(INSERT_SEEN[size], chunk))
        return new

    def unseen(self, keys: Sequence[int]) -> set[int]:
        """Those keys that were never seen; nothing is entered."""
        seen: set[int] = set()
        for start in range(0, len(keys), SIZES[-1]):
            chunk = list(keys[start : start + SIZES[-1]])
            size = next(size for size in SIZES if size >= len(chunk))
            chunk += chunk[-1:] * (size - len(chunk))
            seen.update(key for (key,) in self._database.rows(SELECT_SEEN[size], chunk))
        return set(keys) - seen

    def add(self, rows: Sequence[tuple[HostRecord, WaitingRow]]) -> None:
        """Add new URLs to the file and to their hosts' windows."""
        self._database.many(
            f"INSERT INTO waiting (host, {COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?)",  # noqa: S608
            [
                (host.id, *row[:4], pack(row.url), _packed(row.origin), row.hops, row.tries)
                for host, row in rows
            ],
        )
        for host, row in rows:
            self.show(host, row)

    def head(self, host: HostRecord) -> WaitingRow:
        """The first row of a host with rows that are not out.

        Raises:
            FrontierError: there is none, against what the host's record says.
        """
        if not host.window:
            host.window = self.first(host, WINDOW)
            host.complete = len(host.window) >= host.pending
            self._hold(host, len(host.window))
        if not host.window:
            message = f"damaged: {host.pending} URLs of {host.name} should wait, but none is there"
            raise FrontierError(message, where=self._database.path)
        return host.window[0]

    def take(self, host: HostRecord) -> WaitingRow:
        """Take the head out of the window; its row stays in the file."""
        row = host.window.pop(0)
        self._held -= 1
        if not host.window:
            self._windows.pop(host.id, None)
        return row

    def show(self, host: HostRecord, row: WaitingRow) -> None:
        """Put a row that is in the file into the window, if it belongs there."""
        window = host.window
        if window and row < window[-1]:
            insort(window, row)
        elif host.complete and len(window) < WINDOW:
            window.append(row)
        else:
            host.complete = False
            return
        if len(window) > 2 * WINDOW:
            self._held -= len(window) - WINDOW
            del window[WINDOW:]
            host.complete = False
        self._hold(host, 1)

    def hide(self, host: HostRecord, row: WaitingRow) -> None:
        """Take a row out of the window, if it is there."""
        at = bisect_left(host.window, row)
        if at < len(host.window) and host.window[at].key == row.key:
            self._held -= 1
            del host.window[at]

    def lower(self, host: HostRecord, candidate: Candidate, key: int) -> None:
        """Move a URL that waits at a higher level to the candidate's, with its path."""
        # max_level spares nearly every link the look into the file: while a host's level k is
        # walked its pages offer URLs of level k + 1, and nothing waits beyond.
        if candidate.level >= host.max_level or key in self.out:
            return
        entry = self.find(key)
        if entry is None or entry[0] != host.id or level_of(entry[1].level) <= candidate.level:
            return
        level = entry[1].level - level_of(entry[1].level) + candidate.level
        row = entry[1]._replace(level=level, origin=candidate.origin, hops=candidate.hops)
        self.hide(host, entry[1])
        self.write(row)
        self.show(host, row)

    def write(self, row: WaitingRow) -> None:
        """Write a changed row to the file."""
        self._database.run(
            "UPDATE waiting SET level=?, not_before=?, origin=?, hops=?, tries=? WHERE key=?",
            (row.level, row.not_before, _packed(row.origin), row.hops, row.tries, row.key),
        )

    def delete(self, keys: Iterable[int]) -> None:
        """Remove rows from the file."""
        self._database.many("DELETE FROM waiting WHERE key=?", [(key,) for key in keys])

    def remove(self, key: int) -> bool:
        """Remove one row from the file; False if it is not there."""
        return self._database.run("DELETE FROM waiting WHERE key=?", (key,)) == 1

    def find(self, key: int) -> tuple[int, WaitingRow] | None:
        """Number of the host, and the row, of a URL that waits or is out."""
        sql = f"SELECT host, {COLUMNS} FROM waiting WHERE key=?"  # noqa: S608
        row = self._database.row(sql, (key,))
        return None if row is None else (row[0], self._row(row[1:]))

    def first(self, host: HostRecord, limit: int) -> list[WaitingRow]:
        """The host's first rows, read from the file, without those that are out."""
        sql = (
            f"SELECT {COLUMNS} FROM waiting WHERE host=?"  # noqa: S608
            " ORDER BY level, not_before, seq LIMIT ?"
        )
        rows = self._database.rows(sql, (host.id, limit + host.leased))
        return [self._row(row) for row in rows if row[3] not in self.out]

    def forget(self, host: HostRecord) -> None:
        """Drop the host's window; it is read again when needed."""
        self._held -= len(host.window)
        self._windows.pop(host.id, None)
        host.window = []
        host.complete = host.pending == 0

    def _row(self, columns: tuple[Any, ...]) -> WaitingRow:
        level, not_before, seq, key, url, origin, hops, tries = columns
        text = self._database.text
        origin = None if origin is None else text(origin)
        return WaitingRow(level, not_before, seq, key, text(url), origin, hops, tries)

    def _hold(self, host: HostRecord, rows: int) -> None:
        """Count rows added to a window; drop the windows of others if there are too many."""
        self._held += rows
        self._windows[host.id] = host
        if self._held > WINDOW_ROWS_TOTAL:
            for other in list(self._windows.values()):
                if other is not host:
                    self.forget(other)


def _packed(text: str | None) -> bytes | None:
    return None if text is None else pack(text)
