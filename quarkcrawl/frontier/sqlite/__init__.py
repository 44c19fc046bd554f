"""The frontier of one process, in a SQLite file."""

from quarkcrawl.frontier.sqlite.database import Database
from quarkcrawl.frontier.sqlite.frontier import SqliteFrontier
from quarkcrawl.frontier.sqlite.scheduler import robots_url
from quarkcrawl.frontier.sqlite.schema import pack

__all__ = ["Database", "SqliteFrontier", "pack", "robots_url"]
