"""What a crash or a bad disk left: recovery at the next start, verification, salvage."""

from quarkcrawl.store.repair.recovery import Recovery, recover
from quarkcrawl.store.repair.salvage import SalvageReport, salvage
from quarkcrawl.store.repair.verify import Problem, verify

__all__ = ["Problem", "Recovery", "SalvageReport", "recover", "salvage", "verify"]
