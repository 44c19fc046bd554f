"""Jobs over a stored corpus.

`map_pages` runs a function on many pages in processes that a page may kill (``pool``,
``workerhandle``, ``worker``).
"""

from quarkcrawl.corpus.pool import Outcome, map_pages

__all__ = ["Outcome", "map_pages"]
