"""The hostile server, a process: threads and blocking sockets, so that nothing is too well-bred.

    python -m tests.hostile.server LOG      prints {"http": PORT, "https": PORT}, ends with stdin
    python -m tests.hostile.server LOG hundred      the same for the table of `hundred`

LOG gets one JSON line a request: host, path, and the header names that tell on a crawler.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
import socket
import ssl
import sys
import tempfile
import threading
import warnings
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

from . import encodings, mazes, moves, transport, wire
from .behavior import BESIDE, BESIDE_PATHS, DOMAIN, TABLE, Behavior, Conn
from .hundred import HUNDRED

__all__ = ["encodings", "mazes", "moves", "transport", "wire"]

TOLD = ("cookie", "authorization", "referer", "user-agent", "from", "x-planted")
_FAULTS = (OSError, ssl.SSLError, ValueError)


def _certificate(folder: Path, name: str, *, expired: bool) -> Path:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    who = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    start = dt.datetime(2000, 1, 1) if expired else dt.datetime.now() - dt.timedelta(days=2)
    certificate = (
        x509.CertificateBuilder().subject_name(who).issuer_name(who).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(start)
        .not_valid_after(start + dt.timedelta(days=365)).sign(key, hashes.SHA256())
    )  # fmt: skip
    pem = serialization.Encoding.PEM
    path = folder / f"{name}.pem"
    form, no = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    path.write_bytes(key.private_bytes(pem, form, no) + certificate.public_bytes(pem))
    return path


def _contexts() -> dict[str, ssl.SSLContext]:
    with tempfile.TemporaryDirectory() as folder:
        good = _certificate(Path(folder), "elsewhere.example", expired=False)
        old = _certificate(Path(folder), "expired.example", expired=True)
        contexts = {}
        for name in ("", "tls-expired", "tls-1-0"):
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(old if name == "tls-expired" else good)
            contexts[name] = context
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        contexts["tls-1-0"].set_ciphers("DEFAULT:@SECLEVEL=0")
        contexts["tls-1-0"].minimum_version = ssl.TLSVersion.TLSv1
        contexts["tls-1-0"].maximum_version = ssl.TLSVersion.TLSv1
    return contexts


class HostileServer:
    """Two listening sockets and a thread a connection."""

    def __init__(self, log: Path, table: Mapping[str, Behavior]) -> None:
        self._table = table
        self._log = log.open("a", encoding="utf-8", buffering=1)
        self._lock = threading.Lock()
        self._visits: Counter[str] = Counter()
        self._contexts = _contexts()

    def listen(self, talk) -> int:
        sock = socket.create_server(("127.0.0.1", 0), backlog=512)
        threading.Thread(target=self._accept, args=(sock, talk), daemon=True).start()
        return int(sock.getsockname()[1])

    def _accept(self, listening: socket.socket, talk) -> None:
        while True:
            sock, _ = listening.accept()
            sock.settimeout(60)
            threading.Thread(target=self._guarded, args=(talk, sock), daemon=True).start()

    def _guarded(self, talk, sock: socket.socket) -> None:
        with contextlib.suppress(*_FAULTS), sock:
            talk(sock)

    def talk_tls(self, sock: socket.socket) -> None:
        greeting = sock.recv(4096, socket.MSG_PEEK)
        found = next((b for b in self._table.values() if b.host.encode() in greeting), None)
        if found is not None and found.hello is not None and not found.hello(sock):
            return
        context = self._contexts.get(found.name if found else "") or self._contexts[""]
        with context.wrap_socket(sock, server_side=True) as secure:
            self.talk(secure)

    def talk(self, sock: socket.socket) -> None:
        buffer = b""
        while True:
            while b"\r\n\r\n" not in buffer:
                more = sock.recv(65536)
                if not more:
                    return
                buffer += more
            head, _, buffer = buffer.partition(b"\r\n\r\n")
            if not self._answer(sock, head):
                return

    def _answer(self, sock: socket.socket, head: bytes) -> bool:
        first, *lines = head.decode("latin-1").split("\r\n")
        path = first.split(" ")[1]
        headers = {n.lower(): v.strip() for n, _, v in (line.partition(":") for line in lines)}
        host = headers.get("host", "")
        visit = self._note(host, path, headers)
        found = self._table.get(host.removesuffix(f".{DOMAIN}"))
        conn = Conn(sock, host, path, visit)
        if found is None:
            return _others(conn)
        if path == "/robots.txt" and found.group != "robots.txt":
            return conn.reply("", status="404 Not Found")
        return bool(found.act(conn))

    def _note(self, host: str, path: str, headers: dict[str, str]) -> int:
        told = {name: headers[name] for name in TOLD if name in headers}
        with self._lock:
            self._log.write(json.dumps({"host": host, "path": path[:300], **told}) + "\n")
            if path == "/robots.txt":
                return -1
            self._visits[host] += 1
            return self._visits[host] - 1


def _others(conn: Conn) -> bool:
    if conn.host.startswith("good-"):
        return _good(conn)
    if conn.host.startswith(BESIDE) and conn.path in BESIDE_PATHS:
        return conn.reply(conn.page(*BESIDE_PATHS))
    return conn.reply("?", status="404 No")


def _good(conn: Conn) -> bool:
    """A host as it should be: three levels, fifteen links a page."""
    if conn.path == "/robots.txt":
        return conn.reply("User-agent: *\nDisallow: /private\n", kind="text/plain")
    words = "一二三四五六七八九十甲乙丙丁戊" if conn.path.count("/") < 3 else ""
    base = conn.path.rstrip("/")
    text = "，".join(f"{conn.host}{base}的第{n}句话说的是别的事" for n in range(40))
    return conn.reply(conn.page(*(f"{base}/{word}" for word in words), body=text))


def behaviors() -> list[Behavior]:
    """The table, every module of it loaded."""
    return list(TABLE.values())


def main(log: str, name: str = "") -> None:
    if not name:
        for make in (encodings.gzip_bomb, encodings.brotli_bomb, encodings.zstd_bomb,
                     encodings.deflate_bomb):  # fmt: skip
            make()
    server = HostileServer(Path(log), HUNDRED if name else TABLE)
    ports = {"http": server.listen(server.talk), "https": server.listen(server.talk_tls)}
    sys.stdout.write(json.dumps(ports) + "\n")
    sys.stdout.flush()
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
