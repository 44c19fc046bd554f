"""Small proxies on loopback: HTTP with CONNECT, and SOCKS5; every name leads to one web server."""

from __future__ import annotations

import base64
import contextlib
import select
import socket
import socketserver
import struct
import threading

USER, PASSWORD = "reader", "s3cret:/word"
REFUSED, FORBIDDEN = "refused.example", "forbidden.example"


def _pipe(one: socket.socket, other: socket.socket) -> None:
    """Carry bytes both ways until either side ends."""
    while True:
        ready, _, _ = select.select([one, other], [], [], 60)
        if not ready:
            return
        for source in ready:
            data = source.recv(65536)
            if not data:
                return
            (other if source is one else one).sendall(data)


class Proxy(socketserver.ThreadingTCPServer):
    """A proxy before a web server.

    Attributes:
        asked: host and port of each request or tunnel.
    """

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64
    scheme = "http"

    def __init__(self, web, *, login: bool = False) -> None:
        super().__init__(("127.0.0.1", 0), self.handler)
        self.web, self.login = web, login
        self.asked: list[tuple[str, int]] = []
        self._thread = threading.Thread(target=self.serve_forever, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()

    def handle_error(self, *_: object) -> None:
        """Clients that go away are no fault."""

    def url(self, user: str = USER, password: str = "s3cret%3A%2Fword") -> str:
        login = f"{user}:{password}@" if self.login else ""
        return f"{self.scheme}://{login}127.0.0.1:{self.server_address[1]}"

    def connect(self, port: int) -> socket.socket:
        ports = {80: self.web.info.http_port, 443: self.web.info.https_port}
        return socket.create_connection((self.web.info.address, ports[port]), 30)


class _HttpHandler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        """One request or tunnel a connection."""
        method, target, _ = self.rfile.readline().decode().split()
        lines = []
        while (line := self.rfile.readline()) not in {b"\r\n", b""}:
            lines.append(line)
        wanted = b"basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode())
        logins = [v.strip() for k, _, v in (one.partition(b":") for one in lines)
                  if k.lower() == b"proxy-authorization"]  # fmt: skip
        if self.server.login and [one.lower() for one in logins] != [wanted.lower()]:
            self._say("407 Proxy Authentication Required")
            return
        is_tunnel = method == "CONNECT"
        authority = target if is_tunnel else target.split("/")[2]
        host, _, port = authority.partition(":")
        number = int(port or 80)
        self.server.asked.append((host, number))
        if host in {REFUSED, FORBIDDEN}:
            self._say("502 Bad Gateway" if host == REFUSED else "403 Forbidden")
            return
        with self.server.connect(number) as web:
            if is_tunnel:
                self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                _pipe(self.connection, web)
                return
            path = "/" + target.split("/", 3)[3]
            kept = b"".join(
                one for one in lines if not one.lower().startswith((b"proxy-", b"connection"))
            )
            web.sendall(
                f"{method} {path} HTTP/1.1\r\nConnection: close\r\n".encode() + kept + b"\r\n"
            )
            while data := web.recv(65536):
                self.wfile.write(data)

    def _say(self, status: str) -> None:
        self.wfile.write(
            f"HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n"
            "Proxy-Authenticate: Basic realm=x\r\n\r\n".encode()
        )


class _SocksHandler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        """A greeting, perhaps a login, an order, then a tunnel (RFC 1928, RFC 1929)."""
        _, count = self.rfile.read(2)
        methods = self.rfile.read(count)
        wanted = 2 if self.server.login else 0
        if wanted not in methods:
            self.wfile.write(b"\x05\xff")
            return
        self.wfile.write(bytes((5, wanted)))
        if wanted and not self._login():
            return
        _, _, _, kind = self.rfile.read(4)
        if kind == 3:
            host = self.rfile.read(self.rfile.read(1)[0]).decode()
        else:
            host = socket.inet_ntop(
                socket.AF_INET if kind == 1 else socket.AF_INET6,
                self.rfile.read(4 if kind == 1 else 16),
            )
        (port,) = struct.unpack("!H", self.rfile.read(2))
        self.server.asked.append((host, port))
        code = {REFUSED: 5, FORBIDDEN: 2}.get(host, 0)
        self.wfile.write(bytes((5, code, 0, 1, 0, 0, 0, 0, 0, 0)))
        if not code:
            with self.server.connect(port) as web, contextlib.suppress(OSError):
                _pipe(self.connection, web)

    def _login(self) -> bool:
        self.rfile.read(1)
        user = self.rfile.read(self.rfile.read(1)[0]).decode()
        password = self.rfile.read(self.rfile.read(1)[0]).decode()
        is_right = (user, password) == (USER, PASSWORD)
        self.wfile.write(bytes((1, 0 if is_right else 1)))
        return is_right


class HttpProxy(Proxy):
    handler = _HttpHandler


class SocksProxy(Proxy):
    handler = _SocksHandler
    scheme = "socks5"
