"""A TLS end before a plain server."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from pathlib import Path

__all__ = ["TlsProxy"]


class TlsProxy:
    """Takes TLS connections and forwards them to 127.0.0.1:port."""

    def __init__(self, port: int, cert: Path, key: Path) -> None:
        self._target = port
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(cert, key)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                plain, _ = self._listener.accept()
            except OSError:
                return
            try:
                client = self._context.wrap_socket(plain, server_side=True)
            except OSError:
                plain.close()
                continue
            server = socket.create_connection(("127.0.0.1", self._target))
            self._open += [client, server]
            # One request, one answer: enough for a client that does not pipeline.
            threading.Thread(target=self._serve, args=(client, server), daemon=True).start()

    def _serve(self, client: socket.socket, server: socket.socket) -> None:
        client.setblocking(False)
        server.setblocking(False)
        with contextlib.suppress(OSError, ValueError):
            while _moved(client, server) and _moved(server, client):
                threading.Event().wait(0.001)

    def close(self) -> None:
        self._listener.close()
        for one in self._open:
            with contextlib.suppress(OSError):
                one.close()


def _moved(source: socket.socket, target: socket.socket) -> bool:
    """Move what there is; False at the end."""
    try:
        data = source.recv(65536)
    except (BlockingIOError, ssl.SSLWantReadError):
        return True
    if data:
        target.setblocking(True)
        target.sendall(data)
        target.setblocking(False)
    return bool(data)
