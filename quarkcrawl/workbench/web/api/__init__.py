"""The workbench's JSON operations."""

from quarkcrawl.workbench.web.api.marking import progress
from quarkcrawl.workbench.web.api.pages import METHODS
from quarkcrawl.workbench.web.api.pictures import pictures_model
from quarkcrawl.workbench.web.api.routes import OPERATIONS
from quarkcrawl.workbench.web.api.templates import template_detail, template_list

__all__ = [
    "METHODS",
    "OPERATIONS",
    "pictures_model",
    "progress",
    "template_detail",
    "template_list",
]
