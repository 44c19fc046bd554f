"""Crawler traps: URLs that a host can make without end.

Path rules refuse by the look of a URL (length, depth, repeated segments); the pattern budget
bounds what looks harmless one by one: URLs of a host that are alike once runs of digits and
query values are taken out, such as the days of a calendar.
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from quarkcrawl.config import CrawlConfig

__all__ = ["TrapGuard", "pattern"]

_DIGITS = re.compile(r"[0-9]+")
_VALUES = re.compile(r"=[^&]*")
_HOSTS = 2000


def pattern(url: str) -> str:
    """A URL with digits and query values taken out.

    >>> pattern("http://a.cn/2006/05/list.asp?day=17&x=b")
    'http://a.cn/0/0/list.asp?day=&x='
    """
    path, mark, query = url.partition("?")
    return _DIGITS.sub("0", path) + mark + _VALUES.sub("=", query)


class TrapGuard:
    """Refuses trap URLs; counts the pattern budget of the hosts seen last.

    Budgets count within one run: after a restart a host starts anew, with its levels as the
    outer bound.
    """

    def __init__(self, config: CrawlConfig) -> None:
        self._max_chars = config.max_url_chars
        self._max_segments = config.max_path_segments
        self._max_repeats = config.max_segment_repeats
        self._pattern_pages = config.pattern_pages
        self._used: OrderedDict[str, Counter[int]] = OrderedDict()

    def refusal(self, url: str, host: str) -> str | None:
        """Reason code for which the URL is refused, or None."""
        if len(url) > self._max_chars:
            return "url_too_long"
        if url.count("/") > 6:
            segments = [s for s in urlsplit(url).path.split("/") if s]
            if len(segments) > self._max_segments:
                return "trap_depth"
            if max(Counter(segments).values(), default=0) > self._max_repeats:
                return "trap_repeat"
        used = self._used.get(host)
        if used is not None and used[hash(pattern(url))] >= self._pattern_pages:
            return "trap_pattern"
        return None

    def count(self, url: str, host: str) -> None:
        """A new URL was queued."""
        used = self._used.get(host)
        if used is None:
            used = self._used[host] = Counter()
            if len(self._used) > _HOSTS:
                self._used.popitem(last=False)
        used[hash(pattern(url))] += 1
