"""The whole API: the operations of all areas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarkcrawl.workbench.web.api.campaign import CAMPAIGN_OPERATIONS
from quarkcrawl.workbench.web.api.corpus import CORPUS_OPERATIONS
from quarkcrawl.workbench.web.api.marking import MARKING_OPERATIONS
from quarkcrawl.workbench.web.api.pages import PAGE_OPERATIONS
from quarkcrawl.workbench.web.api.pictures import PICTURE_OPERATIONS
from quarkcrawl.workbench.web.api.sql import SQL_OPERATIONS
from quarkcrawl.workbench.web.api.teaching import TEACHING_OPERATIONS
from quarkcrawl.workbench.web.api.templates import TEMPLATE_OPERATIONS
from quarkcrawl.workbench.web.api.trace import TRACE_OPERATIONS

if TYPE_CHECKING:
    from quarkcrawl.workbench.web.http import Operation


OPERATIONS: Final[tuple[Operation, ...]] = (
    *CORPUS_OPERATIONS,
    *PAGE_OPERATIONS,
    *MARKING_OPERATIONS,
    *TEMPLATE_OPERATIONS,
    *CAMPAIGN_OPERATIONS,
    *PICTURE_OPERATIONS,
    *SQL_OPERATIONS,
    *TRACE_OPERATIONS,
    *TEACHING_OPERATIONS,
)
"""All operations; of two that fit an address, the first one answers."""
