"""At most so many requests at once to one address, over all workers."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest
from scrapy import Request
from twisted.python.failure import Failure

from quarkcrawl.config import CrawlConfig
from quarkcrawl.crawl.components.scheduler import FrontierScheduler
from quarkcrawl.crawl.http import AddressBusyError, AddressGate
from quarkcrawl.crawl.http.guards import HostMap
from quarkcrawl.crawl.http.resolver import GuardedResolver, PinnedResolver
from quarkcrawl.crawl.leases import LEASE_KEY
from quarkcrawl.errors import ConfigError, FrontierError
from quarkcrawl.frontier import FrontierOptions, RedisFrontier, SqliteFrontier
from tests.crawl.harness import in_thread
from tests.redis.workers import Crew, wait_until

TWO = FrontierOptions(address_concurrency=2)
N_HOSTS, N_PAGES = 6, 8


@pytest.fixture(params=["redis", "sqlite"])
def frontier(request, tmp_path):
    if request.param == "redis":
        frontier = RedisFrontier(request.getfixturevalue("campaign_url"), TWO)
    else:
        frontier = SqliteFrontier(tmp_path / "frontier.sqlite", TWO)
    yield frontier
    frontier.close()


def enter(frontier, token: int, address: str = "192.0.2.1", hold_s: float = 600.0):
    return asyncio.run(frontier.enter_address(token, address, hold_s=hold_s))


def test_so_many_begin_and_the_others_have_turns(frontier) -> None:
    began = time.time()
    assert [enter(frontier, token) for token in (1, 2, 1)] == [None] * 3, "asked again: it is in"
    turns = [enter(frontier, token) for token in (3, 4, 5)]
    assert began < turns[0] < turns[1] < turns[2]
    assert enter(frontier, 3, "192.0.2.2") is None, "another address"
    frontier.leave_address(1, "192.0.2.1", hold_s=600.0)
    frontier.leave_address(9, "192.0.2.1", hold_s=600.0)  # was never in
    assert enter(frontier, 4) is None
    assert enter(frontier, 5) is not None


def test_a_dead_worker_holds_its_place_for_a_time_only(campaign_url) -> None:
    dead, other = RedisFrontier(campaign_url, TWO), RedisFrontier(campaign_url)
    assert [enter(dead, token, hold_s=0.2) for token in (1, 2)] == [None, None]
    wait_until(lambda: enter(other, 3) is None)
    for one in (dead, other):
        one.close()


@pytest.mark.parametrize(
    ("settings", "address", "is_bound"),
    [
        ({}, "127.0.0.1", False),
        ({}, "::1", False),
        ({}, "192.0.2.1", True),
        ({"host_map": "192.0.2.1:80:80"}, "192.0.2.1", False),
        ({"ip_exempt": "loopback", "host_map": "192.0.2.1:80:80"}, "192.0.2.1", True),
        ({"ip_exempt": ""}, "127.0.0.1", True),
    ],
)
def test_what_is_exempt(tmp_path, settings, address, is_bound) -> None:
    frontier = SqliteFrontier(tmp_path / "f.sqlite", FrontierOptions(address_concurrency=1))
    gate = AddressGate(frontier, CrawlConfig.from_mapping(settings))

    async def both() -> bool:
        async with gate.slot(1, address, "http://a.cn/"):
            try:
                async with gate.slot(2, address, "http://b.cn/"):
                    return False
            except AddressBusyError as error:
                return error.until >= time.time() - 60
        return False

    assert asyncio.run(both()) is is_bound
    frontier.close()


def test_an_unknown_word_is_refused() -> None:
    with pytest.raises(ConfigError, match="ip_exempt"):
        CrawlConfig.from_mapping({"ip_exempt": "loopbak"})


def test_a_name_keeps_its_address_until_it_fails(monkeypatch) -> None:
    """A name server that gives another address each time cannot be had here."""
    asked: list[str] = []

    async def resolve(self, host, port=0, family=0):
        asked.append(host)
        return [{"host": f"192.0.2.{len(asked)}"}, {"host": "192.0.2.200"}]

    monkeypatch.setattr(GuardedResolver, "resolve", resolve)
    monkeypatch.setattr("quarkcrawl.crawl.http.resolver._MOST_PINNED", 2)
    resolver = PinnedResolver(HostMap("127.0.0.1", 1, 1), allow_private=False)

    def address(host: str) -> list[str]:
        return [one["host"] for one in asyncio.run(resolver.resolve(host, 80))]

    assert [address("a.cn"), address("a.cn"), address("b.cn")] == [
        ["192.0.2.1"],
        ["192.0.2.1"],
        ["192.0.2.2"],
    ]
    resolver.unpin("a.cn", 80)
    assert address("a.cn") == ["192.0.2.3"]
    assert address("c.cn") == ["192.0.2.4"]
    assert address("a.cn") == ["192.0.2.3"], "the one used longest ago was forgotten"
    assert address("b.cn") == ["192.0.2.5"]
    assert asked == ["a.cn", "b.cn", "a.cn", "c.cn", "b.cn"]


def test_a_name_goes_to_another_of_its_addresses_only_when_one_fails(monkeypatch) -> None:
    found = ["192.0.2.1", "192.0.2.2"]

    async def resolve(self, host, port=0, family=0):
        return [{"host": one} for one in found]

    monkeypatch.setattr(GuardedResolver, "resolve", resolve)
    resolver = PinnedResolver(HostMap("127.0.0.1", 1, 1), allow_private=False)

    def address() -> str:
        (one,) = asyncio.run(resolver.resolve("a.cn", 80))
        return one["host"]

    assert address() == "192.0.2.1"
    resolver.unpin("a.cn", 80)
    assert address() == "192.0.2.2"
    resolver.unpin("a.cn", 80)
    assert address() == "192.0.2.1"
    monkeypatch.setattr("quarkcrawl.crawl.http.resolver._PINNED_S", -1.0)
    resolver.unpin("a.cn", 80)
    assert address() == "192.0.2.2"
    assert address() == "192.0.2.2", "asked for again, and still among them"
    found[:] = ["192.0.2.3"]
    assert address() == "192.0.2.3"
    found[:] = []
    with pytest.raises(OSError, match="does not resolve"):
        address()


def test_a_frontier_that_does_not_answer_is_no_fault_of_a_url() -> None:
    """A gate whose frontier is given up: no row of a drop, the run ends and the next one has it."""
    ends: list[object] = []
    scheduler = FrontierScheduler(SimpleNamespace())
    scheduler.campaign = SimpleNamespace(storage_failed=ends.append)
    error = FrontierError("away")
    scheduler._failed(Failure(error))
    scheduler._robots_failed(Failure(error))
    assert ends == [error, error]


def test_where_robots_leads_is_asked_when_its_address_has_room(monkeypatch) -> None:
    """Under the same lease: the first address is not asked for the redirect again."""
    timers: list[tuple[float, object, Request]] = []
    retried: list[tuple[object, str]] = []
    given_back: list[object] = []
    judged: list[tuple[object, bool | None]] = []
    monkeypatch.setattr(
        "quarkcrawl.crawl.components.scheduler.call_later", lambda *call: timers.append(call)
    )
    open_tokens = {7}
    scheduler = FrontierScheduler(SimpleNamespace(engine=None))
    scheduler.campaign = SimpleNamespace(
        closed=False,
        ledger=SimpleNamespace(is_open=open_tokens.__contains__),
        outcomes=SimpleNamespace(
            give_back=lambda lease, until: given_back.append((lease, until)),
            retry=lambda lease, reason, wait_s: retried.append((lease, reason)),
            judge=lambda lease, is_there: judged.append((lease, is_there)),
        ),
    )
    lease = SimpleNamespace(token=7, host="a.cn", deadline=time.time() + 300)

    def busy(hops: int, until: float) -> None:
        meta = {LEASE_KEY: lease, "robots_hops": hops}
        failure = Failure(AddressBusyError("http://b.cn/robots.txt", "192.0.2.1", until))
        failure.request = Request("http://b.cn/robots.txt", meta=meta)
        scheduler._robots_failed(failure)

    busy(0, time.time() + 5)
    assert len(given_back) == 1, "nothing was sent yet"
    busy(1, time.time() + 5)
    ((wait_s, serve, request),) = timers
    assert 0 < wait_s <= 5
    serve(request)
    assert scheduler.next_request() is request
    open_tokens.clear()
    serve(request)
    assert not scheduler._ready, "its lease has ended"
    assert judged == [(lease, None)], "it could not be asked"
    busy(1, lease.deadline + 1)
    assert (len(timers), retried) == (1, [(lease, "download_error")])
    assert len(given_back) == 1


class CountingServer(ThreadingHTTPServer):
    """Answers for every host with a page and links; knows how many requests were out at once.

    The first of them wait until so many are out (0: they do not wait).
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, crowd: int) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.crowd, self.is_crowded = crowd, threading.Event()
        self.lock = threading.Lock()
        self.now = self.most = 0
        self.urls: Counter[str] = Counter()


class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        server, url = self.server, f"http://{self.headers['Host']}{self.path}"
        with server.lock:
            server.now += 1
            server.most = max(server.most, server.now)
            server.urls[url] += 1
            if server.now >= server.crowd:
                server.is_crowded.set()
        if server.crowd:
            server.is_crowded.wait(100)
        else:
            time.sleep(0.1)
        links = "".join(f"<a href='/{n}'>{n}</a>" for n in range(N_PAGES))
        body = f"<title>{url}</title>{links}<p>{url}".encode()
        with server.lock:  # before the answer: the next request follows it at once
            server.now -= 1
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def counting(crowd: int):
    return in_thread(CountingServer(crowd))


@pytest.mark.full
@pytest.mark.parametrize("most", [0, 2])
def test_workers_together_keep_to_the_bound(tmp_path, campaign_url, most, monkeypatch) -> None:
    """Without it there are more at once, so the web can tell."""
    hosts = [f"h{n}.example" for n in range(N_HOSTS)]
    rules = {"ip_concurrency": str(most), "ip_exempt": "", "host_concurrency": "2", "delay_s": "0"}
    rules["timeout_s"] = "120"
    with counting(0 if most else 3) as server:
        monkeypatch.setattr("tests.redis.workers.host_map", mapped)
        with Crew(tmp_path, server, campaign_url, hosts, **rules) as crew:
            gate = RedisFrontier(campaign_url)
            gate.set_state("paused")
            for _ in range(2):
                crew.start()
            wait_until(lambda: len(gate.server.workers()) == 2)
            gate.set_state("running")
            crew.finish()
            counts = gate.counts()
            gate.close()
        stored = crew.stored()
        urls = {f"http://{host}/{name}" for host in hosts for name in ("", *range(N_PAGES))}
        assert set(stored) == urls
        assert set(stored.values()) == {1}
        assert set(server.urls.values()) == {1}, "what found no room was not sent"
        assert (counts.retried, counts.ended) == ({}, {"stored": len(urls)}), "no try was counted"
        assert server.most <= 2 if most else server.most > 2


def mapped(server: CountingServer) -> str:
    return f"127.0.0.1:{server.server_port}:{server.server_port}"
