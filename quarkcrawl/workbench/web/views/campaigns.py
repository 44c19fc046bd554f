"""The views of campaigns that are started here: the list, the form, and one as it goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quarkcrawl.workbench.web.api import campaign_runner
from quarkcrawl.workbench.web.http import ApiError

if TYPE_CHECKING:
    from quarkcrawl.workbench.web.bench import Bench
    from quarkcrawl.workbench.web.http import ViewQuery


def campaigns(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """All campaigns that are known here."""
    del query
    runner = campaign_runner(bench)
    followed = bench.services.campaign
    return {
        "view": "campaign", "folder": str(runner.folder), "rows": runner.listed(),
        "followed": followed.name if followed is not None else "",
    }  # fmt: skip


def followed_campaign(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """The crawl that the server was told to follow."""
    del query
    if bench.services.campaign is None:
        raise ApiError(404, "there is no campaign to look at")
    name = bench.services.campaign.name
    return {"view": "campaign", "name": name, "api": "/api/campaign", "local": ""}


def local_campaign(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """One campaign that is started here."""
    name = query.path["name"]
    campaign = campaign_runner(bench).told(name, 0, 0)
    return {"view": "campaign", "name": campaign["corpus"], "api": f"/api/campaigns/{name}",
            "local": name}  # fmt: skip


def new_campaign(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """The form of a campaign that is to be."""
    del query
    folder = str(campaign_runner(bench).folder)
    return {"view": "campaign", "local": "", "folder": folder, "files": None}


def campaign_form(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """The form of a campaign that is there; its texts are for those with the token."""
    name = query.path["name"]
    runner = campaign_runner(bench)
    files = runner.files(name)
    if not query.is_signed_in:
        files = {"toml": "", "seeds": "", "version": ""}
    return {"view": "campaign", "local": name, "folder": str(runner.folder), "files": files}
