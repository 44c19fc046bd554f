"""The whole API: the endpoints of all areas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarkcrawl.workbench.web.api.campaign import CAMPAIGN_ENDPOINTS
from quarkcrawl.workbench.web.api.corpus import CORPUS_ENDPOINTS
from quarkcrawl.workbench.web.api.marking import MARKING_ENDPOINTS
from quarkcrawl.workbench.web.api.pages import PAGE_ENDPOINTS
from quarkcrawl.workbench.web.api.pictures import PICTURE_ENDPOINTS
from quarkcrawl.workbench.web.api.templates import TEMPLATE_ENDPOINTS

if TYPE_CHECKING:
    from quarkcrawl.workbench.web.http import Endpoint


ENDPOINTS: Final[tuple[Endpoint, ...]] = (
    *CORPUS_ENDPOINTS,
    *PAGE_ENDPOINTS,
    *MARKING_ENDPOINTS,
    *TEMPLATE_ENDPOINTS,
    *CAMPAIGN_ENDPOINTS,
    *PICTURE_ENDPOINTS,
)
"""All endpoints; of two that fit an address, the first one answers."""
