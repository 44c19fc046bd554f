"""The workbench's pages."""

from quarkcrawl.workbench.web.views.models import Asked
from quarkcrawl.workbench.web.views.routes import error_view, view_routes

__all__ = ["Asked", "error_view", "view_routes"]
