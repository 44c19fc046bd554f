"""Hosts whose owners do not want to be crawled: a file that is obeyed while a crawl runs.

One host a line, ``#`` starts a comment; a host stands for its subdomains too. What waits of such
a host ends with ``opted_out`` and nothing is asked of it, not even robots.txt. The file is looked
at once a second, so a complaint takes effect without a restart. Workers that share a campaign tell
each other: whoever is on the file of one is asked by none, until the campaign is erased.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from quarkcrawl.errors import ConfigError, InputError, read_failure
from quarkcrawl.page import canonicalize, host_key
from quarkcrawl.select import without_port

if TYPE_CHECKING:
    from collections.abc import Iterable


logger = logging.getLogger(__name__)

Stamp = tuple[int, int]


def read_opt_out(lines: Iterable[str], *, source: str) -> frozenset[str]:
    """Hosts of an opt-out list.

    >>> sorted(read_opt_out(["# asked on Monday", "WWW.a.cn", "北京.cn  # by letter"], source="x"))
    ['www.a.cn', 'xn--1lq90i.cn']

    Raises:
        InputError: a line is no host (file and line named).
    """
    hosts = set()
    for number, line in enumerate(lines, 1):
        name = line.partition("#")[0].strip().lstrip(".")
        if not name:
            continue
        url = canonicalize(name if "://" in name else f"http://{name}/")
        if url is None:
            raise InputError(f"no host: {name[:80]!r}", where=f"{source}:{number}")
        hosts.add(without_port(host_key(url)))
    return frozenset(hosts)


class OptOut:
    """The list, as it was when last looked at.

    Args:
        path: the file; empty: nobody has opted out.

    Raises:
        ConfigError: the file cannot be read.
        InputError: a line is no host.
    """

    def __init__(self, path: str) -> None:
        self._path = Path(path) if path else None
        self._stamp: Stamp | None = None
        self._trouble = ""
        self._hosts: frozenset[str] = frozenset()
        self._told: frozenset[str] = frozenset()
        if self._path is not None:
            try:
                self._read(self._path)
            except (OSError, UnicodeDecodeError) as error:
                raise ConfigError(
                    f"opt_out cannot be read: {read_failure(error)}", where=path
                ) from error

    def _read(self, path: Path) -> bool:
        status = path.stat()
        stamp = (status.st_mtime_ns, status.st_size)
        if stamp == self._stamp:
            return False
        lines = path.read_text(encoding="utf-8-sig").splitlines()
        self._hosts = read_opt_out(lines, source=str(path))
        self._stamp = stamp
        return True

    def look(self) -> bool:
        """Read the file again if it has changed; True if it had.

        A file that cannot be read any more, or is half written, leaves the list as it was; that is
        said once.
        """
        if self._path is None:
            return False
        try:
            changed = self._read(self._path)
        except (OSError, UnicodeDecodeError, InputError) as error:
            if str(error) != self._trouble:
                self._trouble = str(error)
                logger.warning("the opt-out list stays as it was: %s", error)
            return False
        self._trouble = ""
        return changed

    def unsent(self, limit: int) -> tuple[list[str], int]:
        """Some names of the file that the campaign does not know, and how many it knows."""
        return sorted(self._hosts - self._told)[:limit], len(self._told)

    def told(self, names: Iterable[str]) -> None:
        """All names that the campaign knows: what any worker of it has read."""
        self._told = frozenset(names)

    def covers(self, host: str) -> bool:
        """True if the host, or a domain that it belongs to, is on the list."""
        if not self._hosts and not self._told:
            return False
        name = without_port(host)
        while name:
            if name in self._hosts or name in self._told:
                return True
            name = name.partition(".")[2]
        return False
