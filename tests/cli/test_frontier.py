"""`quarkcrawl frontier` and `corpus merge`: as a user types them."""

from __future__ import annotations

import contextlib
import json
import threading
import time
import urllib.request
from pathlib import Path
from types import SimpleNamespace

import pytest

from quarkcrawl.cli import main
from quarkcrawl.cli.frontierstatus import WatchedCampaign
from quarkcrawl.config import CrawlConfig
from quarkcrawl.crawl.campaign.control import Control, add_hosts, read_state, write_state
from quarkcrawl.crawl.campaign.rebuild import rebuild_frontier
from quarkcrawl.crawl.campaign.scope import Scope
from quarkcrawl.errors import ConfigError
from quarkcrawl.frontier import (
    UNNAMED,
    Candidate,
    Ending,
    FrontierOptions,
    RedisFrontier,
    SqliteFrontier,
)
from quarkcrawl.store import Corpus, CorpusWriter
from tests.frontier.steps import page
from tests.redis.server import RedisServer

OPTIONS = FrontierOptions(delay_s=0.0, robots=False)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    yield server
    server.stop()


@pytest.fixture
def url(server, request) -> str:
    return f"{server.url}#{request.node.name.replace('[', '-').strip(']')}"


def out_json(capsys) -> dict:
    return json.loads(capsys.readouterr().out)


def test_add_status_export(url, tmp_path, capsys) -> None:
    hosts = tmp_path / "hosts.txt"
    hosts.write_text("www.a.cn\nhttp://b.cn/x\n")
    assert main(["frontier", "add", url, str(hosts)]) == 0
    assert out_json(capsys) == {"offered": 2, "duplicates": 0, "new": 2}
    frontier = RedisFrontier(url, OPTIONS, worker="w1")
    (lease,) = frontier.lease(1, now=time.time())
    frontier.server.call([["report", '{"pages": 7, "pages_per_s": 1.5, "seen_at": 1.0}']])
    assert main(["frontier", "status", url, "--json"]) == 0
    found = out_json(capsys)
    assert (found["pending"], found["leased"], found["hosts"]) == (1, 1, 2)
    (worker,) = found["workers"]
    assert (worker["worker"], worker["leases"], worker["pages"]) == ("w1", 1, 7)
    assert (worker["alive"], found["pages_per_s"]) == (False, 0)
    assert main(["frontier", "status", url]) == 0
    shown = capsys.readouterr().out
    assert "www.a.cn" in shown
    assert "w1" in shown
    assert main(["frontier", "export", url]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    states = {line["url"]: line["state"] for line in lines}
    assert states == {"http://www.a.cn/": "waiting", "http://b.cn/x": "waiting"} | {
        lease.url: "leased"
    }
    frontier.close()


def test_the_state_is_what_the_workers_do(url, capsys) -> None:
    """Not what was ordered; db60640 called all of these running."""
    frontier = RedisFrontier(url, OPTIONS, worker="w1")

    def told(**report: object) -> dict:
        if report:
            frontier.server.call([["report", json.dumps(report)]])
        assert main(["frontier", "status", url, "--json"]) == 0
        return out_json(capsys)

    def words() -> str:
        assert main(["frontier", "status", url]) == 0
        return " ".join(capsys.readouterr().out.partition("\nseen")[0].split())

    frontier.push([page(1), page(2)])
    assert (told()["state"], told()["left"]) == ("new", 2)
    (lease,) = frontier.lease(1, now=time.time())
    now = time.time()
    found = told(seen_at=now, pages=10, pages_per_s=2.0, endings=20, uptime_s=5.0)
    assert (found["state"], found["pages_per_s"], found["eta_s"]) == ("running", 2.0, 0.5)
    assert words().endswith("running; 2 left")
    frontier.acknowledge([Ending(lease.token, "stored")])
    found = told(seen_at=now - 40, pages=10)
    assert (found["state"], found["pages_per_s"], found["eta_s"]) == ("silent", 0, None)
    assert found["heard_at"] == pytest.approx(now - 40, abs=2)
    assert "no worker heard since 20" in words()
    frontier.set_state("draining")
    assert words().endswith("1 left; ordered: draining")
    frontier.set_state("running")
    frontier.close()  # the worker leaves in good order
    assert (told()["state"], told()["workers"]) == ("stopped", [])
    assert words().endswith("stopped with 1 left")
    again = RedisFrontier(url, OPTIONS)
    for lease in again.lease(1, now=time.time()):
        again.acknowledge([Ending(lease.token, "timeout")])
    again.close()
    assert told()["state"] == "finished"


def test_hosts_are_listed_from_any_place_and_the_slowest_is_named(url, capsys) -> None:
    slow = FrontierOptions(delay_s=3.0, robots=False)
    frontier = RedisFrontier(url, slow)
    frontier.push(
        [Candidate(f"http://h{n}.cn/{k}", f"h{n}.cn", 1) for n in range(5) for k in range(9 - n)]
    )
    with contextlib.closing(WatchedCampaign(url)) as campaign:
        found = campaign.status(2, 3)
        assert [host["host"] for host in found["hosts_listed"]] == ["h3.cn", "h4.cn"]
        assert found["slowest_host"] == {"host": "h0.cn", "takes_s": 27.0}
        assert campaign.status(2, 5)["hosts_listed"] == []
        assert campaign.status(0, 0)["slowest_host"] is None
    assert main(["frontier", "status", url]) == 0
    assert "h0.cn, 27 s by its delay" in capsys.readouterr().out
    frontier.close()


def test_what_a_worker_calls_itself_is_shown_as_text(url, capsys) -> None:
    frontier = RedisFrontier(url, OPTIONS, worker="w[/b]\x1b[2J")
    frontier.push([page(1)])
    frontier.lease(1, now=time.time())
    assert main(["frontier", "status", url]) == 0
    shown = capsys.readouterr().out
    assert "w[/b] [2J" in shown
    frontier.close()


@pytest.mark.parametrize("verb", ["pause", "drain", "resume"])
def test_orders(url, verb, capsys) -> None:
    frontier = RedisFrontier(url, OPTIONS)
    frontier.push([page(1)])
    assert main(["frontier", verb, url]) == 0
    state = {"pause": "paused", "drain": "draining", "resume": "running"}[verb]
    assert out_json(capsys)["state"] == frontier.state() == state
    assert len(frontier.lease(1, now=time.time())) == (verb == "resume")
    frontier.close()


def test_a_start_list(server, url, capsys) -> None:
    import redis

    with redis.Redis.from_url(server.url) as client:
        client.rpush("news:start_urls", "http://a.cn", '{"url": "http://b.cn"}', b"\x80")
    assert main(["frontier", "add", url, "--start-list", "news:start_urls"]) == 0
    assert out_json(capsys) == {"offered": 2, "refused": 1, "new": 2}


@pytest.mark.full
def test_mistakes(url, server, tmp_path, capsys) -> None:
    assert main(["frontier", "status", f"{server.url}#nobody"]) == 1
    assert main(["frontier", "status", str(tmp_path)]) == 2
    assert main(["frontier", "add", url]) == 2
    assert main(["frontier", "recover", str(tmp_path), str(tmp_path)]) == 2
    assert main(["frontier", "pause", "redis://127.0.0.1:1/0"]) == 1
    assert "no such campaign" in capsys.readouterr().err


# -- a crawl by one process


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    root = tmp_path / "corpus"
    Corpus.create(root)
    frontier = SqliteFrontier(root / "frontier.sqlite", OPTIONS)
    frontier.push([page(1), page(2, 2)])
    frontier.close()
    return root


@pytest.mark.full
def test_a_frontier_file(corpus, tmp_path, capsys) -> None:
    for where in (str(corpus), str(corpus / "frontier.sqlite")):
        assert main(["frontier", "status", where, "--json"]) == 0
        found = out_json(capsys)
        assert (found["pending"], found["order"], found["workers"]) == (2, "running", [])
        assert (found["state"], found["left"]) == ("new", 2)
    assert main(["frontier", "export", str(corpus)]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["url"], line["level"]) for line in lines] == [
        ("http://a.cn/1", 1),
        ("http://a.cn/2", 2),
    ]
    assert main(["frontier", "pause", str(corpus)]) == 0
    assert read_state(corpus) == "paused"
    capsys.readouterr()
    hosts = tmp_path / "more.txt"
    hosts.write_text("c.cn\nd.cn\n")
    assert main(["frontier", "add", str(corpus), str(hosts)]) == 0
    expected = {"offered": 2, "duplicates": 0, "new": 2, "tried_again": 0, "refused": {}}
    assert out_json(capsys) == expected
    assert Control(corpus).take_inbox().seeds == ["http://c.cn/", "http://d.cn/"]


def test_orders_by_file(tmp_path) -> None:
    control = Control(tmp_path)
    assert (control.state, control.take_inbox().seeds) == ("running", [])
    write_state(tmp_path, "draining")
    assert Control(tmp_path).state == "draining"
    write_state(tmp_path, "running")
    assert Control(tmp_path).state == "running"
    (tmp_path / "frontier.state").write_bytes(b"\xff nonsense")
    assert Control(tmp_path).state == "running"
    with pytest.raises(ConfigError):
        write_state(tmp_path, "flying")
    add_hosts(tmp_path, ["http://a.cn/"])
    assert control.take_inbox().seeds == ["http://a.cn/"]
    add_hosts(tmp_path, ["http://b.cn/", "not a host at all"])
    assert control.take_inbox().seeds == ["http://a.cn/"], (
        "what was taken is not lost before it is done"
    )
    control.inbox_done()
    assert control.take_inbox().seeds == ["http://b.cn/"]


# -- a running crawl


@pytest.mark.full
def test_a_running_crawl_is_steered_and_measured(tmp_path, url) -> None:
    from quarkcrawl.lab.mockweb import ServerProcess
    from tests.redis.server import free_port
    from tests.redis.web import small_web, stored_urls
    from tests.redis.workers import Crew, wait_until

    web = small_web(3, 12, delay_s=0.02)
    port = free_port()
    with ServerProcess.for_pages(web) as server:
        first = ["h0.shared.example"]
        with Crew(tmp_path, server, url, first, metrics_port=str(port), delay_s="0.1") as crew:
            crew.start()
            wait_until(lambda: len(server.log()) > 3)
            assert main(["frontier", "pause", url]) == 0
            more = tmp_path / "more.txt"
            more.write_text("h1.shared.example\nh2.shared.example\n")
            assert main(["frontier", "add", url, str(more)]) == 0
            with contextlib.closing(RedisFrontier(url)) as frontier:
                wait_until(lambda: frontier.counts().leased == 0)
            before = len(server.log())
            time.sleep(1.2)
            assert len(server.log()) == before, "paused"
            wait_until(lambda: metrics_at(port)["quarkcrawl_frontier_waiting"] >= 2)  # in its time
            metrics = metrics_at(port)
            assert main(["frontier", "resume", url]) == 0
            crew.finish()
            assert set(crew.stored()) == stored_urls(web)
    assert metrics["quarkcrawl_pages_total"] >= 1
    assert metrics["quarkcrawl_server_away"] == 0


def metrics_at(port: int) -> dict[str, float]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as reply:
        lines = reply.read().decode().splitlines()
    rows = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    return {name: float(value) for name, value in rows}


def test_a_frontier_is_rebuilt_from_the_corpus(tmp_path, url, capsys) -> None:
    """Everything but the corpus is gone; what it shows is known again."""
    from tests.corpus.merge_samples import write_page

    with CorpusWriter(tmp_path / "corpus") as writer:
        write_page(writer, "http://a.cn/", level=1, links=["http://a.cn/1", "http://a.cn/2"])
        write_page(writer, "http://a.cn/1", level=2, links=["http://a.cn/3"])
    assert main(["frontier", "recover", url, str(tmp_path / "corpus")]) == 0
    report = out_json(capsys)
    assert (report["rows"], report["unknown"], report["waiting"]) == (2, 1, 2)
    frontier = RedisFrontier(url, OPTIONS)
    found = frontier.find(["http://a.cn/", "http://a.cn/1", "http://a.cn/2", "http://a.cn/3"])
    assert [one and one.level for one in found] == [None, None, 2, 3]
    assert frontier.counts().ended == {"stored": 2}
    assert frontier.host("a.cn").stored == 2
    digest = next(iter(Corpus.open(tmp_path / "corpus").pages())).md5
    assert frontier.claim("md5", digest, "http://b.cn/") == UNNAMED
    again = rebuild_frontier([tmp_path / "corpus"], frontier, Scope(CrawlConfig()))
    assert (again.unknown, again.reopened, again.waiting) == (0, 0, 2)
    # A URL that the frontier lost and handed out again ends as its row says.
    (lease,) = frontier.lease(1, now=time.time())
    with CorpusWriter(tmp_path / "corpus") as writer:
        write_page(writer, lease.url, level=lease.level)
    once_more = rebuild_frontier([tmp_path / "corpus"], frontier, Scope(CrawlConfig()))
    assert once_more.reopened == 1
    assert frontier.acknowledge([Ending(lease.token, "stored")]) == [False]
    frontier.close()


def test_links_to_attachments_wait_again_if_the_campaign_wants_them(tmp_path, url, capsys) -> None:
    from tests.corpus.merge_samples import write_page

    with CorpusWriter(tmp_path / "corpus") as writer:
        write_page(writer, "http://a.cn/", level=1, links=["http://a.cn/a.pdf", "http://a.cn/b"])
    command = ["frontier", "recover", url, str(tmp_path / "corpus")]
    for settings, n_waiting in ([], 1), (["--set", "attachments=pdf"], 2):
        assert main([*command, *settings]) == 0
        assert out_json(capsys)["waiting"] == n_waiting
    assert main([*command, "--set", "attachment=pdf"]) == 2
    assert "attachments" in capsys.readouterr().err


def test_a_fresh_start(tmp_path, url, capsys) -> None:
    from tests.corpus.merge_samples import write_page

    frontier = RedisFrontier(url, FrontierOptions(delay_s=7.0))
    frontier.push([page(99)])
    frontier.close()
    with CorpusWriter(tmp_path / "corpus") as writer:
        write_page(writer, "http://a.cn/", level=1)
    assert main(["frontier", "recover", url, str(tmp_path / "corpus"), "--fresh"]) == 0
    assert out_json(capsys)["waiting"] == 0
    frontier = RedisFrontier(url)
    assert frontier.options.delay_s == 7.0
    assert frontier.counts().seen == 1
    frontier.close()


def test_live_status_goes_on(url, monkeypatch, capsys) -> None:
    RedisFrontier(url, OPTIONS).close()
    looks = []

    def wait(_seconds: float) -> None:
        looks.append(1)
        if len(looks) == 3:
            raise KeyboardInterrupt

    # The command's own clock: other threads of this process sleep on.
    monkeypatch.setattr("quarkcrawl.cli.frontier.time", SimpleNamespace(sleep=wait))
    assert main(["frontier", "status", url, "--live", "--json"]) == 130
    assert len(capsys.readouterr().out.splitlines()) == 3
    assert threading.active_count() >= 1


RULES = "User-agent: *\nDisallow: /private\nCrawl-delay: 4\n\nUser-agent: beibot\nDisallow: /\n"


def _learned(frontier, text):
    frontier.push([Candidate("http://r.cn/", "r.cn", 1)])
    (lease,) = frontier.lease(1, now=1000.0)
    assert lease.kind == "robots"
    frontier.set_robots(lease.token, robots=text, delay_s=4.0, now=1795609273.0)


@pytest.mark.parametrize("kind", ["sqlite", "redis"])
def test_robots_are_shown_with_their_time_and_what_follows(url, tmp_path, capsys, kind) -> None:
    options = FrontierOptions(delay_s=0.0)
    where = url if kind == "redis" else str(tmp_path)
    frontier = (
        RedisFrontier(url, options, worker="w1")
        if kind == "redis"
        else SqliteFrontier(tmp_path / "frontier.sqlite", options)
    )
    _learned(frontier, RULES)
    frontier.close()
    asked = ["http://r.cn/private/x", "http://r.cn/public"]
    assert main(["frontier", "robots", where, "R.cn", *asked, "--json"]) == 0
    found = out_json(capsys)
    assert found["text"] == RULES
    assert found["allowed"] == {asked[0]: False, asked[1]: True}
    assert found["crawl_delay_s"] == found["delay_s"] == 4
    assert found["closed"] is None
    assert abs(found["fetched_at"] - 1795609273.0) < 1
    assert main(["frontier", "robots", where, "r.cn", "--agent", "BeiBot/2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("# r.cn: fetched 2026-11-25 ")
    assert "# not allowed: http://r.cn/" in lines
    assert lines[-len(RULES.splitlines()) :] == RULES.splitlines()
    assert main(["frontier", "robots", where, "nobody.cn"]) == 2
    assert "no such host" in capsys.readouterr().err


def test_robots_that_were_not_had_are_said_so(tmp_path, capsys) -> None:
    with contextlib.closing(SqliteFrontier(tmp_path / "frontier.sqlite")) as frontier:
        frontier.push([Candidate("http://r.cn/", "r.cn", 1)])
        frontier.close_host("r.cn", reason="robots_unreachable")
    assert main(["frontier", "robots", str(tmp_path), "r.cn"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "# r.cn: robots.txt was not had",
        "# closed: robots_unreachable",
        "# not known whether allowed: http://r.cn/",
    ]
