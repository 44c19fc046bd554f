"""Seeds that are added to a crawl while it runs, is paused, was stopped or killed: none is lost."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest

from quarkcrawl.cli import main
from quarkcrawl.crawl.campaign import count_hosts, leave_seeds
from quarkcrawl.crawl.campaign.control import Control, has_inbox
from quarkcrawl.errors import InputError
from quarkcrawl.frontier import Candidate, Ending, FrontierOptions, SqliteFrontier
from quarkcrawl.store import Corpus
from tests.crawl.harness import FAST, command, crawl, environment, host_map, in_thread, write_hosts

FIRST, LATE = "first.seeds.example", "late.seeds.example"
PATHS = {"/": ("/a", "/b"), "/a": ("/c",)}
PAGES = {f"http://{LATE}{path}" for path in ("/", "/a", "/b", "/c")}
LAST = f"http://{FIRST}/last"
WHOLE = {*PAGES, LAST, f"http://{FIRST}/"}
SETTINGS = {**FAST, "timeout_s": "200", "segmentation": "false"}


class LateServer(ThreadingHTTPServer):
    """Two hosts; the last page of the first comes only when the second was asked for its home."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.asked: list[str] = []
        self.is_late_asked = threading.Event()
        self.info = SimpleNamespace(
            address="127.0.0.1", http_port=self.server_port, https_port=self.server_port
        )

    def wait_for(self, url: str, process: subprocess.Popen) -> None:
        while url not in self.asked:
            assert process.poll() is None, process.communicate()
            time.sleep(0.02)


class Answer(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        url = f"http://{self.headers['Host']}{self.path}"
        self.server.asked.append(url)
        if url == LAST:
            self.server.is_late_asked.wait(200)
        if url == f"http://{LATE}/":
            self.server.is_late_asked.set()
        paths = ("/last",) if url == f"http://{FIRST}/" else PATHS.get(self.path, ())
        links = "".join(f"<a href='{path}'>{path}</a>" for path in paths)
        body = b"" if self.path == "/robots.txt" else f"<title>{url}</title>{links}{url}".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            self.close_connection = True  # whoever asked was killed

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def server():
    with in_thread(LateServer()) as server:
        yield server
        server.is_late_asked.set()


@pytest.fixture
def crawling(tmp_path, server):
    """A crawl whose last page does not come: it cannot end without the other host."""
    words = command(write_hosts(tmp_path, [FIRST]), tmp_path / "corpus",
                    {**SETTINGS, "host_map": host_map(server)})  # fmt: skip
    process = subprocess.Popen(
        words, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    server.wait_for(LAST, process)
    yield process
    if process.poll() is None:
        process.kill()
    process.communicate()


def add(folder, capsys, *lines: str) -> dict:
    file = folder / "more.txt"
    file.write_text("".join(f"{line}\n" for line in lines))
    capsys.readouterr()
    assert main(["frontier", "add", str(folder / "corpus"), str(file)]) == 0
    return json.loads(capsys.readouterr().out)


def ended(process: subprocess.Popen) -> None:
    _, stderr = process.communicate(timeout=300)
    assert process.returncode == 0, stderr.decode()


def await_taken(root, process: subprocess.Popen) -> None:
    while has_inbox(root):
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)


def resumed(folder, server) -> None:
    assert crawl(folder, server, [FIRST], **SETTINGS).code == 0


def assert_whole(folder) -> None:
    urls = [row.url for row in Corpus.open(folder / "corpus").pages()]
    assert sorted(urls) == sorted(WHOLE)  # each once
    assert not has_inbox(folder / "corpus")


@pytest.mark.full
def test_a_seed_is_added_to_a_crawl_that_runs(tmp_path, server, crawling, capsys):
    found = add(tmp_path, capsys, LATE, f"http://{LATE.upper()}/", FIRST)
    expected = {"offered": 2, "duplicates": 1, "new": 1, "tried_again": 0, "refused": {}}
    assert found == expected
    ended(crawling)
    assert_whole(tmp_path)


@pytest.mark.full
def test_a_paused_crawl_takes_a_seed_in_and_asks_for_it_when_it_goes_on(
    tmp_path, server, crawling, capsys
):
    root = tmp_path / "corpus"
    assert main(["frontier", "pause", str(root)]) == 0
    for _ in range(3):  # it looks at orders and at the inbox once a second each
        assert add(tmp_path, capsys, FIRST)["new"] == 0
        await_taken(root, crawling)
    assert add(tmp_path, capsys, LATE)["new"] == 1
    await_taken(root, crawling)
    assert add(tmp_path, capsys, LATE)["new"] == 0
    await_taken(root, crawling)  # a second, in which it would have asked
    assert [url for url in server.asked if LATE in url] == []
    with closing(SqliteFrontier(root / "frontier.sqlite", readonly=True)) as frontier:
        assert frontier.find([f"http://{LATE}/"]) == [Candidate(f"http://{LATE}/", LATE, 1)]
    assert main(["frontier", "resume", str(root)]) == 0
    ended(crawling)
    assert_whole(tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_crawl_that_is_killed_takes_what_was_accepted_at_its_next_start(
    tmp_path, server, crawling, capsys, when
):
    if when == "before":  # it is added while nobody runs
        crawling.send_signal(signal.SIGKILL)
        crawling.wait()
    assert add(tmp_path, capsys, LATE)["new"] == 1
    if when == "after":
        crawling.send_signal(signal.SIGKILL)
        crawling.wait()
    assert add(tmp_path, capsys, LATE)["offered"] == 1  # once more does no harm
    resumed(tmp_path, server)
    assert_whole(tmp_path)


DIES = """
import os, signal, sys
from pathlib import Path
from quarkcrawl.config import CrawlConfig
from quarkcrawl.crawl.campaign.campaign import Campaign

root = Path(sys.argv[1])
campaign = Campaign(CrawlConfig(out=str(root), robots=False), root)
part, name = {"commit": (campaign.frontier, "commit"), "removal": (campaign.control, "inbox_done")}[sys.argv[2]]
setattr(part, name, lambda: os.kill(os.getpid(), signal.SIGKILL))
campaign._take_inbox()
"""


@pytest.mark.full
@pytest.mark.parametrize("before", ["commit", "removal"])
def test_a_kill_while_the_seeds_are_taken_in_loses_none(tmp_path, server, capsys, before):
    root = tmp_path / "corpus"
    server.is_late_asked.set()
    resumed(tmp_path, server)  # it ends: then a seed comes
    assert add(tmp_path, capsys, LATE)["new"] == 1
    words = [sys.executable, "-c", DIES, str(root), before]
    done = subprocess.run(words, env=environment(), capture_output=True, timeout=200, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    assert has_inbox(root)
    with closing(SqliteFrontier(root / "frontier.sqlite", readonly=True)) as frontier:
        assert frontier.unseen([f"http://{LATE}/"]) == [before == "commit"]
    resumed(tmp_path, server)
    assert_whole(tmp_path)


def test_a_bad_line_is_named_and_nothing_is_left(tmp_path, capsys):
    root = tmp_path / "corpus"
    Corpus.create(root)
    SqliteFrontier(root / "frontier.sqlite", FrontierOptions(robots=False)).close()
    file = tmp_path / "more.txt"
    file.write_text("a.cn\n# none\nnot a host\n")
    assert main(["frontier", "add", str(root), str(file)]) != 0
    assert f"{file}:3: neither a host" in capsys.readouterr().err
    assert not has_inbox(root)
    with pytest.raises(InputError, match="typed:2"):
        count_hosts(["a.cn", "ftp://a.cn/"], source="typed")


def test_what_becomes_of_seeds_is_counted(tmp_path):
    root = tmp_path / "corpus"
    Corpus.create(root)
    with closing(
        SqliteFrontier(root / "frontier.sqlite", FrontierOptions(robots=False, max_host_pages=1))
    ) as frontier:
        frontier.push(
            [Candidate("http://full.cn/", "full.cn", 1), Candidate("http://a.cn/x", "a.cn", 3)]
        )
        for lease in frontier.lease(1, now=0.0):
            frontier.acknowledge([Ending(lease.token, "stored")])
    seeds = count_hosts(
        ["full.cn", "http://full.cn/new", "a.cn/x", "a.cn", "A.cn/", "b.cn"], source="seeds"
    )
    found = leave_seeds(root, seeds)
    assert (found.offered, found.duplicates, found.new, found.tried_again) == (5, 1, 2, 0)
    assert found.refused == {"host_budget": 2}
    assert Control(root).take_inbox().seeds == list(seeds)
