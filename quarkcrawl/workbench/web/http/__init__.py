"""What every answer of the workbench goes through: operations, their description, security."""

from quarkcrawl.workbench.web.http.openapi import describe
from quarkcrawl.workbench.web.http.operation import (
    END,
    ApiError,
    Operation,
    Operations,
    answer,
    integer,
    problem,
    string,
)
from quarkcrawl.workbench.web.http.pending import PagePendingError, PendingError, TablesPendingError
from quarkcrawl.workbench.web.http.query import ViewQuery
from quarkcrawl.workbench.web.http.security import Access, GuardMiddleware, app_policy, frame_policy

__all__ = [
    "END",
    "Access",
    "ApiError",
    "GuardMiddleware",
    "Operation",
    "Operations",
    "PagePendingError",
    "PendingError",
    "TablesPendingError",
    "ViewQuery",
    "answer",
    "app_policy",
    "describe",
    "frame_policy",
    "integer",
    "problem",
    "string",
]
