"""The workbench's pages."""

from quarkcrawl.workbench.web.views.models import ViewQuery
from quarkcrawl.workbench.web.views.routes import error_view, view_routes

__all__ = ["ViewQuery", "error_view", "view_routes"]
