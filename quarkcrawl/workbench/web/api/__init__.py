"""The workbench's JSON operations."""

from quarkcrawl.workbench.web.api.marking import progress
from quarkcrawl.workbench.web.api.pages import METHODS
from quarkcrawl.workbench.web.api.pictures import pictures_model
from quarkcrawl.workbench.web.api.routes import OPERATIONS
from quarkcrawl.workbench.web.api.sql import MOST_SQL_CHARS, cell_text
from quarkcrawl.workbench.web.api.teaching import proposed, rule_fields, rule_list
from quarkcrawl.workbench.web.api.templates import template_detail, template_list
from quarkcrawl.workbench.web.api.trace import MOST_URL_CHARS, traced

__all__ = [
    "METHODS",
    "MOST_SQL_CHARS",
    "MOST_URL_CHARS",
    "OPERATIONS",
    "cell_text",
    "pictures_model",
    "progress",
    "proposed",
    "rule_fields",
    "rule_list",
    "template_detail",
    "template_list",
    "traced",
]
