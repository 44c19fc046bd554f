"""A corpus of the demo web, a real server on it, and a real browser that records what it asks."""

from __future__ import annotations

import fcntl
import json
import shutil
import socketserver
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
import uvicorn

from quarkcrawl.lab.mockweb import ServerProcess
from tests.browsers import browser_or_skip
from tests.crawl.harness import crawl, environment
from tests.workbench.web.sites import HOSTS, REPRINTS, pages_of_the_web

if TYPE_CHECKING:
    from pathlib import Path

TOKEN = "a-token-for-tests"
CHROMIUM = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


_VERBS = """
import sys
from quarkcrawl.cli import main
corpus = sys.argv[1]
for words in (["template", "train", corpus, "--out", f"{corpus}/templates.json", "--workers", "1"],
              ["rank", "quarkrank", corpus], ["rank", "pagerank", corpus], ["rank", "blpr", corpus],
              ["corpus", "near", corpus]):
    assert main(words) == 0, words
"""


@pytest.fixture(scope="session")
def made_corpus(tmp_path_factory):
    """Crawled over real sockets, with templates, ranks and groups; made by who asks first."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if base.name.startswith("popen-") else base
    folder = shared / "workbench"
    folder.mkdir(exist_ok=True)
    with (shared / "workbench.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "made").exists():
            _make(folder)
            (folder / "made").touch()
    return folder / "corpus"


def _make(folder: Path) -> None:
    with ServerProcess.for_pages(pages_of_the_web()) as server:
        run = crawl(folder, server, [*HOSTS, REPRINTS], content="yes", near_method="simhash")
    assert run.code == 0, run.stderr
    subprocess.run([sys.executable, "-c", _VERBS, str(run.out)], env=environment(), check=True,
                   capture_output=True, timeout=200)  # fmt: skip


@pytest.fixture(scope="session")
def corpus(made_corpus, tmp_path_factory):
    """A copy that tests may mark, label and steer."""
    return shutil.copytree(made_corpus, tmp_path_factory.mktemp("web") / "corpus")


@dataclass
class Bench:
    """A workbench that runs."""

    base: str
    token: str = TOKEN
    corpus: Path | None = None

    def get(self, path: str):
        with urllib.request.urlopen(self.base + path, timeout=30) as reply:
            return json.load(reply)

    def send(self, method: str, path: str, body=None, *, data: bytes | None = None):
        raw = json.dumps(body).encode() if data is None else data
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.base + path, raw, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as reply:
            return json.load(reply)

    def add(self, html: str | bytes) -> str:
        data = html.encode() if isinstance(html, str) else html
        return self.send("POST", "/api/documents?url=http://outside.example/", data=data)["id"]


def await_tables(status) -> None:
    """Until the tables of the corpus have been read; 202 says that they are being read."""
    for _ in range(100):  # each waits for the better part of a second
        found = status()
        if found != 202:
            assert found in {200, 404}, found  # 404: there is no corpus
            return
    pytest.fail("the tables are still being read")


def status_of(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=30) as reply:
            return reply.status
    except urllib.error.HTTPError as error:
        return error.code


@contextmanager
def running(*words: str):
    """``quarkcrawl serve`` in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "quarkcrawl", "serve", *words, "--port", "0", "--token", TOKEN],
        env=environment(), stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        line = process.stderr.readline()
        assert line.startswith("workbench: http://127.0.0.1:"), line
        base = line.split()[1].partition("/?")[0]
        await_tables(lambda: status_of(f"{base}/hosts"))
        yield base
    finally:
        process.terminate()
        rest = process.communicate(timeout=300)[1]
    assert "Traceback" not in rest, rest


@contextmanager
def served(app, lifespan: str = "on"):
    """An application on a real port, in a thread of this process."""
    config = uvicorn.Config(app, port=0, log_level="warning", lifespan=lifespan)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the server does not start"
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="session")
def bench(corpus):
    with running(str(corpus)) as base:
        yield Bench(base, corpus=corpus)


@dataclass
class Watched:
    """A browser page, and everything it said and asked for."""

    page: object
    base: str
    asked: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    blocked: list[str] = field(default_factory=list)

    def open(self, path: str) -> None:
        self.page.goto(self.base + path)

    def assert_quiet(self) -> None:
        """No console errors, nothing asked of anybody but the workbench."""
        assert self.said == []
        own = urlsplit(self.base).netloc
        outside = [url for url in self.asked if urlsplit(url).netloc not in {own, ""}]
        outside = [url for url in outside if url not in self.blocked]
        assert outside == []


class _Counter(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        """Note what is said first; of TLS the whole greeting, since the name asked for is in it."""
        said = self.request.recv(5)
        wanted = int.from_bytes(said[3:], "big") if said[:1] == b"\x16" else 2000
        with suppress(TimeoutError, ConnectionError):
            self.request.settimeout(1)
            while wanted > 0 and (piece := self.request.recv(wanted)):
                said += piece
                wanted -= len(piece) if said[:1] == b"\x16" else wanted
        self.server.seen.append(said.decode("latin-1"))


@pytest.fixture(scope="session")
def outside():
    """Where every name but ours leads to: whatever gets out of the browser is written down."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Counter) as server:
        server.seen = []
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def browser(outside):
    """Closed with its module: its event loop keeps the thread, other tests want their own."""
    path = browser_or_skip()
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=60_000)  # a loaded machine takes its time
    rules = f"MAP * 127.0.0.1:{outside.server_address[1]}, EXCLUDE 127.0.0.1"
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(
            executable_path=path, args=[*CHROMIUM, f"--host-resolver-rules={rules}"]
        )
        yield made
        made.close()


@contextmanager
def watching(browser, base: str, *, token: str = TOKEN, **options):
    context = browser.new_context(**{"locale": "en-US", **options})
    page = context.new_page()
    page.set_default_timeout(90_000)  # a loaded machine takes its time to load models
    watched = Watched(page, base)
    page.on("request", lambda request: watched.asked.append(request.url))
    page.on(
        "requestfailed",
        lambda request: watched.blocked.append(request.url) if request.failure == "csp" else None,
    )
    page.on("pageerror", lambda error: watched.said.append(str(error)))
    page.on(
        "console",
        lambda message: (
            watched.said.append(message.text)
            if message.type in {"error", "warning"} or "RAN" in message.text
            else None
        ),
    )
    if token:
        watched.open(f"/inspect?token={token}")
    yield watched
    context.close()


@pytest.fixture
def watched(browser, bench):
    with watching(browser, bench.base) as found:
        yield found
        found.assert_quiet()
