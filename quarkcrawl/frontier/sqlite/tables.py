"""The tables that the parts of a frontier work on together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quarkcrawl.frontier.sqlite.hosts import HostTable
    from quarkcrawl.frontier.sqlite.leases import LeaseBook
    from quarkcrawl.frontier.sqlite.totals import Totals
    from quarkcrawl.frontier.sqlite.waiting import WaitingTable


@dataclass(frozen=True, slots=True)
class FrontierTables:
    """Hosts, URLs that wait, URLs that are out on lease, and the sums over all of them."""

    hosts: HostTable
    waiting: WaitingTable
    leases: LeaseBook
    totals: Totals
