"""Servers that are down for a while in the middle of a crawl, in every way, with default tries.

Three minutes unless QUARKCRAWL_OUTAGE_S says otherwise (3600: an hour, the issue's word for it).
"""

from __future__ import annotations

import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest

from .harness import crawl, in_thread

OUTAGE_S = float(os.environ.get("QUARKCRAWL_OUTAGE_S", "180"))
"""The tries of one page by the defaults are used up after 85 seconds."""

N_PAGES = 60
DOWN = {"reset": None, "silent": None, "status502": 502, "status503": 503}
"""Ways to be down, and the status that is answered."""

LEFT = (1, 3, 40)
"""Pages that are not fetched yet when it begins."""

DEFAULTS = {"timeout_s": "20", "retry_delay_s": "5"}
"""Where those of the harness are others."""


class Outages(ThreadingHTTPServer):
    """Hosts that are named after how they fail and how many pages they have left then."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.lock = threading.Lock()
        self.served: dict[str, set[str]] = {}
        self.down_at: dict[str, float] = {}
        self.n_asked_when_down = 0
        self.info = SimpleNamespace(
            address="127.0.0.1", http_port=self.server_port, https_port=self.server_port
        )

    def is_down(self, host: str, path: str) -> bool:
        """Whether a host fails now; it begins when enough of its pages were served."""
        with self.lock:
            if (began := self.down_at.get(host)) is not None:
                is_down = time.monotonic() < began + OUTAGE_S
                self.n_asked_when_down += is_down
                return is_down
            served = self.served.setdefault(host, set())
            served.add(path)
            n_left = int(host.partition(".")[0].rpartition("-")[2])
            if len(served) == N_PAGES + 1 - n_left:  # with robots.txt
                self.down_at[host] = time.monotonic()
            return False


class Answer(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        host = self.headers["Host"]
        way = host.partition("-")[0]
        status = 200
        if self.server.is_down(host, self.path):
            status = DOWN[way]
            if way == "silent":
                time.sleep(25)
            if status is None:
                self.close_connection = True
                return
        links = "".join(f"<a href='/p{n}'>{n}</a>" for n in range(1, N_PAGES))
        text = f"<title>{host}{self.path}</title>{links if self.path == '/' else ''}<p>{self.path}"
        body = b"" if self.path == "/robots.txt" else text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Crowds(Outages):
    """One host that is down until it was asked by one request at a time, three times in a row.

    By number, not by the clock: on a slow machine the first tries take longer than any time set.
    """

    def __init__(self) -> None:
        super().__init__()
        self.n_open: list[int] = []
        self.n_now = 0

    def is_down(self, host: str, path: str) -> bool:
        with self.lock:
            if not self.n_open and path != "/p9":
                return False
            if self.n_open[-3:] == [1, 1, 1] or len(self.n_open) == 200:
                return False
            self.n_now += 1
            self.n_open.append(self.n_now)
        time.sleep(0.1)
        with self.lock:
            self.n_now -= 1
        return True


@pytest.mark.full
def test_a_host_that_is_down_is_asked_by_one_request_at_a_time(tmp_path) -> None:
    with in_thread(Crowds()) as server:
        run = crawl(tmp_path, server, ["status503-40.example"], retry_delay_s="0.005")
    assert len(run.pages()) == N_PAGES
    assert server.n_open[-3:] == [1, 1, 1]
    assert len(server.n_open) < 60, "first tries and what was out with them, by eights"


@pytest.mark.slow
@pytest.mark.timeout(int(4 * OUTAGE_S) + 1200)
def test_hosts_that_are_down_for_a_while_are_whole(tmp_path) -> None:
    hosts = [f"{way}-{n_left}.example" for way in DOWN for n_left in LEFT]
    with in_thread(Outages()) as server:
        run = crawl(tmp_path, server, hosts, limit_s=4 * OUTAGE_S + 900, **DEFAULTS)
    assert set(server.down_at) == set(hosts)
    expected = {f"http://{h}/" for h in hosts}
    expected |= {f"http://{h}/p{n}" for h in hosts for n in range(1, N_PAGES)}
    assert run.pages().keys() == expected
    assert run.summary["complete"]
    assert run.summary["given_up"]["urls"] == 0
    # A host that is down is asked less and less often, and at most 5 minutes apart.
    assert server.n_asked_when_down <= len(hosts) * (40 + OUTAGE_S / 100)
    run.assert_settled()
