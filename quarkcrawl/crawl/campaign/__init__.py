"""A crawl's decisions: scope, seeds, robots, opt-out, outcomes, recovery after a kill."""

from quarkcrawl.crawl.campaign.aliases import LeaseLostError, Owners, page_owners, shared_owners
from quarkcrawl.crawl.campaign.campaign import Campaign
from quarkcrawl.crawl.campaign.control import (
    has_inbox,
    read_report,
    read_state,
    revive_urls,
    write_state,
)
from quarkcrawl.crawl.campaign.durable import STORAGE_FAULTS
from quarkcrawl.crawl.campaign.givenup import given_up
from quarkcrawl.crawl.campaign.hostfile import (
    count_hosts,
    parse_hosts,
    read_host_counts,
    read_hosts,
)
from quarkcrawl.crawl.campaign.optout import OptOut
from quarkcrawl.crawl.campaign.reasons import (
    CHANGED,
    HOST_FAULTS,
    KEPT,
    PASSING,
    REASONS,
    RETRIED,
    SILENCE,
    STORED,
    UNCHANGED,
    http_reason,
    is_failure,
)
from quarkcrawl.crawl.campaign.rebuild import rebuild_frontier
from quarkcrawl.crawl.campaign.robots import RobotsRules, robots_text
from quarkcrawl.crawl.campaign.scope import Scope
from quarkcrawl.crawl.campaign.seeds import leave_seeds, seed_candidates, spam_list

__all__ = [
    "CHANGED",
    "HOST_FAULTS",
    "KEPT",
    "PASSING",
    "REASONS",
    "RETRIED",
    "SILENCE",
    "STORAGE_FAULTS",
    "STORED",
    "UNCHANGED",
    "Campaign",
    "LeaseLostError",
    "OptOut",
    "Owners",
    "RobotsRules",
    "Scope",
    "count_hosts",
    "given_up",
    "has_inbox",
    "http_reason",
    "is_failure",
    "leave_seeds",
    "page_owners",
    "parse_hosts",
    "read_host_counts",
    "read_hosts",
    "read_report",
    "read_state",
    "rebuild_frontier",
    "revive_urls",
    "robots_text",
    "seed_candidates",
    "shared_owners",
    "spam_list",
    "write_state",
]
