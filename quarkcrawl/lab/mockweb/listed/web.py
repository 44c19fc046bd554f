"""Hosts with sitemaps and feeds of all kinds, beside those of another web or alone.

Each host has a home page that links to a few pages, and pages to which no link leads. Which of
those a crawl must find, and what it must never ask, is known.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from quarkcrawl.lab.mockweb.listed import documents
from quarkcrawl.lab.mockweb.web import Ask, Coding, MockReply, Web, not_found

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from quarkcrawl.lab.mockweb.web import Headers


Asks = Literal["off", "seeds", "all"]

_HTML: Final = (("Content-Type", "text/html; charset=utf-8"),)
_XML: Final = (("Content-Type", "application/xml"),)
_TYPES: Final = {
    "rss": "application/rss+xml",
    "rdf": "application/rdf+xml",
    "atom": "application/atom+xml",
    "json": "application/feed+json",
}
_N_LINKED: Final = 3
_BOMB_BYTES: Final = 24 << 20


@dataclass(slots=True)
class _Site:
    """One host: replies by target, and what is true of it."""

    host: str
    replies: dict[str, MockReply] = field(default_factory=dict)
    linked: set[str] = field(default_factory=set)
    in_sitemaps: set[str] = field(default_factory=set)
    in_feeds: set[str] = field(default_factory=set)
    in_deep_feeds: set[str] = field(default_factory=set)
    outside: set[str] = field(default_factory=set)

    @property
    def root(self) -> str:
        return f"http://{self.host}"

    def home(self, robots: str = "", feeds: Iterable[str] = ()) -> None:
        """The home page with links to pages; they link to each other, so that all are found."""
        if robots:
            self.replies["/robots.txt"] = MockReply(200, (("Content-Type", "text/plain"),),
                                                    robots.encode())  # fmt: skip
        paths = [f"/linked/{number}.html" for number in range(_N_LINKED)]
        self.page("/", paths, feeds)
        for path in paths:
            self.page(path, ["/", *paths])
        self.linked |= {self.root + path for path in ("/", *paths)}

    def page(self, path: str, links: Iterable[str] = (), feeds: Iterable[str] = ()) -> str:
        """A page of which each word is its own; returns its URL."""
        named = (
            f'<link rel="alternate" type="{_TYPES[feed.rpartition(".")[2]]}" href="{feed}">'
            for feed in feeds
        )
        anchors = (f'<a href="{link}">{link}</a>\n' for link in links)
        words = " ".join(f"{self.host}{path}第{number}段" for number in range(20))
        html = (
            f"<!DOCTYPE html><html><head><title>{self.host}{path}</title>{''.join(named)}</head>"
            f"<body><h1>{path}</h1><p>{words}</p>{''.join(anchors)}</body></html>"
        )
        self.replies[path] = MockReply(200, _HTML, html.encode())
        return self.root + path

    def pages(self, name: str, number: int) -> list[str]:
        """Pages that no link leads to."""
        return [self.page(f"/{name}/{at}.html") for at in range(number)]

    def send(
        self, path: str, body: str | bytes, headers: Headers = _XML, coding: Coding | None = None
    ) -> str:
        """A document of any type; returns its URL."""
        data = body if isinstance(body, bytes) else body.encode()
        self.replies[path] = MockReply(200, headers, data, coding=coding)
        return self.root + path


class ListedWeb(Web):
    """The hosts below ``listed.example``; every other is that of the web beside.

    Args:
        beside: another web, None for no other hosts.
    """

    def __init__(self, beside: Web | None = None) -> None:
        self._beside = beside
        makers = (
            _index, _text, _news, _well_known, _broken, _bombs, _cross, _hub, _feeds,
            _pages_instead, _forbidden,
        )  # fmt: skip
        self._sites = {site.host: site for site in (make() for make in makers)}

    def arguments(self) -> list[str]:
        """The command line of ``python -m quarkcrawl.lab.mockweb`` that serves this web."""
        beside = getattr(self._beside, "arguments", list)
        return ["--listed", *beside()]

    def names(self) -> list[str]:
        """The hosts with lists."""
        return list(self._sites)

    def linked(self) -> set[str]:
        """Pages that links lead to."""
        return {url for site in self._sites.values() for url in site.linked}

    def listed(self, sitemaps: Asks, feeds: Asks) -> set[str]:
        """Pages in scope that only lists lead to.

        Args:
            sitemaps: which sitemaps are asked.
            feeds: which feeds are asked.
        """
        urls: set[str] = set()
        for site in self._sites.values():
            urls |= site.in_sitemaps if sitemaps != "off" else set()
            urls |= site.in_feeds if feeds != "off" else set()
            urls |= site.in_deep_feeds if feeds == "all" else set()
        return urls

    def outside(self) -> set[str]:
        """URLs in lists that must not be asked: of other hosts, or against robots.txt."""
        return {url for site in self._sites.values() for url in site.outside}

    def hosts(self) -> Sequence[str]:
        """All names that can be asked for."""
        return [*self._sites, *(self._beside.hosts() if self._beside is not None else ())]

    def respond(self, ask: Ask) -> MockReply:
        """Answer one request."""
        site = self._sites.get(ask.host)
        if site is None:
            return not_found() if self._beside is None else self._beside.respond(ask)
        return site.replies.get(ask.target) or not_found()


def _site(name: str) -> _Site:
    return _Site(f"{name}.listed.example")


def _index() -> _Site:
    """An index of indexes, one of them cyclic, of plain, compressed and foreign sitemaps."""
    site = _site("index")
    site.home("Sitemap: /maps/index.xml\n")
    plain, packed, coded = (site.pages(name, 20) for name in ("plain", "packed", "coded"))
    foreign = "http://elsewhere.listed.example/map.xml"
    maps = [
        site.send("/maps/plain.xml", documents.urlset(plain)),
        site.send("/maps/packed.xml.gz", documents.packed(documents.urlset(packed)),
                  (("Content-Type", "application/x-gzip"),)),
    ]  # fmt: skip
    inner = site.send("/maps/inner.xml", documents.index(maps))
    others = documents.urlset(
        [*coded, "http://elsewhere.listed.example/1.html", f"{site.root}/1.pdf"]
    )
    more = [
        site.send("/maps/coded.xml", others, coding=Coding.GZIP),
        site.root + "/maps/index.xml",
        foreign,
    ]
    cyclic = site.send("/maps/cyclic.xml", documents.index(more))
    site.send("/maps/index.xml", documents.index([inner, cyclic]))
    site.in_sitemaps |= {*plain, *packed, *coded}
    site.outside |= {foreign, "http://elsewhere.listed.example/1.html", f"{site.root}/1.pdf"}
    return site


def _text() -> _Site:
    """A text sitemap."""
    site = _site("text")
    urls = site.pages("line", 15)
    text = "\ufeff" + "\r\n".join([*urls, "no address", ""])
    plain = (("Content-Type", "text/plain"),)
    address = site.send("/urls.txt", text, plain)
    site.home(f"User-agent: *\nDisallow:\nSITEMAP: {address}\n")
    site.in_sitemaps |= set(urls)
    return site


def _news() -> _Site:
    """A news sitemap and one of languages, named by robots.txt."""
    site = _site("news")
    articles = site.pages("article", 12)
    chinese, english = site.pages("zh", 5), site.pages("en", 5)
    maps = [
        site.send("/news.xml", documents.news(articles)),
        site.send("/languages.xml", documents.languages(zip(chinese, english, strict=True))),
    ]
    site.home("".join(f"Sitemap: {address}\n" for address in maps))
    site.in_sitemaps |= {*articles, *chinese, *english}
    return site


def _well_known() -> _Site:
    """Nobody names the sitemap, which lies at the second well-known place."""
    site = _site("known")
    site.home()
    urls = site.pages("page", 10)
    address = site.send("/one.xml", documents.urlset(urls))
    site.send("/sitemap_index.xml", documents.index([address]))
    site.in_sitemaps |= set(urls)
    return site


def _broken() -> _Site:
    """Sitemaps that break off or say a wrong encoding, and one that is damaged throughout."""
    site = _site("broken")
    cut, gbk = site.pages("cut", 10), site.pages("gbk", 10)
    lost = site.page("/lost.html")
    maps = [
        site.send("/cut.xml", documents.truncated(cut, lost)),
        site.send("/gbk.xml", documents.wrongly_declared(gbk)),
        site.send("/damaged.xml.gz", documents.packed(documents.urlset([lost]))[:30]),
        site.root + "/missing.xml",
    ]
    site.home("".join(f"Sitemap: {address}\n" for address in maps))
    site.in_sitemaps |= {*cut, *gbk}
    site.outside.add(lost)
    return site


def _bombs() -> _Site:
    """Little that unpacks to much, and entities that would."""
    site = _site("bomb")
    urls = site.pages("page", 5)
    named = site.page("/named.html")
    maps = [
        site.send("/bomb.xml.gz", documents.gzip_bomb(tuple(urls), _BOMB_BYTES),
                  (("Content-Type", "application/gzip"),)),
        site.send("/entities.xml", documents.entity_bomb(named)),
    ]  # fmt: skip
    site.home("".join(f"Sitemap: {address}\n" for address in maps))
    site.in_sitemaps |= {*urls, named}
    return site


def _cross() -> _Site:
    """Its sitemap lies on another host of the campaign."""
    site = _site("cross")
    site.home("Sitemap: http://hub.listed.example/all.xml\n")
    site.in_sitemaps |= set(site.pages("page", 8))
    return site


def _hub() -> _Site:
    """Has the sitemap of another host, in which a third one stands that has not named it."""
    site = _site("hub")
    site.home()
    own = site.pages("own", 4)
    theirs = [f"http://cross.listed.example/page/{number}.html" for number in range(8)]
    third = "http://known.listed.example/secret.html"
    site.send("/all.xml", documents.urlset([*own, *theirs, third]))
    site.in_sitemaps |= set(own)
    site.outside.add(third)
    return site


def _feeds() -> _Site:
    """Feeds of four kinds, one of them named by a page of level 2 only."""
    site = _site("feeds")
    names = ("rss", "atom", "json")
    pages = {name: site.pages(name, 6) for name in (*names, "rdf")}
    site.home(feeds=[f"/feed.{name}" for name in names])
    site.page("/linked/0.html", ["/", "/feed.rss"], ["/deep/feed.rdf"])
    bodies = {
        "rss": documents.rss(pages["rss"]),
        "atom": documents.atom(site.root + "/atom/", [f"{number}.html" for number in range(6)]),
        "json": documents.json_feed(pages["json"]),
    }
    for name, body in bodies.items():
        site.send(f"/feed.{name}", body, (("Content-Type", _TYPES[name]),))
        site.in_feeds |= set(pages[name])
    site.send("/deep/feed.rdf", documents.rdf(pages["rdf"]), (("Content-Type", "text/xml"),))
    site.in_deep_feeds |= set(pages["rdf"])
    return site


def _pages_instead() -> _Site:
    """Pages in the place of sitemaps, which links lead to as well: they stay pages."""
    site = _site("soft")
    site.home(f"Sitemap: {site.root}/linked/0.html\nSitemap: {site.root}/moved.xml\n")
    moved = (("Location", "/linked/1.html"),)
    site.replies["/moved.xml"] = MockReply(301, moved)
    return site


def _forbidden() -> _Site:
    """A sitemap names what robots.txt forbids."""
    site = _site("forbidden")
    urls = site.pages("page", 5)
    address = site.send("/map.xml", documents.urlset([*urls, f"{site.root}/private/1.html"]))
    site.home(f"User-agent: *\nDisallow: /private/\nSitemap: {address}\n")
    site.in_sitemaps |= set(urls)
    site.outside.add(f"{site.root}/private/1.html")
    return site
