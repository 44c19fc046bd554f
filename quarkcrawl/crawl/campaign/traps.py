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
    from collections.abc import Sequence

    from quarkcrawl.config import CrawlConfig
    from quarkcrawl.frontier import Candidate

    Refused = tuple[Candidate, str]


_DIGITS = re.compile(r"[0-9]+")
_VARIES = re.compile(r"[0-9?]")
_VALUES = re.compile(r"=[^&]*")
_HOSTS = 2000
_PATTERNS = 1_000_000
"""Of all hosts; about 100 MB. Where names hold digits by chance nearly every URL has its own."""


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
    outer bound. URLs without digits and query have no pattern and no budget.
    """

    def __init__(self, config: CrawlConfig) -> None:
        self._max_chars = config.max_url_chars
        self._max_segments = config.max_path_segments
        self._max_repeats = config.max_segment_repeats
        # With so few slashes a URL has too few segments for either rule: most need no split.
        self._harmless_slashes = 2 + min(self._max_segments, self._max_repeats)
        self._pattern_pages = config.pattern_pages
        self._used: OrderedDict[str, Counter[int]] = OrderedDict()
        self._n_patterns = 0

    def sieve(
        self, candidates: Sequence[Candidate], *, is_bounded: bool = True
    ) -> tuple[list[Candidate], list[Refused]]:
        """Part a batch into what may be queued and what is refused, with the reason.

        Without bounds any number of URLs of a pattern may be queued.
        """
        allowed: list[Candidate] = []
        refused: list[Refused] = []
        batch: Counter[tuple[str, int]] = Counter()
        for candidate in candidates:
            reason = self.path_refusal(candidate.url)
            if reason is None and is_bounded:
                reason = self._over_budget(candidate, batch)
            if reason is None:
                allowed.append(candidate)
            else:
                refused.append((candidate, reason))
        return allowed, refused

    def path_refusal(self, url: str) -> str | None:
        """Reason code for which the look of a URL alone refuses it, or None."""
        if len(url) > self._max_chars:
            return "url_too_long"
        if url.count("/") > self._harmless_slashes:
            segments = [s for s in urlsplit(url).path.split("/") if s]
            if len(segments) > self._max_segments:
                return "trap_depth"
            if max(Counter(segments).values(), default=0) > self._max_repeats:
                return "trap_repeat"
        return None

    def _over_budget(self, candidate: Candidate, batch: Counter[tuple[str, int]]) -> str | None:
        if not _VARIES.search(candidate.url, 8):
            return None
        key = hash(pattern(candidate.url))
        used = self._used.get(candidate.host)
        batch[candidate.host, key] += 1
        total = batch[candidate.host, key] + (used[key] if used is not None else 0)
        return "trap_pattern" if total > self._pattern_pages else None

    def count(self, candidate: Candidate) -> None:
        """A candidate was new and is queued."""
        if not _VARIES.search(candidate.url, 8):
            return
        used = self._used.setdefault(candidate.host, Counter())
        self._used.move_to_end(candidate.host)
        key = hash(pattern(candidate.url))
        self._n_patterns += key not in used
        used[key] += 1
        while len(self._used) > _HOSTS or self._n_patterns > _PATTERNS:
            self._let_go()

    def _let_go(self) -> None:
        """Forget the host seen longest ago; of the only one, patterns that did not come again."""
        if len(self._used) > 1:
            _, used = self._used.popitem(last=False)
            self._n_patterns -= len(used)
            return
        host, used = self._used.popitem()
        halved = Counter({key: number - 1 for key, number in used.items() if number > 1})
        self._used[host], self._n_patterns = halved, len(halved)
