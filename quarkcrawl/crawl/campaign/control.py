"""Orders to a crawl by one process, and its report: small files in its corpus, once a second.

    frontier.state    running, paused or draining
    frontier.inbox    hosts and URLs to add, one a line; URLs to try again, as JSON
    frontier.report   what the crawl says of itself, as JSON; the last word of one that ended

`quarkcrawl frontier` writes them; the SQLite frontier itself has no room for a second writer. What
is ordered of a campaign on a Redis server stands on the server; a worker looks at the files of its
own shard too.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from quarkcrawl.crawl.campaign.hostfile import parse_hosts
from quarkcrawl.errors import ConfigError, InputError
from quarkcrawl.frontier import Candidate
from quarkcrawl.store import storage_error, storage_errors, sync_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


STATES: Final = ("running", "paused", "draining")
_STATE: Final = "frontier.state"
_INBOX: Final = "frontier.inbox"
_REPORT: Final = "frontier.report"
_LOOK_S: Final = 1.0


def read_state(root: Path) -> str:
    """State that a corpus' crawl was told to be in."""
    try:
        state = (root / _STATE).read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return "running"
    return state if state in STATES else "running"


def write_state(root: Path, state: str) -> None:
    """Tell a crawl to pause, drain or go on.

    Raises:
        ConfigError: there is no such state.
        StoreError: the folder cannot be written.
    """
    if state not in STATES:
        raise ConfigError(f"{state!r} is none of {', '.join(STATES)}")
    path = root / _STATE
    with storage_errors(path):
        if state == "running":
            path.unlink(missing_ok=True)
        else:
            path.write_text(state + "\n", encoding="ascii")


def read_report(root: Path) -> dict[str, Any]:
    """The last report of a crawl by one process; empty if there is none.

    Args:
        root: folder of the corpus.

    Returns:
        What a worker of a server tells, ``seen_at``, and ``ended_at`` if the run ended by itself.
    """
    try:
        report = json.loads((root / _REPORT).read_text(encoding="utf-8", errors="replace"))
    except (OSError, ValueError):
        return {}
    return report if isinstance(report, dict) else {}


def write_report(root: Path, report: dict[str, Any]) -> None:
    """Leave a report; on a full disk the one before stays."""
    path = root / _REPORT
    new = path.with_name(_REPORT + ".new")
    with suppress(OSError):
        new.write_text(json.dumps({**report, "seen_at": time.time()}) + "\n", encoding="utf-8")
        new.replace(path)


def add_hosts(root: Path, urls: Iterable[str]) -> None:
    """Leave seeds for a crawl that runs, or for the next one.

    Raises:
        StoreError: the folder cannot be written; nothing was left then.
    """
    _leave(root, "".join(f"{url}\n" for url in urls).encode())


def has_inbox(root: Path) -> bool:
    """Whether seeds, or URLs to be tried again, wait for the crawl to take them in."""
    return (root / _INBOX).exists() or (root / f"{_INBOX}.taken").exists()


def revive_urls(root: Path, endings: Iterable[tuple[Candidate, str]]) -> None:
    """Leave URLs that ended without a page, to be tried again, for a crawl that runs or the next.

    Args:
        root: folder of the corpus.
        endings: URLs and the reasons for which they ended.

    Raises:
        StoreError: the folder cannot be written; nothing was left then.
    """
    lines = [
        {"url": one.url, "host": one.host, "level": one.level, "reason": reason}
        | ({"origin": one.origin} if one.origin is not None else {})
        for one, reason in endings
    ]
    _leave(root, "".join(json.dumps(line) + "\n" for line in lines).encode())


def _leave(root: Path, data: bytes) -> None:
    path = root / _INBOX
    with storage_errors(path), _open_inbox(path) as file:
        size = os.fstat(file.fileno()).st_size
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())  # what was accepted survives a power cut
        except OSError:
            os.ftruncate(file.fileno(), size)
            raise
        sync_folder(root)


@contextmanager
def _open_inbox(path: Path) -> Iterator[BinaryIO]:
    """The inbox to append to, locked; not one that the crawl took away while we waited."""
    while True:
        with path.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if _is_still(file, path):
                yield file
                return


def _is_still(file: BinaryIO, path: Path) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:  # taken away meanwhile
        return False


@dataclass(frozen=True, slots=True)
class Inbox:
    """What was left for a crawl: seeds, and URLs to try again with the reasons of their endings."""

    seeds: list[str] = field(default_factory=list)
    endings: list[tuple[Candidate, str]] = field(default_factory=list)


def _ending(values: dict[str, Any]) -> tuple[Candidate, str]:
    origin = str(values["origin"]) if "origin" in values else None
    candidate = Candidate(str(values["url"]), str(values["host"]), int(values["level"]), origin)
    return candidate, str(values["reason"])


class Control:
    """What a crawl reads of its orders.

    Args:
        root: folder of the corpus.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._looked = 0.0
        self._state = "running"

    @property
    def state(self) -> str:
        """The state asked for, as of the last second."""
        now = time.monotonic()
        if now - self._looked >= _LOOK_S:
            self._looked = now
            self._state = read_state(self._root)
        return self._state

    def take_inbox(self) -> Inbox:
        """What was left; it stays until `inbox_done`, should the crawl die before.

        Raises:
            StoreError: the list could not be read.
        """
        taken = self._root / (_INBOX + ".taken")
        try:
            if not taken.exists():
                (self._root / _INBOX).rename(taken)
            with taken.open(encoding="utf-8", errors="replace") as file:
                fcntl.flock(file, fcntl.LOCK_EX)  # whoever had it open still may write
                lines = file.read().splitlines()
        except FileNotFoundError:
            return Inbox()
        except OSError as error:
            raise storage_error(error, taken) from error
        inbox = Inbox()
        for line in lines:
            # The commands checked them; a stranger's line is passed over.
            with suppress(InputError, ValueError, KeyError, TypeError):
                if line.startswith("{"):
                    inbox.endings.append(_ending(json.loads(line)))
                else:
                    inbox.seeds.extend(parse_hosts([line], source=_INBOX))
        return inbox

    def inbox_done(self) -> None:
        """What was left is queued.

        Raises:
            StoreError: the list could not be removed.
        """
        taken = self._root / (_INBOX + ".taken")
        with storage_errors(taken):
            taken.unlink(missing_ok=True)
