"""What every answer of the workbench goes through: endpoints, schemas, security."""

from quarkcrawl.workbench.web.http.endpoint import (
    ApiError,
    Call,
    Endpoint,
    Parameter,
    answer,
    problem,
)
from quarkcrawl.workbench.web.http.openapi import describe
from quarkcrawl.workbench.web.http.pending import PagePendingError, PendingError, TablesPendingError
from quarkcrawl.workbench.web.http.query import ViewQuery
from quarkcrawl.workbench.web.http.schema import array, integer, object_of, string
from quarkcrawl.workbench.web.http.security import Access, GuardMiddleware, app_policy, frame_policy

__all__ = [
    "Access",
    "ApiError",
    "Call",
    "Endpoint",
    "GuardMiddleware",
    "PagePendingError",
    "Parameter",
    "PendingError",
    "TablesPendingError",
    "ViewQuery",
    "answer",
    "app_policy",
    "array",
    "describe",
    "frame_policy",
    "integer",
    "object_of",
    "problem",
    "string",
]
