"""Records read out of damaged files, and the rows that belong to them."""

from quarkcrawl.store.repair.salvage.file import KeptRecord
from quarkcrawl.store.repair.salvage.report import SalvageReport
from quarkcrawl.store.repair.salvage.salvage import salvage

__all__ = ["KeptRecord", "SalvageReport", "salvage"]
