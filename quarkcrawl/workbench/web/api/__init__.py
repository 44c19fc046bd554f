"""The workbench's JSON operations."""

from quarkcrawl.workbench.web.api.campaigns import campaign_runner
from quarkcrawl.workbench.web.api.datasets import RULE_NAMES, dataset_runner
from quarkcrawl.workbench.web.api.labels import labels_plain
from quarkcrawl.workbench.web.api.marking import progress
from quarkcrawl.workbench.web.api.pages import METHODS, PEERS, chosen_peers
from quarkcrawl.workbench.web.api.pictures import pictures_model
from quarkcrawl.workbench.web.api.rankcompare import (
    MOST_MOVERS,
    compared_ranks,
)
from quarkcrawl.workbench.web.api.routes import OPERATIONS
from quarkcrawl.workbench.web.api.runs import runs_plain
from quarkcrawl.workbench.web.api.seeds import (
    families_of,
    hosts_of_step,
    paged,
    seeds_summary,
)
from quarkcrawl.workbench.web.api.selecting import filter_told
from quarkcrawl.workbench.web.api.sql import MOST_SQL_CHARS, cell_text
from quarkcrawl.workbench.web.api.teaching import proposed, rule_fields, rule_list
from quarkcrawl.workbench.web.api.templates import template_detail, template_list
from quarkcrawl.workbench.web.api.trace import MOST_URL_CHARS, traced

__all__ = [
    "METHODS",
    "MOST_MOVERS",
    "MOST_SQL_CHARS",
    "MOST_URL_CHARS",
    "OPERATIONS",
    "PEERS",
    "RULE_NAMES",
    "campaign_runner",
    "cell_text",
    "chosen_peers",
    "compared_ranks",
    "dataset_runner",
    "families_of",
    "filter_told",
    "hosts_of_step",
    "labels_plain",
    "paged",
    "pictures_model",
    "progress",
    "proposed",
    "rule_fields",
    "rule_list",
    "runs_plain",
    "seeds_summary",
    "template_detail",
    "template_list",
    "traced",
]
