"""What is still being read: whoever asks is told to ask again."""

from __future__ import annotations

from quarkcrawl.errors import QuarkError


class PendingError(QuarkError):
    """Something is being read; asking again in a moment gets the answer."""


class TablesPendingError(PendingError):
    """The tables of the corpus are being read.

    Args:
        n_done: pages read so far.
        n_pages: pages of the corpus; 0: not known yet.
    """

    def __init__(self, n_done: int, n_pages: int) -> None:
        self.n_done = n_done
        self.n_pages = n_pages
        super().__init__(f"the tables are being read ({n_done} of {n_pages or '?'} pages)")


class PagePendingError(PendingError):
    """A large page is being read.

    Args:
        name: id of the page.
    """

    def __init__(self, name: str) -> None:
        super().__init__("the page is being read", where=name)
