"""Which worker of a shared job a process is: its name, its folder, its rules."""

from __future__ import annotations

import os
import socket
from hashlib import sha1
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from scrapy.utils.project import inside_project, project_data_dir

from quarkcrawl.errors import ConfigError, CorpusLockedError
from quarkcrawl.frontier import FrontierOptions, steady_time
from quarkcrawl.store import CorpusLock, make_folder, storage_errors

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings
    from scrapy.spiders import Spider

    from quarkcrawl.frontier import Frontier

MOST_TRIES: Final = 10
"""Workers that may die over a request, or lose its lease, before it is given up."""
_MOST_WORKERS: Final = 1000
_WORKER_FIELD: Final = "%(worker)s"


class WorkerPlace(NamedTuple):
    """A worker's folder, which is locked, and its name: ``%(worker)s`` in the URIs of feeds."""

    name: str
    folder: Path
    lock: CorpusLock

    @property
    def job(self) -> str:
        """By what the server knows the worker, in every run."""
        digest = sha1(str(self.folder.absolute()).encode(), usedforsecurity=False).hexdigest()
        return f"{self.name}-{socket.gethostname()}-{digest[:8]}"


def take_place(settings: BaseSettings, spider: Spider) -> WorkerPlace:
    """The folder of a worker that is not at work: of one that died, if there is one.

    ``QUARKCRAWL_WORKER`` names the worker; else it is a number, and the lowest one that is free.

    Raises:
        CorpusLockedError: the worker that was named is at work.
        ConfigError: two workers would write to one file.
    """
    _check_feeds(settings)
    name = str(settings["QUARKCRAWL_WORKER"])
    root = _root(settings, spider)
    if name:
        return _locked(name, root / name)
    for number in range(1, _MOST_WORKERS + 1):
        name = f"{socket.gethostname()}-{number}"
        try:
            return _locked(name, root / name)
        except CorpusLockedError:
            continue
    raise ConfigError(f"{_MOST_WORKERS} workers are at work here", where=root)


def _root(settings: BaseSettings, spider: Spider) -> Path:
    """Folder of the workers: ``JOBDIR``, else one of the project for spider and campaign."""
    if settings["JOBDIR"]:
        return Path(settings["JOBDIR"])
    campaign = str(settings["QUARKCRAWL_REDIS"]).rpartition("#")[2]
    data = Path(project_data_dir()) if inside_project() else Path(".scrapy")
    return data / "jobs" / f"{spider.name}-{campaign}"


def _locked(name: str, folder: Path) -> WorkerPlace:
    with storage_errors(folder):
        make_folder(folder)
    return WorkerPlace(name, folder, CorpusLock(folder))


def _check_feeds(settings: BaseSettings) -> None:
    """Each worker has files of its own, or one would cut off what another has written."""
    for uri in map(str, settings.getdict("FEEDS")):
        if _WORKER_FIELD not in uri and not uri.startswith(("stdout:", "-")):
            message = f"each worker needs a file of its own: put {_WORKER_FIELD} into the URI"
            raise ConfigError(message, where=f"FEEDS: {uri}")


def frontier_rules(settings: BaseSettings) -> FrontierOptions:
    """The rules of a frontier by Scrapy's settings.

    Raises:
        ConfigError: a request may take longer than its lease.
    """
    lease_s = settings.getfloat("QUARKCRAWL_LEASE_S")
    timeout_s = settings.getfloat("DOWNLOAD_TIMEOUT")
    if lease_s <= timeout_s:
        message = f"QUARKCRAWL_LEASE_S ({lease_s:g}) must be longer than DOWNLOAD_TIMEOUT"
        raise ConfigError(f"{message} ({timeout_s:g})")
    return FrontierOptions(
        delay_s=settings.getfloat("DOWNLOAD_DELAY"),
        concurrency=max(1, settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN")),
        max_tries=MOST_TRIES,
        lease_s=lease_s,
        robots=False,
        strict=False,
    )


def worker_report(
    place: WorkerPlace, frontier: Frontier, started_at: float, n_pages: int
) -> dict[str, object]:
    """What a worker tells the others of itself, once a second."""
    uptime_s = steady_time() - started_at
    return {
        "host_name": socket.gethostname(),
        "pid": os.getpid(),
        "shard": str(place.folder.absolute()),
        "started_at": frontier.server_time(started_at),
        "pages": n_pages,
        "pages_per_s": round(n_pages / max(1.0, uptime_s), 3),
        "retries": 0,
        "fenced": frontier.fenced,
        "round_trips": frontier.round_trips,
        "uptime_s": round(uptime_s, 1),
    }
