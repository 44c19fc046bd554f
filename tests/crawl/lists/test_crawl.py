"""Real crawls of sites whose pages stand in sitemaps and feeds only."""

from __future__ import annotations

import json
import subprocess
import time
from contextlib import closing

import pytest

from quarkcrawl.cli import main
from quarkcrawl.crawl.lists import ListMark
from quarkcrawl.frontier import Candidate, SqliteFrontier
from quarkcrawl.lab.mockweb import ListedWeb, ServerProcess
from quarkcrawl.store.corpus import Corpus
from quarkcrawl.store.repair.verify import verify
from tests.crawl.harness import FAST, command, crawl, environment, host_map, write_hosts
from tests.redis.server import RedisServer
from tests.redis.workers import Crew, merged

WEB = ListedWeb()
PLAIN = {"segmentation": "false", "timeout_s": "30", "total_timeout_s": "60"}
LISTS = {"sitemap", "feed", "list_moved", "no_sitemap", "no_list", "bad_list"}


def asked(server) -> set[str]:
    return {entry.url for entry in server.log()}


def assert_found(pages, sitemaps: str, feeds: str) -> None:
    assert pages == WEB.linked() | WEB.listed(sitemaps, feeds)


def test_every_listed_page_in_scope_is_found_and_nothing_else(tmp_path):
    with ServerProcess.for_web(WEB) as server:
        run = crawl(tmp_path, server, WEB.names(), sitemaps="all", feeds="all", **PLAIN)
        seen = server.log()
    run.assert_settled()
    assert_found(set(run.pages()), "all", "all")
    assert WEB.outside().isdisjoint({entry.url for entry in seen})
    hosts = set(WEB.names())
    assert {entry.host for entry in seen} == hosts
    assert run.summary["complete"]
    visits = [entry.url for entry in seen]
    assert len(visits) == len(set(visits)), "each is asked once"
    first = {}
    for entry in seen:
        first.setdefault(entry.host, entry.target)
    assert set(first.values()) == {"/robots.txt"}, "lists obey it, too"

    drops = run.drops()
    named = {
        "index": {"/maps/index.xml": "sitemap", "/maps/packed.xml.gz": "sitemap"},
        "broken": {"/cut.xml": "sitemap", "/damaged.xml.gz": "bad_list", "/missing.xml": "http_404"},
        "known": {"/sitemap.xml": "no_sitemap", "/sitemap_index.xml": "sitemap"},
        "feeds": {"/feed.rss": "feed", "/deep/feed.rdf": "feed"},
        "soft": {"/moved.xml": "list_moved"},
        "bomb": {"/bomb.xml.gz": "sitemap", "/entities.xml": "sitemap"},
        "forbidden": {"/private/1.html": "robots"},
    }  # fmt: skip
    for name, ends in named.items():
        for target, reason in ends.items():
            assert drops[f"http://{name}.listed.example{target}"] == reason, target
    assert run.reasons["sitemap"] == sum(reason == "sitemap" for reason in drops.values())
    details = {row.url: row.detail for row in run.rows("drop")}
    assert "not whole" in details["http://broken.listed.example/cut.xml"]
    assert "bounds" in details["http://bomb.listed.example/bomb.xml.gz"]
    assert {row.level for row in run.pages().values() if row.url in WEB.listed("all", "all")} == {3}
    assert list(verify(run.out)) == []


@pytest.mark.full
def test_off_nothing_is_asked(tmp_path):
    with ServerProcess.for_web(WEB) as server:
        run = crawl(tmp_path, server, WEB.names(), **PLAIN)
        # What a link of a page leads to, as it did before there were lists.
        linked = WEB.linked() | {"http://feeds.listed.example/feed.rss"}
        robots = {f"http://{host}/robots.txt" for host in WEB.names()}
        assert asked(server) == linked | robots
    assert_found(set(run.pages()), "off", "off")
    assert not LISTS & run.reasons.keys()
    corpus = Corpus.open(run.out)
    assert not any(link.kind == "feed" for row in corpus.pages() for link in row.links)


@pytest.mark.full
def test_seeds_asks_no_feed_of_deeper_pages(tmp_path):
    with ServerProcess.for_web(WEB) as server:
        rules = {"sitemaps": "seeds", "feeds": "seeds", "listed_level": "2"}
        run = crawl(tmp_path, server, WEB.names(), **rules, **PLAIN)
        assert "http://feeds.listed.example/deep/feed.rdf" not in asked(server)
    assert_found(set(run.pages()), "seeds", "seeds")
    listed = {row.level for row in run.pages().values() if row.url in WEB.listed("seeds", "seeds")}
    assert listed == {2}


@pytest.mark.full
def test_bounds_are_kept_and_what_is_left_out_is_counted(tmp_path):
    with ServerProcess.for_web(WEB) as server:
        rules = {"sitemaps": "all", "max_sitemap_urls": "7", "max_sitemaps": "2"}
        hosts = [f"{name}.listed.example" for name in ("index", "news", "text")]
        run = crawl(tmp_path, server, hosts, **rules, **PLAIN)
    details = {row.url.split("/", 2)[2]: row.detail for row in run.rows("drop")}
    news = [url for url in run.pages() if "//news." in url and "/linked/" not in url]
    assert len(news) == 1 + 7
    assert "bounds" in details["text.listed.example/urls.txt"]
    assert len([url for url in run.pages() if "/line/" in url]) == 7
    assert "1 beyond the bounds" in details["index.listed.example/maps/index.xml"]


@pytest.mark.full
def test_a_place_that_was_guessed_is_not_asked_when_robots_txt_names_others(tmp_path):
    """After a crash: the home page is stored; robots.txt and what it names have been forgotten."""
    host = "index.listed.example"
    guess = Candidate(f"http://{host}/sitemap.xml", host, 1, str(ListMark("guess", 0, host)))
    (tmp_path / "corpus").mkdir()
    with closing(SqliteFrontier(tmp_path / "corpus" / "frontier.sqlite")) as frontier:
        frontier.mark_seen([f"http://{host}/"])
        frontier.push([guess])
        frontier.commit()
    with ServerProcess.for_web(WEB) as server:
        run = crawl(tmp_path, server, [host], sitemaps="all", **PLAIN)
        assert guess.url not in asked(server)
    assert run.drops()[guess.url] == "no_sitemap"
    listed = {url for url in WEB.listed("all", "off") if url.startswith(f"http://{host}/")}
    assert set(run.pages()) == listed


@pytest.mark.full
def test_kills_in_between_lose_no_listed_page(tmp_path):
    """One run after the other is killed when some more was asked."""
    out = tmp_path / "corpus"
    hosts = write_hosts(tmp_path, WEB.names())
    with ServerProcess.for_web(WEB) as server:
        rules = {**FAST, **PLAIN, "host_map": host_map(server), "host_concurrency": "1",
                 "sitemaps": "all", "feeds": "all", "commit_pages": "4", "content": "no",
                 "commit_interval_s": "0.1"}  # fmt: skip
        words = command(hosts, out, rules)
        n_killed = 0
        for more in (16, 40, 70):
            before = len(server.log())
            process = subprocess.Popen(
                words, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            while process.poll() is None and len(server.log()) < before + more:
                time.sleep(0.005)
            n_killed += process.poll() is None
            process.kill()
            process.wait()
        assert n_killed >= 2
        done = subprocess.run(words, env=environment(), capture_output=True, text=True, check=True)
    summary = json.loads(done.stdout)
    assert (summary["left"], summary["complete"]) == (0, True)
    rows = [row.url for row in Corpus.open(out).pages()]
    assert len(rows) == len(set(rows))
    assert_found(set(rows), "all", "all")
    assert list(verify(out)) == []


@pytest.mark.full
@pytest.mark.parametrize("n_servers", [1, 2])
def test_workers_on_redis_find_them_together(tmp_path, n_servers):
    servers = []
    try:
        for number in range(n_servers):
            folder = tmp_path / f"redis{number}"
            folder.mkdir()
            servers.append(RedisServer(folder))
        where = ",".join(server.url for server in servers) + "#lists"
        rules = {**PLAIN, "robots": "true", "sitemaps": "all", "feeds": "all"}
        with (
            ServerProcess.for_web(WEB) as server,
            Crew(tmp_path, server, where, WEB.names(), **rules) as crew,
        ):
            first, _ = crew.start(), crew.start()
            while n_servers > 1 and first.poll() is None and len(server.log()) < 40:
                time.sleep(0.01)
            if n_servers > 1:  # its successor takes its shard, and what it had out
                first.kill()
                first.wait()
                crew.start()
            crew.finish()
            assert WEB.outside().isdisjoint(asked(server))
        urls, _ = merged(crew)
        assert_found(urls, "all", "all")
    finally:
        for server in servers:
            server.stop()


@pytest.mark.full
def test_lists_are_asked_again_on_request(tmp_path, capsys):
    """``frontier retry --reason sitemap``: what is new in them is found."""
    host, root = "again.example", "http://again.example"
    old, new = (f"<urlset><url><loc>{root}/{name}</loc></url></urlset>" for name in ("old", "new"))
    pages = {
        f"{root}/": "<title>home</title>home",
        f"{root}/robots.txt": {"body": f"Sitemap: {root}/map", "status": 200},
        f"{root}/map": [{"html": old, "headers": [["Content-Type", "text/xml"]]},
                        {"html": new, "headers": [["Content-Type", "text/xml"]]}],
        f"{root}/old": "<title>old</title>old",
        f"{root}/new": "<title>new</title>new",
    }  # fmt: skip
    pages[f"{root}/robots.txt"] = {
        "html": f"Sitemap: {root}/map",
        "headers": [["Content-Type", "text/plain"]],
    }
    with ServerProcess.for_pages(pages) as server:
        run = crawl(tmp_path, server, [host], sitemaps="seeds", **PLAIN)
        assert set(run.pages()) == {f"{root}/", f"{root}/old"}
        assert main(["frontier", "retry", str(run.out), "--reason", "sitemap"]) == 0
        assert json.loads(capsys.readouterr().out) == {"urls": 1, "reasons": {"sitemap": 1}}
        again = crawl(tmp_path, server, [host], sitemaps="seeds", **PLAIN)
    assert set(again.pages()) == {f"{root}/", f"{root}/old", f"{root}/new"}
    frontier = SqliteFrontier(run.out / "frontier.sqlite", readonly=True)
    assert frontier.counts().ended["sitemap"] == 1
    frontier.close()
