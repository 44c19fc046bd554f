"""A local web for the browser: the patterns, and pages that mean harm."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from tests.render.hostile import HOSTILE
from tests.render.patterns import PATTERNS

HTML = "text/html; charset=utf-8"
FILES = {
    **{f"/{p.name}": (HTML, p.html) for p in PATTERNS.values()},
    **{f"/{path}": file for p in PATTERNS.values() for path, file in p.files.items()},
    **{f"/{name}": (HTML, html) for name, html in HOSTILE.items()},
}


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.server.asked.append((self.headers.get("Host", ""), self.path))
        path = urlsplit(self.path).path
        if path == "/slow":
            time.sleep(0.5)
        if path == "/away":
            self.send_response(302)
            self.send_header("Location", "http://other.example.net/x")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        kind, body = FILES.get(path, (None, "nothing"))
        if path == "/huge":
            kind, body = "application/octet-stream", "x" * (6 << 20)
        if path in {"/slow", "/small"}:
            kind, body = "application/json", "{}"
        raw = body.encode()
        self.send_response(200 if kind else 404)
        self.send_header("Content-Type", kind or "text/plain")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[tuple[str, str]] = []

    @property
    def host_map(self) -> str:
        return f"127.0.0.1:{self.server_port}:{self.server_port}"

    def handle_error(self, *_: object) -> None:
        """Browsers that are killed leave broken connections behind."""


@contextmanager
def serving():
    server = Server()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
