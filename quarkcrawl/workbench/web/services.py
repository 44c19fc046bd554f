"""What the workbench needs from layers that it may not import: the caller hands it over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from quarkcrawl.dataset import ExportOptions
    from quarkcrawl.page import Page


@dataclass(frozen=True, slots=True)
class CampaignService:
    """A running or stopped crawl.

    Args:
        name: folder or address of its frontier.
        status: totals, hosts and workers as `quarkcrawl frontier status --json` prints them; its
            arguments are the number of hosts to list and how many are passed over.
        steer: put it into a state: running, paused, draining.
        add: give it the seeds of a text, one a line; what becomes of them, as `quarkcrawl frontier
            add` prints it. Raises `quarkcrawl.errors.InputError` for a line that is no host.
    """

    name: str
    status: Callable[[int, int], dict[str, Any]]
    steer: Callable[[str], None]
    add: Callable[[str], dict[str, Any]]


class CampaignRunner(Protocol):
    """Campaigns below a folder, run as processes that live on when the workbench ends.

    What cannot be done raises `ApiError`, what is wrong in a file or a seed a `QuarkError`.
    """

    folder: Path

    def listed(self) -> list[dict[str, Any]]:
        """Name and state of each."""

    def told(self, name: str, n_hosts: int, first_host: int) -> dict[str, Any]:
        """What is known of one: its process, steps and crawl, whose hosts are listed in part."""

    def log(self, name: str) -> list[str]:
        """The last lines of what its process said."""

    def files(self, name: str) -> dict[str, str]:
        """Its file, its seeds, and their version."""

    def written(self, name: str, settings: str, *, dataset: bool) -> str:
        """The file of a campaign from settings of a crawl, one a line."""

    def checked(self, name: str, toml: str, seeds: str) -> dict[str, Any]:
        """Commands and number of seeds of a campaign with these texts."""

    def add(self, name: str, toml: str, seeds: str) -> None:
        """Write a new one."""

    def save(self, name: str, toml: str, seeds: str, version: str) -> str:
        """Write one that is there, if its version is the one given; returns the new version."""

    def order(self, name: str, state: str) -> None:
        """Bring one into a state: started, stopped, running, paused, draining."""

    def add_seeds(self, name: str, seeds: str) -> dict[str, Any]:
        """Give the crawl of one more seeds, also while it runs; what becomes of them."""


class DatasetRunner(Protocol):
    """Data sets below the folder of the corpus, likewise."""

    folder: Path

    def listed(self) -> list[dict[str, Any]]:
        """Name, state and size of each."""

    def told(self, name: str) -> dict[str, Any]:
        """What is known of one: steps, report, card, files."""

    def log(self, name: str) -> list[str]:
        """The last lines of what its process said."""

    def add(self, options: ExportOptions, *, refine: bool) -> None:
        """Begin a new one, with the labeling if wanted."""

    def order(self, name: str, state: str) -> None:
        """Bring one into a state: started, stopped."""


@dataclass(frozen=True, slots=True)
class HostFilterOptions:
    """Options of `quarkcrawl select filter`, under their names.

    Args:
        min_pages: hosts with fewer pages are dropped.
        aliases: how second names of a site are found.
        outliers: how families of sites are found.
        drop_undecided: drop proposed families that nobody decided on.
        unchecked: leave out the check and the aliases.
        skip: steps that are left out.
        spam_list: names of files in the work folder; without one, the list of the project.
    """

    min_pages: int = 10
    aliases: str = "default"
    outliers: str = "default"
    drop_undecided: bool = False
    unchecked: bool = False
    skip: tuple[str, ...] = ()
    spam_list: tuple[str, ...] = ()


class SelectionRunner(Protocol):
    """The filter of a selection, in a process that lives on when the workbench ends."""

    def told(self) -> dict[str, Any]:
        """What is known of it: state, time, error, and the version of the result that is there."""

    def lines(self) -> list[str]:
        """The last lines of what its process said."""

    def begin(self, options: HostFilterOptions, replaces: str) -> None:
        """Start it, if the result that is there has this version."""

    def end(self) -> None:
        """Stop it."""


@dataclass(frozen=True, slots=True)
class Services:
    """What the caller can do for the workbench.

    Args:
        fetch: gets a page from the web under the crawler's rules; None: URLs cannot be fetched.
            Raises `quarkcrawl.errors.FetchError`.
        campaign: the crawl to look at; None: there is none.
        campaigns: campaigns that can be written and started here; None: none can.
        datasets: data sets of the corpus; None: none can be made.
        selection: what filters the selection in a work folder; None: nothing does.
    """

    fetch: Callable[[str], Page] | None = None
    campaign: CampaignService | None = None
    campaigns: CampaignRunner | None = None
    datasets: DatasetRunner | None = None
    selection: Callable[[Path], SelectionRunner] | None = None
