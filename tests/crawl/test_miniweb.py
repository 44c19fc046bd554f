"""The hostile mini-web, crawled whole and compared with what its generator knows."""

from collections import Counter

import pytest

from quarkcrawl.crawl.campaign.scope import SKIPPED_SUFFIXES
from quarkcrawl.lab.mockweb import MiniWeb, ServerProcess, page_truth, truth
from quarkcrawl.page import canonicalize
from quarkcrawl.store.corpus import Corpus
from quarkcrawl.store.repair.verify import verify

from .harness import crawl


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    web = MiniWeb.demo()
    hosts = [host for host in web.hosts() if "*" not in host]
    with ServerProcess.for_web(web) as server:
        # Nothing hangs in it, so a machine with other work may take its time over the large page.
        run = crawl(tmp_path_factory.mktemp("demo"), server, hosts, timeout_s="60", content="yes")
        log = server.log()
    known = truth(web, [h for h in hosts if web.farm_of(h) is None])
    return web, run, log, known


def test_every_page_is_stored_exactly_once(demo):
    _, run, _, known = demo
    run.assert_settled()
    assert run.summary["finish_reason"] == "finished", run.stderr
    assert list(verify(run.out)) == []
    # A trap page is free, also under the canonical form of its URL (without session id).
    traps = {canonicalize(url) for host in known.hosts.values() for url in host.traps}
    assert known.faults(url for url in run.pages() if url not in traps) == []


def test_everything_else_ends_with_the_known_reason(demo):
    _, run, _, known = demo
    drops = run.drops()
    redirects = {row.url for row in run.rows("redirect")}
    for host in known.hosts.values():
        if host.alias_of:
            continue
        for url, reason in host.endings.items():
            if reason == "redirect":
                assert url in redirects, url
            elif reason == "mime" and url.rpartition(".")[2] in SKIPPED_SUFFIXES:
                assert url not in drops, "not worth a request"
            else:
                assert drops.get(url) == reason, url


def test_link_farms_are_dropped_and_aliases_closed(demo):
    web, run, _, _ = demo
    by_host = {}
    for row in run.rows("drop"):
        by_host.setdefault(row.host, Counter())[row.reason] += 1
    farms = [host for host in web.hosts() if web.farm_of(host) and "*" not in host]
    assert farms
    for host in farms:
        assert set(by_host[host]) == {"spam_host"}, host
    pair = [plan.names for plan in web.plans if len(plan.names) > 1]
    for names in pair:
        assert sum("host_alias" in by_host.get(name, ()) for name in names) == 1


def test_charsets_are_right_whatever_was_declared(demo):
    web, run, _, _ = demo
    corpus = Corpus.open(run.out)
    wrong = []
    for row in corpus.pages():
        known = page_truth(web, row.url)
        if known is None or row.flags:
            continue
        text = corpus.read(row)
        page = corpus.page(row)
        if page.html != page.body.decode(known.charset, "replace"):
            wrong.append((row.url, known.charset, page.encoding, text.date))
    assert wrong == []


def test_titles_are_those_of_the_pages(demo):
    web, run, _, _ = demo
    n_topics = 0
    for row in run.pages().values():
        known = page_truth(web, row.url)
        is_html = row.mime == "text/html"
        if known is not None and known.kind == "topic" and known.title and is_html:
            assert known.title[:12] in row.title, row.url
            n_topics += 1
    assert n_topics > 300


def test_robots_rules_are_asked_first_and_obeyed(demo):
    _, run, log, known = demo
    first = {}
    for entry in log:
        first.setdefault(entry.host, entry.target)
    assert set(first.values()) == {"/robots.txt"}
    refused = {
        url for host in known.hosts.values() for url, r in host.endings.items() if r == "robots"
    }
    assert refused
    assert refused.isdisjoint({entry.url for entry in log})
    assert {run.drops()[url] for url in refused} == {"robots"}
