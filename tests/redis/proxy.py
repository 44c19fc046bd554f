"""A TCP proxy that a test can cut: connections break, new ones are refused or hang."""

from __future__ import annotations

import contextlib
import socket
import threading

__all__ = ["CutProxy"]


class CutProxy:
    """Forwards to 127.0.0.1:port until `cut`; `mend` lets new connections through again."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._is_cut = threading.Event()
        self._sockets: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self._is_cut.is_set():
                client.close()
                continue
            self._sockets.append(client)
            with contextlib.suppress(OSError):
                server = socket.create_connection(("127.0.0.1", self._target))
                self._sockets.append(server)
                for pair in ((client, server), (server, client)):
                    threading.Thread(target=self._pump, args=pair, daemon=True).start()
            if self._is_cut.is_set():  # meanwhile: what was added after the cut is closed too
                self.cut()

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def cut(self) -> None:
        self._is_cut.set()
        for one in self._sockets:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        self._sockets.clear()

    def mend(self) -> None:
        self._is_cut.clear()

    def close(self) -> None:
        self.cut()
        self._listener.close()
