"""What to fetch next, and what was fetched: the memory of a crawl.

The spider offers every link it finds with `Frontier.push`; the frontier keeps those never seen
before and walks each host breadth-first, one URL at a time with the host's delay between. The
crawler *leases* URLs, fetches them and ends each lease once: acknowledged when the page is safe
on disk, retried after a failure, released when the crawl stops. What a dead crawler had out
waits again. `SqliteFrontier` keeps all of this in one file next to the corpus, for one process;
`RedisFrontier` keeps it on a server, for as many workers as there are, and `SpreadFrontier` on
several servers: the same `Frontier` protocol, tested by the same tests.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     frontier = SqliteFrontier(Path(folder, "frontier.db"), FrontierOptions(robots=False))
    ...     _ = frontier.push([Candidate("http://a.cn/", "a.cn", level=1)])
    ...     (lease,) = frontier.lease(10, now=0.0)
    ...     _ = frontier.acknowledge([Ending(lease.token, "stored")])
    ...     frontier.commit()
    ...     print(lease.url, frontier.counts().ended)
    ...     frontier.close()
    http://a.cn/ {'stored': 1}
"""

from quarkcrawl.frontier.clock import SteadyClock, steady_time
from quarkcrawl.frontier.protocol import (
    FENCED,
    UNNAMED,
    Candidate,
    Ending,
    EndingGroup,
    Frontier,
    FrontierCounts,
    FrontierOptions,
    HostState,
    Lease,
    RetryOutcome,
    WorkerHooks,
    robots_url,
)
from quarkcrawl.frontier.redis import BatchedFrontier, RedisFrontier, Restored
from quarkcrawl.frontier.spread import (
    CollectingFrontier,
    SharedFrontier,
    SpreadFrontier,
    agree_on_rules,
    collecting,
    open_shared,
)
from quarkcrawl.frontier.sqlite import FileKind, SqliteFile, SqliteFrontier

__all__ = [
    "FENCED",
    "UNNAMED",
    "BatchedFrontier",
    "Candidate",
    "CollectingFrontier",
    "Ending",
    "EndingGroup",
    "FileKind",
    "Frontier",
    "FrontierCounts",
    "FrontierOptions",
    "HostState",
    "Lease",
    "RedisFrontier",
    "Restored",
    "RetryOutcome",
    "SharedFrontier",
    "SpreadFrontier",
    "SqliteFile",
    "SqliteFrontier",
    "SteadyClock",
    "WorkerHooks",
    "agree_on_rules",
    "collecting",
    "open_shared",
    "robots_url",
    "steady_time",
]
