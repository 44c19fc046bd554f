"""SQL on the tables of a corpus, asked by people."""

from quarkcrawl.workbench.web.sql.runner import SqlRunner
from quarkcrawl.workbench.web.sql.tables import described_tables

__all__ = ["SqlRunner", "described_tables"]
