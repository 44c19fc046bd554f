"""What the workbench needs from layers that it may not import: the caller hands it over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from quarkcrawl.page import Page


@dataclass(frozen=True, slots=True)
class CampaignService:
    """A running or stopped crawl.

    Args:
        name: folder or address of its frontier.
        status: totals, hosts and workers as `quarkcrawl frontier status --json` prints them; its
            arguments are the number of hosts to list and how many are passed over.
        steer: put it into a state: running, paused, draining.
    """

    name: str
    status: Callable[[int, int], dict[str, Any]]
    steer: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Services:
    """What the caller can do for the workbench.

    Args:
        fetch: gets a page from the web under the crawler's rules; None: URLs cannot be fetched.
            Raises `quarkcrawl.errors.FetchError`.
        campaign: the crawl to look at; None: there is none.
    """

    fetch: Callable[[str], Page] | None = None
    campaign: CampaignService | None = None
