"""The truth against what the real server serves, seen by a crawler of another make."""

import http.client
from dataclasses import replace
from hashlib import md5

import lxml.html
import pytest

from quarkcrawl.lab.mockweb import MiniWeb, ServerProcess, page_truth, truth
from quarkcrawl.lab.mockweb.site.traditional import TO_TRADITIONAL
from tests.lab.mockweb.naive_crawler import NaiveCrawler

DEMO = MiniWeb.demo()
CLEAN = MiniWeb(3, 6, 400, hostile=False)


@pytest.fixture(scope="module")
def crawls():
    """Every host of the demo web crawled by the naive crawler."""
    with ServerProcess.for_web(DEMO) as server:
        hosts = [host for host in DEMO.hosts() if not host.startswith("*")]
        yield {host: NaiveCrawler(server.info, DEMO, host).run() for host in hosts}


@pytest.fixture(scope="module")
def known():
    return truth(DEMO, robots_down="allow")


@pytest.mark.full
def test_every_host_stores_what_the_truth_says(crawls, known):
    for host, crawl in crawls.items():
        expected = known.hosts[host]
        traps = set(filter(known.is_trap, crawl.bodies))
        assert set(crawl.bodies) - traps == set(expected.levels)
        assert bool(traps) == bool(expected.traps.keys() - {crawl.home + "go/growing?n=1"})
        assert {u: crawl.level_of[u] for u in expected.levels} == expected.levels


def test_groups_are_the_bodies(crawls, known):
    digest = {
        url: md5(body).digest() for crawl in crawls.values() for url, body in crawl.bodies.items()
    }
    for urls in known.groups.values():
        assert len({digest[url] for url in urls}) == 1
    assert len({digest[min(urls)] for urls in known.groups.values()}) == len(known.groups)
    assert max(map(len, known.groups.values())) >= 4


def test_faults_of_a_crawl_are_named(crawls, known):
    stored, seen = [], set()
    for crawl in crawls.values():
        for url, body in crawl.bodies.items():
            if md5(body).digest() not in seen:
                seen.add(md5(body).digest())
                stored.append(url)
    assert known.faults(stored) == []
    home = DEMO.home(DEMO.plans[0].name)
    group = next(urls for urls in known.groups.values() if len(urls) > 1)
    wrong = [url for url in stored if url != home] + [url for url in group if url not in stored]
    faults = known.faults([*wrong, "http://nowhere.cn/"])
    assert f"missing: {home}" in faults
    assert "unexpected: http://nowhere.cn/" in faults
    assert sum(line.startswith("stored twice") for line in faults) == 1


def test_redirects(crawls, known):
    for host, crawl in crawls.items():
        expected = known.hosts[host].redirects
        met = {
            url: target
            for url, target in crawl.redirects.items()
            if not known.is_trap(url) and target and target.startswith("http")
        }
        assert met == expected


SEEN_AS = {
    "robots": {"robots"},
    "mime": {"mime"},
    "connection_lost": {"ConnectionResetError", "RemoteDisconnected", "BrokenPipeError"},
    "data_loss": {"IncompleteRead"},
    "bad_http": {"BadStatusLine"},
}


def test_endings(crawls, known):
    kinds = set()
    for host, crawl in crawls.items():
        for url, reason in known.hosts[host].endings.items():
            if reason in {"redirect", "bad_redirect"}:
                assert url in crawl.redirects
            elif reason.startswith("http_"):
                assert crawl.endings[url] == int(reason[5:])
            else:
                assert crawl.endings[url] in SEEN_AS[reason]
            kinds.add(reason)
        for url in known.hosts[host].heals:
            assert crawl.tries[url] == 2
    assert kinds >= {"http_404", "http_403", "http_500", "redirect", "bad_redirect", *SEEN_AS}


def test_reason_codes_are_those_of_the_crawl(known):
    from quarkcrawl.crawl.campaign.reasons import REASONS

    reasons = {r for host in truth(DEMO).hosts.values() for r in host.endings.values()}
    assert "robots_unreachable" in reasons
    assert {r for r in reasons if not r.startswith("http_")} <= REASONS.keys()


def text_of(tree, title):
    """Text of the page with white space folded away, without its head."""
    for node in tree.xpath("//script|//style|//title"):
        node.drop_tree()
    return "".join(tree.text_content().split())


def test_page_truth_is_on_the_page(crawls):
    kinds, templates = set(), set()
    for host, crawl in crawls.items():
        if DEMO.plan_of(host) is None:
            continue
        for url, body in crawl.bodies.items():
            page = page_truth(DEMO, url)
            if page is None or page.url != url or "/big/" in url:
                continue
            html = body.decode(page.charset)
            tree = lxml.html.fromstring(html)
            assert page.title in tree.xpath("string(//title)")
            folded = text_of(tree, page.title)
            for piece in (page.date, page.source, page.author, *page.main_text.split("\n")):
                assert "".join(piece.split()) in folded, url
            hrefs = tree.xpath("//a/@href")
            for link in page.related:
                assert link[len(crawl.home) - 1 :] in hrefs
            kinds.add((page.kind, page.charset))
            templates.add(page.template)
    assert {kind for kind, _ in kinds} == {"home", "list", "topic", "info"}
    assert {charset for _, charset in kinds} == {"gb18030", "utf-8", "big5", "hz"}
    assert len(templates) > 30


def test_page_truth_of_what_is_no_page():
    host = DEMO.plans[0].name
    assert page_truth(DEMO, f"http://{host}/nowhere") is None
    assert page_truth(DEMO, f"http://{DEMO.farms[0].host(1)}/") is None


def test_declarations_are_as_planned(crawls):
    for plan in DEMO.plans:
        crawl = crawls[plan.name]
        body = crawl.bodies[crawl.home]
        head = body[:4000].decode("latin-1").lower()
        assert ("charset=" in head) == bool(plan.declaration.meta)
        if plan.declaration.meta:
            assert plan.declaration.meta.lower() in head


def test_wrong_headers_are_sent():
    wrong = {(p.declaration.charset, p.declaration.header) for p in DEMO.plans}
    assert {("gb18030", "utf-8"), ("utf-8", "gb2312"), ("gb18030", "")} <= wrong


# --- rules -----------------------------------------------------------------------------------


def test_levels():
    counts = [len(truth(CLEAN, levels=levels).groups) for levels in (1, 2, 3, 9)]
    assert counts[0] == 6
    assert counts[0] < counts[1] < counts[2] <= counts[3] == 400


@pytest.mark.full
def test_every_page_is_reached_in_the_end():
    for family_web in (MiniWeb(1, 1, 2500, hostile=False), MiniWeb(2, 5, 3000, zipf=0.0)):
        found = truth(family_web, levels=200)
        ordinary = {
            url
            for host in found.hosts.values()
            for url in host.levels
            if (page := page_truth(family_web, url))
            and page.kind != "info"
            and not host.alias_of
            and page.url == url
        }
        infos = sum(family_web.answers(p.name).site.shape.infos for p in family_web.plans)
        silent = [p for p in family_web.plans if p.robots == "down"]
        assert len(ordinary) + infos == family_web.n_pages
        assert len(silent) == (1 if family_web.hostile else 0)


def test_nofollow():
    host = next(p.name for p in DEMO.plans if "nofollow" in p.quirks)
    loose = truth(DEMO, [host]).hosts[host].levels
    strict = truth(DEMO, [host], obey_nofollow=True).hosts[host].levels
    missing = {url.rpartition("/")[2] for url in loose.keys() - strict.keys()}
    assert missing == {"ad.html", "hidden.html"}


def test_robots_down():
    host = next(p.name for p in DEMO.plans if p.robots == "down")
    refused, allowed = truth(DEMO, [host]), truth(DEMO, [host], robots_down="allow")
    assert (len(refused.groups), len(allowed.groups)) == (0, 1)
    assert refused.hosts[host].endings == {DEMO.home(host): "robots_unreachable"}


def test_spam():
    host = DEMO.farms[0].host(0)
    assert len(truth(DEMO, [host]).groups) == 4
    listed = truth(DEMO, [host], spam_listed=True)
    assert not listed.groups
    assert list(listed.hosts[host].endings.values()) == ["spam_host"] * 4
    assert truth(CLEAN, spam_listed=True).groups == truth(CLEAN).groups


def test_redirect_target_takes_the_level_of_its_source():
    host = next(p.name for p in DEMO.plans if "redirects" in p.quirks)
    found = truth(DEMO, [host], levels=9).hosts[host]
    for source, level in {**found.levels}.items():
        assert level >= 1, source
    assert found.levels[DEMO.home(host) + "go/"] == 2
    assert found.levels[DEMO.home(host) + "go/target-chain.html"] == 3


def test_alias_shares_every_body():
    plan = next(p for p in DEMO.plans if p.alias)
    found = truth(DEMO, plan.names)
    assert all(len(urls) == 2 for urls in found.groups.values())
    assert found.hosts[plan.alias].alias_of == plan.name
    assert found.hosts[plan.name].alias_of == ""


def test_page_truth_in_traditional_characters():
    plan = next(p for p in DEMO.plans if p.declaration.is_traditional)
    found = truth(DEMO, [plan.name])
    topic = next(
        url for url in found.hosts[plan.name].levels if page_truth(DEMO, url).kind == "topic"
    )
    page = page_truth(DEMO, topic)
    assert page.main_text == page.main_text.translate(TO_TRADITIONAL)
    page.main_text.encode("big5")


def test_truth_needs_no_server_and_no_rendering(monkeypatch):
    monkeypatch.setattr(http.client, "HTTPConnection", None)
    monkeypatch.setattr("quarkcrawl.lab.mockweb.site.rendering.html_of", None)
    assert replace(truth(CLEAN)).groups
