"""Totals and rules that the file carries, kept up incrementally and written at each commit."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from quarkcrawl.errors import FrontierError
from quarkcrawl.frontier.protocol import FrontierCounts, FrontierOptions

if TYPE_CHECKING:
    from quarkcrawl.frontier.sqlite.database import Database


@dataclass(slots=True)
class Totals:
    """Sums over all URLs and hosts; ``next_seq`` numbers arrivals."""

    seen: int = 0
    pending: int = 0
    leased: int = 0
    hosts: int = 0
    hosts_open: int = 0
    next_seq: int = 1
    ended: dict[str, int] = field(default_factory=dict)
    retried: dict[str, int] = field(default_factory=dict)

    @classmethod
    def load(cls, database: Database) -> Totals:
        """Read what the last commit wrote.

        Raises:
            FrontierError: the file does not hold what a frontier must.
        """
        return cls(**_read(database, "totals", cls))

    def save(self, database: Database) -> None:
        """Write into the open transaction."""
        _write(database, "totals", {each.name: getattr(self, each.name) for each in fields(self)})

    def end(self, reason: str, number: int = 1) -> None:
        """Count URLs that ended so."""
        count = self.ended.get(reason, 0) + number
        if count:
            self.ended[reason] = count
        else:
            self.ended.pop(reason, None)

    def retry(self, reason: str) -> None:
        """Count a failed try."""
        self.retried[reason] = self.retried.get(reason, 0) + 1

    def counts(self) -> FrontierCounts:
        """The totals as users see them."""
        return FrontierCounts(
            seen=self.seen,
            pending=self.pending,
            leased=self.leased,
            hosts=self.hosts,
            hosts_open=self.hosts_open,
            ended=dict(self.ended),
            retried=dict(self.retried),
        )


def load_options(database: Database) -> FrontierOptions:
    """The rules under which the file was last written."""
    return FrontierOptions(**_read(database, "options", FrontierOptions))


def save_options(database: Database, options: FrontierOptions) -> None:
    """Write the rules into the open transaction."""
    _write(database, "options", asdict(options))


def _read(database: Database, name: str, kind: type[Totals | FrontierOptions]) -> dict[str, Any]:
    """Fields of a stored record, empty if the file has none yet."""
    row = database.row("SELECT value FROM meta WHERE name = ?", (name,))
    if row is None:
        return {}
    try:
        value = json.loads(row[0])
    except (ValueError, TypeError):
        value = None
    if not isinstance(value, dict) or value.keys() != {each.name for each in fields(kind)}:
        raise FrontierError(f"damaged: its {name} cannot be read", where=database.path)
    return value


def _write(database: Database, name: str, value: dict[str, object]) -> None:
    database.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, json.dumps(value)))
