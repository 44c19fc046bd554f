"""Requests that only this worker has: retries, and those that JSON cannot say.

Each belongs to a request under a lease, its *root*, which is not done before they are.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING

from quarkcrawl.crawl.jobs.opened import OpenRequest

if TYPE_CHECKING:
    from scrapy import Request


class MemoryRequests:
    """Requests in memory, and the roots that wait for them; their numbers are below 0.

    Attributes:
        waiting: those that the engine has not got.
    """

    def __init__(self) -> None:
        self.waiting: deque[OpenRequest] = deque()
        self._roots: dict[int, OpenRequest] = {}
        self._n_out: Counter[int] = Counter()
        self._held: dict[int, OpenRequest] = {}
        self._n_requests = 0

    def put(self, request: Request, root: OpenRequest | None) -> None:
        """Let a request wait here; without a root nothing waits for it."""
        self._n_requests += 1
        opened = OpenRequest(-self._n_requests, request)
        if root is not None:
            self._roots[opened.number] = root
            self._n_out[root.number] += 1
        self.waiting.append(opened)

    def root_of(self, opened: OpenRequest) -> OpenRequest:
        """The request under a lease that one belongs to, or itself."""
        return self._roots.get(opened.number, opened)

    def ended(self, opened: OpenRequest) -> OpenRequest | None:
        """The request that is done since one has ended, with what both gave; None: it waits."""
        root = self._roots.pop(opened.number, None)
        if root is None:
            if not self._n_out[opened.number]:
                del self._n_out[opened.number]
                return opened
            self._held[opened.number] = opened
            return None
        root.items += opened.items
        root.is_parsed |= opened.is_parsed
        self._n_out[root.number] -= 1
        if self._n_out[root.number] or root.number not in self._held:
            return None
        del self._n_out[root.number]
        return self._held.pop(root.number)
