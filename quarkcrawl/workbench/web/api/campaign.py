"""The API of a running or stopped crawl."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec

from quarkcrawl.workbench.web.bench import Bench
from quarkcrawl.workbench.web.http import ApiError, Operations, integer, string
from quarkcrawl.workbench.web.services import CampaignService

CAMPAIGN_OPERATIONS: Final = Operations()
MOST_FORM_BYTES: Final = 4 << 20
"""Of a request with the seeds or the files of a campaign."""

_MOST_SEED_CHARS: Final = 4 << 20
SeedLines = Annotated[str, string(_MOST_SEED_CHARS, "hosts or URLs, one a line")]
_HostCount = Annotated[int, integer(0, 200, "hosts to list, busiest first")]
_HostStart = Annotated[int, integer(0, description="how many of the busiest are passed over")]


class Steer(msgspec.Struct, forbid_unknown_fields=True):
    """What the crawl shall do."""

    state: Literal["running", "paused", "draining"]


class MoreSeeds(msgspec.Struct, forbid_unknown_fields=True):
    """Seeds that come later."""

    seeds: SeedLines


def _service(bench: Bench) -> CampaignService:
    if bench.services.campaign is None:
        raise ApiError(404, "there is no campaign to look at")
    return bench.services.campaign


@CAMPAIGN_OPERATIONS.add("GET /api/campaign", "Progress of the crawl")
def campaign(bench: Bench, hosts: _HostCount = 20, start: _HostStart = 0) -> Any:
    """What the campaign does, and totals, hosts and workers."""
    return _service(bench).status(hosts, start)


@CAMPAIGN_OPERATIONS.add("PUT /api/campaign/state", "Pause, resume or drain the crawl")
def steer(bench: Bench, body: Steer) -> Any:
    """Pause, resume or drain the campaign."""
    _service(bench).steer(body.state)
    return {"state": body.state}


@CAMPAIGN_OPERATIONS.add(
    "POST /api/campaign/seeds", "Add seeds to the crawl", max_body_bytes=MOST_FORM_BYTES
)
def add_seeds(bench: Bench, body: MoreSeeds) -> Any:
    """How many of them are new, known, or of hosts that take none any more."""
    return _service(bench).add(body.seeds)
