"""The workbench's JSON operations."""

from quarkcrawl.workbench.web.api.campaigns import campaign_runner
from quarkcrawl.workbench.web.api.datasets import RULE_NAMES, dataset_runner
from quarkcrawl.workbench.web.api.marking import progress
from quarkcrawl.workbench.web.api.pages import METHODS
from quarkcrawl.workbench.web.api.pictures import pictures_model
from quarkcrawl.workbench.web.api.routes import OPERATIONS
from quarkcrawl.workbench.web.api.sql import MOST_SQL_CHARS, cell_text
from quarkcrawl.workbench.web.api.templates import template_detail, template_list
from quarkcrawl.workbench.web.api.trace import MOST_URL_CHARS, traced

__all__ = [
    "METHODS",
    "MOST_SQL_CHARS",
    "MOST_URL_CHARS",
    "OPERATIONS",
    "RULE_NAMES",
    "campaign_runner",
    "cell_text",
    "dataset_runner",
    "pictures_model",
    "progress",
    "template_detail",
    "template_list",
    "traced",
]
