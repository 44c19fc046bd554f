"""The whole API: the operations of all areas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarkcrawl.workbench.web.api.campaign import CAMPAIGN_OPERATIONS
from quarkcrawl.workbench.web.api.campaigns import LOCAL_OPERATIONS
from quarkcrawl.workbench.web.api.corpus import CORPUS_OPERATIONS
from quarkcrawl.workbench.web.api.datasets import DATASET_OPERATIONS
from quarkcrawl.workbench.web.api.labels import LABEL_OPERATIONS
from quarkcrawl.workbench.web.api.links import LINK_OPERATIONS
from quarkcrawl.workbench.web.api.marking import MARKING_OPERATIONS
from quarkcrawl.workbench.web.api.pages import PAGE_OPERATIONS
from quarkcrawl.workbench.web.api.pictures import PICTURE_OPERATIONS
from quarkcrawl.workbench.web.api.rankcompare import RANK_COMPARE_OPERATIONS
from quarkcrawl.workbench.web.api.results import RESULT_OPERATIONS
from quarkcrawl.workbench.web.api.runs import RUN_OPERATIONS
from quarkcrawl.workbench.web.api.seeds import SEED_OPERATIONS
from quarkcrawl.workbench.web.api.selecting import SELECTING_OPERATIONS
from quarkcrawl.workbench.web.api.sql import SQL_OPERATIONS
from quarkcrawl.workbench.web.api.teaching import TEACHING_OPERATIONS
from quarkcrawl.workbench.web.api.templates import TEMPLATE_OPERATIONS
from quarkcrawl.workbench.web.api.trace import TRACE_OPERATIONS

if TYPE_CHECKING:
    from quarkcrawl.workbench.web.http import Operation


OPERATIONS: Final[tuple[Operation, ...]] = (
    *CORPUS_OPERATIONS,
    *RANK_COMPARE_OPERATIONS,
    *LABEL_OPERATIONS,
    *RUN_OPERATIONS,
    *RESULT_OPERATIONS,
    *PAGE_OPERATIONS,
    *LINK_OPERATIONS,
    *MARKING_OPERATIONS,
    *TEMPLATE_OPERATIONS,
    *CAMPAIGN_OPERATIONS,
    *LOCAL_OPERATIONS,
    *DATASET_OPERATIONS,
    *PICTURE_OPERATIONS,
    *SEED_OPERATIONS,
    *SELECTING_OPERATIONS,
    *SQL_OPERATIONS,
    *TRACE_OPERATIONS,
    *TEACHING_OPERATIONS,
)
"""All operations; of two that fit an address, the first one answers."""
