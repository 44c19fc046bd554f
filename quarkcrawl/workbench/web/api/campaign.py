"""The API of a running or stopped crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.workbench.web.http import ApiError, Endpoint, Parameter, integer, object_of, string

if TYPE_CHECKING:
    from quarkcrawl.workbench.web.bench import Bench
    from quarkcrawl.workbench.web.http import Call
    from quarkcrawl.workbench.web.services import CampaignService


def _service(bench: Bench) -> CampaignService:
    if bench.services.campaign is None:
        raise ApiError(404, "there is no campaign to look at")
    return bench.services.campaign


def campaign(bench: Bench, call: Call) -> dict[str, Any]:
    """Totals, hosts and workers of the campaign."""
    return _service(bench).status(call["hosts"])


def steer(bench: Bench, call: Call) -> dict[str, Any]:
    """Pause, resume or drain the campaign."""
    _service(bench).steer(call.body["state"])
    return {"state": call.body["state"]}


_STATE: Final = object_of("state", state=string(10, enum=["running", "paused", "draining"]))

CAMPAIGN_ENDPOINTS: Final = (
    Endpoint(
        "GET", "/api/campaign", campaign, "Progress of the crawl",
        (Parameter("hosts", integer(0, 200), "hosts to list, busiest first", default=20),),
    ),
    Endpoint(
        "PUT", "/api/campaign/state", steer, "Pause, resume or drain the crawl", (), _STATE,
        is_write=True,
    ),
)  # fmt: skip
