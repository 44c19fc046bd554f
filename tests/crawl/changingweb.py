"""A web that changes from day to day, with known truth, on a server of its own."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import NamedTuple

from .harness import in_thread

MIX = ((0.1, 1.0), (0.15, 4.0), (0.15, 10.0), (0.6, 0.0))
"""Shares of pages, and the mean days between two of their changes; 0: never."""


@dataclass
class Truth:
    """What becomes of one page: the days on which it is another than the day before."""

    born: int = 0
    changes: list[int] = field(default_factory=list)
    moves: int | None = None
    vanishes: int | None = None
    validator: str = ""
    is_listed: bool = False  # in the feed, not linked

    def version(self, day: int) -> int:
        return sum(change <= day for change in self.changes)


class Sent(NamedTuple):
    """One answer."""

    day: int
    url: str
    status: int
    version: int


def changing_web(n_hosts: int, n_pages: int, n_days: int, seed: int = 7) -> dict[str, Truth]:
    """URLs and what becomes of them; each home page links to all pages that are born."""
    dice = random.Random(seed)
    truth: dict[str, Truth] = {}
    for h in range(n_hosts):
        home = f"http://h{h}.changing.example/"
        births = [0] * n_pages + list(range(2, n_days, 2))
        truth[home] = Truth(changes=sorted(set(births) - {0}), validator="etag")
        for n, born in enumerate(births):
            period = dice.choices([p for _, p in MIX], [share for share, _ in MIX])[0]
            days = range(born + 1, n_days)
            page = Truth(born, [d for d in days if period and dice.random() < 1 / period])
            page.validator = dice.choice(("etag", "modified", "none"))
            fate = dice.random()
            if fate < 0.03:
                page.moves = dice.randrange(born + 1, n_days + 1)
            elif fate < 0.06:
                page.vanishes = dice.randrange(born + 1, n_days + 1)
            truth[f"{home}p{n}"] = page
    return truth


class ChangingServer(ThreadingHTTPServer):
    """Serves the web as it is on ``day`` and notes what it sent."""

    daemon_threads = True

    def __init__(
        self, truth: dict[str, Truth], n_links: int | None = None, n_outside: int = 0
    ) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.truth = truth
        self.n_links = n_links  # of a home page, to the pages born last; None: to all
        self.outside = "".join(f"<a href='http://x{n}.example/'>{n}</a>" for n in range(n_outside))
        self.has_feed = any(page.is_listed for page in truth.values())
        self.pages: dict[str, list[str]] = defaultdict(list)
        for url in sorted(truth):
            if not url.endswith("/"):
                self.pages[url[: url.rindex("/") + 1]].append(url)
        for urls in self.pages.values():
            urls.sort(key=lambda url: truth[url].born)
        self.day = 0
        self.notice: bytes | None = None  # what all pages say instead
        self.answers: dict[str, tuple[int, bytes, dict[str, str]]] = {}  # of some URLs, instead
        self.sent: list[Sent] = []
        self.info = SimpleNamespace(
            address="127.0.0.1", http_port=self.server_port, https_port=self.server_port
        )

    def body(self, url: str, version: int) -> bytes:
        """A page in one of its versions."""
        links = ""
        if url.endswith("/"):
            there = [u for u in self.pages[url] if self.truth[u].born <= self.day]
            shown = [u for u in there if not self.truth[u].is_listed][-(self.n_links or 0) :]
            links = "".join(f"<a href='{u}'>{u}</a>" for u in shown) + self.outside
            if self.has_feed:
                links += "<link rel=alternate type=application/rss+xml href=/feed.xml>"
        return f"<title>{url}</title>{links}<p>{url} as of {version}".encode()


class Answer(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        server = self.server
        url = f"http://{self.headers['Host']}{self.path}"
        day, page = server.day, server.truth.get(url.replace("/moved/", "/"))
        if url in server.answers:
            status, body, headers = server.answers[url]
            self._note(url, status, 0)
            self._send(status, body, headers)
            return
        if page is not None and server.notice is not None:
            self._send(200, server.notice, {})
            return
        if self.path == "/feed.xml":
            self._send_feed(url)
            return
        if page is None:
            self._send(404, b"", {})
            return
        is_moved = page.moves is not None and day >= page.moves
        if "/moved/" in url:
            self._note(url, 200 if is_moved else 404, 0)
            self._send(200 if is_moved else 404, b"<p>at " + url.encode(), {})
            return
        if is_moved:
            self._note(url, 301, 0)
            path = self.path.replace("/p", "/moved/p")
            self._send(301, b"", {"Location": path})
            return
        if page.vanishes is not None and day >= page.vanishes:
            self._note(url, 404, 0)
            self._send(404, b"gone", {})
            return
        self._send_page(url, page, page.version(day))

    def _send_page(self, url: str, page: Truth, version: int) -> None:
        names = {"etag": ("ETag", f'"v{version}"', "If-None-Match"),
                 "modified": ("Last-Modified", formatdate(86400 * version, usegmt=True),
                              "If-Modified-Since")}  # fmt: skip
        headers = {}
        if page.validator in names:
            name, value, condition = names[page.validator]
            headers = {name: value}
            if self.headers.get(condition) == value:
                self._note(url, 304, version)
                self._send(304, b"", headers)
                return
        self._note(url, 200, version)
        self._send(200, self.server.body(url, version), headers)

    def _send_feed(self, url: str) -> None:
        truth, day = self.server.truth, self.server.day
        there = [u for u, page in truth.items() if page.is_listed and page.born <= day]
        tag = f'"{len(there)}"'
        is_same = self.headers.get("If-None-Match") == tag
        items = "".join(f"<item><link>{u}</link></item>" for u in there)
        self._note(url, 304 if is_same else 200, len(there))
        body = b"" if is_same else f"<rss><channel>{items}</channel></rss>".encode()
        self._send(304 if is_same else 200, body, {"ETag": tag})

    def _note(self, url: str, status: int, version: int) -> None:
        self.server.sent.append(Sent(self.server.day, url, status, version))

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "text/html")
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def serving(truth: dict[str, Truth], n_links: int | None = None, n_outside: int = 0):
    """The server, until the block ends."""
    return in_thread(ChangingServer(truth, n_links, n_outside))
