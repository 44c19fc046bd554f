"""How many idle connections are kept: a broad crawl meets more hosts than a process has files.

aiohttp keeps a connection for some seconds after each reply, without bound: 250 fast hosts with
four connections each held 991 sockets, where 1024 open files is a common limit.
"""

from __future__ import annotations

import resource
from collections import OrderedDict

KEEP_S = 15.0
_LEAST_SOCKETS = 384
_MOST_SOCKETS = 2048
_OTHER_FILES = 640
"""Of 1024 they leave the least number of sockets; whoever may open more keeps more."""


class IdleBudget:
    """Lets the hosts used last keep their connections, and as many as there is room for.

    Args:
        per_host: most connections to one host.
        files: most files that the process may have open; None: ask the system.
    """

    def __init__(self, per_host: int, files: int | None = None) -> None:
        if files is None:
            files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        sockets = max(_LEAST_SOCKETS, min(files - _OTHER_FILES, _MOST_SOCKETS))
        self._most_hosts = max(1, sockets // per_host)
        self._used: OrderedDict[str, float] = OrderedDict()

    def keeps(self, host: str, now: float) -> bool:
        """Whether a connection to this host, used at ``now``, may stay open.

        >>> budget = IdleBudget(per_host=384, files=1024)
        >>> [budget.keeps("a.cn", 0), budget.keeps("b.cn", 1), budget.keeps("b.cn", 16)]
        [True, False, True]
        """
        while self._used and next(iter(self._used.values())) <= now - KEEP_S:
            self._used.popitem(last=False)
        if host not in self._used and len(self._used) >= self._most_hosts:
            return False
        self._used[host] = now
        self._used.move_to_end(host)
        return True
