"""Which sitemaps and feeds of a host are asked, and which of their entries are offered.

A list waits at level 1, so that it is read before its host's next level; what it names is offered
at a level of the settings, the last one by default. Its entries then add pages to those that links
lead to and take none away: a page that links lead to at a lower level is lowered while it waits.

A list speaks for the host on which it lies. One that lies on another host of the campaign speaks
for the host whose robots.txt names it, too, as the sitemap protocol has it; on a host that is not
of the campaign none is asked.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol
from urllib.parse import urlsplit

from quarkcrawl.crawl.lists.marks import ListMark
from quarkcrawl.frontier import Candidate
from quarkcrawl.page import host_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from quarkcrawl.config import CrawlConfig
    from quarkcrawl.frontier import Frontier, Lease
    from quarkcrawl.page.lists import PublishedList


class InScope(Protocol):
    """Those of some canonical URLs that are crawled of a host, as candidates of a level."""

    def __call__(self, urls: Iterable[str], *, host: str, level: int) -> list[Candidate]:
        """The candidates."""


WELL_KNOWN: Final = ("/sitemap.xml", "/sitemap_index.xml")
"""Asked of a host whose robots.txt names no sitemap."""

MOST_DEPTH: Final = 3
"""Most indexes one below the other; the protocol allows one."""

_HOSTS: Final = 20_000
"""Hosts seen last whose lists are counted. A sitemap of another is offered once more for nothing,
for the frontier knows what it has seen."""


@dataclass(slots=True)
class Taken:
    """What is offered of a list.

    Args:
        candidates: in the order of the list.
        n_outside: entries of other hosts, or of kinds that are not crawled.
        n_cut: entries beyond the bounds of the host.
    """

    candidates: list[Candidate]
    n_outside: int = 0
    n_cut: int = 0


@dataclass(slots=True)
class _HostLists:
    """What this run had of a host's lists."""

    is_sought: bool = False
    n_lists: int = 0
    n_urls: int = 0


class ListSources:
    """Sitemaps and feeds of one run; the bounds of a host count within the run.

    Args:
        config: which are asked, and the bounds.
        frontier: knows which hosts are of the campaign.
        named: sitemaps that the robots.txt of a host names, to which addresses are relative to a
            URL of the host.
        in_scope: those of some URLs that are crawled of a host, as candidates of a level.
    """

    def __init__(
        self,
        config: CrawlConfig,
        frontier: Frontier,
        *,
        named: Callable[[str, str], Iterable[str]],
        in_scope: InScope,
    ) -> None:
        self._config, self._frontier = config, frontier
        self._named, self._in_scope = named, in_scope
        self._hosts: OrderedDict[str, _HostLists] = OrderedDict()

    def forget(self) -> None:
        """Begin the bounds of all hosts anew, and look for their sitemaps again."""
        self._hosts.clear()

    @property
    def level(self) -> int:
        """Level at which entries are offered."""
        return self._config.listed_level or self._config.levels

    def sitemaps_of(self, lease: Lease) -> list[Candidate]:
        """Sitemaps that are to be asked because a URL of their host is fetched now; once in a run.

        Args:
            lease: that of the URL.
        """
        lists = self._of(lease.host)
        if lists.is_sought or not self._seeks_at(lease.level):
            return []
        lists.is_sought = True
        return self._sitemaps(lease.host, lease.url)

    def forgotten(self, ended: Candidate) -> list[Candidate]:
        """Sitemaps of a host of which a URL has ended, perhaps before they were kept.

        Args:
            ended: the URL. If robots.txt has been forgotten, too, it is asked before the places
                that are guessed, and then tells more.
        """
        return self._sitemaps(ended.host, ended.url) if self._seeks_at(ended.level) else []

    def _seeks_at(self, level: int) -> bool:
        asks = self._config.sitemaps
        return asks == "all" or (asks == "seeds" and level == 1)

    def _sitemaps(self, host: str, url: str) -> list[Candidate]:
        named = dict.fromkeys(self._named(host, url))
        if not named:
            mark = ListMark("guess", 0, host)
            parts = urlsplit(url)
            home = f"{parts.scheme}://{parts.netloc}"
            return self._candidates([home + path for path in WELL_KNOWN], mark)
        return self._candidates(named, ListMark("sitemap", 0, host))

    def within(self, feeds: list[Candidate]) -> list[Candidate]:
        """As many feeds of a host as it may have besides the lists that it had.

        Args:
            feeds: all have the same host.
        """
        return feeds and feeds[: self._room(feeds[0].host)]

    def _room(self, host: str) -> int:
        return max(self._config.max_sitemaps - self._of(host).n_lists, 0)

    def _candidates(self, urls: Iterable[str], mark: ListMark) -> list[Candidate]:
        """Lists on hosts of the campaign, as many as their host may have."""
        candidates = [
            Candidate(url, host, 1, str(mark))
            for url in urls
            if (host := host_key(url)) and (host == mark.host or self._is_ours(host))
        ]
        return candidates[: self._room(mark.host)]

    def _of(self, host: str) -> _HostLists:
        lists = self._hosts.get(host)
        if lists is None:
            lists = self._hosts[host] = _HostLists()
            if len(self._hosts) > _HOSTS:
                self._hosts.popitem(last=False)
        else:
            self._hosts.move_to_end(host)
        return lists

    def _is_ours(self, host: str) -> bool:
        state = self._frontier.host(host)
        return state is not None and state.closed is None

    def taken_from(self, url_list: PublishedList, lease: Lease, mark: ListMark) -> Taken:
        """What is offered of a list that was read.

        Args:
            url_list: the list.
            lease: under which it was fetched.
            mark: tells who named it.
        """
        if url_list.kind == "index":
            return self._taken_from_index(url_list, lease, mark)
        urls = dict.fromkeys(url_list.url)
        for alternates in url_list.alternates:
            urls |= dict.fromkeys(url for _, url in alternates)
        by_host = {
            host: self._in_scope(urls, host=host, level=self.level)
            for host in dict.fromkeys((mark.host, lease.host))
        }
        candidates = [one for some in by_host.values() for one in some]
        taken = Taken([], len(urls) - len(candidates))
        for host, some in by_host.items():
            room = max(self._config.max_sitemap_urls - self._of(host).n_urls, 0)
            taken.candidates += some[:room]
            taken.n_cut += max(len(some) - room, 0)
        return taken

    def _taken_from_index(self, url_list: PublishedList, lease: Lease, mark: ListMark) -> Taken:
        if mark.depth >= MOST_DEPTH:
            return Taken([], n_cut=len(url_list))
        hosts = {mark.host, lease.host}
        own = [url for url in url_list.url if host_key(url) in hosts]
        candidates = self._candidates(own, mark.deeper())
        return Taken(candidates, len(url_list) - len(own), len(own) - len(candidates))

    def count(self, candidate: Candidate) -> None:
        """A URL of a list, or that of a list, was new and waits now.

        Args:
            candidate: the URL.
        """
        mark = ListMark.parse(candidate.origin)
        if mark is None:
            self._of(candidate.host).n_urls += 1
        else:
            self._of(mark.host).n_lists += 1
