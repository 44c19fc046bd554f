"""What a crawl of a generated web must find: a breadth-first walk over the model.

The walk follows the model's anchors, never the HTML, so that it shares nothing with the crawler
that it judges: not the parser, not the resolution of links, not the canonical form of URLs.

Rules. The home page is level 1. Links are followed within the host only. A redirect within the
host leads to a page of the level of its source. Pages of one body form a group, of which a
crawl stores exactly one; a group counts as reached if any of its URLs is.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from quarkcrawl.lab.mockweb.site.traditional import TO_TRADITIONAL

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from quarkcrawl.lab.mockweb.site.generate import MiniWeb
    from quarkcrawl.lab.mockweb.site.hosts import Declaration
    from quarkcrawl.lab.mockweb.site.model import Document, Item, PageKind, Resource


_HOPS = 20


@dataclass(frozen=True, slots=True)
class HostTruth:
    """What is to be found on one host.

    Args:
        host: the name asked for.
        alias_of: the plan's main name, if this is the second one.
        is_spam: the host belongs to a link farm.
        levels: for every URL to be stored (or to be found a duplicate) its level.
        traps: where endless sets of URLs begin; a crawl may store or refuse them (the walk does
            not follow them, since they lead to nothing but more of their kind).
        endings: for every URL that ends otherwise its reason code.
        redirects: source and target of every redirect met.
        twins: for every URL in ``levels`` the key of its body.
        truncated: pages too large to be stored whole.
        heals: pages that fail on the first visit.
    """

    host: str
    alias_of: str
    is_spam: bool
    levels: dict[str, int] = field(default_factory=dict)
    traps: dict[str, int] = field(default_factory=dict)
    endings: dict[str, str] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)
    twins: dict[str, str] = field(default_factory=dict)
    truncated: set[str] = field(default_factory=set)
    heals: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Truth:
    """What is to be found on all hosts asked for.

    Args:
        web: the generated web; it is asked whether a page that nobody expects is of a trap.
        hosts: what is on each host, by its name.
        groups: for each body the URLs that have it; of each group one page is stored.
    """

    web: MiniWeb
    hosts: Mapping[str, HostTruth]
    groups: Mapping[str, frozenset[str]]

    def faults(self, stored: Iterable[str]) -> list[str]:
        """What is wrong with a set of stored URLs; empty if it is right.

        Args:
            stored: canonical URLs of the stored pages, each as often as it was stored.

        Returns:
            A line for each missing, double and unexpected page. Trap pages are free.
        """
        group_of = {url: key for key, urls in self.groups.items() for url in urls}
        urls_of_group: dict[str, list[str]] = {}
        faults = []
        for url in stored:
            if url in group_of:
                urls_of_group.setdefault(group_of[url], []).append(url)
            elif not self.is_trap(url):
                faults.append(f"unexpected: {url}")
        faults += [
            f"stored twice: {' = '.join(urls)}" for urls in urls_of_group.values() if len(urls) > 1
        ]
        faults += [
            f"missing: {min(self.groups[key])}" for key in self.groups.keys() - urls_of_group.keys()
        ]
        return sorted(faults)

    def is_trap(self, url: str) -> bool:
        """Whether a URL is one of endlessly many that a crawl may store or refuse.

        Args:
            url: absolute URL.
        """
        return _look(self.web, url).trap


@dataclass(frozen=True, slots=True)
class PageTruth:
    """What is known of one page.

    Args:
        url: canonical URL.
        kind: topic, list, home or info.
        template: label of its template.
        title: headline.
        date: date and time as printed, "" if there is none.
        source: named source.
        author: named author.
        main_text: content, one paragraph, caption, table row or post a line.
        items: the pieces of the content.
        related: URLs of related links.
        charset: codec of the bytes.
        content_type: media type.
        declaration: true and declared charsets.
        spam: kind of spam that the page is, see `SPAM_KINDS`; "" for a good page.
    """

    url: str
    kind: PageKind
    template: str
    title: str
    date: str
    source: str
    author: str
    main_text: str
    items: tuple[Item, ...]
    related: tuple[str, ...]
    charset: str
    content_type: str
    declaration: Declaration
    spam: str = ""


def truth(
    web: MiniWeb,
    hosts: Iterable[str] | None = None,
    levels: int = 3,
    *,
    obey_nofollow: bool = False,
    robots_down: Literal["refuse", "allow"] = "refuse",
    spam_listed: bool = False,
) -> Truth:
    """Walk the model.

    Args:
        web: the generated web.
        hosts: host names to start from; all that the web lists if None.
        levels: levels to walk, the home page being level 1.
        obey_nofollow: do not follow links marked nofollow.
        robots_down: what a crawl does where robots.txt answers with 5xx for good.
        spam_listed: the domains of the link farms are on the crawl's spam list.

    Returns:
        The truth, host by host and body by body.
    """
    names = [name for name in hosts or web.hosts() if not name.startswith("*")]
    walks = {}
    for name in names:
        walk = _Walk(web, name, levels, obey_nofollow=obey_nofollow)
        plan = web.plan_of(name)
        if plan is not None and plan.robots == "down" and robots_down == "refuse":
            walk.found.endings[web.home(name)] = "robots_unreachable"
        else:
            walk.run()
        if spam_listed and walk.found.is_spam:
            walk.refuse_all("spam_host")
        walks[name] = walk.found
    groups: dict[str, set[str]] = {}
    for walked in walks.values():
        for url, twin in walked.twins.items():
            groups.setdefault(twin, set()).add(url)
    return Truth(web, walks, {key: frozenset(urls) for key, urls in groups.items()})


class _Walk:
    """The walk over one host."""

    def __init__(self, web: MiniWeb, host: str, levels: int, *, obey_nofollow: bool) -> None:
        plan = web.plan_of(host)
        alias_of = plan.name if plan is not None and host == plan.alias else ""
        self.found = HostTruth(host, alias_of, web.farm_of(host) is not None)
        self._web = web
        self._levels = levels
        self._obey_nofollow = obey_nofollow
        self._home = web.home(host)
        self._level = {self._home: 1}
        self._done: set[str] = set()
        self._queue: deque[tuple[str, int, int]] = deque([(self._home, 1, 0)])

    def run(self) -> None:
        """Visit everything within the levels, each URL at its lowest (0-1 breadth-first)."""
        while self._queue:
            url, level, hops = self._queue.popleft()
            if url in self._done:
                continue
            self._done.add(url)
            resource = _look(self._web, url)
            self._settle(url, resource, level)
            if resource.trap:
                continue
            if resource.target:
                self.found.redirects[url] = resource.target
                if hops < _HOPS:
                    self._offer(resource.target, level, hops + 1)
            elif resource.fate == "stored" and resource.document is not None:
                self._follow(resource.document, level)

    def refuse_all(self, reason: str) -> None:
        """All pages of the host end with a reason instead of being stored."""
        self.found.endings.update(dict.fromkeys(self.found.levels, reason))
        self.found.levels.clear()
        self.found.twins.clear()

    def _settle(self, url: str, resource: Resource, level: int) -> None:
        walked = self.found
        if resource.trap:
            walked.traps[url] = level
        elif resource.fate == "stored":
            walked.levels[url] = level
            walked.twins[url] = resource.twin or url
            if resource.before is not None:
                walked.heals.add(url)
            if resource.document is not None and resource.document.padding:
                walked.truncated.add(url)
        else:
            walked.endings[url] = resource.fate

    def _follow(self, document: Document, level: int) -> None:
        nofollow = "nofollow" in document.robots_meta
        if level >= self._levels or (nofollow and self._obey_nofollow):
            return
        for anchor in document.anchors():
            if not (anchor.nofollow and self._obey_nofollow):
                self._offer(anchor.url, level + 1, 0)

    def _offer(self, url: str, level: int, hops: int) -> None:
        """Queue a URL of the host; redirects stay at the current level, so they go in front."""
        if not url.startswith(self._home) or self._level.get(url, level + 1) <= level:
            return
        self._level[url] = level
        if hops:
            self._queue.appendleft((url, level, hops))
        else:
            self._queue.append((url, level, hops))


def page_truth(web: MiniWeb, url: str) -> PageTruth | None:
    """What is known of the page at a URL, None if there is no page.

    The texts are as printed: in traditional characters on Big5 hosts.

    Args:
        web: the generated web that serves the URL.
        url: absolute URL.
    """
    resource, plan = _look(web, url), web.plan_of(_split(url)[0])
    document = resource.document
    if document is None or plan is None:
        return None
    table = TO_TRADITIONAL if plan.declaration.is_traditional else {}
    return PageTruth(
        url=document.url,
        kind=document.kind,
        template=document.template,
        title=document.title.translate(table),
        date=document.date,
        source=document.source.translate(table),
        author=document.author.translate(table),
        main_text=document.main_text().translate(table),
        items=document.items,
        related=tuple(anchor.url for anchor in document.related),
        charset=plan.declaration.charset,
        content_type=resource.content_type or "text/html",
        declaration=plan.declaration,
        spam=document.spam,
    )


def _split(url: str) -> tuple[str, str]:
    """Host and target of an absolute URL."""
    host, slash, path = url.partition("://")[2].partition("/")
    return host, slash + path


def _look(web: MiniWeb, url: str) -> Resource:
    return web.look(*_split(url))
