"""The frontier of a campaign over several Redis servers: each host has its server."""

from quarkcrawl.frontier.spread.batched import SpreadBatched
from quarkcrawl.frontier.spread.direct import SpreadFrontier
from quarkcrawl.frontier.spread.opening import (
    CollectingFrontier,
    SharedFrontier,
    agree_on_rules,
    collecting,
    open_shared,
)
from quarkcrawl.frontier.spread.placement import Placement

__all__ = [
    "CollectingFrontier",
    "Placement",
    "SharedFrontier",
    "SpreadBatched",
    "SpreadFrontier",
    "agree_on_rules",
    "collecting",
    "open_shared",
]
