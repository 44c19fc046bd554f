"""When a crawl looks for cyclic garbage.

A page makes tens of thousands of objects, some ten of them in cycles; the rest goes when the last
reference does. Looking for cycles every 700 new objects, as Python does by itself, takes a fifth of
a crawl's CPU time. What garbage holds is known by requests, not by objects (a response may hold
megabytes), so a crawl looks every so many requests. A look
costs as much as three pages do: all that the requests under way hold is visited.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from scrapy import signals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler


_REQUESTS: Final = 500
_YOUNG_OBJECTS: Final = 200_000
"""For objects that come without requests, such as those of a long list of start URLs."""


@contextmanager
def rare_collections(crawler: Crawler) -> Iterator[None]:
    """Collect every 500 requests while a crawler runs, and not what stands before it.

    Args:
        crawler: the crawler, not yet started.
    """
    n_requests = 0

    def collect() -> None:
        nonlocal n_requests
        n_requests += 1
        if n_requests % _REQUESTS == 0:
            gc.collect(1)

    crawler.signals.connect(collect, signals.request_reached_downloader)
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_YOUNG_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
        crawler.signals.disconnect(collect, signals.request_reached_downloader)
