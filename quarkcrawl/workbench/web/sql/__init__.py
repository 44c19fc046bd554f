"""SQL on the tables of a corpus, asked by people."""

from quarkcrawl.workbench.web.sql.query import TABLES
from quarkcrawl.workbench.web.sql.runner import SqlRunner

__all__ = ["TABLES", "SqlRunner"]
