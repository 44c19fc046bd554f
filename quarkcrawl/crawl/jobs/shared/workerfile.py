"""The file of a worker: what its feeds hold, and which group of requests that is.

The server says whether a group counts; the file says what was written for it. So after a crash
the feeds are what they were before or after the last group, as the server has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from quarkcrawl.crawl.jobs.jobfile import DurableFile
from quarkcrawl.frontier import FileKind

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

KIND: Final = FileKind(
    noun="worker",
    application_id=0x51_43_57_46,  # "QCWF"
    version=1,
    tables=(
        "CREATE TABLE meta (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID",
        "CREATE TABLE feeds (uri TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID",
        "CREATE TABLE written (uri TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID",
        "CREATE TABLE refused (host TEXT NOT NULL, url TEXT NOT NULL, reason TEXT NOT NULL)",
    ),
)


class WrittenGroup(NamedTuple):
    """A group whose items are in the feeds, and of which the server may not know."""

    server: int
    number: int


class WorkerFile(DurableFile):
    """The open file of a worker.

    Args:
        path: the file; created when it is absent or empty.
        readonly: look only.

    Raises:
        FrontierError: the file is none of a worker, is damaged or in use.
        StorageFullError: it could not be created for want of space.
    """

    def __init__(self, path: Path, *, readonly: bool = False) -> None:
        super().__init__(path, KIND, readonly=readonly)

    def announce(self, states: Mapping[str, str]) -> None:
        """Keep states whether or not the group that is written now will count."""
        self.write_feeds(states)
        self.commit()

    def written(self) -> WrittenGroup | None:
        """The group that was written last, if it was not heard whether it counts."""
        server, number = self.value("server"), self.value("number")
        if not isinstance(server, int) or not isinstance(number, int):
            return None
        return WrittenGroup(server, number)

    def write_group(
        self, group: WrittenGroup, states: Mapping[str, str], state: bytes | None
    ) -> None:
        """Note the states of feeds and spider (None: unchanged) before the server is told.

        The group counts if the server then knows a group of this number or a higher one.
        """
        self.run("DELETE FROM written")
        self.many("INSERT INTO written VALUES (?, ?)", states.items())
        self.set_value("server", group.server)
        self.set_value("number", group.number)
        if state is not None:
            self.set_value("written_state", state)
        self.commit()

    def end_group(self, *, counts: bool) -> None:
        """The group that was written counts, or is to be as if it had never been."""
        if counts:
            self.run("INSERT OR REPLACE INTO feeds SELECT uri, state FROM written")
            self.run(
                "INSERT OR REPLACE INTO meta SELECT 'state', value FROM meta "
                "WHERE name = 'written_state'"
            )
        self.run("DELETE FROM written")
        self.run("DELETE FROM meta WHERE name IN ('server', 'number', 'written_state')")
        self.commit()

    def note_refused(self, host: str, url: str, reason: str) -> None:
        """List a row of the server that is no request; durable with the next group."""
        self.run("INSERT INTO refused VALUES (?, ?, ?)", (host, url, reason))

    def refused(self) -> list[tuple[str, str, str]]:
        """Rows that were refused: host, URL and reason."""
        return [(host, url, reason) for host, url, reason in self.rows("SELECT * FROM refused")]
