"""Failures that may pass: tried again later, given up visibly, tried again on request."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest

from quarkcrawl.cli import main
from quarkcrawl.config import CrawlConfig
from quarkcrawl.crawl.campaign import Campaign, revive_urls
from quarkcrawl.crawl.campaign import outages as outages_module
from quarkcrawl.crawl.campaign.givenup import given_up
from quarkcrawl.crawl.campaign.outages import Outages
from quarkcrawl.frontier import Candidate, Ending, RedisFrontier, SqliteFrontier
from quarkcrawl.store import Corpus, CorpusWriter, DropRow, RedirectRow
from quarkcrawl.store.repair.verify import verify
from tests.frontier.steps import page
from tests.redis.server import RedisServer

from .harness import crawl, in_thread

HOST = "www.passing.example"
HOME = f"http://{HOST}/"
N_PAGES = 24
RULES = {"host_concurrency": "1", "retry_delay_s": "0.02"}


class FailingServer(ThreadingHTTPServer):
    """A home page with links to pages; ``fails`` says of a path and its number of asks how it fails.

    It answers 0 for a good page, a status, or -1 for a connection that breaks.
    """

    daemon_threads = True

    def __init__(self, fails) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.fails = fails
        self.asked: list[str] = []
        self.retry_after: str | None = None
        self.info = SimpleNamespace(
            address="127.0.0.1", http_port=self.server_port, https_port=self.server_port
        )


class Answer(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        asked = self.server.asked
        asked.append(self.path)
        status = self.server.fails(self.path, asked.count(self.path))
        if status < 0:
            self.close_connection = True
            return
        links = "".join(f"<a href='/p{n}'>{n}</a>" for n in range(N_PAGES))
        links = {"/": links, "/p0": "<a href='/deep'>deep</a>"}.get(self.path, "")
        text = f"<title>{self.path}</title>{links}<p>{self.path}"
        body = b"" if self.path == "/robots.txt" else text.encode()
        self.send_response(status or 200)
        if status and self.server.retry_after is not None:
            self.send_header("Retry-After", self.server.retry_after)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def failing(fails):
    return in_thread(FailingServer(fails))


def stored_paths(run) -> list[str]:
    return sorted(row.url.removeprefix(f"http://{HOST}") for row in Corpus.open(run.out).pages())


ALL = sorted(["/", "/deep", *(f"/p{n}" for n in range(N_PAGES))])


@pytest.mark.full
def test_a_page_that_fails_is_tried_again_behind_the_others(tmp_path) -> None:
    with failing(lambda path, n: 503 if path == "/p3" and n <= 4 else 0) as server:
        run = crawl(tmp_path, server, [HOST], max_tries="2", late_tries="3", **RULES)
    assert stored_paths(run) == ALL
    assert run.summary["complete"]
    assert run.summary["given_up"] == {"urls": 0, "reasons": {}, "listed": {}}
    tries = [at for at, path in enumerate(server.asked) if path == "/p3"]
    assert tries[1] < server.asked.index("/deep") < tries[2]
    assert len(server.asked) == len(ALL) + 1 + 4


@pytest.mark.full
def test_a_home_page_is_tried_once_more(tmp_path) -> None:
    with failing(lambda path, n: -1 if path == "/" and n <= 4 else 0) as server:
        run = crawl(tmp_path, server, [HOST], max_tries="2", late_tries="2", **RULES)
    assert stored_paths(run) == ALL
    assert server.asked.count("/") == 5


@pytest.mark.full
def test_a_server_that_is_down_for_a_while_keeps_its_pages(tmp_path) -> None:
    """Without a pause each of its URLs would use up its tries in the first second."""
    down = SimpleNamespace(until=None)

    def fails(path: str, _: int) -> int:
        if path == "/p5" and down.until is None:
            down.until = time.monotonic() + 3
        return -1 if down.until is not None and time.monotonic() < down.until else 0

    with failing(fails) as server:
        run = crawl(tmp_path, server, [HOST], max_tries="2", late_tries="0", **RULES)
    assert stored_paths(run) == ALL
    assert run.summary["complete"]
    assert len(server.asked) < 3 * len(ALL)


@pytest.mark.full
@pytest.mark.parametrize("failure", [-1, 502, 503])
@pytest.mark.parametrize("n_left", [1, 3])
def test_few_pages_of_a_server_that_is_down_are_not_given_up(tmp_path, failure, n_left) -> None:
    """The tries of the last page are used up in a tenth of a second."""
    down = SimpleNamespace(until=None, n_fetched=0)

    def fails(path: str, _: int) -> int:
        down.n_fetched += down.until is None
        if down.n_fetched == len(ALL) - n_left and down.until is None:
            down.until = time.monotonic() + 3
            return 0
        return failure if down.until is not None and time.monotonic() < down.until else 0

    with failing(fails) as server:
        run = crawl(tmp_path, server, [HOST], max_tries="2", late_tries="0", **RULES)
    assert stored_paths(run) == ALL
    assert run.summary["complete"]
    assert server.asked.count("/robots.txt") > 1
    assert len(server.asked) < 3 * len(ALL)
    run.assert_settled()


@pytest.mark.full
def test_a_server_that_is_back_when_it_is_asked_has_its_page_tried_again(tmp_path) -> None:
    """As one that came back while the last try waited for an answer."""
    with failing(lambda path, n: 503 if path == "/deep" and n <= 4 else 0) as server:
        run = crawl(tmp_path, server, [HOST], max_tries="2", late_tries="2", **RULES)
    assert stored_paths(run) == ALL
    assert server.asked[-6:] == [*["/deep"] * 4, "/robots.txt", "/deep"]
    assert run.summary["complete"]


@pytest.mark.full
def test_a_last_try_that_began_before_others_were_answered_does_not_count(tmp_path) -> None:
    """A server comes back while a request still waits, and fails it after it has served others."""
    last_try, others = threading.Event(), threading.Event()

    def fails(path: str, n: int) -> int:
        if path == "/p1" and n <= 2:
            if n == 2:
                last_try.set()
                assert others.wait(60)
                time.sleep(1)
            return 503
        if path.startswith("/p"):
            assert last_try.wait(60)
            others.set()
        return 0

    with failing(fails) as server:
        more = {**RULES, "host_concurrency": str(N_PAGES), "timeout_s": "100"}
        run = crawl(tmp_path, server, [HOST], max_tries="2", late_tries="0", **more)
    assert stored_paths(run) == ALL
    assert server.asked.count("/p1") == 3
    assert run.summary["complete"]


@pytest.mark.full
def test_a_page_that_fails_alone_is_given_up_after_two_looks_at_its_host(tmp_path) -> None:
    with failing(lambda path, _: 503 if path == "/deep" else 0) as server:
        run = crawl(tmp_path, server, [HOST], max_tries="2", late_tries="2", **RULES)
    assert run.summary["given_up"]["listed"] == {f"{HOME}deep": "http_503"}
    assert server.asked[-7:] == [*["/deep"] * 4, "/robots.txt", "/deep", "/robots.txt"]
    assert server.asked.count("/robots.txt") == 3
    run.assert_settled()


@pytest.mark.full
def test_what_was_given_up_is_named_and_tried_again_on_request(tmp_path, capsys) -> None:
    bad = {"/p1": 503, "/p2": -1, "/p9": 404}
    with failing(lambda path, n: bad.get(path, 0)) as server:
        run = crawl(tmp_path, server, [HOST], max_tries="1", late_tries="1", **RULES)
        assert run.code == 0
        found = run.summary
        assert (found["complete"], found["left"]) == (False, 0)
        reasons = {"connection_lost": 1, "http_503": 1}
        listed = {f"{HOME}p1": "http_503", f"{HOME}p2": "connection_lost"}
        assert found["given_up"] == {"urls": 2, "reasons": reasons, "listed": listed}
        assert "2 URLs were given up" in run.stderr

        again = crawl(tmp_path, server, [HOST], max_tries="1", late_tries="1", **RULES)
        assert not again.summary["complete"]
        assert again.summary["given_up"]["reasons"] == reasons

        bad.clear()
        assert main(["frontier", "retry", str(run.out), "--reason", "http_503"]) == 0
        assert json.loads(capsys.readouterr().out) == {"urls": 1, "reasons": {"http_503": 1}}
        mended = crawl(tmp_path, server, [HOST], max_tries="1", late_tries="1", **RULES)
        assert mended.summary["given_up"]["reasons"] == {"connection_lost": 1}
        assert stored_paths(mended) == sorted(set(ALL) - {"/p2", "/p9"})

        hosts = tmp_path / "more.txt"
        hosts.write_text(f"{HOME}p2\n{HOME}p9\n{HOME}p1\n")
        assert main(["frontier", "add", str(run.out), str(hosts)]) == 0
        expected = {"offered": 3, "duplicates": 0, "new": 0, "tried_again": 2, "refused": {}}
        assert json.loads(capsys.readouterr().out) == expected
        whole = crawl(tmp_path, server, [HOST], max_tries="1", late_tries="1", **RULES)
    assert whole.summary["complete"]
    assert stored_paths(whole) == ALL
    whole.assert_settled()
    assert list(verify(whole.out)) == []
    frontier = SqliteFrontier(whole.out / "frontier.sqlite", readonly=True)
    assert frontier.counts().ended == {"stored": len(ALL)}
    frontier.close()


@pytest.mark.full
def test_a_host_that_was_given_up_is_opened_again(tmp_path, capsys) -> None:
    bad = {"/robots.txt": 503}
    with failing(lambda path, n: bad.get(path, 0)) as server:
        run = crawl(tmp_path, server, [HOST], max_tries="1", late_tries="1", **RULES)
        assert run.drops() == {HOME: "robots_unreachable"}
        assert server.asked == ["/robots.txt"] * 3
        bad.clear()
        assert main(["frontier", "retry", str(run.out), "--host", "other.example"]) == 0
        assert json.loads(capsys.readouterr().out)["urls"] == 0
        assert main(["frontier", "retry", str(run.out), "--host", HOST]) == 0
        run = crawl(tmp_path, server, [HOST], max_tries="1", late_tries="1", **RULES)
    assert stored_paths(run) == ALL
    assert run.summary["complete"]


@pytest.mark.full
@pytest.mark.parametrize("status", [429, 503])
def test_a_host_whose_robots_txt_asks_for_time_is_put_off_and_not_lost(tmp_path, status) -> None:
    """Six times later is more often than it is tried."""
    with failing(lambda path, n: status if path == "/robots.txt" and n <= 4 else 0) as server:
        server.retry_after = "1"
        run = crawl(tmp_path, server, [HOST], max_tries="1", late_tries="0",
                    max_retry_after_s="0.5", **RULES)  # fmt: skip
    assert stored_paths(run) == ALL
    assert run.summary["complete"]
    assert server.asked[:6] == ["/robots.txt"] * 5 + ["/"]


@pytest.mark.full
def test_a_host_that_asks_for_time_for_ever_is_given_up_at_last(tmp_path) -> None:
    with failing(lambda path, _: 429 if path == "/robots.txt" else 0) as server:
        server.retry_after = "1"
        run = crawl(tmp_path, server, [HOST], max_tries="1", late_tries="0",
                    max_retry_after_s="0.1", **RULES)  # fmt: skip
    assert run.drops() == {HOME: "robots_unreachable"}
    assert not run.summary["complete"]
    assert set(server.asked) == {"/robots.txt"}
    assert len(server.asked) > 2


@pytest.mark.full
def test_urls_of_a_host_that_never_answers_again_use_up_their_tries(tmp_path) -> None:
    with failing(lambda path, n: 0 if path in {"/robots.txt", "/"} else -1) as server:
        run = crawl(tmp_path, server, [HOST], host_patience_s="0", max_tries="2", late_tries="1",
                    **RULES)  # fmt: skip
    assert stored_paths(run) == ["/"]
    assert run.summary["given_up"]["reasons"] == {"connection_lost": N_PAGES}
    assert set(run.drops()) == {f"{HOME}p{n}" for n in range(N_PAGES)}


@pytest.mark.full
def test_a_new_url_of_a_host_that_was_given_up_opens_it(tmp_path, capsys) -> None:
    bad = {"/robots.txt": 503}
    hosts = tmp_path / "more.txt"
    hosts.write_text(f"{HOME}lonely\n")
    with failing(lambda path, n: bad.get(path, 0)) as server:
        run = crawl(tmp_path, server, [HOST], max_tries="1", late_tries="0", **RULES)
        assert run.drops() == {HOME: "robots_unreachable"}
        bad.clear()
        assert main(["frontier", "add", str(run.out), str(hosts)]) == 0
        expected = {"offered": 1, "duplicates": 0, "new": 1, "tried_again": 1, "refused": {}}
        assert json.loads(capsys.readouterr().out) == expected
        run = crawl(tmp_path, server, [HOST], **RULES)
    assert stored_paths(run) == sorted([*ALL, "/lonely"])


@pytest.mark.full
def test_a_host_without_budget_is_not_opened_and_the_run_ends(tmp_path) -> None:
    few = {"max_host_pages": "6", "max_tries": "1", "late_tries": "0", **RULES}
    with failing(lambda path, n: 503 if path == "/p1" else 0) as server:
        run = crawl(tmp_path, server, [HOST], **few)
        assert main(["frontier", "retry", str(run.out)]) == 0
        run = crawl(tmp_path, server, [HOST], limit_s=100, **few)
    assert len(stored_paths(run)) == 6
    assert run.summary["left"] == 0


def test_two_orders_for_one_url_fetch_it_once(tmp_path) -> None:
    """The second was made of tables that did not show yet what came of the first."""
    campaign = Campaign(CrawlConfig(out=str(tmp_path), robots=False), tmp_path)
    try:
        ending = (Candidate(HOME, HOST, 1), "timeout")
        campaign.frontier.push([ending[0]])
        for expected in (1, 0):
            (lease,) = campaign.frontier.lease(1, now=time.time() + 99 * (1 - expected))
            campaign.frontier.acknowledge(
                [Ending(lease.token, "timeout" if expected else "stored")]
            )
            revive_urls(tmp_path, [ending])
            campaign._take_inbox()
            assert campaign.frontier.counts().pending == expected
    finally:
        campaign.abandon()


def test_campaigns_on_a_server_are_given_their_urls_back(tmp_path, capsys) -> None:
    (tmp_path / "redis").mkdir()
    server = RedisServer(tmp_path / "redis")
    try:
        url = f"{server.url}#givenup"
        with CorpusWriter(tmp_path / "corpus") as writer:
            for number, reason in enumerate(["timeout", "http_404", "timeout"], 1):
                row = DropRow(page(number).url, "a.cn", reason, "", 1, float(number))
                writer.append_row(row)
        frontier = RedisFrontier(url)
        frontier.push([page(1)])
        frontier.mark_seen([page(2).url, page(3).url])
        command = ["frontier", "retry", url]
        assert main(command) == 2
        assert "give the corpora" in capsys.readouterr().err
        assert main([*command, str(tmp_path / "corpus"), "--reason", "slow"]) == 2
        assert "no reason code 'slow'" in capsys.readouterr().err
        assert main([*command, str(tmp_path / "corpus")]) == 0
        assert json.loads(capsys.readouterr().out) == {"urls": 1, "reasons": {"timeout": 1}}
        assert frontier.find([page(n).url for n in (1, 2, 3)]) == [page(1), None, page(3)]
        frontier.close()
    finally:
        server.stop()


def test_the_last_ending_counts_and_what_was_stored_since_does_not(tmp_path) -> None:
    with CorpusWriter(tmp_path) as writer:
        for url, reason, at in [
            ("http://a.cn/1", "timeout", 1.0),
            ("http://a.cn/1", "http_404", 2.0),
            ("http://a.cn/2", "http_404", 1.0),
            ("http://a.cn/2", "dns", 2.0),
            ("http://b.cn/3", "dns", 1.0),
        ]:
            writer.append_row(DropRow(url, url[7:11], reason, "", 2, at))
            writer.rotate()
        row = RedirectRow("http://b.cn/3", "http://b.cn/4", 301, 1, 3.0, in_scope=True)
        writer.append_row(row)
    found = given_up([tmp_path])
    assert {one.url: (one.level, reason) for one, reason in found} == {
        "http://a.cn/1": (2, "http_404"), "http://a.cn/2": (2, "dns"),
    }  # fmt: skip
    assert [one.url for one, _ in given_up([tmp_path], reasons={"dns"})] == ["http://a.cn/2"]
    assert given_up([tmp_path], hosts={"b.cn"}) == []
    assert len(given_up([tmp_path], urls={"http://a.cn/1", "http://x.cn/"})) == 1


@pytest.mark.parametrize("reason", ["timeout", "dns", "connection_lost"])
def test_pauses_of_a_silent_host_grow_and_end_with_any_answer(reason) -> None:
    outages = Outages(CrawlConfig(retry_delay_s=10))
    lease = SimpleNamespace(host="a.cn", kind="page", tries=1)
    again = SimpleNamespace(host="a.cn", kind="page", tries=2)
    pauses = [outages.failed(lease, reason) for _ in range(12)]
    assert pauses[:8] == [0, 0, 0, 0, 10, 20, 40, 80]
    assert pauses[-3:] == [300, 300, 300]
    assert outages.failed(again, reason) == 300, "it would be asked for each of its pages"
    assert outages.failed(lease, "http_500") == 0  # it answers
    assert [outages.failed(lease, reason) for _ in range(5)] == [0, 0, 0, 0, 10]
    outages.answered("a.cn")
    assert outages.failed(lease, reason) == 0
    for _ in range(20):
        assert outages.failed(again, reason) == 0, "a page that failed says nothing of its host"


def test_a_silence_is_over_after_its_time_and_forgotten_after_a_pause(monkeypatch) -> None:
    now = SimpleNamespace(s=0.0)
    monkeypatch.setattr(outages_module.time, "monotonic", lambda: now.s)
    outages = Outages(CrawlConfig(retry_delay_s=10, host_patience_s=1000))
    lease = SimpleNamespace(host="a.cn", kind="page", tries=1)
    assert [outages.failed(lease, "dns") for _ in range(5)][-1] == 10
    now.s = 1001
    assert outages.failed(lease, "dns") == 0
    now.s = 1001 + 7200  # as after a long `frontier pause`
    assert [outages.failed(lease, "dns") for _ in range(5)] == [0, 0, 0, 0, 10]


def test_a_worker_that_is_cut_off_holds_no_host_back_for_the_others() -> None:
    outages = Outages(CrawlConfig(redis="redis://a/0#b", retry_delay_s=10))
    lease = SimpleNamespace(host="a.cn", kind="page", tries=1)
    assert {outages.failed(lease, "dns") for _ in range(20)} == {0}
    outages.answered("b.cn")
    assert outages.failed(lease, "dns") > 0


def test_a_host_that_never_answered_is_not_held_back_where_no_robots_txt_is_asked_for() -> None:
    outages = Outages(CrawlConfig(robots=False, retry_delay_s=10))
    home = SimpleNamespace(host="a.cn", kind="page", tries=1, level=1)
    linked = SimpleNamespace(host="b.cn", kind="page", tries=1, level=2)
    assert {outages.failed(home, "dns") for _ in range(20)} == {0}
    assert not outages.may_be_down(home, "dns")
    assert outages.may_be_down(linked, "dns")
    outages.answered("a.cn")
    assert [outages.failed(home, "dns") for _ in range(5)] == [0, 0, 0, 0, 10]
    assert outages.may_be_down(home, "dns")
