"""The frontier of one process, in a SQLite file."""

from quarkcrawl.frontier.sqlite.file import FileKind, SqliteFile
from quarkcrawl.frontier.sqlite.frontier import SqliteFrontier

__all__ = ["FileKind", "SqliteFile", "SqliteFrontier"]
