"""The workbench's pages."""

from quarkcrawl.workbench.web.views.routes import error_view, view_routes

__all__ = ["error_view", "view_routes"]
