"""Records read out of damaged files, and the rows that belong to them."""

from quarkcrawl.store.repair.salvage.file import KeptRecord
from quarkcrawl.store.repair.salvage.salvage import SalvageReport, salvage

__all__ = ["KeptRecord", "SalvageReport", "salvage"]
