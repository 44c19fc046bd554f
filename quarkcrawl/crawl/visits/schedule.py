"""When a page is to be visited again, by the changes that were seen on it.

Of a page that changes at random, at a rate that does not change, so many visits find a change that
its rate can be told from them although several changes between two visits look like one: the
estimate of Cho and Garcia-Molina (Estimating frequency of change, 2003), whose halves keep it
finite when every visit finds a change. Theirs is zero for a page on which no change was ever
seen; ours adds half a visit to the total, so that such a page is put off by degrees.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

GONE = ("http_404", "http_410")
"""Reasons of pages that are no longer there."""

_EXPECTED_CHANGES = math.log(2)
"""Visits come when it is as likely as not that the page has changed."""


@dataclass(frozen=True, slots=True)
class History:
    """What was seen of a page so far.

    Args:
        first_at: when it was first stored.
        answered_at: when it was last told whether it has changed.
        seen_at: when it was last asked for.
        visits: how often it was asked for after the first time.
        changes: how many of these visits found it changed.
        is_home: whether it is of level 1, and no redirect led to it.
        is_gone: whether it was no longer there at the last visit.
    """

    first_at: float
    answered_at: float
    seen_at: float
    visits: int = 0
    changes: int = 0
    is_home: bool = False
    is_gone: bool = False


@dataclass(frozen=True, slots=True)
class VisitSchedule:
    """Bounds of the time between two visits of a page.

    Args:
        least_s: shortest, also the first.
        most_s: longest: no change stays unseen for longer, if the host can be asked so often.
        home_s: fixed time between two visits of a home page; 0: by its changes.
    """

    least_s: float
    most_s: float
    home_s: float = 0.0

    def other_due(self, origin: str, reason: str, seen_at: float) -> float:
        """When what is no stored page is to be asked for: lists, home pages that lead elsewhere."""
        if reason in GONE:
            return seen_at + self.most_s
        is_news = not origin.startswith("#") or origin.startswith("#feed")
        is_waiting = is_news and (reason == "redirect" or bool(origin))
        return seen_at + (self.home_s if is_waiting and self.home_s else self.least_s)

    def rate(self, history: History) -> float:
        """Changes a second that may be expected of a page."""
        mean_s = max(history.seen_at - history.first_at, 1e-9) / history.visits
        unchanged = history.visits - history.changes + 0.5
        return -math.log(unchanged / (history.visits + 1)) / mean_s

    def due(self, history: History) -> float:
        """When a page is to be visited next, in epoch seconds."""
        if history.seen_at > history.answered_at:  # as long again as it has been failing
            wait_s = history.seen_at - history.answered_at
            return history.seen_at + min(max(wait_s, self.least_s), self.most_s)
        if history.is_home and self.home_s > 0:
            return history.seen_at + self.home_s
        if history.is_gone:
            return history.seen_at + self.most_s
        if not history.visits:
            return history.seen_at + self.least_s
        wait_s = _EXPECTED_CHANGES / self.rate(history)
        return history.seen_at + min(max(wait_s, self.least_s), self.most_s)
