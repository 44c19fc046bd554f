"""The API of campaigns that are written and started here."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec

from quarkcrawl.errors import ConfigError, InputError
from quarkcrawl.workbench.web.api.campaign import MOST_FORM_BYTES, MoreSeeds, SeedLines
from quarkcrawl.workbench.web.bench import Bench
from quarkcrawl.workbench.web.http import END, ApiError, Operations, integer, string
from quarkcrawl.workbench.web.services import CampaignRunner

if TYPE_CHECKING:
    from collections.abc import Iterator

LOCAL_OPERATIONS: Final = Operations()
_MOST_TOML_CHARS: Final = 100_000
_NAME: Final = rf"^[A-Za-z0-9][A-Za-z0-9_-]{{0,63}}{END}"
JobName = Annotated[str, string(64, "name of its folder", _NAME)]
_Toml = Annotated[str, string(_MOST_TOML_CHARS, "a campaign file")]
_Settings = Annotated[str, string(_MOST_TOML_CHARS, "NAME = VALUE, one a line")]
_HostCount = Annotated[int, integer(0, 200, "hosts to list, busiest first")]
_HostStart = Annotated[int, integer(0, description="how many of the busiest are passed over")]


class CampaignForm(msgspec.Struct, forbid_unknown_fields=True):
    """A campaign: its file, or what it is made of; and its seeds."""

    name: JobName
    seeds: SeedLines = ""
    settings: _Settings = ""
    dataset: bool = False
    toml: _Toml = ""


class CampaignTexts(msgspec.Struct, forbid_unknown_fields=True):
    """The files of a campaign, and the version that they take the place of."""

    toml: _Toml
    seeds: SeedLines
    version: Annotated[str, string(64, "of the files when they were read")]


class CampaignOrder(msgspec.Struct, forbid_unknown_fields=True):
    """What a campaign shall do."""

    state: Literal["started", "stopped", "running", "paused", "draining"]


def campaign_runner(bench: Bench) -> CampaignRunner:
    """What runs campaigns.

    Raises:
        ApiError: none can be started here.
    """
    if bench.services.campaigns is None:
        raise ApiError(404, "no campaigns are started here")
    return bench.services.campaigns


@contextmanager
def asked_settings() -> Iterator[None]:
    """What is wrong in the settings of a form is the asker's fault, not ours.

    Raises:
        InputError: with the words of the error.
    """
    try:
        yield
    except ConfigError as error:
        raise InputError(str(error)) from error


def _texts(runner: CampaignRunner, form: CampaignForm) -> tuple[str, str, str]:
    toml = form.toml or runner.written(form.name, form.settings, dataset=form.dataset)
    return form.name, toml, form.seeds


@LOCAL_OPERATIONS.add("GET /api/campaigns", "Campaigns that are started here")
def campaigns(bench: Bench) -> Any:
    """Name and state of each campaign."""
    runner = campaign_runner(bench)
    return {"folder": str(runner.folder), "rows": runner.listed()}


@LOCAL_OPERATIONS.add(
    "POST /api/campaigns", "Write a campaign", max_body_bytes=MOST_FORM_BYTES, errors=(409,)
)
def new_campaign(bench: Bench, body: CampaignForm) -> Any:
    """Write a new campaign, which is not started by that."""
    runner = campaign_runner(bench)
    with asked_settings():
        runner.add(*_texts(runner, body))
    return {"name": body.name}


@LOCAL_OPERATIONS.add(
    "POST /api/campaigns/check", "What a campaign would do", max_body_bytes=MOST_FORM_BYTES
)
def check_campaign(bench: Bench, body: CampaignForm) -> Any:
    """Commands and number of seeds; nothing is written."""
    runner = campaign_runner(bench)
    with asked_settings():
        name, toml, seeds = _texts(runner, body)
        return {**runner.checked(name, toml, seeds), "toml": toml}


@LOCAL_OPERATIONS.add("GET /api/campaigns/{name}", "What a campaign does")
def local_campaign(
    bench: Bench, name: JobName, hosts: _HostCount = 20, start: _HostStart = 0
) -> Any:
    """Its process, its steps, and its crawl."""
    return campaign_runner(bench).told(name, hosts, start)


@LOCAL_OPERATIONS.add("GET /api/campaigns/{name}/log", "Log of a campaign", is_private=True)
def campaign_log(bench: Bench, name: JobName) -> Any:
    """The last lines of its log."""
    return {"lines": campaign_runner(bench).log(name)}


@LOCAL_OPERATIONS.add("GET /api/campaigns/{name}/files", "Files of a campaign", is_private=True)
def campaign_files(bench: Bench, name: JobName) -> Any:
    """Its file and its seeds, as they are stored."""
    return campaign_runner(bench).files(name)


@LOCAL_OPERATIONS.add(
    "PUT /api/campaigns/{name}/files",
    "Change a campaign",
    max_body_bytes=MOST_FORM_BYTES,
    errors=(409,),
)
def change_campaign(bench: Bench, name: JobName, body: CampaignTexts) -> Any:
    """Other files, if nobody has changed them since they were read."""
    with asked_settings():
        version = campaign_runner(bench).save(name, body.toml, body.seeds, body.version)
    return {"version": version}


@LOCAL_OPERATIONS.add(
    "PUT /api/campaigns/{name}/state", "Start, stop, pause or drain a campaign", errors=(409,)
)
def order_campaign(bench: Bench, name: JobName, body: CampaignOrder) -> Any:
    """Start or resume, stop, pause, or drain a campaign."""
    with asked_settings():
        campaign_runner(bench).order(name, body.state)
    return {"state": body.state}


@LOCAL_OPERATIONS.add(
    "POST /api/campaigns/{name}/seeds",
    "Add seeds to the crawl of a campaign",
    max_body_bytes=MOST_FORM_BYTES,
    errors=(409,),
)
def add_campaign_seeds(bench: Bench, name: JobName, body: MoreSeeds) -> Any:
    """Also while it runs; its file of seeds stays as it is."""
    with asked_settings():
        return campaign_runner(bench).add_seeds(name, body.seeds)
