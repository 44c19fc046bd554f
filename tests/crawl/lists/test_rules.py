"""Which lists are asked, what is taken of them, and what rows tell of them later."""

from __future__ import annotations

import asyncio
import shutil
import time
from contextlib import closing
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request
from scrapy.http import HtmlResponse

from quarkcrawl.config import CrawlConfig, load_toml
from quarkcrawl.crawl.campaign import Campaign, Scope, given_up, rebuild_frontier, revive_urls
from quarkcrawl.crawl.campaign.control import Control
from quarkcrawl.crawl.campaign.recovery import recover
from quarkcrawl.crawl.campaign.robots import RobotsRules
from quarkcrawl.crawl.components.analysis import Analyzer
from quarkcrawl.crawl.components.lists import ListReader
from quarkcrawl.crawl.components.pages import followed, with_nofollow
from quarkcrawl.crawl.http.fetch import FETCH_KEY
from quarkcrawl.crawl.leases import LEASE_KEY
from quarkcrawl.crawl.lists import ListMark, ListSources, with_mark
from quarkcrawl.errors import ConfigError
from quarkcrawl.frontier import Candidate, FrontierOptions, Lease, RedisFrontier, SqliteFrontier
from quarkcrawl.page import Fetched, LinkBounds, Links, Page, PageItem
from quarkcrawl.page.lists import PublishedList
from quarkcrawl.store import CorpusWriter, DropRow, RedirectRow
from tests.redis.server import RedisServer

MARK = ListMark("sitemap", 0, "a.cn")
HOME = "http://a.cn/"


def sources(named=(), hosts=("a.cn",), **settings) -> ListSources:
    config = CrawlConfig(**{"sitemaps": "all", "feeds": "all", **settings})
    known = {host: SimpleNamespace(closed=None) for host in hosts}
    return ListSources(
        config,
        SimpleNamespace(host=known.get),
        named=lambda host, url: list(named),
        in_scope=Scope(config).of_urls,
    )


def lease(url="http://a.cn/", host="a.cn", level=1, origin=None) -> Lease:
    return Lease(url, host, level, origin, token=1, tries=1, deadline=0.0)


def listing(*urls: str, kind="urlset") -> PublishedList:
    n = len(urls)
    return PublishedList(kind, list(urls), [None] * n, [None] * n, [""] * n, [()] * n)


@given(
    st.sampled_from(["sitemap", "guess", "feed"]),
    st.integers(0, 99),
    st.sampled_from(["a.cn", "a.cn:8080", "[::1]:81"]),
    st.text(),
)
def test_a_mark_is_read_as_it_was_written(source, depth, host, detail):
    mark = ListMark(source, depth, host)
    assert ListMark.parse(str(mark)) == mark
    assert ListMark.parse(with_mark(str(mark), detail)) == mark
    assert with_mark("http://a.cn/", detail) == with_mark(None, detail) == detail


def test_robots_txt_names_them_else_two_places_are_asked():
    found = sources(["http://a.cn/1.xml", "http://a.cn/1.xml", "http://b.cn/2.xml"]).sitemaps_of(
        lease()
    )
    assert found == [Candidate("http://a.cn/1.xml", "a.cn", 1, str(MARK))]
    guessed = sources().sitemaps_of(lease("https://a.cn/x/y?z"))
    assert [one.url for one in guessed] == [
        "https://a.cn/sitemap.xml",
        "https://a.cn/sitemap_index.xml",
    ]
    assert {ListMark.parse(one.origin).is_guess for one in guessed} == {True}


def test_once_a_host_and_by_setting():
    some = sources()
    assert some.sitemaps_of(lease())
    assert not some.sitemaps_of(lease())
    assert not sources(sitemaps="seeds").sitemaps_of(lease(level=2))
    assert sources(sitemaps="all").sitemaps_of(lease(level=2))
    assert not sources(sitemaps="off").sitemaps_of(lease())


def test_a_sitemap_on_another_host_of_the_campaign():
    some = sources(["http://b.cn/map.xml"], hosts=["a.cn", "b.cn"])
    (found,) = some.sitemaps_of(lease())
    assert (found.host, ListMark.parse(found.origin)) == ("b.cn", MARK)
    given = listing("http://a.cn/1", "http://b.cn/2", "http://c.cn/3", "http://a.cn/4.pdf")
    taken = some.taken_from(given, lease(found.url, "b.cn", origin=found.origin), MARK)
    assert [(one.url, one.host, one.level) for one in taken.candidates] == [
        ("http://a.cn/1", "a.cn", 3), ("http://b.cn/2", "b.cn", 3)
    ]  # fmt: skip
    assert taken.n_outside == 2


def test_indexes_lead_so_deep_and_to_their_own_hosts():
    some = sources(hosts=["a.cn", "b.cn"])
    given = listing("http://a.cn/1.xml", "http://b.cn/2.xml", kind="index")
    taken = some.taken_from(given, lease("http://a.cn/index.xml"), MARK)
    assert [ListMark.parse(one.origin).depth for one in taken.candidates] == [1]
    assert taken.n_outside == 1
    deep = ListMark("sitemap", 3, "a.cn")
    assert some.taken_from(given, lease("http://a.cn/index.xml"), deep).candidates == []


def test_bounds_of_a_host():
    some = sources(max_sitemap_urls=3, max_sitemaps=1, listed_level=2)
    urls = [f"http://a.cn/{n}" for n in range(5)]
    taken = some.taken_from(listing(*urls), lease(), MARK)
    assert ([one.url for one in taken.candidates], taken.n_cut) == (urls[:3], 2)
    assert {one.level for one in taken.candidates} == {2}
    for one in taken.candidates[:2]:
        some.count(one)
    assert len(some.taken_from(listing(*urls), lease(), MARK).candidates) == 1
    feeds = [Candidate(url, "a.cn", 1, "#feed:0:a.cn") for url in urls]
    assert some.within(feeds) == feeds[:1]
    some.count(feeds[0])
    assert some.within(feeds) == []


def test_other_languages_are_taken_too():
    given = listing("http://a.cn/zh")
    given.alternates = [(("en", "http://a.cn/en"), ("de", "http://b.cn/de"))]
    taken = sources().taken_from(given, lease(), MARK)
    assert [one.url for one in taken.candidates] == ["http://a.cn/zh", "http://a.cn/en"]


def test_feeds_of_a_page_are_links_only_where_they_are_asked():
    html = """<link rel="alternate" type="application/rss+xml; charset=utf-8" href="/rss">
    <LINK REL="ALTERNATE HOME" TYPE="application/feed+json" HREF="/json"><link rel=alternate href=/x>
    <link rel="alternate" type="application/json" href="/wp-json"><link type="application/atom+xml" href="/y">
    <link rel="alternate" type="application/atom+xml" href="http://b.cn/atom"><a href="/rss">RSS</a>"""
    page = Page.from_html(html, "http://a.cn/")
    assert [link.kind for link in page.links] == ["a"]
    links = Page.from_html(html, "http://a.cn/").links_within(LinkBounds(feeds=True))
    assert [(link.url, link.kind, link.nofollow) for link in links] == [
        ("http://a.cn/rss", "feed", True), ("http://a.cn/json", "feed", True),
        ("http://b.cn/atom", "feed", True), ("http://a.cn/rss", "a", False),
    ]  # fmt: skip
    for obeys in (False, True):
        scope = Scope(CrawlConfig(feeds="seeds", obey_nofollow=obeys))
        assert list(scope.urls_of(links, level=1)) == ["http://a.cn/rss"]
        feeds = scope.feeds_of(links, host="a.cn", level=1)
        assert [one.url for one in feeds] == ["http://a.cn/rss", "http://a.cn/json"]
        assert {one.origin for one in feeds} == {"#feed:0:a.cn"}
        assert scope.feeds_of(links, host="a.cn", level=2) == []
    assert Scope(CrawlConfig()).feeds_of(links, host="a.cn", level=1) == []
    forbidden = Page.from_html("<meta name=robots content=nofollow>" + html, "http://a.cn/")
    kinds = {link.kind for link in forbidden.links_within(LinkBounds(feeds=True))}
    assert kinds == {"a"}
    assert Scope(CrawlConfig(feeds="all")).feeds_of(Links(), host="a.cn", level=1) == []


@pytest.mark.parametrize("setting", ["obey", "ignore"])
def test_a_page_that_says_nofollow_in_its_head_names_no_feeds(setting):
    html = """<link rel=alternate type="application/rss+xml" href=/rss><a href=/x>x</a>"""
    campaign = SimpleNamespace(config=CrawlConfig(robots_meta=setting, feeds="all"))
    scope = Scope(campaign.config)
    page = Page.from_html(html, "http://a.cn/")
    lines = ((b"X-Robots-Tag", b"nofollow"),)
    item = PageItem(Fetched(url="http://a.cn/", header_lines=lines), b"", 1, page)
    item = with_nofollow(item, campaign)
    links = followed(page.links_within(LinkBounds(feeds=True)), item)
    feeds = [one.url for one in scope.feeds_of(links, host="a.cn", level=1)]
    if setting == "ignore":
        assert item.flags == ()
        assert (feeds, list(scope.urls_of(links, level=1))) == (
            ["http://a.cn/rss"],
            ["http://a.cn/x"],
        )
    else:
        assert item.flags == ("nofollow",)
        assert (feeds, list(scope.urls_of(links, level=1))) == ([], [])
        assert [(link.url, link.kind, link.nofollow) for link in links] == [
            ("http://a.cn/x", "a", True)
        ]
    assert len(links.node) == len(links)


def test_a_page_in_the_place_of_a_list_says_nofollow_too(tmp_path):
    config = CrawlConfig(
        out=str(tmp_path), robots=False, in_process=True, robots_meta="nofollow", sitemaps="all"
    )
    fetched = Fetched(url=HOME, header_lines=((b"X-Robots-Tag", b"nofollow"),))

    async def read(campaign):
        campaign.push([Candidate(HOME, "a.cn", 1, str(MARK))])
        (lease,) = campaign.frontier.lease(1, now=time.time())
        campaign.ledger.begin(lease)
        request = Request(HOME, meta={LEASE_KEY: lease, FETCH_KEY: fetched})
        response = HtmlResponse(HOME, body=b"<a href=/x>x</a>", request=request)
        return [item async for item in ListReader(campaign, Analyzer(config)).read(response)]

    campaign = Campaign(config, tmp_path)
    (item,) = asyncio.run(read(campaign))
    campaign.abandon()
    assert item.flags == ("nofollow",)


def test_sitemaps_of_a_robots_txt(tmp_path):
    text = "Sitemap: /one.xml\nUser-agent: *\nDisallow: /x\nsitemap: HTTP://A.cn/two.xml\nSitemap: ftp://a.cn/3\n"
    with closing(SqliteFrontier(tmp_path / "f.sqlite", FrontierOptions())) as frontier:
        rules = RobotsRules(frontier, CrawlConfig())
        assert rules.sitemaps("a.cn", "https://a.cn/") == []
        rules.learn("a.cn", text)
        found = ["https://a.cn/one.xml", "http://a.cn/two.xml"]
        assert rules.sitemaps("a.cn", "https://a.cn/") == found
        assert not rules.allows("http://a.cn/x", "a.cn")
        blind = RobotsRules(frontier, CrawlConfig(robots=False))
        assert blind.sitemaps("a.cn", "https://a.cn/") == []


def row(reason: str, mark: ListMark | None = MARK, url="http://a.cn/map.xml") -> DropRow:
    detail = with_mark(str(mark) if mark else None, "words")
    return DropRow(url=url, host="a.cn", reason=reason, detail=detail, level=1, at=time.time())


@pytest.mark.parametrize("reason", ["sitemap", "feed", "list_moved"])
@pytest.mark.parametrize("kept", [["map", "none"], []], ids=["kept", "lost"])
def test_after_a_kill_a_list_is_read_again(tmp_path, reason, kept):
    """Its row is on disk, what it named is not; perhaps the frontier has not kept its URL either."""
    with CorpusWriter(tmp_path / "corpus") as writer:
        writer.append_row(row(reason))
        writer.append_row(row("no_list", url="http://a.cn/none.xml"))
        writer.sync()
        with closing(SqliteFrontier(tmp_path / "f.sqlite", FrontierOptions())) as frontier:
            for name in kept:
                frontier.push([Candidate(f"http://a.cn/{name}.xml", "a.cn", 1, str(MARK))])
            for _ in range(2):
                recover(tmp_path / "corpus", frontier, Scope(CrawlConfig()))
                urls = ["http://a.cn/map.xml", "http://a.cn/none.xml"]
                assert [one and one.origin for one in frontier.find(urls)] == [str(MARK), None]


ROBOTS = "Sitemap: /one.xml\n"


@pytest.mark.parametrize(
    ("settings", "row", "robots", "urls"),
    [
        ({}, DropRow(HOME, "a.cn", "http_404", "", 1, 0.0), ROBOTS, ["one.xml"]),
        ({}, DropRow(HOME, "a.cn", "http_404", "", 1, 0.0), None, ["sitemap.xml", "sitemap_index.xml"]),
        ({}, RedirectRow(f"{HOME}x", "http://b.cn/", 302, 1, 0.0, in_scope=False), ROBOTS, ["one.xml"]),
        ({}, DropRow(HOME, "a.cn", "spam_host", "", 1, 0.0), ROBOTS, []),
        ({"sitemaps": "seeds"}, DropRow(HOME, "a.cn", "http_404", "", 2, 0.0), ROBOTS, []),
        ({"sitemaps": "off"}, DropRow(HOME, "a.cn", "http_404", "", 1, 0.0), ROBOTS, []),
    ],
)  # fmt: skip
def test_after_a_kill_sitemaps_are_sought_that_the_frontier_has_lost(
    tmp_path, settings, row, robots, urls
):
    """The last page of a host was written down before its sitemaps, found at its first, were kept."""
    with CorpusWriter(tmp_path / "corpus") as writer:
        writer.append_row(row)
        writer.sync()
        shutil.copytree(writer.root, tmp_path / "killed")
    frontier_path = tmp_path / "killed" / "frontier.sqlite"
    with closing(SqliteFrontier(frontier_path, FrontierOptions())) as frontier:
        if robots is not None:
            frontier.push([Candidate(f"{HOME}y", "a.cn", 1)])
            (lease,) = frontier.lease(1, now=0.0)
            frontier.set_robots(lease.token, robots=robots, delay_s=None, now=0.0)
            frontier.finish(f"{HOME}y", reason="stored")

    async def started():
        campaign = Campaign(CrawlConfig(**{"sitemaps": "all", **settings}), tmp_path / "killed")
        campaign.start(lambda: None)
        return campaign

    campaign = asyncio.run(started())
    names = ["one.xml", "sitemap.xml", "sitemap_index.xml"]
    entries = campaign.frontier.find([f"{HOME}{name}" for name in names])
    campaign.abandon()
    assert [name for name, entry in zip(names, entries, strict=True) if entry] == urls


def test_what_was_given_up_comes_back_as_a_list(tmp_path):
    root = tmp_path / "corpus"
    with CorpusWriter(root) as writer:
        writer.append_row(row("timeout"))
        writer.append_row(row("timeout", None, "http://a.cn/page"))
    endings = given_up([root], reasons={"timeout"})
    origins = {"http://a.cn/map.xml": str(MARK), "http://a.cn/page": None}
    assert {one.url: one.origin for one, _ in endings} == origins
    revive_urls(root, endings)
    inbox = Control(root).take_inbox()
    assert {one.url: one.origin for one, _ in inbox.endings} == origins


def test_a_frontier_that_lost_all_asks_its_lists_again(tmp_path):
    with CorpusWriter(tmp_path / "corpus") as writer:
        writer.append_row(row("sitemap"))
        writer.append_row(row("bad_list", url="http://a.cn/bad.xml"))
    server = RedisServer(tmp_path)
    try:
        with closing(RedisFrontier(server.url, FrontierOptions())) as frontier:
            for _ in range(2):
                rebuilt = rebuild_frontier([tmp_path / "corpus"], frontier, Scope(CrawlConfig()))
                assert rebuilt.waiting == 1
                urls = ["http://a.cn/map.xml", "http://a.cn/bad.xml"]
                assert [one and one.origin for one in frontier.find(urls)] == [str(MARK), None]
    finally:
        server.stop()


def test_the_settings_have_a_table_of_their_own(tmp_path):
    path = tmp_path / "quarkcrawl.toml"
    path.write_text(
        '[crawl]\nlevels = 2\n[freshness]\nsitemaps = "all"\nmax_sitemap_bytes = "1 MiB"\n'
    )
    table = load_toml(path)
    assert CrawlConfig.from_mapping(table).max_sitemap_bytes == 1 << 20
    assert table["sitemaps"] == "all"
    for text, words in (
        ("[freshness]\nlevels = 2\n", "freshness.*levels"),
        ('[freshness]\nsitemap = "all"\n', "did you mean 'sitemaps'"),
        ('[freshness]\nfeeds = "some"\n', "feeds is off, seeds or all"),
        ("[crawl]\nlevels = 2\n[freshness]\nlisted_level = 3\n", "listed_level"),
        ("freshness = 3\n", "must be a table"),
    ):  # fmt: skip
        path.write_text(text)
        with pytest.raises(ConfigError, match=words):
            load_toml(path)
