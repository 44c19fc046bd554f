"""The whole API: the endpoints of all areas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarkcrawl.web.apicampaign import CAMPAIGN_ENDPOINTS
from quarkcrawl.web.apicorpus import CORPUS_ENDPOINTS
from quarkcrawl.web.apimarking import MARKING_ENDPOINTS
from quarkcrawl.web.apipages import PAGE_ENDPOINTS
from quarkcrawl.web.apitemplates import TEMPLATE_ENDPOINTS
from quarkcrawl.web.picturesview import PICTURE_ENDPOINTS

if TYPE_CHECKING:
    from quarkcrawl.web.endpoint import Endpoint

__all__ = ["ENDPOINTS"]

ENDPOINTS: Final[tuple[Endpoint, ...]] = (
    *CORPUS_ENDPOINTS,
    *PAGE_ENDPOINTS,
    *MARKING_ENDPOINTS,
    *TEMPLATE_ENDPOINTS,
    *CAMPAIGN_ENDPOINTS,
    *PICTURE_ENDPOINTS,
)
"""All endpoints; of two that fit an address, the first one answers."""
