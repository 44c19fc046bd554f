"""The frontier of one process, in a SQLite file."""

from quarkcrawl.frontier.sqlite.database import Database
from quarkcrawl.frontier.sqlite.frontier import SqliteFrontier
from quarkcrawl.frontier.sqlite.schema import pack
from quarkcrawl.frontier.sqlite.walk import robots_url

__all__ = ["Database", "SqliteFrontier", "pack", "robots_url"]
